/* SPDX-License-Identifier: Apache-2.0 */
/* Student's distribution, the interval of a median, and Holm's adjustment. */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>

#include "stats/beta.h"
#include "stats/holm.h"
#include "stats/interval.h"
#include "stats/student.h"

Test(distribution, critical_values_of_t_are_those_of_the_tables)
{
	/* NIST/SEMATECH e-Handbook of Statistical Methods 1.3.6.7.2, with more digits. */
	static const struct {
		double level, df, t;
	} vectors[] = {
		{0.95, 1, 12.7062047364},  {0.95, 2, 4.30265272991},  {0.95, 5, 2.57058183661},
		{0.95, 10, 2.22813885196}, {0.95, 30, 2.04227245630}, {0.95, 100, 1.98397151845},
		{0.99, 5, 4.03214298356},
	};

	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		cr_assert_float_eq(ki_student_critical(vectors[i].level, vectors[i].df),
				   vectors[i].t, 1e-9 * vectors[i].t, "df %g", vectors[i].df);
}

Test(distribution, tails_of_t_with_one_and_two_degrees_of_freedom_have_closed_forms)
{
	static const double ts[] = {0, 1e-6, 0.1, 1, 2.5, 10, 1e3, 1e6};

	for (size_t i = 0; i < sizeof ts / sizeof *ts; i++) {
		double t = ts[i], one = 1 - 2 / acos(-1.0) * atan(t);
		double two = 1 - t / sqrt(2 + t * t);

		cr_assert_float_eq(ki_student_two_sided(t, 1), one, 1e-12);
		cr_assert_float_eq(ki_student_two_sided(t, 2), two, 1e-12);
		cr_assert_float_eq(ki_student_two_sided(-t, 2), two, 1e-12);
	}
	cr_assert_eq(ki_student_two_sided(INFINITY, 5), 0);
	/* Far out, where 1 - x has lost everything, the tail is still there. */
	cr_assert(ki_student_two_sided(1e12, 5) > 0);
}

Test(distribution, a_median_has_no_95_percent_interval_below_six_values)
{
	struct ki_interval_ranks r;

	for (size_t n = 0; n < KI_INTERVAL_VALUES_MIN; n++)
		cr_assert_not(ki_interval_median(&r, n, 0.95), "n = %zu", n);
	for (size_t n = 0; n < 8; n++)
		cr_assert_not(ki_interval_median(&r, n, 0.99), "n = %zu", n);
	cr_assert(ki_interval_median(&r, 8, 0.99));
}

Test(distribution, ranks_of_the_median_s_interval_favour_no_direction)
{
	static const struct {
		size_t n, low, high;
		double coverage;
	} vectors[] = {
		{6, 1, 6, 0.96875},
		{8, 1, 8, 0.9921875},
		{20, 6, 15, 0.9586105346679688},
		{30, 10, 21, 0.9572260547429323},
		{50, 18, 33, 0.967161},
		{100, 40, 61, 0.964800},
	};

	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		struct ki_interval_ranks r;

		cr_assert(ki_interval_median(&r, vectors[i].n, 0.95));
		cr_assert_eq(r.low, vectors[i].low, "n = %zu", vectors[i].n);
		cr_assert_eq(r.high, vectors[i].high, "n = %zu", vectors[i].n);
		cr_assert_float_eq(r.coverage, vectors[i].coverage, 5e-7);
	}
}

/* P(Binomial(n, 1/2) < k), added up. */
static double binomial_below(size_t n, size_t k)
{
	double term = pow(0.5, (double)n), sum = 0;

	for (size_t i = 0; i < k; i++) {
		sum += term;
		term *= (double)(n - i) / (double)(i + 1);
	}
	return sum;
}

Test(distribution, every_interval_is_the_narrowest_that_reaches_its_level)
{
	for (size_t n = 6; n <= 1000; n++) {
		struct ki_interval_ranks r;

		cr_assert(ki_interval_median(&r, n, 0.95));
		cr_assert_eq(r.low + r.high, n + 1);
		cr_assert_float_eq(r.coverage, 1 - 2 * binomial_below(n, r.low), 1e-9);
		cr_assert(r.coverage >= 0.95);
		cr_assert(1 - 2 * binomial_below(n, r.low + 1) < 0.95, "n = %zu", n);
	}
}

Test(distribution, a_hundred_thousand_values_have_an_interval_too)
{
	struct ki_interval_ranks r;

	cr_assert(ki_interval_median(&r, 100000, 0.95));
	/* The normal approximation: n/2 - 1.959964 sqrt(n)/2 = 49690.1 */
	cr_assert(r.low >= 49689 && r.low <= 49691, "low = %zu", r.low);
}

Test(distribution, holm_steps_down_and_never_orders_two_values_the_other_way)
{
	const double p[] = {0.01, 0.04, 0.03, 0.005, 0.04, NAN};
	/* By hand: 0.005 * 5, 0.01 * 4, 0.03 * 3, then 0.04 * 2 is below what came before. */
	const double expected[] = {0.04, 0.09, 0.09, 0.025, 0.09};
	double out[5], big[2] = {0.9, 0.8};
	struct ki_error e = {0};

	cr_assert_eq(ki_holm_adjust(out, p, 5, &e), KI_SUCCESS);
	for (size_t i = 0; i < 5; i++)
		cr_assert_float_eq(out[i], expected[i], 1e-15, "%zu: %g", i, out[i]);
	cr_assert_eq(ki_holm_adjust(big, big, 2, &e), KI_SUCCESS);
	cr_assert_eq(big[0], 1);
	cr_assert_eq(big[1], 1);
	cr_assert_eq(ki_holm_adjust(NULL, NULL, 0, &e), KI_SUCCESS);
}
