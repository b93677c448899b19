/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "stats/beta.h"
#include "stats/interval.h"

/* P(Binomial(n, 1/2) <= k - 1) is I_1/2(n - k + 1, k) (DLMF 8.17.24). */
static double interval_coverage(size_t n, size_t k)
{
	return 1 - 2 * ki_beta_regularized((double)(n - k + 1), (double)k, 0.5);
}

bool ki_interval_median(struct ki_interval_ranks *out, size_t n, double level)
{
	size_t low = 1, high = n / 2;

	if (n < 2 || interval_coverage(n, 1) < level)
		return false;
	/* Coverage falls as the rank rises: the last rank that reaches the level. */
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (interval_coverage(n, middle) >= level)
			low = middle;
		else
			high = middle - 1;
	}
	*out = (struct ki_interval_ranks){
		.low = low, .high = n + 1 - low, .coverage = interval_coverage(n, low)};
	return true;
}
