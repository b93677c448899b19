/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "commands/commands.h"
#include "import/liger.h"
#include "record/store.h"

static const char import_help[] =
	"Usage: ki-harness import liger FILE.csv [options]\n"
	"\n"
	"Makes Kernel Index records of results that others published: of the CSV file of\n"
	"Liger-Kernel's benchmarks (benchmark/data/all_benchmark_data.csv), byte for byte those\n"
	"that Kernel Index's own importer makes. - is standard input.\n"
	"\n"
	"  -o, --out DIR         where records go; ki-results\n"
	"  -n, --dry-run         write nothing; say what would be imported\n"
	"  -j, --json            what was done as one JSON object\n"
	"  -h, --help            this text\n"
	"\n"
	"Known are multi_token_attention and sparse_multi_token_attention, their latencies, of\n"
	"Liger and of PyTorch. Rows about anything else are counted and named. A row that is torn\n"
	"or shifted is named by its line, and costs no other row.\n"
	"\n"
	"Exit status: 0; 2 when nothing could be read or written; 5 when rows were damaged.\n";

#define IMPORT_BYTES_MAX ((size_t)1 << 30)
/* Records that wait together for the disk. */
#define IMPORT_BATCH 4096

struct import_job {
	const char *file; /* as messages call it */
	const char *out;
	bool dry_run;
	bool json;
	struct ki_store *store;
	struct ki_liger *liger;
	size_t n_rows;
	size_t n_records; /* made from rows; existing ones too */
	size_t n_existing;
	size_t n_waiting;
	size_t n_faults;
	json_t *left_out; /* reason to count */
	json_t *records;  /* of --json */
	json_t *faults;   /* of --json */
	struct ki_error error;
};

/* ---------------------------------------------------------------- rows */

static void import_fault(struct import_job *job, size_t line, const char *what)
{
	job->n_faults++;
	if (job->json)
		json_array_append_new(job->faults, json_pack("{s:I, s:s}", "line", (json_int_t)line,
							     "message", what));
	else
		fprintf(stderr, "%s:%zu: %s\n", job->file, line, what);
}

static void import_left_out(struct import_job *job, const char *reason)
{
	json_int_t n = json_integer_value(json_object_get(job->left_out, reason));

	json_object_set_new(job->left_out, reason, json_integer(n + 1));
}

static json_t *import_index_line(const struct ki_liger_row *row)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "run", row->run.text, "case",
			 row->workload, "backend", row->provider, "status", "passed", "protocol",
			 row->protocol_digest->text, "workload", row->workload_digest->text,
			 "observedAt", row->observed_at);
}

static int import_commit(struct import_job *job)
{
	job->n_waiting = 0;
	return job->store != NULL ? ki_store_commit(job->store, &job->error) : KI_SUCCESS;
}

static int import_record(struct import_job *job, const struct ki_liger_row *row, size_t line)
{
	bool existed = false;
	json_t *index_line;
	int rc = KI_SUCCESS;

	if (job->store != NULL) {
		index_line = import_index_line(row);
		rc = ki_store_add(&existed, job->store, row->record, row->record_size, &row->run,
				  index_line, &job->error);
		json_decref(index_line);
	}
	if (rc != KI_SUCCESS)
		return rc;
	job->n_records++;
	job->n_existing += existed;
	if (job->json)
		json_array_append_new(job->records,
				      json_pack("{s:I, s:s, s:b}", "line", (json_int_t)line, "run",
						row->run.text, "existed", existed));
	return ++job->n_waiting == IMPORT_BATCH ? import_commit(job) : KI_SUCCESS;
}

static int import_row(struct import_job *job, const struct ki_csv_row *row)
{
	struct ki_liger_row r;
	int rc = ki_liger_read(&r, job->liger, row, &job->error);

	if (rc != KI_SUCCESS)
		return rc;
	switch (r.outcome) {
	case KI_LIGER_RECORD:
		return import_record(job, &r, row->line);
	case KI_LIGER_LEFT_OUT:
		import_left_out(job, r.reason);
		break;
	case KI_LIGER_FAULT:
		import_fault(job, row->line, r.reason);
	}
	return KI_SUCCESS;
}

static int import_rows(struct import_job *job, struct ki_csv *csv)
{
	enum ki_csv_status status;
	struct ki_csv_row row;
	const char *why;
	int rc = KI_SUCCESS;

	while (rc == KI_SUCCESS && (status = ki_csv_next(csv, &row, &why)) != KI_CSV_END) {
		job->n_rows++;
		if (status == KI_CSV_ROW)
			rc = import_row(job, &row);
		else
			import_fault(job, row.line, why);
	}
	return rc == KI_SUCCESS ? import_commit(job) : rc;
}

/* ---------------------------------------------------------------- the file */

static int import_header(struct import_job *job, struct ki_csv *csv)
{
	struct ki_csv_row header;
	const char *why = "it is empty";
	enum ki_csv_status status = ki_csv_next(csv, &header, &why);

	if (status == KI_CSV_END)
		return ki_error_set(&job->error, KI_FAIL_INPUT,
				    "%s: expected a CSV file, found an "
				    "empty one",
				    job->file);
	if (status == KI_CSV_TORN)
		return ki_error_set(&job->error, KI_FAIL_INPUT, "%s:%zu: %s", job->file,
				    header.line, why);
	if (ki_liger_new(&job->liger, &header, &job->error) == KI_SUCCESS)
		return KI_SUCCESS;
	if (job->error.code == KI_FAIL_INPUT) {
		char text[KI_ERROR_TEXT_MAX];

		snprintf(text, sizeof text, "%s", job->error.text);
		ki_error_clear(&job->error);
		ki_error_set(&job->error, KI_FAIL_INPUT, "%s:%.900s", job->file, text);
	}
	return job->error.code;
}

static int import_read(struct import_job *job, const char *path)
{
	struct ki_csv csv;
	char *text = NULL;
	size_t size;
	int rc = ki_file_read(&text, &size, strcmp(path, "-") == 0 ? "/dev/stdin" : path,
			      IMPORT_BYTES_MAX, &job->error);

	if (rc == KI_FAIL_SYSTEM || rc == KI_FAIL_LIMIT)
		job->error.code = KI_FAIL_INPUT;
	if (rc != KI_SUCCESS)
		return job->error.code;
	ki_csv_init(&csv, text, size);
	rc = import_header(job, &csv);
	if (rc == KI_SUCCESS && !job->dry_run)
		rc = ki_store_open(&job->store, job->out, &job->error);
	if (rc == KI_SUCCESS)
		rc = import_rows(job, &csv);
	ki_liger_free(job->liger);
	ki_store_close(job->store);
	free(text);
	return rc;
}

/* ---------------------------------------------------------------- report */

static int import_print_json(struct import_job *job)
{
	json_t *report =
		json_pack("{s:s, s:I, s:I, s:O, s:O, s:O}", "file", job->file, "rows",
			  (json_int_t)job->n_rows, "existing", (json_int_t)job->n_existing,
			  "records", job->records, "leftOut", job->left_out, "faults", job->faults);
	int rc = ki_command_print_json(report, &job->error);

	json_decref(report);
	return rc;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void import_print(const struct import_job *job)
{
	const char *reason;
	json_t *count;

	printf("%s: %zu row%s\n", job->file, job->n_rows, plural(job->n_rows));
	if (job->dry_run)
		printf("%8zu would be records\n", job->n_records);
	else
		printf("%8zu record%s in %s/records, %zu of them new\n", job->n_records,
		       plural(job->n_records), job->out, job->n_records - job->n_existing);
	if (job->n_faults > 0)
		printf("%8zu damaged, named above\n", job->n_faults);
	json_object_foreach(job->left_out, reason, count)
		printf("%8" JSON_INTEGER_FORMAT " left out, not known: %s\n",
		       json_integer_value(count), reason);
}

static int import_liger(struct import_job *job, const char *path)
{
	int rc;

	job->file = strcmp(path, "-") == 0 ? "<stdin>" : path;
	job->left_out = json_object();
	job->records = json_array();
	job->faults = json_array();
	rc = import_read(job, path);
	if (rc == KI_SUCCESS && job->json)
		rc = import_print_json(job);
	else if (rc == KI_SUCCESS)
		import_print(job);
	json_decref(job->left_out);
	json_decref(job->records);
	json_decref(job->faults);
	if (rc != KI_SUCCESS)
		return ki_command_fail(&job->error);
	return job->n_faults > 0 ? KI_EXIT_FAILED : KI_EXIT_OK;
}

int ki_command_import(int argc, char **argv)
{
	static const struct option options[] = {
		{"out", required_argument, NULL, 'o'},
		{"dry-run", no_argument, NULL, 'n'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct import_job job = {.out = "ki-results"};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "o:njh", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			job.out = optarg;
			break;
		case 'n':
			job.dry_run = true;
			break;
		case 'j':
			job.json = true;
			break;
		case 'h':
			fputs(import_help, stdout);
			return KI_EXIT_OK;
		default:
			return ki_command_usage_hint("import");
		}
	}
	if (optind == argc || strcmp(argv[optind], "liger") != 0) {
		fprintf(stderr, "ki-harness: import: expected the format, liger, and a file\n");
		return ki_command_usage_hint("import");
	}
	if (optind + 2 != argc) {
		fprintf(stderr,
			"ki-harness: import liger: expected one file, found %d; - is "
			"standard input\n",
			argc - optind - 1);
		return ki_command_usage_hint("import");
	}
	return import_liger(&job, argv[optind + 1]);
}
