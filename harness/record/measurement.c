/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/measurement.h"
#include "stats/quantile.h"

int ki_measurement_init(struct ki_measurement *m, struct ki_error *e)
{
	*m = (struct ki_measurement){.segments = json_array(), .checks = json_array()};
	if (m->segments == NULL || m->checks == NULL) {
		ki_measurement_fini(m);
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	}
	return KI_SUCCESS;
}

void ki_measurement_fini(struct ki_measurement *m)
{
	json_decref(m->segments);
	json_decref(m->checks);
	free(m->samples_ns);
	free(m->controls_ns);
	free(m->values);
	free(m->log);
	*m = (struct ki_measurement){0};
}

static int measurement_grow(uint64_t **array, size_t capacity, struct ki_error *e)
{
	uint64_t *grown = realloc(*array, capacity * sizeof *grown);

	if (grown == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	*array = grown;
	return KI_SUCCESS;
}

static int measurement_median(double *out, const uint64_t *samples, size_t n, struct ki_error *e)
{
	uint64_t *sorted = NULL;
	int rc = ki_quantile_sort(&sorted, samples, n, e);

	if (rc == KI_SUCCESS)
		*out = ki_quantile_type7(sorted, n, 0.5);
	free(sorted);
	return rc;
}

static int measurement_value(struct ki_measurement *m, const struct ki_segment_value *v,
			     struct ki_error *e)
{
	if (m->n_segments == m->segments_capacity) {
		size_t capacity = m->segments_capacity > 0 ? 2 * m->segments_capacity : 16;
		struct ki_segment_value *grown = realloc(m->values, capacity * sizeof *grown);

		if (grown == NULL)
			return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
		m->values = grown;
		m->segments_capacity = capacity;
	}
	m->values[m->n_segments++] = *v;
	return KI_SUCCESS;
}

int ki_measurement_add(struct ki_measurement *m, uint32_t replicate, uint32_t segment,
		       const uint64_t *samples_ns, const uint64_t *controls_ns, size_t n,
		       struct ki_error *e)
{
	struct ki_segment_value value = {.replicate = replicate, .segment = segment};
	size_t capacity = m->capacity;
	int rc = measurement_median(&value.latency_ns, samples_ns, n, e);

	if (rc == KI_SUCCESS)
		rc = measurement_median(&value.control_ns, controls_ns, n, e);
	if (rc == KI_SUCCESS)
		rc = measurement_value(m, &value, e);
	if (rc != KI_SUCCESS)
		return rc;

	while (capacity < m->n_samples + n)
		capacity = capacity > 0 ? 2 * capacity : 64;
	if (capacity != m->capacity) {
		rc = measurement_grow(&m->samples_ns, capacity, e);
		if (rc == KI_SUCCESS)
			rc = measurement_grow(&m->controls_ns, capacity, e);
		if (rc != KI_SUCCESS)
			return rc;
		m->capacity = capacity;
	}
	memcpy(m->samples_ns + m->n_samples, samples_ns, n * sizeof *samples_ns);
	memcpy(m->controls_ns + m->n_samples, controls_ns, n * sizeof *controls_ns);
	m->n_samples += n;
	return KI_SUCCESS;
}

static void accuracy_merge(struct ki_accuracy *a, const struct ki_compare_result *r, uint64_t rows)
{
	a->compared = true;
	a->elements += r->elements;
	a->rows += rows;
	a->bad_rows += r->failing_rows;
	a->row_ratio = fmax(a->row_ratio, r->row_ratio_max);
	a->pool_ratio = fmax(a->pool_ratio, r->pool_ratio);
	a->max_absolute_error = fmax(a->max_absolute_error, r->max_absolute_error);
	a->max_relative_error = fmax(a->max_relative_error, r->max_relative_error);
}

/* A number for JSON, which has none for infinities and NaN. */
static json_t *measurement_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *measurement_check(const struct ki_compare_result *r, const char *output,
				 const char *phase, uint64_t content)
{
	json_t *o = json_pack("{s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:I, s:s}", "output", output,
			      "phase", phase, "content", (json_int_t)content, "passed", r->passed,
			      "elements", (json_int_t)r->elements, "classMismatches",
			      (json_int_t)r->class_mismatches, "poisonWords",
			      (json_int_t)r->poison_words, "failingRows",
			      (json_int_t)r->failing_rows, "why", r->why);

	json_object_set_new(o, "rowRatioMax", measurement_real(r->row_ratio_max));
	json_object_set_new(o, "rowRatioArgmax", json_integer((json_int_t)r->row_ratio_argmax));
	json_object_set_new(o, "poolRatio", measurement_real(r->pool_ratio));
	json_object_set_new(o, "maxAbsoluteError", measurement_real(r->max_absolute_error));
	json_object_set_new(o, "maxRelativeError", measurement_real(r->max_relative_error));
	json_object_set_new(o, "referenceRms", measurement_real(r->reference_rms));
	return o;
}

void ki_measurement_note(struct ki_measurement *m, const struct ki_compare_result *result,
			 const char *output, const char *phase, uint64_t content, uint64_t rows)
{
	enum ki_finding_code code = KI_FINDING_NOISE_RATIO;

	accuracy_merge(&m->accuracy, result, rows);
	json_array_append_new(m->checks, measurement_check(result, output, phase, content));
	if (result->passed)
		return;
	if (result->poison_words > 0)
		code = KI_FINDING_POISON_SURVIVED;
	else if (result->class_mismatches > 0)
		code = KI_FINDING_CLASS_MISMATCH;
	ki_findings_add(&m->findings, code, phase, "output %s, content %llu: %s", output,
			(unsigned long long)content, result->why);
}

int ki_measurement_summarize(struct ki_measurement *m, struct ki_error *e)
{
	struct ki_summary s;
	uint64_t *sorted = NULL, *controls = NULL;
	size_t n = m->n_samples;
	int rc = ki_quantile_sort(&sorted, m->samples_ns, n, e);

	if (rc == KI_SUCCESS)
		rc = ki_quantile_sort(&controls, m->controls_ns, n, e);
	if (rc == KI_SUCCESS)
		rc = ki_quantile_mad_ns(&s.mad, sorted, n, e);
	if (rc != KI_SUCCESS)
		goto out;
	s.median = ki_quantile_type7_ns(sorted, n, 0.5);
	s.p05 = ki_quantile_type7_ns(sorted, n, 0.05);
	s.p20 = ki_quantile_type7_ns(sorted, n, 0.2);
	s.p80 = ki_quantile_type7_ns(sorted, n, 0.8);
	s.p95 = ki_quantile_type7_ns(sorted, n, 0.95);
	s.mean = ki_quantile_mean_ns(m->samples_ns, n);
	s.minimum = sorted[0];
	s.maximum = sorted[n - 1];
	s.control_median = ki_quantile_type7_ns(controls, n, 0.5);
	m->summary = s;
out:
	free(sorted);
	free(controls);
	return rc;
}

bool ki_measurement_passed(const struct ki_measurement *m)
{
	return !m->interrupted && m->n_samples > 0 &&
	       ki_findings_verdict(&m->findings) == KI_VERDICT_PASSED;
}
