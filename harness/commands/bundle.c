/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "commands/commands.h"
#include "document/canonical.h"
#include "document/kind/tables.h"
#include "document/yaml.h"
#include "record/bundle.h"

static const char bundle_help[] =
	"Usage: ki-harness bundle RECORD... --project FILE [options]\n"
	"\n"
	"Puts records into one Kernel Index submission (a file for its registry/submissions, or\n"
	"for its web form), after every check that publication would make.\n"
	"\n"
	"  RECORD                a record's file, or a folder of results: all of its records\n"
	"  -p, --project FILE    a SoftwareProject to which the implementations belong; may be\n"
	"                        given again: each takes the one of its repository\n"
	"  -o, --out FILE        write it there; standard output\n"
	"  -h, --help            this text\n"
	"\n"
	"When anything is wrong, each fault is a line on standard error and nothing is written.\n"
	"Exit status: 0, or 2.\n";

#define BUNDLE_BYTES_MAX ((size_t)256 << 20)
#define BUNDLE_PROJECTS_MAX 64

struct bundle_job {
	const char *out; /* NULL: standard output */
	const char *projects[BUNDLE_PROJECTS_MAX];
	size_t n_projects;
	struct ki_bundle bundle;
	json_t *artifacts; /* URIs that runs name */
	size_t n_faults;
	struct ki_error error; /* what is not the fault of a file */
};

/* ---------------------------------------------------------------- files */

static void bundle_faults(struct bundle_job *job, const struct ki_issues *issues, const char *file)
{
	char line[KI_ISSUE_LINE_MAX];
	size_t i;

	for (i = 0; i < issues->count; i++) {
		ki_issue_line(&issues->list[i], file, line);
		fprintf(stderr, "%s\n", line);
	}
	if (issues->dropped > 0)
		fprintf(stderr, "%s: %zu more faults\n", file, issues->dropped);
	job->n_faults += ki_issues_total(issues);
}

/* Whether the file could be read; if not, and it is the file's fault, that is counted. */
static bool bundle_read(struct ki_yaml *out, struct bundle_job *job, const char *path, int *rc)
{
	struct ki_error e = {0};

	*rc = ki_yaml_read(out, path, &e);
	if (*rc == KI_SUCCESS)
		return true;
	if (*rc == KI_FAIL_INPUT || *rc == KI_FAIL_LIMIT) {
		fprintf(stderr, "%s\n", e.text);
		job->n_faults++;
		*rc = KI_SUCCESS;
	} else {
		job->error = e;
	}
	return false;
}

static int bundle_project(struct bundle_job *job, const char *path)
{
	struct ki_issues issues = {0};
	struct ki_yaml y;
	size_t i;
	int rc;

	if (!bundle_read(&y, job, path, &rc))
		return rc;
	if (y.count == 0)
		ki_issues_add(&issues, NULL, "", "expected a SoftwareProject, found nothing");
	for (i = 0; i < y.count && rc == KI_SUCCESS; i++) {
		struct ki_identified project = {0};

		rc = ki_kind_read(&project.document, &issues, y.documents[i],
				  &ki_kind_software_project, "", &job->error);
		if (rc == KI_SUCCESS && project.document != NULL)
			rc = ki_digest_document(&project.digest, project.document, &job->error);
		if (rc == KI_SUCCESS && project.document != NULL)
			rc = ki_bundle_project(&job->bundle, &issues, &project, "", &job->error);
		ki_identified_free(&project);
	}
	bundle_faults(job, &issues, y.name);
	ki_issues_free(&issues);
	ki_yaml_free(&y);
	return rc;
}

/* ---------------------------------------------------------------- artifacts */

/* A file that a record names by a path is in the folder of results, beside the one of records. */
static int artifact_open(const char *record, const char *uri)
{
	const char *slash = strrchr(record, '/');
	char path[4096];

	if (uri[0] == '/' || strchr(uri, ':') != NULL || strstr(uri, "..") != NULL)
		return -1;
	snprintf(path, sizeof path, "%.*s../%s", slash != NULL ? (int)(slash - record + 1) : 0,
		 record, uri);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* What is there must be what the run says; that it is there is not asked. */
static int artifact_check(struct bundle_job *job, struct ki_issues *issues, const json_t *artifact,
			  const char *record, const char *path)
{
	const char *uri = json_string_value(json_object_get(artifact, "uri"));
	const char *digest = json_string_value(json_object_get(artifact, "digest"));
	struct ki_digest found;
	int fd, rc;

	if (artifact == NULL)
		return KI_SUCCESS;
	if (strchr(uri, ':') == NULL)
		json_object_set_new(job->artifacts, uri, json_true());
	fd = artifact_open(record, uri);
	if (fd < 0)
		return KI_SUCCESS;
	rc = ki_digest_file(&found, NULL, fd, &job->error);
	close(fd);
	if (rc == KI_SUCCESS && strcmp(found.text, digest) != 0)
		ki_issues_add(issues, NULL, path, "expected %s to have the digest %s, found %s",
			      uri, digest, found.text);
	return rc;
}

static int artifacts_check(struct bundle_job *job, struct ki_issues *issues,
			   const struct ki_record *r, const char *file)
{
	const json_t *spec = json_object_get(r->parts[KI_RECORD_RUN].document, "spec");
	const json_t *timing = json_object_get(spec, "timing");
	const json_t *evidence = json_object_get(spec, "evidence");
	int rc = artifact_check(job, issues, json_object_get(timing, "rawSamples"), file,
				"/run/spec/timing/rawSamples");

	if (rc == KI_SUCCESS)
		rc = artifact_check(job, issues, json_object_get(evidence, "rawSamples"), file,
				    "/run/spec/evidence/rawSamples");
	if (rc == KI_SUCCESS)
		rc = artifact_check(job, issues, json_object_get(evidence, "logs"), file,
				    "/run/spec/evidence/logs");
	return rc;
}

/* ---------------------------------------------------------------- records */

static int bundle_document(struct bundle_job *job, struct ki_issues *issues,
			   const struct ki_node *n, const char *file)
{
	struct ki_record record = {0};
	int rc = ki_record_read(&record, issues, n, "", &job->error);

	if (rc == KI_SUCCESS && issues->count == 0)
		rc = artifacts_check(job, issues, &record, file);
	if (rc == KI_SUCCESS && issues->count == 0)
		rc = ki_bundle_record(&job->bundle, issues, &record, &job->error);
	ki_record_free(&record);
	return rc;
}

static int bundle_file(struct bundle_job *job, const char *path)
{
	struct ki_yaml y;
	size_t i;
	int rc;

	if (!bundle_read(&y, job, path, &rc))
		return rc;
	for (i = 0; i < y.count && rc == KI_SUCCESS; i++) {
		struct ki_issues issues = {0};

		rc = bundle_document(job, &issues, y.documents[i], path);
		bundle_faults(job, &issues, y.name);
		ki_issues_free(&issues);
	}
	ki_yaml_free(&y);
	return rc;
}

static int is_json(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return entry->d_name[0] != '.' && n > 5 && strcmp(entry->d_name + n - 5, ".json") == 0;
}

/* A folder of results, or the one of records in it; in the order of the names. */
static int bundle_folder(struct bundle_job *job, const char *path)
{
	struct dirent **entries = NULL;
	char folder[4096], file[8192];
	int n, i, rc = KI_SUCCESS;

	snprintf(folder, sizeof folder, "%s/records", path);
	if (access(folder, F_OK) != 0)
		snprintf(folder, sizeof folder, "%s", path);
	n = scandir(folder, &entries, is_json, alphasort);
	if (n <= 0) {
		fprintf(stderr, "%s: expected records (*.json), found %s\n", folder,
			n == 0 ? "none" : strerror(errno));
		job->n_faults++;
	}
	for (i = 0; i < n; i++) {
		snprintf(file, sizeof file, "%s/%s", folder, entries[i]->d_name);
		if (rc == KI_SUCCESS)
			rc = bundle_file(job, file);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int bundle_path(struct bundle_job *job, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? bundle_folder(job, path)
							   : bundle_file(job, path);
}

/* ---------------------------------------------------------------- output */

static void count_print(FILE *f, const char *before, const json_t *list, const char *what)
{
	size_t n = json_array_size(list);

	fprintf(f, "%s%zu %s%s", before, n, what, n == 1 ? "" : "s");
}

static void bundle_report(const struct bundle_job *job)
{
	FILE *f = job->out != NULL ? stdout : stderr;
	const struct ki_bundle *b = &job->bundle;

	fprintf(f, "%s: ", job->out != NULL ? job->out : "submission");
	count_print(f, "", b->projects, "project");
	count_print(f, ", ", b->operations, "operation");
	count_print(f, ", ", b->workloads, "workload");
	count_print(f, ", ", b->implementations, "implementation");
	count_print(f, ", ", b->runs, "run");
	fprintf(f, "\n");
	if (json_object_size(job->artifacts) > 0)
		fprintf(f,
			"its runs name %zu artifacts by paths, which a submission cannot hold: "
			"publish them elsewhere\n",
			json_object_size(job->artifacts));
}

static int bundle_write(struct bundle_job *job)
{
	struct ki_error *e = &job->error;
	struct ki_buffer text;
	json_t *submission = NULL;
	int rc = ki_bundle_json(&submission, &job->bundle, e);

	ki_buffer_init(&text, BUNDLE_BYTES_MAX);
	if (rc == KI_SUCCESS)
		rc = ki_canonical_write_indented(&text, submission, e);
	if (rc == KI_SUCCESS && job->out != NULL) {
		rc = ki_file_write_path(job->out, text.data, text.size, e);
	} else if (rc == KI_SUCCESS) {
		rc = ki_file_write_all(STDOUT_FILENO, text.data, text.size, e);
	}
	ki_buffer_fini(&text);
	json_decref(submission);
	return rc;
}

static int bundle_all(struct bundle_job *job, char **records, int count)
{
	size_t i;
	int k, rc = ki_bundle_init(&job->bundle, &job->error);

	job->artifacts = json_object();
	for (i = 0; i < job->n_projects && rc == KI_SUCCESS; i++)
		rc = bundle_project(job, job->projects[i]);
	for (k = 0; k < count && rc == KI_SUCCESS; k++)
		rc = bundle_path(job, records[k]);
	if (rc == KI_SUCCESS && job->n_faults == 0)
		rc = bundle_write(job);
	if (rc == KI_SUCCESS && job->n_faults == 0)
		bundle_report(job);
	ki_bundle_free(&job->bundle);
	json_decref(job->artifacts);
	if (rc != KI_SUCCESS)
		return ki_command_fail(&job->error);
	if (job->n_faults == 0)
		return KI_EXIT_OK;
	fprintf(stderr, "ki-harness: nothing was written: %zu fault%s\n", job->n_faults,
		job->n_faults == 1 ? "" : "s");
	return KI_EXIT_USAGE;
}

int ki_command_bundle(int argc, char **argv)
{
	static const struct option options[] = {
		{"project", required_argument, NULL, 'p'},
		{"out", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct bundle_job job = {0};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "p:o:h", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			if (job.n_projects == BUNDLE_PROJECTS_MAX) {
				fprintf(stderr, "ki-harness: more than %d times --project\n",
					BUNDLE_PROJECTS_MAX);
				return KI_EXIT_USAGE;
			}
			job.projects[job.n_projects++] = optarg;
			break;
		case 'o':
			job.out = strcmp(optarg, "-") == 0 ? NULL : optarg;
			break;
		case 'h':
			fputs(bundle_help, stdout);
			return KI_EXIT_OK;
		default:
			return ki_command_usage_hint("bundle");
		}
	}
	if (optind == argc) {
		fprintf(stderr, "ki-harness: bundle: no record is named\n");
		return ki_command_usage_hint("bundle");
	}
	return bundle_all(&job, argv + optind, argc - optind);
}
