/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>

#include "base/seed.h"
#include "base/size.h"
#include "measure/schedule.h"

#define SCHEDULE_SEGMENT_SAMPLES_MIN 3

/* Fisher and Yates' shuffle, with the bias of a modulus of a 64-bit word: below 2^-32. */
static void schedule_permute(uint32_t *order, uint32_t n, uint64_t *state)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n; i > 1; i--) {
		uint32_t k = (uint32_t)(ki_seed_next(state) % i);
		uint32_t swap = order[i - 1];

		order[i - 1] = order[k];
		order[k] = swap;
	}
}

static void schedule_block(struct ki_schedule_slot *slots, const uint32_t *order, uint32_t n,
			   uint32_t block, uint64_t *state)
{
	uint32_t i;

	for (i = 0; i < 2 * n; i++)
		slots[i] = (struct ki_schedule_slot){
			.backend = i < n ? order[i] : order[2 * n - 1 - i],
			.block = block,
			.segment = 2 * block + (i < n ? 0 : 1),
			.placement = ki_seed_next(state),
		};
}

int ki_schedule_new(struct ki_schedule *out, uint32_t n_backends, uint32_t segments, uint64_t seed,
		    struct ki_error *e)
{
	uint32_t *order = NULL, block;
	struct ki_schedule s = {0};
	uint64_t n_slots, state = seed;
	int rc = KI_SUCCESS;

	if (n_backends == 0 || segments == 0 || segments % 2 != 0)
		return ki_error_set(e, KI_FAIL_INTERNAL, "a schedule of %u backends, %u segments",
				    n_backends, segments);
	if (!ki_size_mul(&n_slots, n_backends, segments) || n_slots > SIZE_MAX / sizeof *s.slots)
		return ki_error_set(e, KI_FAIL_LIMIT, "a schedule that is too long");
	s.n_slots = (size_t)n_slots;
	s.slots = calloc(s.n_slots, sizeof *s.slots);
	order = calloc(n_backends, sizeof *order);
	if (s.slots == NULL || order == NULL) {
		rc = ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
		goto out;
	}
	for (block = 0; block < segments / 2; block++) {
		schedule_permute(order, n_backends, &state);
		schedule_block(s.slots + (size_t)block * 2 * n_backends, order, n_backends, block,
			       &state);
	}
	*out = s;
	s.slots = NULL;
out:
	free(order);
	free(s.slots);
	return rc;
}

void ki_schedule_free(struct ki_schedule *s)
{
	free(s->slots);
	*s = (struct ki_schedule){0};
}

uint64_t ki_schedule_samples(uint64_t total, uint32_t segments, uint32_t segment)
{
	uint64_t n = total / segments + (segment < total % segments ? 1 : 0);

	return n < SCHEDULE_SEGMENT_SAMPLES_MIN ? SCHEDULE_SEGMENT_SAMPLES_MIN : n;
}
