/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-token attention in one kernel.  A block does ROWS rows of y of one group of one batch item:
 * first the greatest score and the sum of each row of p that these rows meet; then, COLUMNS columns
 * at a time, p itself into shared memory, from scores that by then are in a cache, and the
 * convolution out of it.  Scores right of the diagonal are never read, and y right of it is zero.
 */
#include "support/mta.cuh"

#define ROWS 8u
#define COLUMNS 256u /* and threads */
#define HEADS 4u     /* of y that are summed together */
#define WARPS (COLUMNS / LANES)

struct problem {
	unsigned heads_in, heads_out, groups, length, k;
	unsigned chunk; /* input heads whose p is in shared memory together */
	float mask;     /* what masked scores are */
};

/* Of a row of p: exp(score - most) * scale; right of the diagonal all elements are `masked`. */
struct row_state {
	float most, scale, masked;
};

DEVICE unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* By one warp, for the row `row` of a head's scores. */
template <class T>
DEVICE row_state row_read(const T *scores, unsigned row, unsigned length, float mask)
{
	unsigned lane = THREAD % LANES, live = row + 1;
	/* What is masked counts nothing beside any sane score. */
	float most = live < length ? mask : MINUS_INFINITY, sum = 0;
	row_state r;

	scores += (u64)row * length;
	for (unsigned j = lane; j < live; j += LANES) {
		float x = scores[j].get();

		most = x > most ? x : most;
	}
	most = warp_greatest(most);
	for (unsigned j = lane; j < live; j += LANES)
		sum += exponential(scores[j].get() - most);
	r.most = most;
	r.masked = exponential(mask - most);
	sum = warp_sum(sum);
	if (live < length)
		sum += (float)(length - live) * r.masked;
	r.scale = 1 / sum;
	r.masked *= r.scale;
	return r;
}

/* Columns first - half .. first + COLUMNS + half - 1 of p of a chunk of heads, zeros beyond edges. */
template <class T>
DEVICE void fill(float *p, const row_state *states, const T *scores, const problem &q, unsigned row0,
		 unsigned first, unsigned heads)
{
	unsigned half = q.k / 2, rows = ROWS + q.k - 1, width = COLUMNS + q.k - 1;

	for (unsigned n = THREAD / LANES; n < heads * rows; n += WARPS) {
		unsigned row = row0 + n % rows - half;
		const T *line = scores + ((u64)(n / rows) * q.length + row) * q.length;
		row_state r = states[n];

		for (unsigned x = THREAD % LANES; x < width; x += LANES) {
			unsigned column = first + x - half;
			float v = 0;

			/* Beyond an edge they have wrapped around, too. */
			if (row < q.length && column <= row)
				v = exponential(line[column].get() - r.most) * r.scale;
			else if (row < q.length && column < q.length)
				v = r.masked;
			p[n * width + x] = v;
		}
	}
}

/* Adds a chunk of heads to the sums of this thread's column. */
template <unsigned K>
DEVICE void add(float (&sum)[ROWS][HEADS], const float *p, const float *weights, unsigned k,
		unsigned heads)
{
	unsigned size = K > 0 ? K : k, rows = ROWS + size - 1, width = COLUMNS + size - 1;

	for (unsigned in = 0; in < heads; in++)
#pragma unroll
		for (unsigned ky = 0; ky < size; ky++)
#pragma unroll
			for (unsigned kx = 0; kx < size; kx++) {
				const float *w = weights + ((in * size + ky) * size + kx) * HEADS;
				const float *from = p + (in * rows + ky) * width + THREAD + kx;

#pragma unroll
				for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
					for (unsigned h = 0; h < HEADS; h++)
						sum[r][h] += w[h] * from[r * width];
			}
}

template <class T, unsigned K>
DEVICE void one_pass(T *y, const T *scores, const T *weight, const T *bias, const problem &q,
		     float *room)
{
	unsigned half = q.k / 2, rows = ROWS + q.k - 1;
	unsigned ins = q.heads_in / q.groups, outs = q.heads_out / q.groups;
	/* The longest rows first. */
	unsigned row0 = (BLOCKS_X - 1 - BLOCK_X) * ROWS, group = BLOCK_Y, b = BLOCK_Z;
	row_state *states = (row_state *)room;
	float *weights = room + ins * rows * 3, *p = weights + q.chunk * q.k * q.k * HEADS;

	scores += (u64)(b * q.heads_in + group * ins) * q.length * q.length;
	for (unsigned n = THREAD / LANES; n < ins * rows; n += WARPS) {
		unsigned row = row0 + n % rows - half;

		if (row < q.length)
			states[n] = row_read(scores + (u64)(n / rows) * q.length * q.length, row,
					     q.length, q.mask);
	}
	for (unsigned head = 0; head < outs; head += HEADS)
		for (unsigned first = 0; first < q.length; first += COLUMNS) {
			unsigned column = first + THREAD, heads = smaller(HEADS, outs - head);
			bool live = first < row0 + ROWS; /* else all of it is right of the diagonal */
			float sum[ROWS][HEADS] = {{0}};

			for (unsigned in = 0; live && in < ins; in += q.chunk) {
				unsigned chunk = smaller(q.chunk, ins - in);

				wait_for_block();
				for (unsigned n = THREAD; n < chunk * q.k * q.k * HEADS; n += COLUMNS) {
					unsigned h = n % HEADS, tap = n / HEADS;
					u64 o = group * outs + head + h;

					weights[n] = h < heads ? weight[(o * ins + in) * q.k * q.k + tap].get()
							       : 0;
				}
				fill(p, states + in * rows, scores + (u64)in * q.length * q.length, q, row0,
				     first, chunk);
				wait_for_block();
				add<K>(sum, p, weights, q.k, chunk);
			}
			/* Unrolled to the last head, so that the sums stay in registers. */
#pragma unroll
			for (unsigned h = 0; h < HEADS; h++) {
				u64 o = group * outs + head + h;
				T *to = y + ((b * q.heads_out + o) * q.length + row0) * q.length + column;
				bool mine = column < q.length && h < heads;
				float start = mine ? bias[o].get() : 0;

#pragma unroll
				for (unsigned r = 0; r < ROWS; r++)
					if (mine && row0 + r < q.length)
						to[(u64)r * q.length].set(
							column <= row0 + r ? sum[r][h] + start : 0);
			}
		}
}

extern __attribute__((shared)) float fused_room[];

#define ONE_PASS(T, K)                                                                              \
	KERNEL one_pass_##T##_##K(T *y, const T *scores, const T *weight, const T *bias, problem q) \
	{                                                                                          \
		one_pass<T, K>(y, scores, weight, bias, q, fused_room);                            \
	}

/* K of 3 unrolled, and any. */
ONE_PASS(fp32, 3)
ONE_PASS(bf16, 3)
ONE_PASS(fp16, 3)
ONE_PASS(fp32, 0)
ONE_PASS(bf16, 0)
ONE_PASS(fp16, 0)
