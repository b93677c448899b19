/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "support/half.h"
#include "support/mta.h"

/* No axis of anything that fits in memory is longer. */
#define MTA_AXIS_MAX (1 << 24)

size_t mta_element_bytes(enum mta_dtype t)
{
	return t == MTA_FP32 ? sizeof(float) : sizeof(uint16_t);
}

float mta_load(const void *array, enum mta_dtype t, size_t i)
{
	switch (t) {
	case MTA_BF16:
		return half_from_bf16(((const uint16_t *)array)[i]);
	case MTA_FP16:
		return half_from_fp16(((const uint16_t *)array)[i]);
	default:
		return ((const float *)array)[i];
	}
}

float mta_mask_value(enum mta_dtype t)
{
	switch (t) {
	case MTA_BF16:
		return half_from_bf16(half_to_bf16(-1e9f));
	case MTA_FP16:
		return half_from_fp16(half_to_fp16(-1e9f));
	default:
		return -1e9f;
	}
}

static const struct ki_attr *mta_attr(const struct ki_workload *w, const char *name)
{
	uint32_t i;

	for (i = 0; i < w->n_attrs; i++)
		if (strcmp(w->attrs[i].name, name) == 0)
			return &w->attrs[i];
	return NULL;
}

const char *mta_string(const struct ki_workload *w, const char *name)
{
	const struct ki_attr *a = mta_attr(w, name);

	return a != NULL && a->type == KI_ATTR_STR ? a->v.str : NULL;
}

static bool mta_dtype_of(enum mta_dtype *out, const DLTensor *t)
{
	if (t->dtype.lanes != 1)
		return false;
	if (t->dtype.code == kDLFloat && t->dtype.bits == 32)
		*out = MTA_FP32;
	else if (t->dtype.code == kDLFloat && t->dtype.bits == 16)
		*out = MTA_FP16;
	else if (t->dtype.code == kDLBfloat && t->dtype.bits == 16)
		*out = MTA_BF16;
	else
		return false;
	return true;
}

static bool mta_is_compact(const DLTensor *t)
{
	int64_t stride = 1;
	int i;

	for (i = t->ndim - 1; i >= 0; i--) {
		if (t->shape[i] < 1 || t->shape[i] > MTA_AXIS_MAX ||
		    (t->shape[i] > 1 && t->strides != NULL && t->strides[i] != stride) ||
		    __builtin_mul_overflow(stride, t->shape[i], &stride))
			return false;
	}
	return t->byte_offset == 0 && stride <= INT64_MAX / 8;
}

static const char *mta_operands(const struct ki_workload *w)
{
	static const struct {
		const char *name;
		uint32_t role;
		int ndim;
	} expected[MTA_OPERANDS] = {{"scores", KI_ROLE_IN, 4},
				    {"weight", KI_ROLE_IN, 4},
				    {"bias", KI_ROLE_IN, 1},
				    {"y", KI_ROLE_OUT, 4}};
	int i;

	if (w->n_operands != MTA_OPERANDS)
		return "the operands are to be scores, weight, bias and y";
	for (i = 0; i < MTA_OPERANDS; i++) {
		const struct ki_operand *o = &w->operands[i];

		if (strcmp(o->name, expected[i].name) != 0 || o->role != expected[i].role)
			return "the operands are to be scores, weight, bias and y";
		if (o->tensor->ndim != expected[i].ndim)
			return "scores, weight and y have 4 axes, bias has 1";
		if (!mta_is_compact(o->tensor))
			return "only compact row-major tensors of a sane size";
	}
	return NULL;
}

static const char *mta_dtypes(struct mta *out, const struct ki_workload *w, bool float64_output)
{
	const DLTensor *y = w->operands[MTA_Y].tensor;
	enum mta_dtype t;
	int i;

	if (!mta_dtype_of(&out->dtype, w->operands[MTA_SCORES].tensor))
		return "the dtype is none of fp32, bf16 and fp16";
	for (i = MTA_WEIGHT; i <= MTA_BIAS; i++)
		if (!mta_dtype_of(&t, w->operands[i].tensor) || t != out->dtype)
			return "the inputs are not all of one dtype";
	if (!float64_output)
		return mta_dtype_of(&t, y) && t == out->dtype
			       ? NULL
			       : "y has another dtype than the inputs";
	return y->dtype.code == kDLFloat && y->dtype.bits == 64 && y->dtype.lanes == 1
		       ? NULL
		       : "y is not float64";
}

static const char *mta_shapes(struct mta *out, const struct ki_workload *w)
{
	const int64_t *scores = w->operands[MTA_SCORES].tensor->shape;
	const int64_t *weight = w->operands[MTA_WEIGHT].tensor->shape;
	const int64_t *bias = w->operands[MTA_BIAS].tensor->shape;
	const int64_t *y = w->operands[MTA_Y].tensor->shape;
	const struct ki_attr *a = mta_attr(w, "groups");
	int64_t groups = 1;

	if (a != NULL) {
		if (a->type != KI_ATTR_I64 || a->v.i64 < 1)
			return "groups is not a positive integer";
		groups = a->v.i64;
	}
	if (scores[1] % groups != 0 || weight[0] % groups != 0)
		return "groups does not divide the heads";
	if (weight[2] != weight[3] || weight[2] % 2 == 0)
		return "the kernel is not square, or of an even size";
	if (scores[2] != scores[3] || weight[1] != scores[1] / groups || bias[0] != weight[0] ||
	    y[0] != scores[0] || y[1] != weight[0] || y[2] != scores[2] || y[3] != scores[3])
		return "the shapes do not fit together";
	out->batch = (size_t)scores[0];
	out->heads_in = (size_t)scores[1];
	out->heads_out = (size_t)weight[0];
	out->groups = (size_t)groups;
	out->in_per_group = out->heads_in / out->groups;
	out->out_per_group = out->heads_out / out->groups;
	out->length = (size_t)scores[2];
	out->k = (size_t)weight[2];
	out->half = out->k / 2;
	return NULL;
}

const char *mta_dtype_name(enum mta_dtype t)
{
	static const char *const names[] = {
		[MTA_FP32] = "fp32", [MTA_BF16] = "bf16", [MTA_FP16] = "fp16"};

	return names[t];
}

const char *mta_read(struct mta *out, const struct ki_workload *w, bool float64_output)
{
	const char *pass = mta_string(w, "pass"), *why;

	if (strcmp(w->op, MTA_OP) != 0 || pass == NULL || strcmp(pass, "forward") != 0)
		return "only " MTA_OP ", pass forward";
	why = mta_operands(w);
	if (why == NULL)
		why = mta_dtypes(out, w, float64_output);
	if (why == NULL)
		why = mta_shapes(out, w);
	return why;
}
