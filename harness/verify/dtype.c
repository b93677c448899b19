/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "verify/dtype.h"

#ifdef __FAST_MATH__
#error "rounding to a subnormal is done by adding a constant, which -ffast-math may remove"
#endif

#define DOUBLE_FRACTION_BITS 52
#define DOUBLE_BIAS 1023
#define DOUBLE_SIGN (UINT64_C(1) << 63)
#define DOUBLE_INFINITY (UINT64_C(0x7ff) << DOUBLE_FRACTION_BITS)

struct dtype {
	const char *name;
	size_t bytes;
	DLDataType dlpack;
	double unit;
};

static const struct dtype dtypes[KI_DTYPE_COUNT] = {
	[KI_DTYPE_BF16] = {"bf16", 2, {.code = kDLBfloat, .bits = 16, .lanes = 1}, 0x1p-9},
	[KI_DTYPE_FP16] = {"fp16", 2, {.code = kDLFloat, .bits = 16, .lanes = 1}, 0x1p-12},
	[KI_DTYPE_FP32] = {"fp32", 4, {.code = kDLFloat, .bits = 32, .lanes = 1}, 0x1p-25},
	[KI_DTYPE_FP64] = {"fp64", 8, {.code = kDLFloat, .bits = 64, .lanes = 1}, 0x1p-54},
};

bool ki_dtype_from_name(enum ki_dtype *out, const char *name)
{
	for (unsigned t = 0; t < KI_DTYPE_COUNT; t++) {
		if (strcmp(dtypes[t].name, name) == 0) {
			*out = (enum ki_dtype)t;
			return true;
		}
	}
	return false;
}

const char *ki_dtype_name(enum ki_dtype t)
{
	return dtypes[t].name;
}

size_t ki_dtype_bytes(enum ki_dtype t)
{
	return dtypes[t].bytes;
}

DLDataType ki_dtype_dlpack(enum ki_dtype t)
{
	return dtypes[t].dlpack;
}

double ki_dtype_unit(enum ki_dtype t)
{
	return dtypes[t].unit;
}

static inline double double_from_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline uint64_t double_to_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline double bf16_to_double(uint16_t h)
{
	uint32_t bits = (uint32_t)h << 16;
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline double fp16_to_double(uint16_t h)
{
	uint64_t magnitude = h & 0x7fffu;
	uint64_t sign = (uint64_t)(h & 0x8000u) << 48;
	uint64_t rebias = (uint64_t)(DOUBLE_BIAS - 15) << DOUBLE_FRACTION_BITS;
	uint64_t normal = (magnitude << 42) + rebias;
	uint64_t special = (magnitude << 42) | DOUBLE_INFINITY;
	uint64_t subnormal = double_to_bits((double)(int)magnitude * 0x1p-24);
	uint64_t bits = magnitude < 0x7c00 ? normal : special;

	bits = magnitude < 0x0400 ? subnormal : bits;
	return double_from_bits(bits | sign);
}

/*
 * The 16-bit code of x in a format of fraction_bits stored fraction bits whose exponent has this
 * bias.  It rounds once, from the double: going through float would round a value just beside a
 * tie onto the tie first, and then to the wrong side.
 */
static inline uint16_t double_to_code16(double x, unsigned fraction_bits, int bias)
{
	const unsigned drop = DOUBLE_FRACTION_BITS - fraction_bits;
	const uint64_t infinity = (0x7fffu >> fraction_bits) << fraction_bits;
	const uint64_t rebias = (uint64_t)(DOUBLE_BIAS - bias) << DOUBLE_FRACTION_BITS;
	const uint64_t least_normal = rebias + (UINT64_C(1) << DOUBLE_FRACTION_BITS);
	/* Its unit in the last place is the least subnormal, so that adding it rounds to that. */
	const uint64_t magic = least_normal + ((uint64_t)drop << DOUBLE_FRACTION_BITS);
	const uint64_t bits = double_to_bits(x);
	const uint64_t magnitude = bits & ~DOUBLE_SIGN;
	const uint64_t half = (UINT64_C(1) << (drop - 1)) - 1 + ((magnitude >> drop) & 1);
	uint64_t code = (magnitude - rebias + half) >> drop;

	code = code < infinity ? code : infinity;
	if (magnitude < least_normal)
		code = double_to_bits(double_from_bits(magnitude) + double_from_bits(magic)) -
		       magic;
	if (magnitude > DOUBLE_INFINITY) /* quiet, so that the fraction cannot become 0 */
		code = infinity | (UINT64_C(1) << (fraction_bits - 1)) |
		       ((magnitude & (DOUBLE_INFINITY ^ ~DOUBLE_SIGN)) >> drop);
	return (uint16_t)(code | (bits >> 48 & 0x8000u));
}

static void bf16_array_to_double(double *restrict dst, const uint16_t *restrict src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = bf16_to_double(src[i]);
}

static void fp16_array_to_double(double *restrict dst, const uint16_t *restrict src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = fp16_to_double(src[i]);
}

static void fp32_array_to_double(double *restrict dst, const float *restrict src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = src[i];
}

static void bf16_array_from_double(uint16_t *restrict dst, const double *restrict src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = double_to_code16(src[i], 7, 127);
}

static void fp16_array_from_double(uint16_t *restrict dst, const double *restrict src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = double_to_code16(src[i], 10, 15);
}

static void fp32_array_from_double(float *restrict dst, const double *restrict src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dst[i] = (float)src[i];
}

void ki_dtype_to_double(double *dst, const void *src, enum ki_dtype t, size_t n)
{
	switch (t) {
	case KI_DTYPE_BF16:
		bf16_array_to_double(dst, src, n);
		break;
	case KI_DTYPE_FP16:
		fp16_array_to_double(dst, src, n);
		break;
	case KI_DTYPE_FP32:
		fp32_array_to_double(dst, src, n);
		break;
	case KI_DTYPE_FP64:
	case KI_DTYPE_COUNT:
		if (n > 0)
			memcpy(dst, src, n * sizeof *dst);
		break;
	}
}

void ki_dtype_from_double(void *dst, const double *src, enum ki_dtype t, size_t n)
{
	switch (t) {
	case KI_DTYPE_BF16:
		bf16_array_from_double(dst, src, n);
		break;
	case KI_DTYPE_FP16:
		fp16_array_from_double(dst, src, n);
		break;
	case KI_DTYPE_FP32:
		fp32_array_from_double(dst, src, n);
		break;
	case KI_DTYPE_FP64:
	case KI_DTYPE_COUNT:
		if (n > 0)
			memcpy(dst, src, n * sizeof *src);
		break;
	}
}
