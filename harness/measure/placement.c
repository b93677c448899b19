/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>

#include "base/seed.h"
#include "base/size.h"
#include "measure/placement.h"

/* What a buffer takes with its guards and the worst that its alignment costs. */
static bool placement_span(uint64_t *out, const struct ki_placement_buffer *b)
{
	uint64_t n;

	return ki_size_round_up(&n, b->bytes, KI_PLACEMENT_ALIGN) &&
	       ki_size_add(&n, n, 2 * KI_PLACEMENT_GUARD_BYTES) && ki_size_add(out, n, b->align);
}

int ki_placement_least(uint64_t *out_bytes, const struct ki_placement_buffer *buffers, size_t n,
		       struct ki_error *e)
{
	uint64_t total = 0, span;
	size_t i;

	if (n > KI_PLACEMENT_BUFFERS_MAX)
		return ki_error_set(e, KI_FAIL_LIMIT, "%zu buffers to place", n);
	for (i = 0; i < n; i++)
		if (!placement_span(&span, &buffers[i]) || !ki_size_add(&total, total, span))
			return ki_error_set(e, KI_FAIL_LIMIT, "operands too large to place");
	*out_bytes = total;
	return KI_SUCCESS;
}

static int placement_ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int ki_placement_draw(struct ki_placement_buffer *buffers, size_t n, uint64_t slab_bytes,
		      uint64_t seed, struct ki_error *e)
{
	uint64_t cuts[KI_PLACEMENT_BUFFERS_MAX];
	uint64_t least, slack, at = 0, state = seed;
	size_t i;
	int rc = ki_placement_least(&least, buffers, n, e);

	if (rc != KI_SUCCESS)
		return rc;
	if (slab_bytes < least)
		return ki_error_set(e, KI_FAIL_INTERNAL, "a slab smaller than its operands");
	/* The slack is cut at random points: the i-th operand starts behind the i-th smallest. */
	slack = (slab_bytes - least) / KI_PLACEMENT_ALIGN;
	for (i = 0; i < n; i++)
		cuts[i] = ki_seed_next(&state) % (slack + 1);
	qsort(cuts, n, sizeof cuts[0], placement_ascending);
	for (i = 0; i < n; i++) {
		uint64_t start = at + cuts[i] * KI_PLACEMENT_ALIGN + KI_PLACEMENT_GUARD_BYTES;
		uint64_t span = 0;

		(void)ki_size_round_up(&buffers[i].offset, start, buffers[i].align);
		(void)placement_span(&span, &buffers[i]);
		at += span;
	}
	return KI_SUCCESS;
}
