/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The passes that PyTorch runs eagerly for multi-token attention, each over whole tensors in
 * memory, each rounding its result to the dtype of the tensors:
 *
 *   masked = scores.masked_fill(right of the diagonal, -1e9)
 *   p = masked.softmax(-1)            in float inside, as at::softmax does
 *   c = conv2d(p, weight, bias)       summed in float, rounded once, as oneDNN does
 *   y = c.masked_fill(right of the diagonal, 0)
 */
#ifndef KI_PLUGIN_EAGER_H
#define KI_PLUGIN_EAGER_H

#include "support/mta.h"
#include "support/pool.h"

/* A thread's room. */
struct eager_room {
	float *lines;       /* in_per_group x K rows of p: K / 2 zeros and more on either side */
	const float **rows; /* in_per_group x K: the row of p that a tap meets, NULL beyond edges */
	float *sum;         /* a row */
};

struct eager {
	struct mta mta;
	struct pool *pool;
	size_t line_stride;
	size_t grain_rows; /* rows of an elementwise pass that a thread takes at a time */
	struct eager_room *rooms;
	float *weights; /* of a launch, in float */
	float *bias;
};

int eager_init(struct eager *e, const struct mta *mta, unsigned threads); /* 0, or no memory */
void eager_fini(struct eager *e);

/* Bytes of scratch: masked, which c reuses, and p behind it. */
uint64_t eager_scratch_bytes(const struct mta *mta);
uint64_t eager_tensor_bytes(const struct mta *mta); /* of masked */

void eager_forward(struct eager *e, const void *scores, const void *weight, const void *bias,
		   void *y, void *scratch);

#endif
