/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "measure/do_bench.h"

#define DO_BENCH_ESTIMATE_CALLS 5
#define DO_BENCH_WARMUP_MAX 1000000

/* Marks of sample i: the kernel's pair, then the control's. */
enum { MARK_START, MARK_STOP, MARK_CONTROL_START, MARK_CONTROL_STOP, MARKS_PER_SAMPLE };

uint64_t ki_do_bench_count(uint64_t budget_ns, uint64_t call_ns, uint64_t maximum)
{
	uint64_t n = call_ns > 0 ? budget_ns / call_ns : maximum;

	if (n > maximum)
		n = maximum;
	return n > 0 ? n : 1;
}

static int do_bench_ready(const struct ki_subject *s, struct ki_error *e)
{
	return s->ready != NULL ? s->ready(s->context, e) : KI_SUCCESS;
}

static int do_bench_plain_call(const struct ki_subject *s, struct ki_error *e)
{
	int rc = do_bench_ready(s, e);

	return rc != KI_SUCCESS ? rc : s->launch(s->context, e);
}

static int do_bench_flushed_call(const struct ki_subject *s, struct ki_error *e)
{
	int rc = do_bench_ready(s, e);

	if (rc == KI_SUCCESS)
		rc = s->ops->flush(s->device, e);
	return rc != KI_SUCCESS ? rc : s->launch(s->context, e);
}

static int do_bench_estimate(struct ki_method_estimate *out, const struct ki_subject *s,
			     const struct ki_method_parameters *p, struct ki_error *e)
{
	uint64_t total_ns;
	int i, rc;

	/* The first call pays for lazy loading and is no part of anything. */
	rc = do_bench_plain_call(s, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->synchronize(s->device, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->mark(s->device, MARK_START, e);
	for (i = 0; rc == KI_SUCCESS && i < DO_BENCH_ESTIMATE_CALLS; i++)
		rc = do_bench_flushed_call(s, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->mark(s->device, MARK_STOP, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->synchronize(s->device, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->elapsed(s->device, &total_ns, MARK_START, MARK_STOP, e);
	if (rc != KI_SUCCESS)
		return rc;
	out->call_ns = total_ns / DO_BENCH_ESTIMATE_CALLS;
	out->n_warmup = ki_do_bench_count(p->warmup_ns, out->call_ns, DO_BENCH_WARMUP_MAX);
	out->n_samples = ki_do_bench_count(p->measure_ns, out->call_ns, p->maximum_samples);
	if (out->n_samples < p->minimum_samples)
		out->n_samples = p->minimum_samples;
	return KI_SUCCESS;
}

static int do_bench_warm_up(const struct ki_subject *s, const struct ki_method_estimate *estimate,
			    struct ki_error *e)
{
	uint64_t i;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < estimate->n_warmup; i++)
		rc = do_bench_plain_call(s, e);
	return rc != KI_SUCCESS ? rc : s->ops->synchronize(s->device, e);
}

static int do_bench_sample(const struct ki_subject *s, uint32_t mark, struct ki_error *e)
{
	const struct ki_device_ops *ops = s->ops;
	int rc = ops->flush(s->device, e);

	if (rc == KI_SUCCESS)
		rc = ops->mark(s->device, mark + MARK_CONTROL_START, e);
	if (rc == KI_SUCCESS)
		rc = ops->control(s->device, e);
	if (rc == KI_SUCCESS)
		rc = ops->mark(s->device, mark + MARK_CONTROL_STOP, e);
	if (rc == KI_SUCCESS)
		rc = do_bench_ready(s, e);
	if (rc == KI_SUCCESS)
		rc = ops->flush(s->device, e);
	if (rc == KI_SUCCESS)
		rc = ops->mark(s->device, mark + MARK_START, e);
	if (rc == KI_SUCCESS)
		rc = s->launch(s->context, e);
	if (rc == KI_SUCCESS)
		rc = ops->mark(s->device, mark + MARK_STOP, e);
	return rc;
}

static int do_bench_collect(struct ki_method_segment *segment, const struct ki_subject *s,
			    struct ki_error *e)
{
	size_t i;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < segment->n; i++) {
		uint32_t mark = (uint32_t)i * MARKS_PER_SAMPLE;

		rc = s->ops->elapsed(s->device, &segment->samples_ns[i], mark + MARK_START,
				     mark + MARK_STOP, e);
		if (rc == KI_SUCCESS)
			rc = s->ops->elapsed(s->device, &segment->controls_ns[i],
					     mark + MARK_CONTROL_START, mark + MARK_CONTROL_STOP,
					     e);
	}
	return rc;
}

static int do_bench_segment(struct ki_method_segment *segment, const struct ki_subject *s,
			    const struct ki_method_parameters *p, struct ki_error *e)
{
	uint64_t i;
	int rc = KI_SUCCESS;

	_Static_assert(KI_METHOD_SEGMENT_SAMPLES_MAX * MARKS_PER_SAMPLE <= KI_DEVICE_MARKS_MAX,
		       "a segment's marks fit a device");
	if (segment->n > KI_METHOD_SEGMENT_SAMPLES_MAX)
		return ki_error_set(e, KI_FAIL_LIMIT, "%zu samples in one segment", segment->n);
	for (i = 0; rc == KI_SUCCESS && i < p->lead_in; i++)
		rc = do_bench_flushed_call(s, e);
	for (i = 0; rc == KI_SUCCESS && i < segment->n; i++)
		rc = do_bench_sample(s, (uint32_t)i * MARKS_PER_SAMPLE, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->synchronize(s->device, e);
	return rc != KI_SUCCESS ? rc : do_bench_collect(segment, s, e);
}

const struct ki_method ki_method_do_bench = {
	.name = "do_bench",
	.estimate = do_bench_estimate,
	.warm_up = do_bench_warm_up,
	.segment = do_bench_segment,
};
