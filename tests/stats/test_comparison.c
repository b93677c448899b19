/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>

#include "stats/comparison.h"
#include "stats/student.h"

static const struct ki_comparison_rule rule = {.level = 0.95, .minimum_effect = 0.01};

static struct ki_comparison of_pairs(const double *effects, const double *nulls, size_t n,
				     const struct ki_comparison_rule *r)
{
	struct ki_effect pairs[32];
	struct ki_comparison c;
	struct ki_error e = {0};

	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct ki_effect){.effect = effects[i],
					      .null = nulls != NULL ? nulls[i] : 0,
					      .base_ns = 20000};
	cr_assert_eq(ki_comparison_pairs(&c, pairs, n, r, &e), KI_SUCCESS);
	return c;
}

static enum ki_outcome outcome_of(const struct ki_comparison *c, const struct ki_comparison_rule *r,
				  enum ki_doubt *why)
{
	return ki_comparison_outcome(c, c->p, r, why);
}

Test(effect, controls_are_taken_off_and_the_share_is_of_the_raw_latency)
{
	/* base 20 us with a control of 3, head 21 with a control of 3.5: 0.5 of 20 is the kernel's.
	 */
	const struct ki_effect_block block = {.base = {{20000, 3000}, {20000, 3000}},
					      .head = {{21000, 3500}, {21000, 3500}}};
	struct ki_effect out;

	cr_assert(ki_effect_of_pair(&out, &block, 1));
	cr_assert_float_eq(out.effect, 0.025, 1e-12);
	cr_assert_float_eq(out.null, 0, 1e-12);
	cr_assert_float_eq(out.base_ns, 20000, 1e-9);
}

Test(effect, a_linear_drift_leaves_no_trace_in_the_effect)
{
	/* A B B A with 100 ns more each time. */
	const struct ki_effect_block block = {.base = {{20000, 0}, {20300, 0}},
					      .head = {{20100, 0}, {20200, 0}}};
	struct ki_effect out;

	cr_assert(ki_effect_of_pair(&out, &block, 1));
	cr_assert_float_eq(out.effect, 0, 1e-12);
	cr_assert_neq(out.null, 0);
}

Test(effect, a_penalty_on_the_first_of_two_leaves_none_in_either)
{
	/* A' B B' A: the first of each two pays 600 ns. */
	const struct ki_effect_block block = {.base = {{20600, 0}, {20000, 0}},
					      .head = {{20000, 0}, {20600, 0}}};
	struct ki_effect out;

	cr_assert(ki_effect_of_pair(&out, &block, 1));
	cr_assert_float_eq(out.effect, 0, 1e-12);
	cr_assert_float_eq(out.null, 0, 1e-12);
}

Test(effect, nothing_is_divided_by_a_base_of_zero)
{
	const struct ki_effect_block block = {.head = {{100, 0}, {100, 0}}};
	struct ki_comparison c = {.n_base = 6, .n_head = 6};
	struct ki_effect out;
	enum ki_doubt why;

	cr_assert_not(ki_effect_of_pair(&out, &block, 1));
	cr_assert_not(ki_effect_of_pair(&out, &block, 0));
	cr_assert_eq(outcome_of(&c, &rule, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_RESOLUTION);
}

Test(comparison, six_pairs_that_agree_on_three_percent_are_slower)
{
	const double effects[6] = {0.029, 0.030, 0.031, 0.033, 0.032, 0.031};
	struct ki_comparison c = of_pairs(effects, NULL, 6, &rule);
	/* sd 0.00141421, / sqrt(6) = 0.00057735, times 2.57058 */
	enum ki_doubt why;

	cr_assert_float_eq(c.effect, 0.031, 1e-12);
	cr_assert_float_eq(c.high - c.effect, 0.00148412, 1e-8);
	cr_assert_float_eq(c.effect - c.low, 0.00148412, 1e-8);
	cr_assert(c.has_order);
	cr_assert_eq(c.order_low, 0.029);
	cr_assert_eq(c.order_high, 0.033);
	cr_assert(c.p < 1e-5);
	cr_assert_eq(outcome_of(&c, &rule, &why), KI_OUTCOME_SLOWER);
	cr_assert_eq(why, KI_DOUBT_NONE);
}

Test(comparison, five_pairs_have_no_interval_and_no_verdict)
{
	const double effects[5] = {0.2, 0.2, 0.2, 0.2, 0.2};
	struct ki_comparison c = of_pairs(effects, NULL, 5, &rule);
	enum ki_doubt why;

	cr_assert_not(c.has_interval);
	cr_assert_eq(outcome_of(&c, &rule, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_REPLICATES);
	cr_assert_float_eq(c.effect, 0.2, 1e-12);
}

Test(comparison, an_interval_within_the_smallest_effect_is_equivalence)
{
	const double effects[6] = {0.001, -0.001, 0.002, 0.000, 0.001, -0.002};
	struct ki_comparison c = of_pairs(effects, NULL, 6, &rule);

	cr_assert_eq(outcome_of(&c, &rule, NULL), KI_OUTCOME_EQUIVALENT);
}

Test(comparison, each_reason_for_no_verdict_has_its_own_name)
{
	const double wide[6] = {0.05, -0.05, 0.04, -0.03, 0.02, -0.01};
	const double small[6] = {0.0090, 0.0094, 0.0097, 0.0101, 0.0088, 0.0106};
	const double clear[6] = {0.029, 0.030, 0.031, 0.033, 0.032, 0.031};
	const double restless[6] = {0.05, -0.05, 0.05, -0.05, 0.05, -0.05};
	struct ki_comparison_rule machine = rule;
	struct ki_comparison c = of_pairs(wide, NULL, 6, &rule);
	enum ki_doubt why;

	cr_assert_eq(outcome_of(&c, &rule, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_ZERO);
	c = of_pairs(small, NULL, 6, &rule);
	cr_assert_eq(outcome_of(&c, &rule, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_SMALL);
	c = of_pairs(clear, restless, 6, &rule);
	cr_assert_eq(outcome_of(&c, &rule, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_FLOOR);
	cr_assert_eq(c.floor_source, KI_FLOOR_RUN);
	/* sd 0.0547723 / sqrt(6) * 4.03214 */
	cr_assert_float_eq(c.floor, 0.0901613, 1e-6);
	machine.machine_floor = 0.04;
	c = of_pairs(clear, NULL, 6, &machine);
	cr_assert_eq(outcome_of(&c, &machine, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_FLOOR);
	cr_assert_eq(c.floor_source, KI_FLOOR_MACHINE);
	c = of_pairs(clear, NULL, 6, &rule);
	cr_assert_eq(ki_comparison_outcome(&c, 0.06, &rule, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_SUITE);
	c = of_pairs(clear, NULL, 0, &rule);
	cr_assert_eq(outcome_of(&c, &rule, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_MISSING);
}

Test(comparison, one_step_of_a_32_ns_timer_is_no_regression_of_a_microsecond)
{
	const double effects[6] = {0.032, 0.032, 0.032, 0.032, 0.032, 0.032};
	struct ki_comparison_rule r = {.level = 0.95, .minimum_effect = 0.01, .tick_ns = 32};
	struct ki_effect pairs[6];
	struct ki_comparison c;
	struct ki_error e = {0};
	enum ki_doubt why;

	for (size_t i = 0; i < 6; i++)
		pairs[i] = (struct ki_effect){.effect = effects[i], .base_ns = 1000};
	cr_assert_eq(ki_comparison_pairs(&c, pairs, 6, &r, &e), KI_SUCCESS);
	cr_assert_eq(outcome_of(&c, &r, &why), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(why, KI_DOUBT_FLOOR);
	cr_assert_eq(c.floor_source, KI_FLOOR_TIMER);
	cr_assert_float_eq(c.floor, 0.064, 1e-12);
}

Test(comparison, effects_that_are_all_the_same_have_an_interval_of_no_width)
{
	const double zero[6] = {0}, same[6] = {0.02, 0.02, 0.02, 0.02, 0.02, 0.02};
	struct ki_comparison c = of_pairs(zero, NULL, 6, &rule);

	cr_assert_eq(c.p, 1);
	cr_assert_eq(outcome_of(&c, &rule, NULL), KI_OUTCOME_EQUIVALENT);
	c = of_pairs(same, NULL, 6, &rule);
	cr_assert_eq(outcome_of(&c, &rule, NULL), KI_OUTCOME_SLOWER);
}

Test(comparison, separate_runs_are_compared_by_welch_s_interval)
{
	/* Means 20 and 21, variances 0.02 and 0.08 of 6: error 0.129099, df 7.353; t = 2.34200 */
	const double base[6] = {19.9, 20.1, 19.8, 20.2, 20.0, 20.0};
	const double head[6] = {20.8, 21.2, 20.6, 21.4, 21.0, 21.0};
	struct ki_comparison c;

	ki_comparison_runs(&c, base, 6, head, 6, 20, &rule);
	cr_assert(c.has_interval);
	cr_assert_float_eq(c.effect, 0.05, 1e-12);
	cr_assert_float_eq(c.high - c.low,
			   2 * ki_student_critical(0.95, 7.3529411764) * 0.1290994449 / 20, 1e-8);
	cr_assert_eq(outcome_of(&c, &rule, NULL), KI_OUTCOME_SLOWER);
	ki_comparison_runs(&c, base, 6, head, 5, 20, &rule);
	cr_assert_not(c.has_interval);
}

Test(comparison, the_suite_is_as_bad_as_its_worst_case)
{
	const enum ki_outcome all[] = {KI_OUTCOME_FASTER, KI_OUTCOME_EQUIVALENT,
				       KI_OUTCOME_INCONCLUSIVE, KI_OUTCOME_SLOWER};

	cr_assert_eq(ki_outcome_of_suite(all, 4), KI_OUTCOME_SLOWER);
	cr_assert_eq(ki_outcome_of_suite(all, 3), KI_OUTCOME_INCONCLUSIVE);
	cr_assert_eq(ki_outcome_of_suite(all, 2), KI_OUTCOME_FASTER);
	cr_assert_eq(ki_outcome_of_suite(all + 1, 1), KI_OUTCOME_EQUIVALENT);
}
