/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four floats at a time, for any CPU: what a compiler makes of a plain loop depends on its version
 * and flags, and a reference that is slow for that reason flatters whatever runs beside it.
 */
#ifndef KI_PLUGIN_LANES_H
#define KI_PLUGIN_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 4

typedef float lanes __attribute__((vector_size(16)));
typedef uint32_t lanes_bits __attribute__((vector_size(16)));
typedef uint16_t lanes_half __attribute__((vector_size(8)));

static inline lanes lanes_all(float x)
{
	return (lanes){x, x, x, x};
}

static inline lanes lanes_load(const float *p)
{
	lanes v;

	memcpy(&v, p, sizeof v);
	return v;
}

static inline void lanes_store(float *p, lanes v)
{
	memcpy(p, &v, sizeof v);
}

/* All bits of a lane that is NaN. */
static inline lanes_bits lanes_is_nan(lanes v)
{
	return (lanes_bits)(v != v); /* NOLINT(misc-redundant-expression) */
}

/* a where the bits of mask are set, else b. */
static inline lanes_bits lanes_pick(lanes_bits mask, lanes_bits a, lanes_bits b)
{
	return (a & mask) | (b & ~mask);
}

/* The greater one; b when either is NaN. */
static inline lanes lanes_greater(lanes a, lanes b)
{
	return (lanes)lanes_pick((lanes_bits)(a > b), (lanes_bits)a, (lanes_bits)b);
}

static inline lanes lanes_from_bf16(const uint16_t *p)
{
	lanes_half h;

	memcpy(&h, p, sizeof h);
	return (lanes)(__builtin_convertvector(h, lanes_bits) << 16);
}

/* half_to_bf16() of each. */
static inline void lanes_to_bf16(uint16_t *p, lanes v)
{
	lanes_bits u = (lanes_bits)v, high = u >> 16;
	lanes_bits rounded = (u + 0x7fffu + (high & 1u)) >> 16;
	lanes_half h = __builtin_convertvector(lanes_pick(lanes_is_nan(v), high | 0x40u, rounded),
					       lanes_half);

	memcpy(p, &h, sizeof h);
}

static inline lanes lanes_from_fp16(const uint16_t *p)
{
	lanes_half h;
	lanes_bits u, m, special;

	memcpy(&h, p, sizeof h);
	u = __builtin_convertvector(h, lanes_bits);
	m = (u & 0x7fffu) << 13;
	special = (lanes_bits)(m >= 0x0f800000u);
	/* The difference of the two biases, exact for subnormals too. */
	m = lanes_pick(special, m | 0x7f800000u, (lanes_bits)((lanes)m * 0x1p112f));
	return (lanes)(m | ((u & 0x8000u) << 16));
}

/* half_to_fp16() of each. */
static inline void lanes_to_fp16(uint16_t *p, lanes v)
{
	lanes_bits u = (lanes_bits)v, sign = (u >> 16) & 0x8000u, m = u & 0x7fffffffu;
	lanes_bits normal = (m + 0xfffu + ((m >> 13) & 1u) - 0x38000000u) >> 13;
	lanes_bits small = (lanes_bits)((lanes)m + 0.5f) - 0x3f000000u;
	lanes_bits nan = ((m >> 13) & 0x3ffu) | 0x7e00u;
	lanes_bits r = lanes_pick((lanes_bits)(m < 0x38800000u), small, normal);
	lanes_half h;

	r = lanes_pick((lanes_bits)(m >= 0x477ff000u), (lanes_bits){0} + 0x7c00u, r);
	r = lanes_pick(lanes_is_nan(v), nan, r);
	h = __builtin_convertvector(r | sign, lanes_half);
	memcpy(p, &h, sizeof h);
}

/*
 * exp(x) of x <= 0 or NaN, 0 below -87.  x = n ln 2 + r, |r| <= ln 2 / 2, exp(r) by the polynomial
 * of Cephes' expf (S. Moshier, Cephes Mathematical Library, single/expf.c), within 2 units in the
 * last place.
 */
static inline lanes lanes_exp(lanes x)
{
	const lanes least = lanes_all(-87.0f), shift = lanes_all(0x1.8p23f);
	lanes_bits tiny = (lanes_bits)(x < least), nan = lanes_is_nan(x), e;
	lanes r = (lanes)lanes_pick(tiny, (lanes_bits)least, (lanes_bits)x), p;
	/* The sum's last bits are n, rounded. */
	lanes t = r * 1.44269504088896341f + shift, n = t - shift;

	r = r - n * 0.693359375f;
	r = r - n * -2.12194440e-4f;
	p = lanes_all(1.9875691500e-4f);
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * (r * r) + (r + 1.0f);
	e = (lanes_bits)p + ((lanes_bits)t << 23);
	return (lanes)lanes_pick(nan, (lanes_bits)x, e & ~tiny);
}

static inline float lanes_greatest(lanes v)
{
	float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];

	return a > b ? a : b;
}

static inline float lanes_sum(lanes v)
{
	return (v[0] + v[1]) + (v[2] + v[3]);
}

#endif
