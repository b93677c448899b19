/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The passes of eager.h, a kernel each.  A block does one row of a tensor, block n row n counted
 * over batch, heads and L; tensors are in memory between the passes, in their dtype.
 */
#include "support/mta.cuh"

#define WARPS_MAX 32u

/* to = from on the diagonal and left of it, else value. */
template <class T> DEVICE void mask(T *to, const T *from, unsigned length, float value)
{
	unsigned live = BLOCK_X % length + 1;

	to += (u64)BLOCK_X * length;
	from += (u64)BLOCK_X * length;
	for (unsigned j = THREAD; j < length; j += THREADS)
		to[j].set(j < live ? from[j].get() : value);
}

/* Over all threads of the block. */
DEVICE float block_greatest(float v, float *room)
{
	v = warp_greatest(v);
	wait_for_block();
	if (THREAD % LANES == 0)
		room[THREAD / LANES] = v;
	wait_for_block();
	v = THREAD % LANES < THREADS / LANES ? room[THREAD % LANES] : MINUS_INFINITY;
	return warp_greatest(v);
}

DEVICE float block_sum(float v, float *room)
{
	v = warp_sum(v);
	wait_for_block();
	if (THREAD % LANES == 0)
		room[THREAD / LANES] = v;
	wait_for_block();
	v = THREAD % LANES < THREADS / LANES ? room[THREAD % LANES] : 0;
	return warp_sum(v);
}

template <class T> DEVICE void softmax(T *to, const T *from, unsigned length, float *room)
{
	float most = MINUS_INFINITY, sum = 0, scale;

	to += (u64)BLOCK_X * length;
	from += (u64)BLOCK_X * length;
	for (unsigned j = THREAD; j < length; j += THREADS) {
		float x = from[j].get();

		most = x > most ? x : most;
	}
	most = block_greatest(most, room);
	for (unsigned j = THREAD; j < length; j += THREADS)
		sum += exponential(from[j].get() - most);
	scale = 1 / block_sum(sum, room);
	for (unsigned j = THREAD; j < length; j += THREADS)
		to[j].set(exponential(from[j].get() - most) * scale);
}

struct shape {
	unsigned heads_in, heads_out, groups, length, k;
};

template <class T>
DEVICE void convolve(T *to, const T *p, const T *weight, const T *bias, const shape &s)
{
	unsigned i = BLOCK_X % s.length, out = BLOCK_X / s.length % s.heads_out;
	unsigned b = BLOCK_X / s.length / s.heads_out, half = s.k / 2;
	unsigned ins = s.heads_in / s.groups, first = out / (s.heads_out / s.groups) * ins;

	to += (u64)BLOCK_X * s.length;
	for (unsigned j = THREAD; j < s.length; j += THREADS) {
		float sum = 0;

		for (unsigned in = 0; in < ins; in++)
			for (unsigned ky = 0; ky < s.k; ky++) {
				unsigned row = i + ky - half;
				u64 at = ((u64)(b * s.heads_in + first + in) * s.length + row) * s.length;
				const T *w = weight + ((u64)(out * ins + in) * s.k + ky) * s.k;

				/* Beyond an edge it has wrapped around, too. */
				for (unsigned kx = 0; row < s.length && kx < s.k; kx++) {
					unsigned column = j + kx - half;

					if (column < s.length)
						sum += w[kx].get() * p[at + column].get();
				}
			}
		to[j].set(sum + bias[out].get());
	}
}

#define PASSES(T)                                                                                  \
	KERNEL eager_mask_##T(T *to, const T *from, unsigned length, float value)                  \
	{                                                                                          \
		mask(to, from, length, value);                                                     \
	}                                                                                          \
	KERNEL eager_softmax_##T(T *to, const T *from, unsigned length)                            \
	{                                                                                          \
		static __attribute__((shared)) float room[WARPS_MAX];                              \
                                                                                                   \
		softmax(to, from, length, room);                                                   \
	}                                                                                          \
	KERNEL eager_convolve_##T(T *to, const T *p, const T *weight, const T *bias,               \
				  unsigned heads_in, unsigned heads_out, unsigned groups,          \
				  unsigned length, unsigned k)                                     \
	{                                                                                          \
		const shape s = {heads_in, heads_out, groups, length, k};                          \
                                                                                                   \
		convolve(to, p, weight, bias, s);                                                  \
	}

PASSES(fp32)
PASSES(bf16)
PASSES(fp16)
