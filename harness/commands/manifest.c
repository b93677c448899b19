/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "document/canonical.h"
#include "document/digest.h"
#include "document/kind/kind.h"
#include "document/yaml.h"
#include "protocol/plan.h"
#include "record/record.h"

static const char manifest_help[] =
	"Usage: ki-harness manifest check FILE...       is it what Kernel Index accepts?\n"
	"       ki-harness manifest digest FILE...      and which digest does that give it?\n"
	"       ki-harness manifest canonical FILE...   the very text that the digest is of\n"
	"\n"
	"A FILE holds one or more Kernel Index documents (kernelindex.dev/v1alpha1), in YAML or\n"
	"JSON, or records of ki-harness, whose documents are read one by one and whose digests\n"
	"must be those of the documents beside them. - is standard input.\n"
	"\n"
	"  -j, --json            all that was found as one JSON object\n"
	"  -h, --help            this text\n"
	"\n"
	"Every fault is a line on standard error: file:line:column: path: what was expected, and\n"
	"what was found. Exit status: 0, or 2 when something is wrong.\n"
	"\n"
	"The digest is the SHA-256 of the canonical text (RFC 8785) of apiVersion, kind and spec:\n"
	"  printf %s \"$(ki-harness manifest canonical FILE)\" | sha256sum\n";

enum manifest_action { MANIFEST_CHECK, MANIFEST_DIGEST, MANIFEST_CANONICAL };

struct manifest_job {
	enum manifest_action action;
	bool json;
	json_t *documents; /* of --json */
	size_t n_documents;
	size_t n_faults;
	struct ki_error error; /* what is not the fault of a file */
};

/* ---------------------------------------------------------------- one document that is right */

static const char *document_name(const json_t *document)
{
	return json_string_value(json_object_get(json_object_get(document, "metadata"), "name"));
}

static const char *document_kind(const json_t *document)
{
	return json_string_value(json_object_get(document, "kind"));
}

static int document_show(struct manifest_job *job, const struct ki_identified *d, const char *file,
			 uint32_t line, json_t *listed)
{
	struct ki_buffer text;
	int rc;

	ki_buffer_init(&text, KI_DIGEST_IDENTITY_MAX);
	rc = ki_digest_identity(&text, d->document, &job->error);
	if (rc != KI_SUCCESS)
		goto out;
	if (listed != NULL)
		json_array_append_new(listed, json_pack("{s:s, s:s, s:s, s:s#}", "kind",
							document_kind(d->document), "name",
							document_name(d->document), "digest",
							d->digest.text, "canonical", text.data,
							(int)text.size));
	else if (job->action == MANIFEST_CANONICAL)
		puts(text.data);
	else if (job->action == MANIFEST_DIGEST)
		printf("%s  %s:%" PRIu32 "  %s  %s\n", d->digest.text, file, line,
		       document_kind(d->document), document_name(d->document));
	else
		printf("%s:%" PRIu32 ": %s %s: valid\n", file, line, document_kind(d->document),
		       document_name(d->document));
out:
	ki_buffer_fini(&text);
	return rc;
}

/* ---------------------------------------------------------------- faults */

static json_t *issues_json(const struct ki_issues *issues)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < issues->count; i++) {
		const struct ki_issue *issue = &issues->list[i];

		json_array_append_new(list, json_pack("{s:I, s:I, s:s, s:s}", "line",
						      (json_int_t)issue->line, "column",
						      (json_int_t)issue->column, "path",
						      issue->path, "message", issue->text));
	}
	return list;
}

static void issues_print(const struct ki_issues *issues, const char *file)
{
	char line[KI_ISSUE_LINE_MAX];
	size_t i;

	for (i = 0; i < issues->count; i++) {
		ki_issue_line(&issues->list[i], file, line);
		fprintf(stderr, "%s\n", line);
	}
	if (issues->dropped > 0)
		fprintf(stderr, "%s: %zu more faults\n", file, issues->dropped);
}

/* A file that cannot be read at all is one fault. */
static void file_fault(struct manifest_job *job, const char *file, const char *text)
{
	job->n_faults++;
	if (!job->json) {
		fprintf(stderr, "%s\n", text);
		return;
	}
	json_array_append_new(job->documents,
			      json_pack("{s:s, s:[], s:[{s:s, s:s}]}", "file", file, "documents",
					"issues", "path", "", "message", text));
}

/* ---------------------------------------------------------------- a document of a file */

/* A manifest is one document, a record the parts that it has. */
static int document_read(struct ki_record *out, struct ki_issues *issues, const struct ki_node *n,
			 struct ki_error *e)
{
	int rc;

	if (n != NULL && ki_record_is(n))
		return ki_record_read(out, issues, n, "", e);
	*out = (struct ki_record){0};
	rc = ki_kind_read(&out->parts[0].document, issues, n, NULL, "", e);
	if (rc == KI_SUCCESS && out->parts[0].document != NULL)
		rc = ki_digest_document(&out->parts[0].digest, out->parts[0].document, e);
	return rc;
}

static int document_report(struct manifest_job *job, const struct ki_record *parts,
			   const struct ki_issues *issues, const char *file, uint32_t line)
{
	json_t *listed = job->json ? json_array() : NULL;
	int rc = KI_SUCCESS;
	size_t i;

	job->n_documents++;
	job->n_faults += ki_issues_total(issues);
	for (i = 0; i < KI_RECORD_PARTS && rc == KI_SUCCESS && issues->count == 0; i++)
		if (parts->parts[i].document != NULL)
			rc = document_show(job, &parts->parts[i], file, line, listed);
	if (job->json)
		json_array_append_new(job->documents,
				      json_pack("{s:s, s:I, s:o, s:o}", "file", file, "line",
						(json_int_t)line, "documents", listed, "issues",
						issues_json(issues)));
	else
		issues_print(issues, file);
	return rc;
}

static int manifest_document(struct manifest_job *job, const struct ki_node *n, const char *file)
{
	struct ki_issues issues = {0};
	struct ki_record parts = {0};
	int rc = document_read(&parts, &issues, n, &job->error);

	if (rc == KI_SUCCESS)
		rc = document_report(job, &parts, &issues, file, n != NULL ? n->line : 1);
	ki_record_free(&parts);
	ki_issues_free(&issues);
	return rc;
}

/* ---------------------------------------------------------------- a file */

static bool is_of_kind(const struct ki_node *n, const char *kind)
{
	const struct ki_node *name = ki_node_get(n, "kind");

	return name != NULL && name->type == KI_NODE_STRING && strcmp(name->text, kind) == 0;
}

static bool has_plan(const struct ki_yaml *y)
{
	size_t i;

	for (i = 0; i < y->count; i++)
		if (is_of_kind(y->documents[i], "Plan"))
			return true;
	return false;
}

/* In a protocol file, the Plan is ours and the BenchmarkProtocol a frame that a run completes. */
static bool is_ours(const struct ki_node *n)
{
	return is_of_kind(n, "Plan") || is_of_kind(n, "BenchmarkProtocol");
}

static int manifest_file(struct manifest_job *job, const char *path)
{
	struct ki_error e = {0};
	struct ki_yaml y;
	bool protocol;
	size_t i;
	int rc = ki_yaml_read(&y, path, &e);

	if (rc == KI_FAIL_INPUT || rc == KI_FAIL_LIMIT) {
		file_fault(job, path, e.text);
		return KI_SUCCESS;
	}
	if (rc != KI_SUCCESS) {
		job->error = e;
		return rc;
	}
	protocol = has_plan(&y); /* once: a hostile file has 100 000 documents */
	if (y.count == 0)
		rc = manifest_document(job, NULL, y.name);
	for (i = 0; i < y.count && rc == KI_SUCCESS; i++) {
		if (!protocol || !is_ours(y.documents[i]))
			rc = manifest_document(job, y.documents[i], y.name);
		else if (job->action == MANIFEST_CHECK && !job->json)
			printf("%s:%" PRIu32 ": %s: left to 'ki-harness run --dry-run', as part "
			       "of a protocol file\n",
			       y.name, y.documents[i]->line,
			       ki_node_get(y.documents[i], "kind")->text);
	}
	ki_yaml_free(&y);
	return rc;
}

static int manifest_files(struct manifest_job *job, char **files, int count)
{
	json_t *report;
	int rc = KI_SUCCESS, i;

	job->documents = json_array();
	for (i = 0; i < count && rc == KI_SUCCESS; i++)
		rc = manifest_file(job, files[i]);
	if (rc == KI_SUCCESS && job->json) {
		report = json_pack("{s:O, s:I}", "files", job->documents, "faults",
				   (json_int_t)job->n_faults);
		rc = ki_command_print_json(report, &job->error);
		json_decref(report);
	}
	json_decref(job->documents);
	if (rc == KI_SUCCESS && fflush(stdout) != 0)
		rc = ki_error_set(&job->error, KI_FAIL_SYSTEM, "cannot write to standard output");
	if (rc != KI_SUCCESS)
		return ki_command_fail(&job->error);
	return job->n_faults > 0 ? KI_EXIT_USAGE : KI_EXIT_OK;
}

static bool manifest_action(enum manifest_action *out, const char *name)
{
	static const char *const names[] = {
		[MANIFEST_CHECK] = "check",
		[MANIFEST_DIGEST] = "digest",
		[MANIFEST_CANONICAL] = "canonical",
	};
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0) {
			*out = (enum manifest_action)i;
			return true;
		}
	fprintf(stderr, "ki-harness: manifest: expected check, digest or canonical, found \"%s\"\n",
		name);
	return false;
}

int ki_command_manifest(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct manifest_job job = {0};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			job.json = true;
			break;
		case 'h':
			fputs(manifest_help, stdout);
			return KI_EXIT_OK;
		default:
			return ki_command_usage_hint("manifest");
		}
	}
	if (optind == argc) {
		fprintf(stderr, "ki-harness: manifest: what is to be done is missing: check, "
				"digest or canonical\n");
		return ki_command_usage_hint("manifest");
	}
	if (!manifest_action(&job.action, argv[optind]))
		return ki_command_usage_hint("manifest");
	if (optind + 1 == argc) {
		fprintf(stderr, "ki-harness: manifest %s: no file is named; - is standard input\n",
			argv[optind]);
		return ki_command_usage_hint("manifest");
	}
	return manifest_files(&job, argv + optind + 1, argc - optind - 1);
}
