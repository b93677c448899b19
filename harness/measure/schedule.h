/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which backend is measured when.
 *
 * Segments come in blocks: a permutation of the backends and its mirror (two backends: A B B A or
 * B A A B), so that neither a drift nor the place in a pair favours anyone.  Each block draws its
 * permutation from the seed.
 */
#ifndef KI_MEASURE_SCHEDULE_H
#define KI_MEASURE_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ki_schedule_slot {
	uint32_t backend;
	uint32_t block;
	uint32_t segment;   /* of this backend, from 0 */
	uint64_t placement; /* seed of where the operands lie */
};

struct ki_schedule {
	size_t n_slots;
	struct ki_schedule_slot *slots;
};

/* segments (even, > 0) of each of n_backends > 0. */
int ki_schedule_new(struct ki_schedule *out, uint32_t n_backends, uint32_t segments, uint64_t seed,
		    struct ki_error *e) KI_MUST_CHECK;
void ki_schedule_free(struct ki_schedule *s);

/* Samples of segment number `segment`: total split evenly, three at least. */
uint64_t ki_schedule_samples(uint64_t total, uint32_t segments, uint32_t segment);

#endif
