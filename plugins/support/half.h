/* SPDX-License-Identifier: Apache-2.0 */
/* bfloat16 and IEEE binary16 to and from float: to nearest, ties to even; a NaN stays one. */
#ifndef KI_PLUGIN_HALF_H
#define KI_PLUGIN_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t half_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof u);
	return u;
}

static inline float half_float(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof f);
	return f;
}

static inline float half_from_bf16(uint16_t h)
{
	return half_float((uint32_t)h << 16);
}

static inline uint16_t half_to_bf16(float f)
{
	uint32_t u = half_bits(f);

	if ((u & 0x7fffffffu) > 0x7f800000u)
		return (uint16_t)((u >> 16) | 0x40u);
	return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

static inline float half_from_fp16(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = (h >> 10) & 0x1fu;
	uint32_t mantissa = h & 0x3ffu;

	if (exponent == 0x1fu)
		return half_float(sign | 0x7f800000u | (mantissa << 13));
	if (exponent != 0)
		return half_float(sign | ((exponent + 112u) << 23) | (mantissa << 13));
	/* Subnormal: an integer times 2^-24, exact in a float. */
	return half_float(sign | half_bits((float)mantissa * 0x1p-24f));
}

static inline uint16_t half_to_fp16(float f)
{
	uint32_t u = half_bits(f), sign = (u >> 16) & 0x8000u, m = u & 0x7fffffffu;

	if (m > 0x7f800000u)
		return (uint16_t)(sign | 0x7e00u | ((m >> 13) & 0x3ffu));
	/* From 65520 on the nearest is infinity. */
	if (m >= 0x477ff000u)
		return (uint16_t)(sign | 0x7c00u);
	/* Below the least normal: adding 0.5 aligns the last bit with 2^-24 and rounds there. */
	if (m < 0x38800000u)
		return (uint16_t)(sign | (half_bits(half_float(m) + 0.5f) - 0x3f000000u));
	m += 0xfffu + ((m >> 13) & 1u);
	return (uint16_t)(sign | ((m - 0x38000000u) >> 13));
}

#endif
