/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/quantile.h"

static const uint64_t one_to_ten[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

Test(quantile, a_sample_beyond_all_reason_has_no_deviation)
{
	const uint64_t sorted[2] = {1, UINT64_MAX};
	struct ki_error e = {0};
	uint64_t mad = 42;

	cr_assert_eq(ki_quantile_mad_ns(&mad, sorted, 2, &e), KI_FAIL_LIMIT);
	cr_assert_eq(mad, 42);
}

Test(quantile, sorting_copies_and_leaves_the_samples_in_time_order)
{
	const uint64_t samples[6] = {5, UINT64_MAX, 0, 5, UINT64_C(1) << 63, 1};
	const uint64_t expected[6] = {0, 1, 5, 5, UINT64_C(1) << 63, UINT64_MAX};
	uint64_t before[6];
	uint64_t *sorted = NULL;
	struct ki_error e = {0};

	memcpy(before, samples, sizeof before);
	cr_assert_eq(ki_quantile_sort(&sorted, samples, 6, &e), KI_SUCCESS);
	cr_assert(memcmp(sorted, expected, sizeof expected) == 0);
	cr_assert(memcmp(samples, before, sizeof before) == 0);
	free(sorted);
}

Test(quantile, type_7_of_one_to_ten_is_what_numpy_says)
{
	static const struct {
		double q, value;
		uint64_t rounded;
	} vectors[] = {
		{0, 1, 1},       {0.05, 1.45, 1}, {0.2, 2.8, 3},    {0.25, 3.25, 3}, {0.5, 5.5, 6},
		{0.75, 7.75, 8}, {0.8, 8.2, 8},   {0.95, 9.55, 10}, {1, 10, 10},
	};

	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		cr_assert_float_eq(ki_quantile_type7(one_to_ten, 10, vectors[i].q),
				   vectors[i].value, 1e-12, "q = %g", vectors[i].q);
		cr_assert_eq(ki_quantile_type7_ns(one_to_ten, 10, vectors[i].q), vectors[i].rounded,
			     "q = %g", vectors[i].q);
	}
}

Test(quantile, a_quantile_outside_0_to_1_is_the_nearest_end)
{
	static const double low[] = {-1, -0.0, NAN, -INFINITY};
	static const double high[] = {1.0000001, 2, INFINITY};

	for (size_t i = 0; i < sizeof low / sizeof *low; i++)
		cr_assert_eq(ki_quantile_type7(one_to_ten, 10, low[i]), 1);
	for (size_t i = 0; i < sizeof high / sizeof *high; i++)
		cr_assert_eq(ki_quantile_type7(one_to_ten, 10, high[i]), 10);
}

Test(quantile, one_sample_is_all_its_quantiles)
{
	const uint64_t one = 719872;

	for (int i = 0; i <= 10; i++)
		cr_assert_eq(ki_quantile_type7_ns(&one, 1, i / 10.0), 719872);
}

Test(quantile, halves_round_away_from_zero_and_large_values_keep_their_low_bits)
{
	const uint64_t pair[2] = {2, 3};
	const uint64_t large[2] = {(UINT64_C(1) << 62) + 1, (UINT64_C(1) << 62) + 4};

	cr_assert_eq(ki_quantile_type7_ns(pair, 2, 0.5), 3);
	cr_assert_eq(ki_quantile_type7_ns(pair, 2, 0.49999), 2);
	cr_assert_eq(ki_quantile_type7_ns(large, 2, 0.5), (UINT64_C(1) << 62) + 3);
	cr_assert_eq(ki_quantile_type7_ns(large, 2, 1), (UINT64_C(1) << 62) + 4);
}

Test(quantile, the_mean_is_rounded_half_up_and_does_not_overflow)
{
	static const struct {
		uint64_t samples[4];
		size_t n;
		uint64_t mean;
	} cases[] = {
		{{7}, 1, 7},
		{{1, 2}, 2, 2},
		{{1, 1, 2}, 3, 1},
		{{1, 2, 2}, 3, 2},
		{{0, 0, 0, 1}, 4, 0},
		{{0, 0, 1, 1}, 4, 1},
		{{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX - 4}, 4, UINT64_MAX - 1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_assert_eq(ki_quantile_mean_ns(cases[i].samples, cases[i].n), cases[i].mean,
			     "case %zu", i);
}

Test(quantile, the_deviation_is_that_of_the_exact_median)
{
	static const struct {
		uint64_t sorted[6];
		size_t n;
		uint64_t mad;
	} cases[] = {
		{{5}, 1, 0},
		{{1, 2}, 2, 1},                   /* median 1.5, deviations 0.5: rounds up */
		{{1, 1, 2, 2, 4, 6}, 6, 1},       /* median 2, deviations 0 0 1 1 2 4 */
		{{1, 2, 3, 4}, 4, 1},             /* median 2.5, deviations .5 .5 1.5 1.5 */
		{{0, 3, 4, 9}, 4, 2},             /* median 3.5, deviations .5 .5 3.5 5.5 */
		{{10, 10, 10, 10, 500000}, 5, 0}, /* one spike does not move it */
		{{0, 0, 1, 7}, 4, 1}, /* median 0.5, deviations .5 .5 .5 6.5: rounds up */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ki_error e = {0};
		uint64_t mad = 42;

		cr_assert_eq(ki_quantile_mad_ns(&mad, cases[i].sorted, cases[i].n, &e), KI_SUCCESS);
		cr_assert_eq(mad, cases[i].mad, "case %zu: %llu", i, (unsigned long long)mad);
	}
}
