/* SPDX-License-Identifier: Apache-2.0 */
/* fused_block_scalar(): plain C, four columns at a time as the compiler sees fit. */
#include <math.h>
#include <string.h>

#include "support/half.h"

#define ISA
#define BLOCK fused_block_scalar
#define VW 4
#define COLUMNS 1

typedef float vf __attribute__((vector_size(16)));

static inline vf v_set(float x)
{
	return (vf){x, x, x, x};
}

static inline vf v_load(const float *p)
{
	vf v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void v_store(float *p, vf v)
{
	memcpy(p, &v, sizeof v);
}

static inline vf v_fma(vf a, vf b, vf c)
{
	return a * b + c;
}

static inline vf v_add(vf a, vf b)
{
	return a + b;
}

static inline vf v_mul(vf a, vf b)
{
	return a * b;
}

static inline vf v_sub(vf a, vf b)
{
	return a - b;
}

static inline vf v_max(vf a, vf b)
{
	vf r;
	int i;

	for (i = 0; i < VW; i++)
		r[i] = a[i] > b[i] ? a[i] : b[i];
	return r;
}

static inline float v_greatest(vf v)
{
	float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];

	return a > b ? a : b;
}

static inline float v_sum(vf v)
{
	return (v[0] + v[1]) + (v[2] + v[3]);
}

static inline vf v_exp(vf x)
{
	return (vf){expf(x[0]), expf(x[1]), expf(x[2]), expf(x[3])};
}

static inline vf v_load_bf16(const uint16_t *p)
{
	return (vf){half_from_bf16(p[0]), half_from_bf16(p[1]), half_from_bf16(p[2]),
		    half_from_bf16(p[3])};
}

static inline vf v_load_fp16(const uint16_t *p)
{
	return (vf){half_from_fp16(p[0]), half_from_fp16(p[1]), half_from_fp16(p[2]),
		    half_from_fp16(p[3])};
}

static inline void v_store_bf16(uint16_t *p, vf v)
{
	int i;

	for (i = 0; i < VW; i++)
		p[i] = half_to_bf16(v[i]);
}

static inline void v_store_fp16(uint16_t *p, vf v)
{
	int i;

	for (i = 0; i < VW; i++)
		p[i] = half_to_fp16(v[i]);
}

static inline void copy_around(char *to, const char *from, size_t bytes)
{
	memcpy(to, from, bytes);
}
#define copy_done() ((void)0)

#include "fused/block.h"
