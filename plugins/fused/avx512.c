/* SPDX-License-Identifier: Apache-2.0 */
/* fused_block_avx512(): AVX-512 F, BW, DQ and VL. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ISA __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define BLOCK fused_block_avx512
#define VW 16
/* 16 sums, 4 vectors of columns; weights are operands in memory. */
#define COLUMNS 4
#define V static inline __attribute__((always_inline)) ISA

typedef __m512 vf;

V vf v_set(float x)
{
	return _mm512_set1_ps(x);
}

V vf v_load(const float *p)
{
	return _mm512_loadu_ps(p);
}

V void v_store(float *p, vf v)
{
	_mm512_storeu_ps(p, v);
}

V vf v_fma(vf a, vf b, vf c)
{
	return _mm512_fmadd_ps(a, b, c);
}

V vf v_add(vf a, vf b)
{
	return _mm512_add_ps(a, b);
}

V vf v_mul(vf a, vf b)
{
	return _mm512_mul_ps(a, b);
}

V vf v_sub(vf a, vf b)
{
	return _mm512_sub_ps(a, b);
}

V vf v_max(vf a, vf b)
{
	return _mm512_max_ps(a, b);
}

V float v_greatest(vf v)
{
	return _mm512_reduce_max_ps(v);
}

V float v_sum(vf v)
{
	return _mm512_reduce_add_ps(v);
}

/* As in avx2.c, 2^n by the instruction for it, which keeps a NaN and underflows by itself. */
V vf v_exp(vf x)
{
	__mmask16 normal = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-87.0f), _CMP_NLT_UQ);
	vf n, r, p;

	x = _mm512_max_ps(_mm512_set1_ps(-87.0f), x);
	n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504088896341f)),
				 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
	r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), r);
	p = _mm512_set1_ps(1.9875691500e-4f);
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3981999507e-3f));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
	p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
	p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), _mm512_add_ps(r, _mm512_set1_ps(1)));
	return _mm512_maskz_scalef_ps(normal, p, n);
}

V vf v_load_bf16(const uint16_t *p)
{
	__m256i h = _mm256_loadu_si256((const __m256i *)(const void *)p);

	return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}

V vf v_load_fp16(const uint16_t *p)
{
	return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}

V void v_store_bf16(uint16_t *p, vf v)
{
	__m512i u = _mm512_castps_si512(v), high = _mm512_srli_epi32(u, 16);
	__mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
	__m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
	__m512i rounded = _mm512_srli_epi32(
		_mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), odd), 16);

	rounded = _mm512_mask_or_epi32(rounded, nan, high, _mm512_set1_epi32(0x40));
	_mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtepi32_epi16(rounded));
}

V void v_store_fp16(uint16_t *p, vf v)
{
	_mm256_storeu_si256((__m256i *)(void *)p,
			    _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static ISA void copy_around(char *to, const char *from, size_t bytes)
{
	size_t head = -(uintptr_t)to & 63, i;

	if (head > bytes)
		head = bytes;
	memcpy(to, from, head);
	for (i = head; i + 64 <= bytes; i += 64)
		_mm512_stream_si512((__m512i *)(void *)(to + i),
				    _mm512_loadu_si512((const void *)(from + i)));
	memcpy(to + i, from + i, bytes - i);
}

V void copy_done(void)
{
	_mm_sfence();
}

#include "fused/block.h"
#endif
