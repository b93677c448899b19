/* SPDX-License-Identifier: Apache-2.0 */
/* fused_block_avx2(): AVX2, FMA and F16C. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ISA __attribute__((target("avx2,fma,f16c")))
#define BLOCK fused_block_avx2
#define VW 8
/* 4 heads x 3 vectors of sums, 3 of columns and a weight: all 16 registers. */
#define COLUMNS 3
#define V static inline __attribute__((always_inline)) ISA

typedef __m256 vf;

V vf v_set(float x)
{
	return _mm256_set1_ps(x);
}

V vf v_load(const float *p)
{
	return _mm256_loadu_ps(p);
}

V void v_store(float *p, vf v)
{
	_mm256_storeu_ps(p, v);
}

V vf v_fma(vf a, vf b, vf c)
{
	return _mm256_fmadd_ps(a, b, c);
}

V vf v_add(vf a, vf b)
{
	return _mm256_add_ps(a, b);
}

V vf v_mul(vf a, vf b)
{
	return _mm256_mul_ps(a, b);
}

V vf v_sub(vf a, vf b)
{
	return _mm256_sub_ps(a, b);
}

V vf v_max(vf a, vf b)
{
	return _mm256_max_ps(a, b);
}

V float v_greatest(vf v)
{
	__m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

	m = _mm_max_ps(m, _mm_movehl_ps(m, m));
	return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

V float v_sum(vf v)
{
	__m128 m = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

	m = _mm_add_ps(m, _mm_movehl_ps(m, m));
	return _mm_cvtss_f32(_mm_add_ss(m, _mm_movehdup_ps(m)));
}

/*
 * x = n ln 2 + r, |r| <= ln 2 / 2; exp(x) = 2^n exp(r), exp(r) by the polynomial of Cephes' expf
 * (S. Moshier, Cephes Mathematical Library, single/expf.c), 2^n into the exponent.
 */
V vf v_exp(vf x)
{
	const vf least = _mm256_set1_ps(-87.0f);
	vf normal = _mm256_cmp_ps(x, least, _CMP_NLT_UQ); /* or NaN */
	vf n, r, p;

	/* The bound first: a NaN in x is kept. */
	x = _mm256_max_ps(least, x);
	n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504088896341f)),
			    _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375f), x);
	r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
	p = _mm256_set1_ps(1.9875691500e-4f);
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999507e-3f));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519073e-3f));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795894e-2f));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665459e-1f));
	p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001201e-1f));
	p = _mm256_fmadd_ps(p, _mm256_mul_ps(r, r), _mm256_add_ps(r, _mm256_set1_ps(1)));
	p = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p),
						 _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23)));
	/* For a NaN the integer is 1 << 31, of which nothing is left: p stays one. */
	return _mm256_and_ps(p, normal);
}

V vf v_load_bf16(const uint16_t *p)
{
	__m128i h = _mm_loadu_si128((const __m128i *)(const void *)p);

	return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
}

V vf v_load_fp16(const uint16_t *p)
{
	return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}

V void v_store_bf16(uint16_t *p, vf v)
{
	__m256i u = _mm256_castps_si256(v), high = _mm256_srli_epi32(u, 16);
	__m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
	__m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
	__m256i rounded = _mm256_srli_epi32(
		_mm256_add_epi32(_mm256_add_epi32(u, _mm256_set1_epi32(0x7fff)), odd), 16);

	high = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
	rounded = _mm256_blendv_epi8(rounded, high, nan);
	rounded = _mm256_packus_epi32(rounded, rounded);
	rounded = _mm256_permute4x64_epi64(rounded, 0x08);
	_mm_storeu_si128((__m128i *)(void *)p, _mm256_castsi256_si128(rounded));
}

V void v_store_fp16(uint16_t *p, vf v)
{
	_mm_storeu_si128((__m128i *)(void *)p,
			 _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static ISA void copy_around(char *to, const char *from, size_t bytes)
{
	size_t head = -(uintptr_t)to & 31, i;

	if (head > bytes)
		head = bytes;
	memcpy(to, from, head);
	for (i = head; i + 32 <= bytes; i += 32)
		_mm256_stream_si256((__m256i *)(void *)(to + i),
				    _mm256_loadu_si256((const __m256i *)(const void *)(from + i)));
	memcpy(to + i, from + i, bytes - i);
}

V void copy_done(void)
{
	_mm_sfence();
}

#include "fused/block.h"
#endif
