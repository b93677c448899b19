/* SPDX-License-Identifier: Apache-2.0 */
/* The whole of a comparison on a simulated GPU: how often its verdicts are wrong, and right. */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>

#include "simulated.h"

static const struct simulated_setting at_20_us = {
	.effects = {.jitter = 0.004, .process_ns = 65, .placement = 0.0105},
	.kernel_ns = 20000,
	.replicates = 6,
	.segments = 8};

static unsigned verdicts(const unsigned counts[KI_OUTCOME_SLOWER + 1])
{
	return counts[KI_OUTCOME_FASTER] + counts[KI_OUTCOME_SLOWER];
}

Test(simulated, a_backend_against_itself_hardly_ever_gets_a_verdict)
{
	struct simulated_setting s = at_20_us;
	unsigned counts[KI_OUTCOME_SLOWER + 1];

	s.effects = simulated_20_us;
	simulated_count(counts, &s, 2000, 1);
	cr_assert(verdicts(counts) <= 120, "20 us: %u of 2000", verdicts(counts));
	s.effects = simulated_4_us;
	s.kernel_ns = 4000;
	simulated_count(counts, &s, 2000, 10001);
	cr_assert(verdicts(counts) <= 120, "4 us: %u of 2000", verdicts(counts));
}

Test(simulated, two_percent_more_of_20_microseconds_is_found)
{
	struct simulated_setting s = at_20_us;
	unsigned counts[KI_OUTCOME_SLOWER + 1];

	s.slowdown = 0.02;
	simulated_count(counts, &s, 1000, 20001);
	cr_assert(counts[KI_OUTCOME_SLOWER] >= 940, "%u of 1000", counts[KI_OUTCOME_SLOWER]);
	s.effects = simulated_20_us;
	simulated_count(counts, &s, 1000, 30001);
	cr_assert(counts[KI_OUTCOME_SLOWER] >= 940, "all effects: %u of 1000",
		  counts[KI_OUTCOME_SLOWER]);
}

/* The same comparisons with and without one more effect. */
static void changes_nothing(const struct simulated_setting *plain,
			    const struct simulated_setting *disturbed, uint64_t seed)
{
	unsigned differ = 0;

	for (unsigned i = 0; i < 300; i++) {
		struct ki_comparison a, b;
		enum ki_outcome x = simulated_compare(&a, plain, seed + i);
		enum ki_outcome y = simulated_compare(&b, disturbed, seed + i);

		cr_assert_float_eq(a.effect, b.effect, 0.002, "seed %u: %g %g", i, a.effect,
				   b.effect);
		cr_assert_float_eq(a.floor, b.floor, 0.002, "seed %u: %g %g", i, a.floor, b.floor);
		differ += x != y ? 1 : 0;
	}
	cr_assert(differ <= 6, "%u of 300 outcomes differ", differ);
}

Test(simulated, a_penalty_of_3_percent_on_the_first_of_two_changes_nothing)
{
	struct simulated_setting plain = at_20_us, disturbed = at_20_us;

	disturbed.effects.first = 0.03;
	changes_nothing(&plain, &disturbed, 40001);
	plain.slowdown = disturbed.slowdown = 0.02;
	changes_nothing(&plain, &disturbed, 50001);
}

Test(simulated, one_spike_of_five_times_changes_nothing)
{
	struct simulated_setting plain = at_20_us, disturbed = at_20_us;

	disturbed.effects.spike = 4;
	changes_nothing(&plain, &disturbed, 60001);
	plain.slowdown = disturbed.slowdown = 0.02;
	changes_nothing(&plain, &disturbed, 70001);
}
