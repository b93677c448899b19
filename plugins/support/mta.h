/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-token attention, forward, as the operation multi-token-attention/1 defines it.
 *
 *   scores [batch, heads_in, L, L], weight [heads_out, heads_in / groups, K, K],
 *   bias [heads_out], y [batch, heads_out, L, L]; K odd
 *
 *   p = softmax over the last axis of scores, with the elements right of the diagonal set to -1e9
 *   y = the cross-correlation of p with weight, zeros outside of it, plus bias; 0 right of the
 *       diagonal
 *
 * -1e9 is rounded to the dtype of the scores, which makes it -inf in fp16.  (Liger-Kernel,
 * benchmark/scripts/benchmark_multi_token_attention.py, TorchMultiTokenAttention.)
 */
#ifndef KI_PLUGIN_MTA_H
#define KI_PLUGIN_MTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ki_plugin.h"

#define MTA_OP "multi-token-attention/1"

enum mta_operand { MTA_SCORES, MTA_WEIGHT, MTA_BIAS, MTA_Y, MTA_OPERANDS };

enum mta_dtype { MTA_FP32, MTA_BF16, MTA_FP16 };

struct mta {
	enum mta_dtype dtype; /* of the inputs */
	size_t batch;
	size_t heads_in;
	size_t heads_out;
	size_t groups;
	size_t in_per_group;
	size_t out_per_group;
	size_t length; /* L */
	size_t k;
	size_t half; /* K / 2: rows and columns that a tap reaches to either side */
};

/*
 * NULL, or why the workload is not this operation in a dtype of ours: static text.  y has the dtype
 * of the inputs or, with float64_output, float64.
 */
const char *mta_read(struct mta *out, const struct ki_workload *w, bool float64_output);

/* "fp32", "bf16", "fp16". */
const char *mta_dtype_name(enum mta_dtype t);

/* A string attribute's value, or NULL. */
const char *mta_string(const struct ki_workload *w, const char *name);

size_t mta_element_bytes(enum mta_dtype t);

/* Element i of an array of the dtype. */
float mta_load(const void *array, enum mta_dtype t, size_t i);

/* What masked scores are set to. */
float mta_mask_value(enum mta_dtype t);

#endif
