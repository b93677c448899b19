/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "document/pattern.h"
#include "record/manifest.h"

/* With fewer samples a tail quantile is the extreme by another name. */
#define DOCUMENT_TAIL_SAMPLES 20
#define DOCUMENT_SPREAD_SAMPLES 5

void ki_identified_free(struct ki_identified *d)
{
	json_decref(d->document);
	*d = (struct ki_identified){0};
}

/* ---------------------------------------------------------------- run */

static const char *document_text(const json_t *document, const char *section, const char *key)
{
	return json_string_value(json_object_get(json_object_get(document, section), key));
}

static void run_set_error(json_t *o, const char *key, double error)
{
	if (isfinite(error) && error >= 0)
		json_object_set_new(o, key, json_real(error));
}

/* NULL when nothing was compared, or the protocol does not say how. */
static json_t *run_correctness(const struct ki_record_parts *p)
{
	const struct ki_accuracy *a = &p->measurement->accuracy;
	const char *comparator = document_text(json_object_get(p->protocol->document, "spec"),
					       "correctness", "comparator");
	bool passed = ki_findings_verdict(&p->measurement->findings) == KI_VERDICT_PASSED;
	json_t *o;

	if (!a->compared || !ki_pattern_matches(&ki_pattern_token, comparator))
		return NULL;
	o = json_pack("{s:s}", "comparator", comparator);
	run_set_error(o, "maximumAbsoluteError", a->max_absolute_error);
	run_set_error(o, "maximumRelativeError", a->max_relative_error);
	/* Rows within their limit say little of what else may be wrong, such as NaN. */
	if (a->rows > 0 && a->bad_rows <= a->rows && (passed || a->bad_rows > 0))
		json_object_set_new(o, "matchedRatio",
				    json_real((double)(a->rows - a->bad_rows) / (double)a->rows));
	return o;
}

static json_t *run_artifact(const struct ki_digest *artifact)
{
	char uri[KI_DIGEST_MAX + 24];

	snprintf(uri, sizeof uri, "artifacts/%s.json", ki_digest_hex(artifact));
	return json_pack("{s:s, s:s}", "uri", uri, "digest", artifact->text);
}

static void run_set_ns(json_t *o, const char *key, uint64_t ns)
{
	json_object_set_new(o, key, json_integer((json_int_t)ns));
}

static json_t *run_timing(const struct ki_record_parts *p)
{
	const struct ki_measurement *m = p->measurement;
	const struct ki_summary *s = &m->summary;
	json_t *latency = json_object(), *o;

	run_set_ns(latency, "median", s->median);
	run_set_ns(latency, "mean", s->mean);
	run_set_ns(latency, "minimum", s->minimum);
	run_set_ns(latency, "maximum", s->maximum);
	run_set_ns(latency, "mad", s->mad);
	if (m->n_samples >= DOCUMENT_TAIL_SAMPLES) {
		run_set_ns(latency, "p05", s->p05);
		run_set_ns(latency, "p95", s->p95);
	}
	o = json_pack("{s:s, s:I, s:o}", "primaryStatistic", "median", "samples",
		      (json_int_t)m->n_samples, "latencyNs", latency);
	if (p->samples != NULL)
		json_object_set_new(o, "rawSamples", run_artifact(p->samples));
	return o;
}

static void run_measure(json_t *list, const struct ki_measurement *m, const char *metric,
			const char *unit, const char *statistic, json_t *value)
{
	json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:I}", "metric", metric, "unit",
					      unit, "statistic", statistic, "value", value,
					      "sampleCount", (json_int_t)m->n_samples));
}

/* Of work that takes ns nanoseconds, a second. */
static json_t *run_rate(int64_t work, uint64_t ns)
{
	return json_real((double)work * 1e9 / (double)ns);
}

static json_t *run_measurements(const struct ki_record_parts *p)
{
	const struct ki_measurement *m = p->measurement;
	const struct ki_summary *s = &m->summary;
	json_t *list = json_array();

	if (m->n_samples >= DOCUMENT_SPREAD_SAMPLES) {
		run_measure(list, m, "latency", "ns", "p20", json_integer((json_int_t)s->p20));
		run_measure(list, m, "latency", "ns", "p80", json_integer((json_int_t)s->p80));
	}
	run_measure(list, m, "control_latency", "ns", "median",
		    json_integer((json_int_t)s->control_median));
	if (p->work_bytes > 0 && s->median > 0)
		run_measure(list, m, "effective_bandwidth", "bytes_per_second", "median",
			    run_rate(p->work_bytes, s->median));
	if (p->work_operations > 0 && s->median > 0)
		run_measure(list, m, "operation_rate", "operations_per_second", "median",
			    run_rate(p->work_operations, s->median));
	return list;
}

/* The artifact holds the samples and what the backend printed; a failed run may have no samples. */
static json_t *run_evidence(const struct ki_record_parts *p)
{
	json_t *o = json_object();

	if (p->samples != NULL)
		json_object_set_new(o, "logs", run_artifact(p->samples));
	if (p->samples != NULL && p->measurement->n_samples > 0)
		json_object_set_new(o, "rawSamples", run_artifact(p->samples));
	if (ki_manifest_is_https(p->harness.repository) &&
	    ki_pattern_matches(&ki_pattern_commit, p->harness.commit))
		json_object_set_new(o, "harness",
				    json_pack("{s:s, s:s}", "repository", p->harness.repository,
					      "commit", p->harness.commit));
	return o;
}

/*
 * A pass needs a latency that can be written down: it was sampled, and no sample is beyond what the
 * schema's integers hold (104 days), which no clock of ours says.
 */
static enum ki_verdict run_verdict(const struct ki_measurement *m)
{
	enum ki_verdict verdict = ki_findings_verdict(&m->findings);

	if (verdict == KI_VERDICT_PASSED &&
	    (!ki_measurement_passed(m) || m->summary.maximum > KI_MANIFEST_INTEGER_MAX ||
	     m->summary.control_median > KI_MANIFEST_INTEGER_MAX))
		return KI_VERDICT_INCOMPLETE_EVIDENCE;
	return verdict;
}

static json_t *run_spec(const struct ki_record_parts *p)
{
	enum ki_verdict verdict = run_verdict(p->measurement);
	json_t *correctness = run_correctness(p), *evidence = run_evidence(p);
	json_t *spec =
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "implementationDigest",
			  p->implementation->digest.text, "workloadDigest",
			  p->workload_digest->text, "protocolDigest", p->protocol->digest.text,
			  "environmentDigest", p->environment->digest.text, "status",
			  ki_verdict_name(verdict), "observedAt", p->observed_at);

	if (correctness != NULL)
		json_object_set_new(spec, "correctness", correctness);
	if (verdict == KI_VERDICT_PASSED) {
		json_object_set_new(spec, "timing", run_timing(p));
		json_object_set_new(spec, "measurements", run_measurements(p));
	}
	if (json_object_size(evidence) > 0)
		json_object_set(spec, "evidence", evidence);
	json_decref(evidence);
	return spec;
}

/* The schema has no field for why a run failed, and the description does not count. */
static json_t *run_metadata(const struct ki_record_parts *p)
{
	const char *workload = document_text(p->workload, "metadata", "name");
	const char *operation = document_text(p->operation, "metadata", "title");
	const struct ki_finding *cause = ki_findings_cause(&p->measurement->findings);
	char text[KI_MANIFEST_DESCRIPTION_MAX], title[KI_MANIFEST_DESCRIPTION_MAX];
	json_t *o;

	snprintf(text, sizeof text, "%s-%s", p->label, workload != NULL ? workload : "workload");
	snprintf(title, sizeof title, "%s \u00b7 %s", operation != NULL ? operation : "Run",
		 p->label);
	o = ki_manifest_metadata(text, title);
	if (cause != NULL)
		json_object_set_new(o, "description",
				    ki_manifest_string(cause->text, KI_MANIFEST_DESCRIPTION_MAX));
	return o;
}

int ki_document_record(json_t **out, struct ki_digest *digest, const struct ki_record_parts *p,
		       struct ki_error *e)
{
	struct ki_identified run = {0};
	json_t *record;
	int rc;

	if (p->measurement->interrupted ||
	    ki_findings_verdict(&p->measurement->findings) == KI_VERDICT_UNSUPPORTED)
		return ki_error_set(e, KI_FAIL_INTERNAL, "%s: there is nothing to record",
				    p->label);
	rc = ki_manifest_new(&run, "BenchmarkRun", run_metadata(p), run_spec(p), e);
	if (rc != KI_SUCCESS)
		return rc;
	record = json_pack("{s:o, s:O, s:O, s:O, s:O, s:O}", "run", run.document, "protocol",
			   p->protocol->document, "environment", p->environment->document,
			   "workload", p->workload, "operation", p->operation, "implementation",
			   p->implementation->document);
	if (record == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory for a record");
	*digest = run.digest;
	*out = record;
	return KI_SUCCESS;
}
