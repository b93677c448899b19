/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "commands/commands.h"
#include "protocol/duration.h"
#include "report/progress.h"
#include "report/sentence.h"
#include "report/suite.h"
#include "report/table.h"
#include "revision.h"
#include "run/evidence.h"
#include "run/session.h"
#include "run/trial.h"
#include "run/versus.h"

static const char run_help[] =
	"Usage: ki-harness [run] -p FILE -b [LABEL=]BACKEND[#KERNEL]... [options]\n"
	"\n"
	"Times every backend in the same way on every case of a protocol, checks that it is\n"
	"right, prints a table and leaves one Kernel Index record a case and backend.\n"
	"\n"
	"  -p, --protocol FILE     what is computed, on which inputs, and how it is timed\n"
	"  -b, --backend BACKEND   a plugin (.so); give it several times to compare. LABEL= names\n"
	"                          it in the table, #KERNEL picks one kernel of several\n"
	"  -c, --case AXIS=VALUE   only the cases with this binding (seq=1024, dtype=bf16); "
	"values\n"
	"                          of one axis add up\n"
	"  -d, --device DEVICE     auto (the default: a GPU if one can be used), cpu, cuda, or\n"
	"                          cuda:WHICH, an index or a UUID\n"
	"      --baseline LABEL    whom the others are compared with; the first backend\n"
	"  -r, --replicates N      fresh workers of each backend, one after another: six or more\n"
	"                          give an interval and a verdict; the protocol's, else 1\n"
	"  -g, --gate              compare with the baseline and fail on a regression; at least\n"
	"                          two backends, and 6 replicates unless -r says otherwise\n"
	"  -o, --out DIR           where records and raw samples go; ki-results\n"
	"  -j, --json              records as JSON lines on standard output, the table on\n"
	"                          standard error\n"
	"  -n, --dry-run           say what would be measured and about how long it would take\n"
	"  -q, --quiet             no progress\n"
	"  -h, --help              this text\n"
	"\n"
	"A protocol or backend that is not at the path given is looked for by its name in\n"
	"KI_PROTOCOL_PATH, KI_PLUGIN_PATH (colon-separated folders) and the installed folders.\n"
	"\n"
	"Exit status: 0 done, and with --gate nothing is slower; 1 --gate: something is slower;\n"
	"2 bad usage or bad input, nothing measured; 3 --gate: inconclusive; 4 a backend is\n"
	"incorrect; 5 a case failed or is missing; 130 interrupted, finished cases are on disk.\n";

struct run_options {
	struct ki_session_request request;
	bool json;
	bool quiet;
};

struct run {
	struct run_options options;
	struct ki_session session;
	struct ki_progress progress;
	bool utf8;
	size_t n_rows;
	struct ki_table_row *rows; /* cases x backends */
	char (*reasons)[KI_FINDING_TEXT_MAX];
	char (*sentences)[KI_SENTENCE_MAX]; /* of the comparisons */
	struct ki_comparison_rule rule;
	enum ki_outcome outcome; /* of the suite */
	bool incorrect;
	bool failed;
};

/* ---------------------------------------------------------------- options */

static int run_add(const char **list, size_t *n, size_t max, const char *what, const char *text)
{
	if (*n == max) {
		fprintf(stderr, "ki-harness: more than %zu times %s\n", max, what);
		return KI_EXIT_USAGE;
	}
	list[(*n)++] = text;
	return 0;
}

static int run_replicates(struct ki_session_request *r, const char *text)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || n < 1 ||
	    n > KI_PLAN_REPLICATES_MAX) {
		fprintf(stderr, "ki-harness: --replicates %s: expected a number from 1 to %d\n",
			text, KI_PLAN_REPLICATES_MAX);
		return KI_EXIT_USAGE;
	}
	r->replicates = n;
	return 0;
}

static int run_option(struct run_options *o, int option)
{
	struct ki_session_request *r = &o->request;

	switch (option) {
	case 'p':
		if (r->protocol != NULL) {
			fprintf(stderr,
				"ki-harness: -p is given twice; one run has one protocol\n");
			return KI_EXIT_USAGE;
		}
		r->protocol = optarg;
		return 0;
	case 'b':
		return run_add(r->backends, &r->n_backends, KI_SESSION_BACKENDS_MAX, "-b", optarg);
	case 'c':
		return run_add(r->filters, &r->n_filters, KI_SESSION_FILTERS_MAX, "-c", optarg);
	case 'd':
		r->device = optarg;
		return 0;
	case 'B':
		r->baseline = optarg;
		return 0;
	case 'r':
		return run_replicates(r, optarg);
	case 'g':
		r->gate = true;
		return 0;
	case 'o':
		r->out = optarg;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'n':
		r->dry_run = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	default:
		return ki_command_usage_hint("run");
	}
}

/* *exit_code is set when there is nothing more to do. */
static bool run_options_read(struct run_options *o, int argc, char **argv, int *exit_code)
{
	static const struct option options[] = {
		{"protocol", required_argument, NULL, 'p'},
		{"backend", required_argument, NULL, 'b'},
		{"case", required_argument, NULL, 'c'},
		{"device", required_argument, NULL, 'd'},
		{"baseline", required_argument, NULL, 'B'},
		{"replicates", required_argument, NULL, 'r'},
		{"gate", no_argument, NULL, 'g'},
		{"out", required_argument, NULL, 'o'},
		{"json", no_argument, NULL, 'j'},
		{"dry-run", no_argument, NULL, 'n'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	o->request = (struct ki_session_request){.device = "auto", .out = "ki-results"};
	*exit_code = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "p:b:c:d:r:go:jnqh", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(run_help, stdout);
			return false;
		}
		*exit_code = run_option(o, option);
		if (*exit_code != 0)
			return false;
	}
	*exit_code = KI_EXIT_USAGE;
	if (optind < argc)
		fprintf(stderr,
			"ki-harness: unexpected argument \"%s\"; a backend is given with "
			"-b, a protocol with -p\n",
			argv[optind]);
	else if (o->request.protocol == NULL)
		fprintf(stderr, "ki-harness: no protocol; give one with -p FILE\n");
	else if (o->request.n_backends == 0)
		fprintf(stderr, "ki-harness: no backend; give one with -b FILE\n");
	else if (o->request.gate && o->request.n_backends < 2)
		fprintf(stderr, "ki-harness: --gate compares backends; give two with -b\n");
	else
		*exit_code = 0;
	if (*exit_code != 0)
		ki_command_usage_hint("run");
	return *exit_code == 0;
}

/* ---------------------------------------------------------------- what is said before */

static void run_announce(const struct run *r)
{
	const struct ki_session *s = &r->session;
	const json_t *hardware =
		json_object_get(json_object_get(s->device.probe, "facts"), "hardware");
	const char *product = json_string_value(json_object_get(hardware, "product"));
	size_t i;

	assert(s->device.kind != NULL);
	if (r->options.quiet)
		return;
	if (s->protocol_elsewhere)
		fprintf(stderr, "protocol  %s\n", s->protocol_path);
	for (i = 0; i < s->n_backends; i++) {
		const char *refused =
			json_string_value(json_object_get(s->backends[i].plugin, "refused"));

		if (refused != NULL)
			fprintf(stderr, "backend   %s: left out: %s\n", s->backends[i].label,
				refused);
		if (s->backends[i].elsewhere)
			fprintf(stderr, "backend   %s = %s\n", s->backends[i].label,
				s->backends[i].path);
	}
	fprintf(stderr, "oracle    %s\nreference %s\n", s->oracle.path, s->reference.path);
	fprintf(stderr, "device    %s: %s", s->device.kind, product != NULL ? product : "?");
	if (strcmp(s->device.kind, "cpu") == 0)
		fprintf(stderr, ", %u thread%s", s->setting.threads,
			s->setting.threads == 1 ? "" : "s");
	fprintf(stderr, " (%s)\n", s->device.why);
}

static int run_dry(const struct run *r)
{
	const struct ki_session *s = &r->session;
	double total = 0;
	char text[KI_DURATION_TEXT_MAX];
	size_t i;

	printf("protocol       %s (%s)\n", s->plan.name, s->protocol.digest.text);
	printf("operation      %s\n", s->plan.operation_digest.text);
	printf("environment    %s\n", s->environment.digest.text);
	for (i = 0; i < s->n_backends; i++)
		printf("implementation %s (%s, kernel %s)\n", s->implementations[i].digest.text,
		       s->backends[i].label, s->backends[i].kernel);
	printf("\n");
	for (i = 0; i < s->cases.count; i++) {
		double ns = ki_session_guess_ns(s, &s->cases.cases[i]);

		total += ns;
		ki_duration_text(text, (uint64_t)ns);
		printf("%-24s %s  about %s\n", s->cases.cases[i].label,
		       s->cases.cases[i].workload_digest.text, text);
	}
	ki_duration_text(text, (uint64_t)total);
	printf("\n%zu case%s, %zu backend%s, about %s. Nothing was measured.\n", s->cases.count,
	       s->cases.count == 1 ? "" : "s", s->n_backends, s->n_backends == 1 ? "" : "s", text);
	return KI_EXIT_OK;
}

/* ---------------------------------------------------------------- one case */

static void run_report(void *context, double done, const char *what)
{
	struct run *r = context;

	ki_progress_step(&r->progress, done, what);
}

static json_t *run_index_line(const struct run *r, const struct ki_case *c, size_t backend,
			      const json_t *record, const struct ki_digest *run_digest,
			      const char *observed_at)
{
	const json_t *spec = json_object_get(json_object_get(record, "run"), "spec");

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "run", run_digest->text, "case",
			 c->full, "backend", r->session.backends[backend].label, "status",
			 json_string_value(json_object_get(spec, "status")), "protocol",
			 r->session.protocol.digest.text, "workload", c->workload_digest.text,
			 "observedAt", observed_at);
}

static int run_keep(struct run *r, const struct ki_case *c, size_t backend,
		    const struct ki_measurement *m, struct ki_error *e)
{
	struct ki_session *s = &r->session;
	json_t *evidence = NULL, *record = NULL, *line = NULL;
	struct ki_digest samples, digest;
	char observed_at[KI_CLOCK_INSTANT_MAX];
	int rc;

	ki_clock_instant(observed_at);
	rc = ki_evidence_build(&evidence, s, c, backend, m, observed_at, e);
	if (rc == KI_SUCCESS)
		rc = ki_store_artifact(&samples, s->store, evidence, e);
	if (rc == KI_SUCCESS) {
		const struct ki_record_parts parts = {
			.environment = &s->environment,
			.implementation = &s->implementations[backend],
			.protocol = &s->protocol,
			.operation = s->plan.operation,
			.workload = c->workload,
			.workload_digest = &c->workload_digest,
			.measurement = m,
			.harness = {.repository = KI_SOURCE_REPOSITORY,
				    .commit = KI_SOURCE_DIRTY ? "" : KI_SOURCE_REVISION},
			.observed_at = observed_at,
			.label = s->backends[backend].label,
			.samples = &samples,
			.work_bytes = c->work_bytes,
			.work_operations = c->work_operations,
		};

		rc = ki_document_record(&record, &digest, &parts, e);
	}
	if (rc == KI_SUCCESS) {
		line = run_index_line(r, c, backend, record, &digest, observed_at);
		rc = ki_store_record(s->store, record, &digest, line, e);
	}
	if (rc == KI_SUCCESS && r->options.json)
		rc = ki_command_print_json(record, e);
	json_decref(evidence);
	json_decref(record);
	json_decref(line);
	return rc;
}

/* With one replicate there is a number and nothing to say about it. */
static int run_compare(struct run *r, struct ki_table_row *row, const struct ki_measurement *m,
		       const struct ki_measurement *baseline, struct ki_error *e)
{
	row->has_outcome = r->session.n_backends > 1 && r->session.plan.schedule.replicates > 1;
	if (!row->has_outcome || row->is_baseline || !row->has_latency ||
	    !ki_measurement_passed(baseline))
		return KI_SUCCESS;
	return ki_versus_compare(&row->comparison, baseline, m, r->rule, e);
}

static int run_row(struct run *r, const struct ki_case *c, size_t backend,
		   const struct ki_measurement *m, const struct ki_measurement *baseline,
		   struct ki_error *e)
{
	const struct ki_finding *cause = ki_findings_cause(&m->findings);
	struct ki_table_row *row = &r->rows[r->n_rows];
	enum ki_verdict verdict = ki_findings_verdict(&m->findings);
	bool incorrect = verdict == KI_VERDICT_INCORRECT_NUMERICAL ||
			 verdict == KI_VERDICT_INCORRECT_SHAPE ||
			 verdict == KI_VERDICT_INCORRECT_DTYPE;

	*row = (struct ki_table_row){
		.case_label = c->label,
		.backend = r->session.backends[backend].label,
		.verdict = verdict,
		.has_latency = ki_measurement_passed(m),
		.summary = m->summary,
		.work_bytes = c->work_bytes,
		.copy_rate = r->session.device.copy_rate,
		.is_baseline = m == baseline,
	};
	if (row->has_latency && ki_measurement_passed(baseline) && m->summary.median > 0)
		row->ratio = (double)baseline->summary.median / (double)m->summary.median;
	if (cause != NULL) {
		snprintf(r->reasons[r->n_rows], sizeof r->reasons[0], "%s", cause->text);
		row->reason = r->reasons[r->n_rows];
	}
	r->incorrect = r->incorrect || incorrect;
	r->failed = r->failed || (!row->has_latency && !incorrect);
	r->n_rows++;
	return run_compare(r, row, m, baseline, e);
}

static void run_case_line(const struct run *r, const struct ki_case *c, char *out, size_t size)
{
	size_t n = (size_t)snprintf(out, size, "%s", c->label), i;
	char text[KI_DURATION_TEXT_MAX];

	for (i = r->n_rows - r->session.n_backends; i < r->n_rows && n < size; i++) {
		ki_duration_text(text, r->rows[i].summary.median);
		n += (size_t)snprintf(out + n, size - n, "  %s %s", r->rows[i].backend,
				      r->rows[i].has_latency ? text
							     : ki_verdict_name(r->rows[i].verdict));
	}
}

static int run_case(struct run *r, const struct ki_case *c, struct ki_error *e)
{
	struct ki_session *s = &r->session;
	struct ki_measurement m[KI_SESSION_BACKENDS_MAX];
	char line[400];
	size_t n = 0, i;
	int rc = KI_SUCCESS;

	for (; rc == KI_SUCCESS && n < s->n_backends; n++) {
		rc = ki_measurement_init(&m[n], e);
		if (rc != KI_SUCCESS)
			break;
	}
	ki_progress_case(&r->progress, c->label);
	if (rc == KI_SUCCESS)
		rc = ki_trial_run(m, &s->setting, c, s->backends, s->n_backends, run_report, r, e);
	for (i = 0; rc == KI_SUCCESS && i < n; i++) {
		/* A backend that the case is not for has nothing to put on record. */
		if (ki_findings_verdict(&m[i].findings) != KI_VERDICT_UNSUPPORTED)
			rc = run_keep(r, c, i, &m[i], e);
		if (rc == KI_SUCCESS)
			rc = run_row(r, c, i, &m[i], &m[s->baseline], e);
	}
	if (rc == KI_SUCCESS) {
		run_case_line(r, c, line, sizeof line);
		ki_progress_case_done(&r->progress, line);
	}
	for (i = 0; i < n; i++)
		ki_measurement_fini(&m[i]);
	return rc;
}

/* ---------------------------------------------------------------- the run */

/* Readable once the user asked to stop: an end in order, with what is finished kept. */
static int run_interrupts(void)
{
	sigset_t stop;

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigaddset(&stop, SIGHUP);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int run_begin(struct run *r, struct ki_error *e)
{
	struct ki_session *s = &r->session;
	size_t n = s->cases.count * s->n_backends, i;
	double *weights;

	/* A session without a case or a backend does not open. */
	assert(n > 0);
	weights = calloc(s->cases.count, sizeof *weights);
	r->rows = calloc(n, sizeof *r->rows);
	r->reasons = calloc(n, sizeof *r->reasons);
	r->sentences = calloc(n, sizeof *r->sentences);
	r->rule = (struct ki_comparison_rule){.level = KI_PLAN_INTERVAL_LEVEL,
					      .minimum_effect = s->plan.comparison.minimum_effect};
	for (i = 0; weights != NULL && i < s->cases.count; i++)
		weights[i] = ki_session_guess_ns(s, &s->cases.cases[i]);
	ki_progress_init(&r->progress, stderr, r->options.quiet, s->cases.count, weights);
	free(weights);
	if (r->rows == NULL || r->reasons == NULL || r->sentences == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	return KI_SUCCESS;
}

static void run_print_sentences(const struct run *r, FILE *out)
{
	bool first = true;
	size_t i;

	for (i = 0; i < r->n_rows; i++) {
		if (r->sentences[i][0] == '\0')
			continue;
		fprintf(out, "%s%s, %s: %s\n", first ? "\n" : "", r->rows[i].case_label,
			r->rows[i].backend, r->sentences[i]);
		first = false;
	}
	if (!first && r->options.request.gate)
		fprintf(out, "gate: %s\n", ki_outcome_name(r->outcome));
}

/* The worst that happened decides. */
static int run_exit_code(const struct run *r)
{
	if (r->incorrect)
		return KI_EXIT_INCORRECT;
	if (r->failed)
		return KI_EXIT_FAILED;
	if (!r->options.request.gate)
		return KI_EXIT_OK;
	return r->outcome == KI_OUTCOME_SLOWER         ? KI_EXIT_REGRESSION
	       : r->outcome == KI_OUTCOME_INCONCLUSIVE ? KI_EXIT_INCONCLUSIVE
						       : KI_EXIT_OK;
}

static int run_end(struct run *r, int rc, struct ki_error *e)
{
	FILE *out = r->options.json ? stderr : stdout;

	ki_progress_clear(&r->progress);
	if (rc == KI_SUCCESS)
		rc = ki_suite_settle(&r->outcome, r->rows, r->n_rows, &r->rule, r->sentences, e);
	if (r->n_rows > 0)
		ki_table_print(out, r->rows, r->n_rows, r->utf8);
	run_print_sentences(r, out);
	/* Both may be one file: what comes next is not to stand in the middle of the table. */
	fflush(out);
	if (r->n_rows > 0 && !r->options.quiet)
		fprintf(stderr, "records in %s/records\n", r->options.request.out);
	if (rc != KI_SUCCESS) {
		int code = ki_command_fail(e);

		if (code != KI_EXIT_INTERRUPTED)
			return KI_EXIT_FAILED;
		fprintf(stderr, "%zu of %zu cases are finished and on disk\n",
			r->session.n_backends > 0 ? r->n_rows / r->session.n_backends : 0,
			r->session.cases.count);
		return code;
	}
	return run_exit_code(r);
}

static int run_all(struct run *r)
{
	struct ki_error e = {0};
	size_t i;
	int rc = run_begin(r, &e);

	for (i = 0; rc == KI_SUCCESS && i < r->session.cases.count; i++)
		rc = run_case(r, &r->session.cases.cases[i], &e);
	rc = run_end(r, rc, &e);
	ki_progress_fini(&r->progress);
	free(r->rows);
	free(r->reasons);
	free(r->sentences);
	return rc;
}

int ki_command_run(int argc, char **argv)
{
	struct run r = {0};
	struct ki_error e = {0};
	int code, interrupts;

	if (!run_options_read(&r.options, argc, argv, &code))
		return code;
	r.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	interrupts = run_interrupts();
	if (ki_session_open(&r.session, &r.options.request, interrupts, &e) != KI_SUCCESS) {
		code = ki_command_fail(&e);
		code = code == KI_EXIT_FAILED ? KI_EXIT_USAGE : code;
	} else {
		run_announce(&r);
		code = r.options.request.dry_run ? run_dry(&r) : run_all(&r);
		ki_session_close(&r.session);
	}
	if (interrupts >= 0)
		close(interrupts);
	return code;
}
