/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "record/document.h"
#include "run/session.h"

static const char env_help[] =
	"Usage: ki-harness env [options]\n"
	"\n"
	"Says what this machine is, as a record would: the ExecutionEnvironment document, its\n"
	"digest, and what was measured of the device.\n"
	"\n"
	"  -d, --device DEVICE   cpu (the default), cuda, or cuda:WHICH, an index or a UUID\n"
	"  -t, --threads N       threads that a launch may use; all\n"
	"  -j, --json            the document and the evidence as one JSON object\n"
	"  -h, --help            this text\n";

static int env_print_json(const struct ki_identified *environment, const json_t *probe,
			  struct ki_error *e)
{
	json_t *o = json_pack("{s:O, s:s, s:O}", "environment", environment->document, "digest",
			      environment->digest.text, "device", probe);
	int rc = ki_command_print_json(o, e);

	json_decref(o);
	return rc;
}

static void env_print_object(const json_t *object, int depth)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)object, key, v)
	{
		printf("%*s%-*s ", depth * 2, "", 18 - depth * 2, key);
		if (json_is_object(v)) {
			putchar('\n');
			env_print_object(v, depth + 1);
		} else if (json_is_string(v)) {
			puts(json_string_value(v));
		} else {
			json_dumpf(v, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
			putchar('\n');
		}
	}
}

static void env_print(const struct ki_identified *environment, const struct ki_session_device *d)
{
	const json_t *spec = json_object_get(environment->document, "spec");

	env_print_object(spec, 0);
	printf("\n%-18s %.2f GB/s\n", "copy rate", d->copy_rate * 1e-9);
	printf("%-18s %.3f ms\n", "flush", (double)d->flush_ns * 1e-6);
	env_print_object(json_object_get(json_object_get(d->probe, "facts"), "evidence"), 0);
	printf("\n%-18s %s\n", "digest", environment->digest.text);
}

static int env_show(const char *name, unsigned threads, bool json)
{
	const char *which = ki_session_cuda_selector(name);
	const char *kind = which != NULL ? "cuda" : name, *selector = which != NULL ? which : "";
	struct ki_worker_run run = {.interrupt_fd = -1};
	struct ki_session_device device = {0};
	struct ki_identified environment = {0};
	struct ki_error e = {0};
	int rc = ki_session_nonce(run.nonce, &e);

	if (rc == KI_SUCCESS)
		rc = ki_session_probe(&device, kind, selector, threads, &run, &e);
	if (rc == KI_SUCCESS)
		rc = ki_document_environment(&environment, json_object_get(device.probe, "facts"),
					     &e);
	if (rc == KI_SUCCESS && json)
		rc = env_print_json(&environment, device.probe, &e);
	else if (rc == KI_SUCCESS)
		env_print(&environment, &device);
	ki_identified_free(&environment);
	json_decref(device.probe);
	return rc == KI_SUCCESS ? KI_EXIT_OK : ki_command_fail(&e);
}

int ki_command_env(int argc, char **argv)
{
	static const struct option options[] = {
		{"device", required_argument, NULL, 'd'},
		{"threads", required_argument, NULL, 't'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	const char *kind = "cpu";
	unsigned long threads = 0;
	bool json = false;
	char *end;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "d:t:jh", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			kind = strcmp(optarg, "auto") == 0 ? "cpu" : optarg;
			break;
		case 't':
			threads = strtoul(optarg, &end, 10);
			if (*end != '\0' || threads < 1 || threads > 4096) {
				fprintf(stderr, "ki-harness: --threads %s: expected 1 to 4096\n",
					optarg);
				return KI_EXIT_USAGE;
			}
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(env_help, stdout);
			return KI_EXIT_OK;
		default:
			return ki_command_usage_hint("env");
		}
	}
	if (optind < argc) {
		fprintf(stderr, "ki-harness: unexpected argument \"%s\"\n", argv[optind]);
		return ki_command_usage_hint("env");
	}
	return env_show(kind, (unsigned)threads, json);
}
