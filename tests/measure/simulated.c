/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "measure/do_bench.h"
#include "measure/schedule.h"
#include "run/versus.h"
#include "simulated.h"

#define CONTROL_NS 3000.0
#define FLUSH_NS 50000.0
#define TICK_NS 32.0
/* A comparison's length on the simulated clock, roughly: what drift and throttling go over. */
#define LENGTH_NS 1.6e9

const struct simulated_effects simulated_20_us = {.jitter = 0.004,
						  .process_ns = 65,
						  .placement = 0.0105,
						  .drift = 0.01,
						  .first = 0.03,
						  .spike = 4,
						  .mode = 0.05,
						  .throttle = 0.03};
const struct simulated_effects simulated_4_us = {.jitter = 0.008,
						 .process_ns = 65,
						 .placement = 0.0156,
						 .drift = 0.01,
						 .first = 0.03,
						 .spike = 4,
						 .mode = 0.05,
						 .throttle = 0.03};

/* What both workers of a comparison live in. */
struct world {
	const struct simulated_setting *setting;
	uint64_t random;
	double now_ns;
	double throttle_from_ns;
	double spike_at_ns; /* the first launch from here on has it; then it is gone */
};

/* A worker on the simulated device. */
struct ki_device_handle {
	struct world *world;
	double offset_ns; /* of this process */
	double segment;   /* factor of this segment: placement, first of two */
	double slowdown;
	bool timed; /* not warming up: an estimate with a spike in it changes all that follows */
	double marks[KI_DEVICE_MARKS_MAX];
};

static double uniform(uint64_t *state)
{
	return (double)(ki_seed_next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(1 - uniform(state)));

	return radius * cos(2 * acos(-1.0) * uniform(state));
}

static int sim_flush(struct ki_device_handle *h, struct ki_error *e)
{
	(void)e;
	h->world->now_ns += FLUSH_NS;
	return KI_SUCCESS;
}

static int sim_control(struct ki_device_handle *h, struct ki_error *e)
{
	(void)e;
	h->world->now_ns += CONTROL_NS + h->offset_ns + 20 * normal(&h->world->random);
	return KI_SUCCESS;
}

static int sim_mark(struct ki_device_handle *h, uint32_t index, struct ki_error *e)
{
	(void)e;
	h->marks[index] = h->world->now_ns;
	return KI_SUCCESS;
}

static int sim_synchronize(struct ki_device_handle *h, struct ki_error *e)
{
	(void)h;
	(void)e;
	return KI_SUCCESS;
}

static int sim_elapsed(struct ki_device_handle *h, uint64_t *out, uint32_t from, uint32_t to,
		       struct ki_error *e)
{
	(void)e;
	*out = (uint64_t)(round((h->marks[to] - h->marks[from]) / TICK_NS) * TICK_NS);
	return KI_SUCCESS;
}

static int sim_launch(void *context, struct ki_error *e)
{
	struct ki_device_handle *h = context;
	struct world *w = h->world;
	const struct simulated_effects *x = &w->setting->effects;
	/* Shares are of all that is seen of a launch, the constant part included. */
	double ns = w->setting->kernel_ns * (1 + h->slowdown) * h->segment;

	(void)e;
	ns *= 1 + x->jitter * normal(&w->random) + x->drift * w->now_ns / LENGTH_NS;
	if (x->mode > 0 && uniform(&w->random) < 0.1)
		ns *= 1 + x->mode;
	if (w->now_ns >= w->throttle_from_ns && w->now_ns < w->throttle_from_ns + LENGTH_NS / 10)
		ns *= 1 + x->throttle;
	if (x->spike > 0 && h->timed && w->now_ns >= w->spike_at_ns) {
		ns *= 1 + x->spike;
		w->spike_at_ns = INFINITY;
	}
	w->now_ns += h->offset_ns + ns;
	return KI_SUCCESS;
}

static const struct ki_device_ops sim_ops = {
	.kind = "simulated",
	.flush = sim_flush,
	.control = sim_control,
	.mark = sim_mark,
	.synchronize = sim_synchronize,
	.elapsed = sim_elapsed,
};

static const struct ki_method_parameters parameters = {.warmup_ns = 2500000,
						       .measure_ns = 20000000,
						       .minimum_samples = 20,
						       .maximum_samples = 1000,
						       .lead_in = 2};

static void segment(struct ki_measurement *m, struct ki_device_handle *h, uint32_t replicate,
		    uint32_t number, uint64_t n)
{
	const struct ki_subject subject = {
		.ops = &sim_ops, .device = h, .launch = sim_launch, .context = h};
	uint64_t samples[1000], controls[1000];
	struct ki_method_segment s = {.n = n, .samples_ns = samples, .controls_ns = controls};
	struct ki_error e = {0};

	h->timed = true;
	cr_assert_eq(ki_method_do_bench.segment(&s, &subject, &parameters, &e), KI_SUCCESS);
	cr_assert_eq(ki_measurement_add(m, replicate, number, samples, controls, n, &e),
		     KI_SUCCESS);
}

static uint64_t warm(struct ki_device_handle *h)
{
	const struct ki_subject subject = {
		.ops = &sim_ops, .device = h, .launch = sim_launch, .context = h};
	struct ki_method_estimate estimate;
	struct ki_error e = {0};

	h->segment = 1;
	h->timed = false;
	cr_assert_eq(ki_method_do_bench.estimate(&estimate, &subject, &parameters, &e), KI_SUCCESS);
	cr_assert_eq(ki_method_do_bench.warm_up(&subject, &estimate, &e), KI_SUCCESS);
	return estimate.n_samples;
}

/* One fresh pair of workers. */
static void replicate(struct ki_measurement m[2], struct ki_device_handle *workers, struct world *w,
		      uint32_t number)
{
	const struct simulated_setting *s = w->setting;
	struct ki_schedule schedule;
	struct ki_error e = {0};
	uint64_t n[2];

	for (int i = 0; i < 2; i++) {
		workers[i].world = w;
		workers[i].offset_ns = s->effects.process_ns * normal(&w->random);
		workers[i].slowdown = i == 1 ? s->slowdown : 0;
		n[i] = warm(&workers[i]);
	}
	cr_assert_eq(ki_schedule_new(&schedule, 2, s->segments, ki_seed_next(&w->random), &e),
		     KI_SUCCESS);
	for (size_t i = 0; i < schedule.n_slots; i++) {
		const struct ki_schedule_slot *slot = &schedule.slots[i];
		struct ki_device_handle *h = &workers[slot->backend];
		uint64_t placement = slot->placement;

		h->segment = 1 + s->effects.placement * normal(&placement) +
			     (i % 2 == 0 ? s->effects.first : 0);
		segment(&m[slot->backend], h, number, slot->segment,
			ki_schedule_samples(n[slot->backend], s->segments, slot->segment));
	}
	ki_schedule_free(&schedule);
}

enum ki_outcome simulated_compare(struct ki_comparison *out, const struct simulated_setting *s,
				  uint64_t seed)
{
	const struct ki_comparison_rule rule = {.level = 0.95, .minimum_effect = 0.01};
	struct ki_device_handle *workers = calloc(2, sizeof *workers);
	struct world w = {.setting = s, .random = ki_seed_derive(seed, 0)};
	struct ki_measurement m[2];
	struct ki_error e = {0};

	cr_assert(workers != NULL);
	w.throttle_from_ns = uniform(&w.random) * LENGTH_NS;
	/* Drawn in any case, so that the same seed without the spike is the same otherwise. */
	w.spike_at_ns = uniform(&w.random) * LENGTH_NS;
	for (int i = 0; i < 2; i++)
		cr_assert_eq(ki_measurement_init(&m[i], &e), KI_SUCCESS);
	for (uint32_t i = 0; i < s->replicates; i++)
		replicate(m, workers, &w, i);
	cr_assert_eq(ki_versus_compare(out, &m[0], &m[1], rule, &e), KI_SUCCESS);
	for (int i = 0; i < 2; i++)
		ki_measurement_fini(&m[i]);
	free(workers);
	return ki_comparison_outcome(out, out->p, &rule, NULL);
}

void simulated_count(unsigned counts[KI_OUTCOME_SLOWER + 1], const struct simulated_setting *s,
		     unsigned n, uint64_t seed)
{
	struct ki_comparison c;

	for (int i = 0; i <= KI_OUTCOME_SLOWER; i++)
		counts[i] = 0;
	for (unsigned i = 0; i < n; i++)
		counts[simulated_compare(&c, s, seed + i)]++;
}
