/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>

#include "base/buffer.h"
#include "commands/commands.h"
#include "document/canonical.h"

#define COMMAND_JSON_MAX ((size_t)256 << 20)

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

int ki_command_print_json(const json_t *v, struct ki_error *e)
{
	struct ki_buffer b;
	int rc;

	ki_buffer_init(&b, COMMAND_JSON_MAX);
	rc = ki_canonical_write(&b, v, e);
	if (rc == KI_SUCCESS && (puts(b.data) < 0 || fflush(stdout) != 0))
		rc = ki_error_set(e, KI_FAIL_SYSTEM, "cannot write to standard output");
	ki_buffer_fini(&b);
	return rc;
}

int ki_command_usage_hint(const char *command)
{
	fprintf(stderr, "Try 'ki-harness %s --help'.\n", command);
	return KI_EXIT_USAGE;
}
