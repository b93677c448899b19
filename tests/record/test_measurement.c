/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "record/measurement.h"

static struct ki_measurement m;

static void start(void)
{
	struct ki_error e = {0};

	cr_assert_eq(ki_measurement_init(&m, &e), KI_SUCCESS, "%s", e.text);
}

static void stop(void)
{
	ki_measurement_fini(&m);
}

TestSuite(measurement, .init = start, .fini = stop);

static void add(const uint64_t *samples, const uint64_t *controls, size_t n)
{
	struct ki_error e = {0};

	cr_assert_eq(ki_measurement_add(&m, 0, 0, samples, controls, n, &e), KI_SUCCESS, "%s",
		     e.text);
}

/* Hand computed: type 7 of n = 5 is at 4 q, so p05 is 0.2 of the way from the first to the second.
 */
Test(measurement, the_summary_is_what_is_computed_by_hand)
{
	static const uint64_t samples[] = {400, 100, 1000, 300, 200};
	static const uint64_t controls[] = {7, 9, 8, 50, 6};
	struct ki_error e = {0};

	add(samples, controls, 5);
	cr_assert_eq(ki_measurement_summarize(&m, &e), KI_SUCCESS, "%s", e.text);
	cr_expect_eq(m.summary.median, 300);
	cr_expect_eq(m.summary.mean, 400);
	cr_expect_eq(m.summary.p05, 120);
	cr_expect_eq(m.summary.p20, 180);
	cr_expect_eq(m.summary.p80, 520);
	cr_expect_eq(m.summary.p95, 880);
	cr_expect_eq(m.summary.minimum, 100);
	cr_expect_eq(m.summary.maximum, 1000);
	cr_expect_eq(m.summary.mad, 100, "of 200, 100, 0, 100, 700");
	cr_expect_eq(m.summary.control_median, 8);
	cr_expect(memcmp(m.samples_ns, samples, sizeof samples) == 0, "still in time order");
	cr_expect(memcmp(m.controls_ns, controls, sizeof controls) == 0);
}

Test(measurement, half_a_nanosecond_is_rounded_up)
{
	static const uint64_t samples[] = {2, 1}, controls[] = {0, 1};
	struct ki_error e = {0};

	add(samples, controls, 2);
	cr_assert_eq(ki_measurement_summarize(&m, &e), KI_SUCCESS, "%s", e.text);
	cr_expect_eq(m.summary.median, 2);
	cr_expect_eq(m.summary.mean, 2);
	cr_expect_eq(m.summary.control_median, 1);
}

Test(measurement, one_sample_is_every_quantile)
{
	static const uint64_t samples[] = {719872}, controls[] = {80};
	struct ki_error e = {0};

	add(samples, controls, 1);
	cr_assert_eq(ki_measurement_summarize(&m, &e), KI_SUCCESS, "%s", e.text);
	cr_expect_eq(m.summary.median, 719872);
	cr_expect_eq(m.summary.p05, 719872);
	cr_expect_eq(m.summary.p95, 719872);
	cr_expect_eq(m.summary.mad, 0);
}

Test(measurement, segments_are_kept_in_the_order_they_came)
{
	uint64_t samples[50], controls[50];
	size_t segment, i;

	for (segment = 0; segment < 5; segment++) {
		for (i = 0; i < 50; i++) {
			samples[i] = 1000 * segment + i;
			controls[i] = 7 * (1000 * segment + i);
		}
		add(samples, controls, 50);
	}
	cr_assert_eq(m.n_samples, 250);
	for (i = 0; i < 250; i++) {
		uint64_t want = 1000 * (i / 50) + i % 50;

		cr_assert_eq(m.samples_ns[i], want, "sample %zu", i);
		cr_assert_eq(m.controls_ns[i], 7 * want, "control %zu", i);
	}
}

Test(measurement, a_sample_beyond_all_reason_is_an_error_and_leaves_the_summary_alone)
{
	static const uint64_t samples[] = {1, UINT64_MAX, 2}, controls[] = {1, 1, 1};
	struct ki_error e = {0};

	add(samples, controls, 3);
	m.summary.median = 42;
	cr_expect_eq(ki_measurement_summarize(&m, &e), KI_FAIL_LIMIT);
	cr_expect_eq(m.summary.median, 42);
}

Test(measurement, it_passed_only_with_samples_without_findings_and_uninterrupted)
{
	static const uint64_t samples[] = {5}, controls[] = {1};

	cr_expect_not(ki_measurement_passed(&m), "nothing was sampled");
	add(samples, controls, 1);
	cr_expect(ki_measurement_passed(&m));
	m.interrupted = true;
	cr_expect_not(ki_measurement_passed(&m));
	m.interrupted = false;
	ki_findings_add(&m.findings, KI_FINDING_UNCLEAN_END, "finish", "signal 11");
	cr_expect_not(ki_measurement_passed(&m));
}

/* ---------------------------------------------------------------- comparisons */

static struct ki_compare_result result(bool passed)
{
	return (struct ki_compare_result){.passed = passed,
					  .elements = 600,
					  .row_ratio_max = 1.25,
					  .row_ratio_argmax = 3,
					  .pool_ratio = 0.5,
					  .max_absolute_error = 0.25,
					  .max_relative_error = 0.125,
					  .reference_rms = 2};
}

Test(measurement, a_comparison_that_passed_is_evidence_and_no_finding)
{
	const struct ki_compare_result r = result(true);
	const json_t *check;

	ki_measurement_note(&m, &r, "y", "before timing", 2, 60);
	cr_expect_eq(m.findings.count, 0);
	cr_assert_eq(json_array_size(m.checks), 1);
	check = json_array_get(m.checks, 0);
	cr_expect_str_eq(json_string_value(json_object_get(check, "output")), "y");
	cr_expect_str_eq(json_string_value(json_object_get(check, "phase")), "before timing");
	cr_expect_eq(json_integer_value(json_object_get(check, "content")), 2);
	cr_expect(json_is_true(json_object_get(check, "passed")));
	cr_expect_eq(json_real_value(json_object_get(check, "rowRatioMax")), 1.25);
	cr_expect_eq(json_integer_value(json_object_get(check, "rowRatioArgmax")), 3);
}

Test(measurement, accuracy_is_the_worst_of_all_comparisons)
{
	struct ki_compare_result a = result(true), b = result(false);

	b.row_ratio_max = 9;
	b.max_absolute_error = 0.125;
	b.max_relative_error = 4;
	b.failing_rows = 7;
	ki_measurement_note(&m, &b, "y", "before timing", 0, 60);
	ki_measurement_note(&m, &a, "y", "timed", 1, 60);
	cr_expect(m.accuracy.compared);
	cr_expect_eq(m.accuracy.elements, 1200);
	cr_expect_eq(m.accuracy.rows, 120);
	cr_expect_eq(m.accuracy.bad_rows, 7);
	cr_expect_eq(m.accuracy.row_ratio, 9);
	cr_expect_eq(m.accuracy.pool_ratio, 0.5);
	cr_expect_eq(m.accuracy.max_absolute_error, 0.25);
	cr_expect_eq(m.accuracy.max_relative_error, 4);
}

Test(measurement, a_failed_comparison_is_found_as_what_explains_it_best)
{
	static const struct {
		uint64_t poison, mismatches;
		enum ki_finding_code code;
	} table[] = {
		{0, 0, KI_FINDING_NOISE_RATIO},
		{0, 3, KI_FINDING_CLASS_MISMATCH},
		{2, 0, KI_FINDING_POISON_SURVIVED},
		{2, 3, KI_FINDING_POISON_SURVIVED},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct ki_compare_result r = result(false);

		r.poison_words = table[i].poison;
		r.class_mismatches = table[i].mismatches;
		snprintf(r.why, sizeof r.why, "row 3 is off");
		ki_measurement_note(&m, &r, "y", "timed", 1, 60);
		cr_assert_eq(m.findings.count, i + 1);
		cr_expect_eq(m.findings.items[i].code, table[i].code);
		cr_expect_str_eq(m.findings.items[i].phase, "timed");
		cr_expect_str_eq(m.findings.items[i].text, "output y, content 1: row 3 is off");
	}
}

Test(measurement, what_json_has_no_number_for_is_null)
{
	struct ki_compare_result r = result(false);
	const json_t *check;

	r.row_ratio_max = INFINITY;
	r.pool_ratio = NAN;
	ki_measurement_note(&m, &r, "y", "timed", 0, 60);
	check = json_array_get(m.checks, 0);
	cr_expect(json_is_null(json_object_get(check, "rowRatioMax")));
	cr_expect(json_is_null(json_object_get(check, "poolRatio")));
}

Test(measurement, ending_it_twice_does_no_harm)
{
	ki_measurement_fini(&m);
	cr_expect_null(m.samples_ns);
	cr_expect_eq(m.n_samples, 0);
}
