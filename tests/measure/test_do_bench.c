/* SPDX-License-Identifier: Apache-2.0 */
/* The method against a device whose clock is simulated: what it calls, in which order, how often.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "measure/do_bench.h"

/* A device that only counts: every call takes a fixed time on its own clock. */
struct ki_device_handle {
	uint64_t now_ns;
	uint64_t flush_ns;
	uint64_t launch_ns;
	uint64_t control_ns;
	uint64_t marks[KI_DEVICE_MARKS_MAX];
	unsigned flushes, launches, controls, readies, synchronizes;
	unsigned fail_at; /* launch that fails, from 1; 0: none */
	char order[4096]; /* F flush, L launch, C control, M mark, R ready, S synchronize */
	size_t n_order;
};

static void note(struct ki_device_handle *h, char what)
{
	if (h->n_order < sizeof h->order - 1)
		h->order[h->n_order++] = what;
}

static int fake_flush(struct ki_device_handle *h, struct ki_error *e)
{
	(void)e;
	note(h, 'F');
	h->flushes++;
	h->now_ns += h->flush_ns;
	return KI_SUCCESS;
}

static int fake_control(struct ki_device_handle *h, struct ki_error *e)
{
	(void)e;
	note(h, 'C');
	h->controls++;
	h->now_ns += h->control_ns;
	return KI_SUCCESS;
}

static int fake_mark(struct ki_device_handle *h, uint32_t index, struct ki_error *e)
{
	(void)e;
	cr_assert(index < KI_DEVICE_MARKS_MAX);
	note(h, 'M');
	h->marks[index] = h->now_ns;
	return KI_SUCCESS;
}

static int fake_synchronize(struct ki_device_handle *h, struct ki_error *e)
{
	(void)e;
	note(h, 'S');
	h->synchronizes++;
	return KI_SUCCESS;
}

static int fake_elapsed(struct ki_device_handle *h, uint64_t *out, uint32_t from, uint32_t to,
			struct ki_error *e)
{
	(void)e;
	*out = h->marks[to] - h->marks[from];
	return KI_SUCCESS;
}

static int fake_launch(void *context, struct ki_error *e)
{
	struct ki_device_handle *h = context;

	note(h, 'L');
	h->launches++;
	h->now_ns += h->launch_ns + (h->launches == 1 ? 1000000000u : 0);
	if (h->launches == h->fail_at)
		return ki_error_set(e, KI_FAIL_BACKEND, "launch %u failed", h->launches);
	return KI_SUCCESS;
}

static int fake_ready(void *context, struct ki_error *e)
{
	struct ki_device_handle *h = context;

	(void)e;
	note(h, 'R');
	h->readies++;
	return KI_SUCCESS;
}

static const struct ki_device_ops fake_ops = {
	.kind = "fake",
	.flush = fake_flush,
	.control = fake_control,
	.mark = fake_mark,
	.synchronize = fake_synchronize,
	.elapsed = fake_elapsed,
};

static const struct ki_method_parameters parameters = {.warmup_ns = 25000000,
						       .measure_ns = 100000000,
						       .minimum_samples = 20,
						       .maximum_samples = 1000,
						       .lead_in = 2};

static struct ki_subject subject_of(struct ki_device_handle *h)
{
	return (struct ki_subject){.ops = &fake_ops,
				   .device = h,
				   .ready = fake_ready,
				   .launch = fake_launch,
				   .context = h};
}

Test(do_bench, counts_are_tritons_with_a_guard_against_an_estimate_of_zero)
{
	cr_expect_eq(ki_do_bench_count(100, 30, 1000), 3);
	cr_expect_eq(ki_do_bench_count(100, 200, 1000), 1);
	cr_expect_eq(ki_do_bench_count(100, 100, 1000), 1);
	cr_expect_eq(ki_do_bench_count(100, 1, 50), 50);
	cr_expect_eq(ki_do_bench_count(100, 0, 50), 50);
}

Test(do_bench, the_estimate_is_over_five_flushed_calls_and_leaves_the_first_call_out)
{
	static struct ki_device_handle h;
	struct ki_method_estimate estimate;
	struct ki_error e = {0};
	struct ki_subject s = subject_of(&h);

	h = (struct ki_device_handle){.flush_ns = 900000, .launch_ns = 100000};
	cr_assert_eq(ki_method_do_bench.estimate(&estimate, &s, &parameters, &e), KI_SUCCESS);
	/* The first launch took a second more and is not in it. */
	cr_expect_eq(estimate.call_ns, 1000000);
	cr_expect_eq(estimate.n_warmup, 25);
	cr_expect_eq(estimate.n_samples, 100);
	cr_expect_eq(h.flushes, 5);
	cr_expect_eq(h.launches, 6);
}

Test(do_bench, a_budget_that_is_too_small_does_not_push_the_samples_below_the_minimum)
{
	static struct ki_device_handle h;
	struct ki_method_estimate estimate;
	struct ki_error e = {0};
	struct ki_subject s = subject_of(&h);

	h = (struct ki_device_handle){.flush_ns = 1, .launch_ns = 250000000};
	cr_assert_eq(ki_method_do_bench.estimate(&estimate, &s, &parameters, &e), KI_SUCCESS);
	cr_expect_eq(estimate.n_samples, 20);
	cr_expect_eq(estimate.n_warmup, 1);
}

Test(do_bench, a_clock_that_stands_still_gives_the_maximum_and_no_division_by_zero)
{
	static struct ki_device_handle h;
	struct ki_method_estimate estimate;
	struct ki_error e = {0};
	struct ki_subject s = subject_of(&h);

	h = (struct ki_device_handle){.fail_at = 0};
	cr_assert_eq(ki_method_do_bench.estimate(&estimate, &s, &parameters, &e), KI_SUCCESS);
	cr_expect_eq(estimate.call_ns, 0);
	cr_expect_eq(estimate.n_samples, 1000);
}

Test(do_bench, a_sample_is_flush_mark_launch_mark_with_a_flushed_control_before_it)
{
	static struct ki_device_handle h;
	uint64_t samples[2], controls[2];
	struct ki_method_segment segment = {.n = 2, .samples_ns = samples, .controls_ns = controls};
	struct ki_error e = {0};
	struct ki_subject s = subject_of(&h);

	h = (struct ki_device_handle){
		.flush_ns = 5000, .launch_ns = 700, .control_ns = 30, .launches = 1};
	cr_assert_eq(ki_method_do_bench.segment(&segment, &s, &parameters, &e), KI_SUCCESS);
	/* Two lead-in calls, then two samples, one wait at the end. */
	cr_expect_str_eq(h.order, "RFLRFL"
				  "FMCMRFMLM"
				  "FMCMRFMLM"
				  "S");
	cr_expect_eq(samples[0], 700);
	cr_expect_eq(samples[1], 700);
	cr_expect_eq(controls[0], 30);
}

Test(do_bench, warming_up_launches_without_flushes)
{
	static struct ki_device_handle h;
	const struct ki_method_estimate estimate = {.n_warmup = 3};
	struct ki_error e = {0};
	struct ki_subject s = subject_of(&h);

	h = (struct ki_device_handle){.launch_ns = 1};
	cr_assert_eq(ki_method_do_bench.warm_up(&s, &estimate, &e), KI_SUCCESS);
	cr_expect_str_eq(h.order, "RLRLRLS");
}

Test(do_bench, a_launch_that_fails_ends_the_segment_with_its_error)
{
	static struct ki_device_handle h;
	uint64_t samples[5], controls[5];
	struct ki_method_segment segment = {.n = 5, .samples_ns = samples, .controls_ns = controls};
	struct ki_error e = {0};
	struct ki_subject s = subject_of(&h);

	h = (struct ki_device_handle){.launch_ns = 1, .fail_at = 4};
	cr_expect_eq(ki_method_do_bench.segment(&segment, &s, &parameters, &e), KI_FAIL_BACKEND);
	cr_expect_str_eq(e.text, "launch 4 failed");
	cr_expect_eq(h.launches, 4);
}

Test(do_bench, methods_are_found_by_name_alone)
{
	cr_expect_eq(ki_method_find("do_bench"), &ki_method_do_bench);
	cr_expect_null(ki_method_find("do_bench2"));
	cr_expect_null(ki_method_find(""));
}
