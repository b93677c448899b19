/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a slab the operands of a segment lie: in order, at random 256-byte-aligned offsets from
 * a seed, each with a guard of canary bytes on both sides.
 */
#ifndef KI_MEASURE_PLACEMENT_H
#define KI_MEASURE_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define KI_PLACEMENT_ALIGN 256
#define KI_PLACEMENT_GUARD_BYTES UINT64_C(256)
#define KI_PLACEMENT_BUFFERS_MAX 64

struct ki_placement_buffer {
	uint64_t bytes;
	uint64_t align;  /* a power of two; KI_PLACEMENT_ALIGN at least */
	uint64_t offset; /* filled in; guards lie before it and behind bytes rounded up to 8 */
};

/* The least slab for these buffers. */
int ki_placement_least(uint64_t *out_bytes, const struct ki_placement_buffer *buffers, size_t n,
		       struct ki_error *e) KI_MUST_CHECK;

/* Fills in the offsets; slab_bytes is the least at least. */
int ki_placement_draw(struct ki_placement_buffer *buffers, size_t n, uint64_t slab_bytes,
		      uint64_t seed, struct ki_error *e) KI_MUST_CHECK;

#endif
