/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>

#include "run/versus.h"
#include "stats/quantile.h"
#include "stats/series.h"

static int versus_order(const void *a, const void *b)
{
	const struct ki_segment_value *x = a, *y = b;

	if (x->replicate != y->replicate)
		return x->replicate < y->replicate ? -1 : 1;
	return (x->segment > y->segment) - (x->segment < y->segment);
}

/* The segment of this number in this worker, or NULL: time order is the order of both. */
static const struct ki_segment_value *versus_find(const struct ki_measurement *m,
						  uint32_t replicate, uint32_t segment)
{
	const struct ki_segment_value key = {.replicate = replicate, .segment = segment};

	if (m->n_segments == 0)
		return NULL;
	return bsearch(&key, m->values, m->n_segments, sizeof key, versus_order);
}

static bool versus_block(struct ki_effect_block *out, const struct ki_measurement *base,
			 const struct ki_measurement *head, uint32_t replicate, uint32_t block)
{
	uint32_t half;

	for (half = 0; half < 2; half++) {
		const struct ki_segment_value *b = versus_find(base, replicate, 2 * block + half);
		const struct ki_segment_value *h = versus_find(head, replicate, 2 * block + half);

		if (b == NULL || h == NULL)
			return false;
		out->base[half] = (struct ki_effect_segment){b->latency_ns, b->control_ns};
		out->head[half] = (struct ki_effect_segment){h->latency_ns, h->control_ns};
	}
	return true;
}

/* The effect of one replicate; false when there is none. */
static bool versus_pair(struct ki_effect *out, const struct ki_measurement *base,
			const struct ki_measurement *head, uint32_t replicate,
			struct ki_effect_block *blocks)
{
	uint32_t block = 0;

	while (versus_block(&blocks[block], base, head, replicate, block))
		block++;
	return ki_effect_of_pair(out, blocks, block);
}

static int versus_tick(double *out, const struct ki_measurement *m, struct ki_error *e)
{
	uint64_t *sorted = NULL;
	int rc;

	if (m->n_samples == 0)
		return KI_SUCCESS;
	rc = ki_quantile_sort(&sorted, m->samples_ns, m->n_samples, e);
	if (rc == KI_SUCCESS) {
		double tick = (double)ki_series_tick_ns(sorted, m->n_samples);

		*out = *out == 0 || (tick > 0 && tick < *out) ? tick : *out;
	}
	free(sorted);
	return rc;
}

int ki_versus_compare(struct ki_comparison *out, const struct ki_measurement *base,
		      const struct ki_measurement *head, struct ki_comparison_rule rule,
		      struct ki_error *e)
{
	uint32_t replicates = 0, i;
	struct ki_effect_block *blocks;
	struct ki_effect *pairs;
	size_t n = 0;
	int rc = KI_SUCCESS;

	if (rule.tick_ns == 0) {
		rc = versus_tick(&rule.tick_ns, base, e);
		if (rc == KI_SUCCESS)
			rc = versus_tick(&rule.tick_ns, head, e);
		if (rc != KI_SUCCESS)
			return rc;
	}
	if (base->n_segments > 0)
		replicates = base->values[base->n_segments - 1].replicate + 1;
	/* One block more than there can be: the one that is looked for last and not found. */
	blocks = calloc(base->n_segments / 2 + 1, sizeof *blocks);
	pairs = calloc(replicates + 1u, sizeof *pairs);
	if (blocks == NULL || pairs == NULL)
		rc = ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	for (i = 0; rc == KI_SUCCESS && i < replicates; i++)
		n += versus_pair(&pairs[n], base, head, i, blocks) ? 1u : 0u;
	if (rc == KI_SUCCESS)
		rc = ki_comparison_pairs(out, pairs, n, &rule, e);
	free(blocks);
	free(pairs);
	return rc;
}
