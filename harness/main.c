/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "ki_plugin.h"
#include "protocol/identity.h"
#include "revision.h"
#include "worker/serve.h"

static const struct {
	const char *name;
	ki_command *run;
	const char *summary;
} main_commands[] = {
	{"run", ki_command_run, "measure backends by a protocol (what is done without a command)"},
	{"env", ki_command_env, "say what this machine is, as a record would"},
	{"import", ki_command_import, "make records of results that others published"},
	{"bundle", ki_command_bundle, "put records into one submission to Kernel Index"},
	{"manifest", ki_command_manifest,
	 "check Kernel Index documents and records; their digests"},
};

static void main_help(void)
{
	size_t i;

	printf("ki-harness: how fast is this kernel, is it right, and is it really faster?\n"
	       "\n"
	       "Usage: ki-harness -p PROTOCOL -b BACKEND [-b BACKEND]... [options]\n"
	       "       ki-harness COMMAND [options]\n"
	       "\n"
	       "Commands:\n");
	for (i = 0; i < sizeof main_commands / sizeof main_commands[0]; i++)
		printf("  %-8s %s\n", main_commands[i].name, main_commands[i].summary);
	printf("\n"
	       "'ki-harness COMMAND --help' explains a command. For example:\n"
	       "\n"
	       "  ki-harness -p protocols/liger-forward.yaml -b plugins/fused.so\n");
}

static void main_version(void)
{
	printf("ki-harness %s\nsource %s%s\nmeasuring revision %s\nplugin ABI %u.%u\n",
	       PACKAGE_VERSION, KI_SOURCE_REVISION[0] != '\0' ? KI_SOURCE_REVISION : "unknown",
	       KI_SOURCE_DIRTY ? " with changes" : "", KI_MEASURING_REVISION, KI_ABI_MAJOR,
	       KI_ABI_MINOR);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc == 2 && strcmp(argv[1], "--worker") == 0)
		return ki_serve();
	/* Characters as the user's terminal wants them, numbers as files want them. */
	setlocale(LC_CTYPE, "");
	if (argc < 2 || strcmp(argv[1], "help") == 0 ||
	    (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		main_help();
		return argc < 2 ? KI_EXIT_USAGE : KI_EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		main_version();
		return KI_EXIT_OK;
	}
	if (argv[1][0] == '-')
		return ki_command_run(argc, argv);
	for (i = 0; i < sizeof main_commands / sizeof main_commands[0]; i++)
		if (strcmp(argv[1], main_commands[i].name) == 0)
			return main_commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "ki-harness: there is no command \"%s\"\n", argv[1]);
	fprintf(stderr, "Try 'ki-harness --help'.\n");
	return KI_EXIT_USAGE;
}
