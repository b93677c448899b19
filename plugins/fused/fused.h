/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-token attention in one pass over memory: each score left of the diagonal is read once (but
 * for the halo of a block), each element of y written once, and nothing else leaves the caches.
 *
 * A block is some rows of one group of one batch item.  Of the K rows of p around the row that is
 * computed, a ring holds exp(score - maximum) for each input head, zeros to its left and right; one
 * over the row's sum is multiplied into the weights, once a row, instead of into the row.  All
 * arithmetic is in float, and y is rounded once.
 */
#ifndef KI_PLUGIN_FUSED_H
#define KI_PLUGIN_FUSED_H

#include <stddef.h>

#include "support/mta.h"

/* Output heads whose sums are kept in registers together. */
#define FUSED_HEADS 4
/* Floats of room on either side of a ring row, beyond the halo, for whole vectors. */
#define FUSED_SLACK 64
#define FUSED_ALIGN 64

/* What is worked out once a problem. */
struct fused_shape {
	struct mta mta;
	size_t left;         /* floats before a ring row's column 0 */
	size_t stride;       /* floats of a ring row */
	size_t line;         /* floats of the weights of a row of taps: K x FUSED_HEADS and more */
	size_t tile_weights; /* floats of one tile of FUSED_HEADS heads: in_per_group x K lines */
	size_t tiles;        /* of output heads in a group */
	size_t scores;       /* elements of scores */
	float mask;          /* what masked scores are */
	bool stream;         /* y is too large to stay in a cache: written around them */
};

/* A thread's room, one allocation. */
struct fused_room {
	float *ring;        /* in_per_group x K rows */
	float *inverse;     /* in_per_group x K: one over the sum of each of them */
	const float **rows; /* in_per_group x K: that of each row of taps, NULL beyond the edges */
	float *scales;      /* in_per_group x K: one over its sum */
	float *weights;     /* a tile of weights, scaled for the row at hand */
	char *lines;        /* FUSED_HEADS rows of y, each line_bytes */
	size_t line_bytes;
	void *memory;
};

struct fused_call {
	const struct fused_shape *shape;
	const void *scores;
	const float *weights; /* float, tap by tap: group, tile, in, ky, kx, head of the tile */
	const float *bias;    /* float, padded per group to whole tiles */
	void *y;
};

/* Rows first .. end - 1 of all output heads of a group of a batch item. */
typedef void fused_block_fn(const struct fused_call *c, struct fused_room *room, size_t batch_item,
			    size_t group, size_t first, size_t end);

fused_block_fn fused_block_scalar;
#if defined(__x86_64__)
fused_block_fn fused_block_avx2;
fused_block_fn fused_block_avx512;
#endif

#endif
