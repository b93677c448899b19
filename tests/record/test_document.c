/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <spawn.h>
#include <sys/wait.h>

#include "../folder.h"
#include "parts.h"
#include "record/store.h"

static struct parts p;
static json_t *record;
static struct ki_digest digest;

static void start(void)
{
	parts_init(&p);
	record = parts_record(&p, &digest);
}

static void stop(void)
{
	json_decref(record);
	parts_fini(&p);
}

TestSuite(document, .init = start, .fini = stop);

/* The record anew, after the parts changed. */
static void again(void)
{
	json_decref(record);
	record = parts_record(&p, &digest);
}

static const json_t *spec(const char *path)
{
	return parts_at(parts_at(record, "run.spec"), path);
}

static json_int_t latency(const char *name)
{
	const json_t *v = json_object_get(spec("timing.latencyNs"), name);

	return v != NULL ? json_integer_value(v) : -1;
}

/* The measurement with this metric and statistic, or NULL. */
static const json_t *measured(const char *metric, const char *statistic)
{
	const json_t *list = spec("measurements");
	size_t i;

	for (i = 0; i < json_array_size(list); i++) {
		const json_t *m = json_array_get(list, i);

		if (strcmp(parts_text(m, "metric"), metric) == 0 &&
		    strcmp(parts_text(m, "statistic"), statistic) == 0)
			return m;
	}
	return NULL;
}

static double value_of(const char *metric, const char *statistic)
{
	const json_t *m = measured(metric, statistic);

	return m != NULL ? json_number_value(json_object_get(m, "value")) : -1;
}

/* ---------------------------------------------------------------- a pass */

Test(document, a_record_is_six_whole_documents)
{
	cr_expect_eq(json_object_size(record), 6);
	cr_expect_str_eq(parts_text(record, "run.kind"), "BenchmarkRun");
	cr_expect(json_equal(json_object_get(record, "protocol"), p.protocol.document));
	cr_expect(json_equal(json_object_get(record, "environment"), p.environment.document));
	cr_expect(json_equal(json_object_get(record, "implementation"), p.implementation.document));
	cr_expect(json_equal(json_object_get(record, "operation"), p.operation));
	cr_expect(json_equal(json_object_get(record, "workload"), p.workload));
}

Test(document, each_digest_of_a_run_is_that_of_the_document_beside_it)
{
	static const char *const parts_of[][2] = {
		{"protocol", "run.spec.protocolDigest"},
		{"environment", "run.spec.environmentDigest"},
		{"workload", "run.spec.workloadDigest"},
		{"implementation", "run.spec.implementationDigest"},
		{"operation", "implementation.spec.operation.specDigest"},
		{"operation", "workload.spec.operationSpecDigest"},
	};
	struct ki_digest d;
	size_t i;

	for (i = 0; i < sizeof parts_of / sizeof parts_of[0]; i++) {
		parts_digest(&d, json_object_get(record, parts_of[i][0]));
		cr_expect_str_eq(parts_text(record, parts_of[i][1]), d.text, "%s", parts_of[i][1]);
	}
	parts_digest(&d, json_object_get(record, "run"));
	cr_expect_str_eq(digest.text, d.text);
}

/* 21 samples of 1000, 1010, ..., 1200 ns; 5500 bytes and 2200 operations in 1100 ns. */
Test(document, a_pass_has_its_latency_and_what_follows_from_it)
{
	cr_expect_str_eq(parts_text(record, "run.spec.status"), "passed");
	cr_expect_str_eq(parts_text(record, "run.spec.observedAt"), "2026-12-01T09:00:00.000Z");
	cr_expect_str_eq(parts_text(record, "run.spec.timing.primaryStatistic"), "median");
	cr_expect_eq(json_integer_value(spec("timing.samples")), 21);
	cr_expect_eq(latency("median"), 1100);
	cr_expect_eq(latency("mean"), 1100);
	cr_expect_eq(latency("minimum"), 1000);
	cr_expect_eq(latency("maximum"), 1200);
	cr_expect_eq(latency("p05"), 1010);
	cr_expect_eq(latency("p95"), 1190);
	cr_expect_eq(latency("mad"), 50);
	cr_expect_eq(json_object_size(spec("timing.latencyNs")), 7, "and no interval");
	cr_expect_eq(value_of("latency", "p20"), 1040);
	cr_expect_eq(value_of("latency", "p80"), 1160);
	cr_expect_eq(value_of("control_latency", "median"), 80);
	cr_expect_eq(value_of("effective_bandwidth", "median"), 5e9);
	cr_expect_eq(value_of("operation_rate", "median"), 2e9);
	cr_expect_eq(json_integer_value(json_object_get(measured("latency", "p20"), "sampleCount")),
		     21);
	cr_expect_null(spec("sourceNative"));
	cr_expect_null(parts_at(record, "run.metadata.description"));
}

Test(document, raw_samples_are_named_by_digest_and_place)
{
	static const char *const places[] = {
		"run.spec.timing.rawSamples",
		"run.spec.evidence.rawSamples",
		"run.spec.evidence.logs",
	};
	char uri[100];
	size_t i;

	snprintf(uri, sizeof uri, "artifacts/%s.json", ki_digest_hex(&p.samples));
	for (i = 0; i < 3; i++) {
		const json_t *reference = parts_at(record, places[i]);

		cr_expect_str_eq(parts_text(reference, "uri"), uri);
		cr_expect_str_eq(parts_text(reference, "digest"), p.samples.text);
	}
	p.record.samples = NULL;
	again();
	cr_expect_null(spec("timing.rawSamples"));
	cr_expect_null(spec("evidence.rawSamples"));
}

Test(document, a_quantile_needs_samples_enough)
{
	static const struct {
		size_t n;
		bool spread, tails;
	} table[] = {{1, false, false}, {4, false, false}, {5, true, false},
		     {19, true, false}, {20, true, true},  {64, true, true}};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		parts_sample(&p, table[i].n);
		again();
		cr_expect_eq(measured("latency", "p20") != NULL, table[i].spread, "%zu",
			     table[i].n);
		cr_expect_eq(measured("latency", "p80") != NULL, table[i].spread);
		cr_expect_eq(latency("p05") >= 0, table[i].tails, "%zu", table[i].n);
		cr_expect_eq(latency("p95") >= 0, table[i].tails);
		cr_expect_geq(latency("median"), 1000);
	}
}

Test(document, a_rate_needs_work_that_is_known_and_a_time)
{
	p.record.work_bytes = 0;
	again();
	cr_expect_null(measured("effective_bandwidth", "median"));
	cr_expect_not_null(measured("operation_rate", "median"));
	p.record.work_bytes = 5500;
	p.measurement.summary.median = 0;
	again();
	cr_expect_null(measured("effective_bandwidth", "median"), "nothing is divided by zero");
	cr_expect_null(measured("operation_rate", "median"));
	cr_expect_eq(latency("median"), 0);
}

Test(document, another_median_is_another_run_and_nothing_else)
{
	struct ki_digest before = digest;
	json_t *old = json_incref(record), *old_run;

	p.measurement.summary.median++;
	again();
	cr_expect_str_neq(digest.text, before.text);
	old_run = json_incref(json_object_get(old, "run"));
	json_object_set(old, "run", json_object_get(record, "run"));
	cr_expect(json_equal(old, record), "the other documents are what they were");
	cr_expect_not(json_equal(old_run, json_object_get(record, "run")));
	json_decref(old_run);
	json_decref(old);
}

Test(document, the_label_and_the_title_do_not_count)
{
	struct ki_digest before = digest;

	p.record.label = "another label";
	again();
	cr_expect_str_eq(digest.text, before.text);
	cr_expect_str_eq(parts_text(record, "run.metadata.name"), "another-label-scale-rows7-bf16");
	cr_expect_str_eq(parts_text(record, "run.metadata.title"), "Scale \u00b7 another label");
}

Test(document, the_harness_is_named_only_with_repository_and_commit)
{
	static const struct ki_harness_revision partial[] = {
		{"", ""},
		{"https://example.org/ki", ""},
		{"", PARTS_COMMIT},
		{"git@example.org:ki", PARTS_COMMIT},
		{"https://example.org/ki", PARTS_COMMIT "+dirty"},
	};
	size_t i;

	cr_expect_str_eq(parts_text(record, "run.spec.evidence.harness.commit"), PARTS_COMMIT);
	for (i = 0; i < sizeof partial / sizeof partial[0]; i++) {
		p.record.harness = partial[i];
		again();
		cr_expect_null(spec("evidence.harness"), "%zu", i);
		cr_expect_not_null(spec("evidence.rawSamples"));
	}
	p.record.samples = NULL;
	again();
	cr_expect_null(spec("evidence"));
}

/* ---------------------------------------------------------------- correctness */

static void compare(uint64_t rows, uint64_t bad_rows)
{
	p.measurement.accuracy = (struct ki_accuracy){.compared = true,
						      .elements = 10 * rows,
						      .rows = rows,
						      .bad_rows = bad_rows,
						      .max_absolute_error = 0.25,
						      .max_relative_error = 1e-3};
	again();
}

Test(document, correctness_is_there_when_something_was_compared)
{
	cr_expect_null(spec("correctness"));
	compare(8, 0);
	cr_expect_str_eq(parts_text(record, "run.spec.correctness.comparator"), "noise_relative");
	cr_expect_eq(json_real_value(spec("correctness.maximumAbsoluteError")), 0.25);
	cr_expect_eq(json_real_value(spec("correctness.maximumRelativeError")), 1e-3);
	cr_expect_eq(json_real_value(spec("correctness.matchedRatio")), 1);
}

Test(document, the_ratio_of_rows_that_match_is_not_one_when_something_else_is_wrong)
{
	ki_findings_add(&p.measurement.findings, KI_FINDING_CLASS_MISMATCH, "timed", "NaN");
	compare(8, 0);
	cr_expect_null(spec("correctness.matchedRatio"));
	compare(8, 2);
	cr_expect_eq(json_real_value(spec("correctness.matchedRatio")), 0.75);
}

/* ---------------------------------------------------------------- no pass */

Test(document, a_run_that_did_not_pass_has_no_latency_and_says_why)
{
	int code;

	for (code = KI_FINDING_UNSUPPORTED + 1; code < KI_FINDING_CODE_COUNT; code++) {
		const struct ki_findings *f = &p.measurement.findings;

		p.measurement.findings = (struct ki_findings){0};
		ki_findings_add(&p.measurement.findings, (enum ki_finding_code)code, "launch",
				"sentence %d", code);
		again();
		cr_expect_str_eq(parts_text(record, "run.spec.status"),
				 ki_verdict_name(ki_findings_verdict(f)));
		cr_expect_null(spec("timing"));
		cr_expect_null(spec("measurements"));
		cr_expect_not_null(spec("evidence.logs"));
		cr_expect_str_eq(parts_text(record, "run.metadata.description"), f->items[0].text);
	}
}

Test(document, the_finding_that_decides_is_the_one_that_is_told)
{
	ki_findings_add(&p.measurement.findings, KI_FINDING_NOISE_RATIO, "timed", "off");
	ki_findings_add(&p.measurement.findings, KI_FINDING_CRASH, "finish", "signal 11");
	again();
	cr_expect_str_eq(parts_text(record, "run.metadata.description"), "signal 11");
	cr_expect_str_eq(parts_text(record, "run.spec.status"), "runtime_error");
}

Test(document, without_a_latency_that_can_be_written_the_evidence_is_incomplete)
{
	parts_sample(&p, 0);
	again();
	cr_expect_str_eq(parts_text(record, "run.spec.status"), "incomplete_evidence");
	cr_expect_null(spec("timing"));
	cr_expect_null(spec("evidence.rawSamples"));
	cr_expect_not_null(spec("evidence.logs"));
	parts_sample(&p, 20);
	p.measurement.summary.maximum = (uint64_t)1 << 53;
	again();
	cr_expect_str_eq(parts_text(record, "run.spec.status"), "incomplete_evidence");
	cr_expect_null(spec("timing"));
}

Test(document, what_was_not_for_the_backend_or_was_interrupted_has_no_record)
{
	struct ki_digest untouched = {.text = "untouched"};
	struct ki_error e = {0};
	json_t *none = NULL;

	p.measurement.interrupted = true;
	cr_expect_eq(ki_document_record(&none, &untouched, &p.record, &e), KI_FAIL_INTERNAL);
	p.measurement.interrupted = false;
	ki_findings_add(&p.measurement.findings, KI_FINDING_UNSUPPORTED, "supports", "no");
	ki_error_clear(&e);
	cr_expect_eq(ki_document_record(&none, &untouched, &p.record, &e), KI_FAIL_INTERNAL);
	cr_expect_null(none);
	cr_expect_str_eq(untouched.text, "untouched");
}

/* ---------------------------------------------------------------- from outside */

/* The status of the checker, which shares no code with what it checks; -1 without python3. */
static int check(const char *folder)
{
	const char *root = getenv("KI_SRCDIR");
	char script[PATH_MAX], schemas[PATH_MAX], results[PATH_MAX];
	char python[] = "python3", no_cache[] = "-B";
	char *const argv[] = {python, no_cache, script, results, schemas, NULL};
	posix_spawn_file_actions_t actions;
	int status = -1, failed;
	pid_t pid;

	snprintf(script, sizeof script, "%s/tests/validate_records.py", root);
	snprintf(schemas, sizeof schemas, "%s/../shared/kernelindex/schemas", root);
	snprintf(results, sizeof results, "%s", folder);
	/* Standard output is for TAP. */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	failed = posix_spawnp(&pid, python, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failed != 0)
		return -1;
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* One more record of the parts as they are, with an artifact of its own. */
static void keep(struct ki_store *s, const char *case_name)
{
	struct ki_error e = {0};
	json_t *artifact = json_pack("{s:s}", "case", case_name), *line;

	cr_assert_eq(ki_store_artifact(&p.samples, s, artifact, &e), KI_SUCCESS, "%s", e.text);
	again();
	line = json_pack("{s:s, s:s, s:s, s:s, s:s}", "run", digest.text, "status",
			 parts_text(record, "run.spec.status"), "protocol", p.protocol.digest.text,
			 "workload", p.workload_digest.text, "observedAt", p.record.observed_at);
	cr_assert_eq(ki_store_record(s, record, &digest, line, &e), KI_SUCCESS, "%s", e.text);
	json_decref(line);
	json_decref(artifact);
	ki_error_clear(&e);
	/* The next one is another implementation: no two are alike in one run. */
	p.source.bytes++;
	parts_implementation(&p);
}

Test(document, records_of_every_kind_hold_before_a_checker_that_did_not_write_them)
{
	char folder[PATH_MAX];
	struct ki_store *s = NULL;
	struct ki_error e = {0};
	int code, status;

	if (getenv("KI_SRCDIR") == NULL)
		cr_skip_test("reason: KI_SRCDIR does not name the source root");
	folder_make(folder);
	cr_assert_eq(ki_store_open(&s, folder, &e), KI_SUCCESS, "%s", e.text);
	keep(s, "passed");
	p.record.label =
		"\xff label of no \xc3\xa9ncoding, longer than any name may be: "
		"............................................................................."
		"............................................................................."
		"..........................................................................";
	compare(8, 0);
	keep(s, "odd label");
	p.record.harness = (struct ki_harness_revision){"", ""};
	for (code = KI_FINDING_UNSUPPORTED + 1; code < KI_FINDING_CODE_COUNT; code++) {
		p.measurement.findings = (struct ki_findings){0};
		ki_findings_add(&p.measurement.findings, (enum ki_finding_code)code, "launch",
				"r\xc3\xa9sum\xc3");
		keep(s, ki_finding_name((enum ki_finding_code)code));
	}
	parts_sample(&p, 0);
	keep(s, "nothing measured");
	ki_store_close(s);
	status = check(folder);
	folder_remove(folder);
	if (status == -1)
		cr_skip_test("reason: python3 is not here");
	cr_expect_eq(status, 0);
}
