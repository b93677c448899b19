/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "stats/series.h"

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double uniform(uint64_t *state)
{
	return (double)(ki_seed_next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(1 - uniform(state)));

	return radius * cos(2 * acos(-1.0) * uniform(state));
}

Test(series, lag_1_of_an_alternation_and_of_a_ramp)
{
	const uint64_t alternating[6] = {1, 3, 1, 3, 1, 3}, ramp[5] = {1, 2, 3, 4, 5};
	double v;

	/* Five products of -1 over six squares of 1. */
	cr_assert(ki_series_lag1(&v, alternating, 6));
	cr_assert_float_eq(v, -5.0 / 6, 1e-12);
	/* Deviations -2 -1 0 1 2: products 2 + 0 + 0 + 2 over squares 10. */
	cr_assert(ki_series_lag1(&v, ramp, 5));
	cr_assert_float_eq(v, 0.4, 1e-12);
}

Test(series, lag_1_recovers_the_coefficient_of_an_autoregressive_series)
{
	static const double phis[] = {0, 0.3, 0.6, 0.9};

	for (size_t k = 0; k < 4; k++) {
		static uint64_t samples[20000];
		uint64_t state = 7 + k;
		double x = 0, v;

		for (size_t i = 0; i < 20000; i++) {
			x = phis[k] * x + normal(&state);
			samples[i] = (uint64_t)(1e6 + 1000 * x);
		}
		cr_assert(ki_series_lag1(&v, samples, 20000));
		cr_assert_float_eq(v, phis[k], 0.03, "phi %g: %g", phis[k], v);
	}
}

Test(series, equal_samples_have_no_autocorrelation_no_tick_and_no_modes)
{
	uint64_t samples[100];
	struct ki_series_modes modes;
	double v;

	for (size_t i = 0; i < 100; i++)
		samples[i] = UINT64_C(123456789012345);
	cr_assert_not(ki_series_lag1(&v, samples, 100));
	cr_assert_not(ki_series_lag1(&v, samples, 0));
	cr_assert_eq(ki_series_tick_ns(samples, 100), 0);
	ki_series_modes(&modes, samples, 100);
	cr_assert_not(modes.two);
	ki_series_modes(&modes, samples, 0);
	cr_assert_not(modes.two);
}

Test(series, half_of_the_samples_at_100_and_half_at_200_microseconds_are_two_modes)
{
	uint64_t samples[40], state = 3;
	struct ki_series_modes modes;

	for (size_t i = 0; i < 40; i++)
		samples[i] = (i % 2 ? 200000 : 100000) + ki_seed_next(&state) % 2000;
	qsort(samples, 40, sizeof *samples, ascending);
	ki_series_modes(&modes, samples, 40);
	cr_assert(modes.two);
	cr_assert_float_eq(modes.low_ns, 101000, 500);
	cr_assert_float_eq(modes.high_ns, 201000, 500);
	cr_assert_float_eq(modes.high_share, 0.5, 1e-12);
	cr_assert(modes.separation > 100);
}

/* How often n samples of one shape count as two. */
static unsigned calls_two(double (*draw)(uint64_t *), size_t n, unsigned trials, uint64_t step)
{
	unsigned found = 0;

	for (unsigned t = 0; t < trials; t++) {
		uint64_t samples[1000], state = 1000 + t;
		struct ki_series_modes modes;

		for (size_t i = 0; i < n; i++)
			samples[i] = (uint64_t)(20000 + 200 * draw(&state)) / step * step;
		qsort(samples, n, sizeof *samples, ascending);
		ki_series_modes(&modes, samples, n);
		found += modes.two ? 1 : 0;
	}
	return found;
}

static double skewed(uint64_t *state)
{
	return -log(1 - uniform(state));
}

Test(series, samples_of_one_shape_are_hardly_ever_called_two)
{
	/* 100 samples, and 20, with a timer of 1 ns and one of 32 ns. */
	static const struct {
		size_t n;
		uint64_t step;
	} cases[] = {{100, 1}, {20, 1}, {100, 32}, {1000, 32}, {100, 500}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned n = calls_two(normal, cases[i].n, 500, cases[i].step);
		unsigned s = calls_two(skewed, cases[i].n, 500, cases[i].step);
		unsigned u = calls_two(uniform, cases[i].n, 500, cases[i].step);

		cr_assert(n <= 5 && s <= 10 && u <= 25, "%zu: %u %u %u of 500", i, n, s, u);
	}
}

Test(series, one_spike_is_no_mode)
{
	uint64_t samples[30];
	struct ki_series_modes modes;

	for (size_t i = 0; i < 29; i++)
		samples[i] = 20000 + i;
	samples[29] = 100000;
	ki_series_modes(&modes, samples, 30);
	cr_assert_not(modes.two);
	cr_assert_eq(ki_series_tick_ns(samples, 30), 1);
}
