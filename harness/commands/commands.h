/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of ki-harness, one file each, and the exit codes that they share. */
#ifndef KI_COMMANDS_COMMANDS_H
#define KI_COMMANDS_COMMANDS_H

#include <jansson.h>

#include "base/error.h"

enum ki_exit {
	KI_EXIT_OK = 0,
	KI_EXIT_REGRESSION = 1,   /* --gate: a backend is slower than the baseline */
	KI_EXIT_USAGE = 2,        /* bad usage or bad input; nothing was measured */
	KI_EXIT_INCONCLUSIVE = 3, /* --gate: no verdict */
	KI_EXIT_INCORRECT = 4,    /* a backend is incorrect */
	KI_EXIT_FAILED = 5,       /* a case failed or is missing */
	KI_EXIT_INTERRUPTED = 130
};

/* argv[0] is the command's name; the result is the exit code of the process. */
typedef int ki_command(int argc, char **argv);
ki_command ki_command_run, ki_command_env, ki_command_bundle, ki_command_import,
	ki_command_manifest;

/* Prints "ki-harness: <text>" on standard error and returns the exit code that fits. */
int ki_command_fail(const struct ki_error *e);

/* The canonical text of v and a newline on standard output, flushed. */
int ki_command_print_json(const json_t *v, struct ki_error *e) KI_MUST_CHECK;

/* "Try 'ki-harness <command> --help'." on standard error; returns KI_EXIT_USAGE. */
int ki_command_usage_hint(const char *command);

#endif
