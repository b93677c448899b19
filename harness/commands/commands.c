/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>

#include "commands/commands.h"

int ki_command_fail(const struct ki_error *e)
{
	fprintf(stderr, "ki-harness: %s\n", e->text);
	switch (e->code) {
	case KI_FAIL_INTERRUPT:
		return KI_EXIT_INTERRUPTED;
	case KI_FAIL_USAGE:
	case KI_FAIL_INPUT:
		return KI_EXIT_USAGE;
	default:
		return KI_EXIT_FAILED;
	}
}

int ki_command_usage_hint(const char *command)
{
	fprintf(stderr, "Try 'ki-harness %s --help'.\n", command);
	return KI_EXIT_USAGE;
}
