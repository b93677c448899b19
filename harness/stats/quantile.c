/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "stats/quantile.h"

__extension__ typedef unsigned __int128 uint128;

static int quantile_order(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static uint64_t *quantile_allocate(size_t n)
{
	uint64_t bytes;

	if (!ki_size_mul(&bytes, n, sizeof(uint64_t)) || bytes > SIZE_MAX)
		return NULL;
	return malloc((size_t)bytes);
}

int ki_quantile_sort(uint64_t **out, const uint64_t *samples, size_t n, struct ki_error *e)
{
	uint64_t *sorted = quantile_allocate(n);

	if (sorted == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory for %zu samples", n);
	memcpy(sorted, samples, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, quantile_order);
	*out = sorted;
	return KI_SUCCESS;
}

/* The value below the quantile and what to add to it, apart: a sum of both can lose low bits. */
static uint64_t quantile_split(double *above, const uint64_t *sorted, size_t n, double q)
{
	double point;
	size_t lower;

	*above = 0;
	if (!(q > 0))
		return sorted[0];
	point = (double)(n - 1) * q;
	if (!(point < (double)(n - 1)))
		return sorted[n - 1];
	lower = (size_t)point;
	*above = (point - (double)lower) * (double)(sorted[lower + 1] - sorted[lower]);
	return sorted[lower];
}

double ki_quantile_type7(const uint64_t *sorted, size_t n, double q)
{
	double above;
	uint64_t below = quantile_split(&above, sorted, n, q);

	return (double)below + above;
}

uint64_t ki_quantile_type7_ns(const uint64_t *sorted, size_t n, double q)
{
	double above;
	uint64_t below = quantile_split(&above, sorted, n, q);

	/* floor(x + 0.5) is wrong just below a half; round() is not. */
	return below + (uint64_t)round(above);
}

uint64_t ki_quantile_mean_ns(const uint64_t *samples, size_t n)
{
	uint128 sum = 0;

	assert(n > 0);
	for (size_t i = 0; i < n; i++)
		sum += samples[i];
	return (uint64_t)((2 * sum + n) / ((uint128)n * 2));
}

int ki_quantile_mad_ns(uint64_t *out, const uint64_t *sorted, size_t n, struct ki_error *e)
{
	uint64_t *twice;
	uint64_t median_twice;

	/* In halves of a nanosecond everything is an integer, and nothing is rounded on the way. */
	if (n > 0 && sorted[n - 1] > UINT64_MAX / 2)
		return ki_error_set(e, KI_FAIL_LIMIT, "a sample of %llu ns is beyond all reason",
				    (unsigned long long)sorted[n - 1]);
	twice = quantile_allocate(n);
	if (twice == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory for %zu samples", n);
	median_twice = sorted[(n - 1) / 2] + sorted[n / 2];
	for (size_t i = 0; i < n; i++) {
		uint64_t x = 2 * sorted[i];

		twice[i] = x > median_twice ? x - median_twice : median_twice - x;
	}
	qsort(twice, n, sizeof *twice, quantile_order);
	*out = (uint64_t)(((uint128)twice[(n - 1) / 2] + twice[n / 2] + 2) / 4);
	free(twice);
	return KI_SUCCESS;
}
