/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "stats/effect.h"

static double effect_adjusted(const struct ki_effect_segment *s)
{
	return s->latency_ns - s->control_ns;
}

bool ki_effect_of_pair(struct ki_effect *out, const struct ki_effect_block *blocks, size_t n)
{
	struct ki_effect sum = {0};
	size_t i;

	for (i = 0; i < n; i++) {
		const struct ki_effect_block *b = &blocks[i];
		double base = (b->base[0].latency_ns + b->base[1].latency_ns) / 2;
		double b0 = effect_adjusted(&b->base[0]), b1 = effect_adjusted(&b->base[1]);
		double h0 = effect_adjusted(&b->head[0]), h1 = effect_adjusted(&b->head[1]);

		if (!(base > 0))
			return false;
		sum.effect += (h0 + h1 - b0 - b1) / 2 / base;
		sum.null += (b0 + h0 - b1 - h1) / 2 / base;
		sum.base_ns += base;
	}
	if (n == 0)
		return false;
	*out = (struct ki_effect){.effect = sum.effect / (double)n,
				  .null = sum.null / (double)n,
				  .base_ns = sum.base_ns / (double)n};
	return true;
}
