/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of fused_block_*(), for each instruction set.  The file that includes it defines
 *
 *   ISA                    attribute of each function: the target
 *   BLOCK                  the name of the function
 *   vf, VW                 a vector of VW floats
 *   COLUMNS                vectors of columns that are summed at a time
 *   v_set(x) v_load(p) v_store(p, v) v_fma(a, b, c) v_max(a, b) v_sub(a, b) v_add(a, b)
 *   v_mul(a, b)
 *   v_greatest(v) v_sum(v) over the lanes
 *   v_exp(v)               of values <= 0 and NaN; 0 below -87
 *   v_load_bf16(p) v_load_fp16(p) v_store_bf16(p, v) v_store_fp16(p, v)
 *   copy_around(to, from, bytes)  past the caches
 *   copy_done()            what went past them is seen by whoever hears of it after this
 *
 * v_max(a, b) is b when either is NaN, as the instruction's is.
 */
#include <math.h>
#include <string.h>

#include "fused/fused.h"
#include "support/half.h"

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define INLINE static inline __attribute__((always_inline)) ISA

static ISA float *ring_row(const struct fused_shape *s, const struct fused_room *room, size_t in,
			   size_t i)
{
	return room->ring + (in * s->mta.k + i % s->mta.k) * s->stride + s->left;
}

/* The scores left of the diagonal in float, -inf behind them for a vector; the greatest of them. */
INLINE float row_read(const struct fused_shape *s, float *row, const void *scores, enum mta_dtype t,
		      size_t first, size_t n)
{
	vf most = v_set(-INFINITY);
	size_t j = 0;

	/* Beyond the diagonal too, which is overwritten, but not beyond the scores. */
	for (; j < n && first + j + VW <= s->scores; j += VW) {
		vf x = t == MTA_BF16   ? v_load_bf16((const uint16_t *)scores + first + j)
		       : t == MTA_FP16 ? v_load_fp16((const uint16_t *)scores + first + j)
				       : v_load((const float *)scores + first + j);

		v_store(row + j, x);
		if (j + VW <= n)
			most = v_max(x, most);
	}
	for (; j < n; j++)
		row[j] = mta_load(scores, t, first + j);
	v_store(row + n, v_set(-INFINITY));
	return v_greatest(n % VW != 0 ? v_max(v_load(row + n - n % VW), most) : most);
}

/* row[0 .. n - 1] becomes exp(row - greatest); the sum of them.  The rest of a vector counts 0. */
INLINE float row_exp(float *row, float greatest, size_t n)
{
	vf sum = v_set(0), base = v_set(greatest);
	size_t j;

	for (j = 0; j < n; j += VW) {
		vf e = v_exp(v_sub(v_load(row + j), base));

		v_store(row + j, e);
		sum = v_add(sum, e);
	}
	return v_sum(sum);
}

/*
 * All scores of the row are as small as what masked ones are set to, so these count: a case for
 * correctness alone.
 */
static ISA __attribute__((noinline)) float row_masked(const struct fused_shape *s, float *row,
						      float *greatest, size_t n)
{
	size_t length = s->mta.length, j;
	float e;

	*greatest = *greatest > s->mask ? *greatest : s->mask;
	e = expf(s->mask - *greatest);
	for (j = n; j < length; j++)
		row[j] = e;
	for (j = length; j < length + s->mta.k; j++)
		row[j] = 0;
	return (float)(length - n) * e;
}

/* Row i of p into the ring, for each input head of the group. */
INLINE void ring_fill(const struct fused_call *c, struct fused_room *room, size_t head, size_t i,
		      enum mta_dtype t)
{
	const struct fused_shape *s = c->shape;
	size_t n = i + 1, in, j;

	for (in = 0; in < s->mta.in_per_group; in++) {
		float *row = ring_row(s, room, in, i);
		size_t first = ((head + in) * s->mta.length + i) * s->mta.length;
		float greatest = row_read(s, row, c->scores, t, first, n), sum = 0;

		/* A NaN is never the greatest, and makes the sum one. */
		if (n < s->mta.length && !(greatest > 0.5f * s->mask)) {
			sum = row_exp(row, greatest > s->mask ? greatest : s->mask, n);
			sum += row_masked(s, row, &greatest, n);
		} else {
			sum = row_exp(row, greatest, n);
			/* As far as the taps of rows below reach beyond the diagonal. */
			for (j = 0; j < s->mta.k; j += VW)
				v_store(row + n + j, v_set(0));
		}
		room->inverse[in * s->mta.k + i % s->mta.k] = 1 / sum;
	}
}

/* Where the rows of p are that row i of y meets, and one over their sums. */
static ISA void rows_meet(const struct fused_shape *s, struct fused_room *room, size_t i)
{
	size_t k = s->mta.k, in, ky, t = 0;

	for (in = 0; in < s->mta.in_per_group; in++)
		for (ky = 0; ky < k; ky++, t++) {
			size_t row = i + ky - s->mta.half;

			room->rows[t] = NULL;
			if (i + ky < s->mta.half || row >= s->mta.length)
				continue;
			room->rows[t] = ring_row(s, room, in, row);
			room->scales[t] = room->inverse[in * k + row % k];
		}
}

/* Weights of a tile times one over the sums of the rows of p that they meet. */
INLINE void tile_weights(const struct fused_call *c, struct fused_room *room, size_t group,
			 size_t tile)
{
	const struct fused_shape *s = c->shape;
	const float *from = c->weights + (group * s->tiles + tile) * s->tile_weights;
	float *to = room->weights;
	size_t lines = s->mta.in_per_group * s->mta.k, t, n;

	for (t = 0; t < lines; t++, from += s->line, to += s->line)
		for (n = 0; room->rows[t] != NULL && n < s->line; n += VW)
			v_store(to + n, v_mul(v_load(from + n), v_set(room->scales[t])));
}

INLINE void store_columns(char *line, enum mta_dtype t, size_t j, vf v)
{
	if (t == MTA_BF16)
		v_store_bf16((uint16_t *)(void *)line + j, v);
	else if (t == MTA_FP16)
		v_store_fp16((uint16_t *)(void *)line + j, v);
	else
		v_store((float *)(void *)line + j, v);
}

/* heads x columns vectors of the row from column j on, into the lines. */
INLINE void sum_columns(const struct fused_call *c, const struct fused_room *room,
			const float *bias, size_t j, enum mta_dtype t, size_t heads, size_t columns)
{
	const struct fused_shape *s = c->shape;
	const float *line = room->weights;
	vf sum[FUSED_HEADS][COLUMNS];
	size_t k = s->mta.k, lines = s->mta.in_per_group * k, n, kx, h, v;

	UNROLL
	for (h = 0; h < heads; h++) {
		UNROLL
		for (v = 0; v < columns; v++)
			sum[h][v] = v_set(bias[h]);
	}
	for (n = 0; n < lines; n++, line += s->line) {
		const float *p, *w = line;

		if (room->rows[n] == NULL)
			continue;
		p = room->rows[n] + j - s->mta.half;
		for (kx = 0; kx < k; kx++, p++, w += FUSED_HEADS) {
			vf x[COLUMNS];

			UNROLL
			for (v = 0; v < columns; v++)
				x[v] = v_load(p + v * VW);
			UNROLL
			for (h = 0; h < heads; h++) {
				vf weight = v_set(w[h]);

				UNROLL
				for (v = 0; v < columns; v++)
					sum[h][v] = v_fma(weight, x[v], sum[h][v]);
			}
		}
	}
	UNROLL
	for (h = 0; h < heads; h++) {
		UNROLL
		for (v = 0; v < columns; v++)
			store_columns(room->lines + h * room->line_bytes, t, j + v * VW, sum[h][v]);
	}
}

/* Columns 0 .. i of row i of a tile of output heads; vectors may reach beyond. */
INLINE void tile_row(const struct fused_call *c, const struct fused_room *room, const float *bias,
		     size_t i, enum mta_dtype t, size_t heads)
{
	size_t j = 0;

	for (; j + (size_t)COLUMNS * VW <= i + 1; j += (size_t)COLUMNS * VW)
		sum_columns(c, room, bias, j, t, heads, COLUMNS);
	/* Fewer sums than it takes to hide what a multiply-add waits for, so two together. */
	for (; COLUMNS > 2 && j + VW <= i; j += (size_t)2 * VW)
		sum_columns(c, room, bias, j, t, heads, 2);
	for (; j <= i; j += VW)
		sum_columns(c, room, bias, j, t, heads, 1);
}

INLINE void tile_out(const struct fused_call *c, const struct fused_room *room, size_t head,
		     size_t heads, size_t i, enum mta_dtype t)
{
	const struct fused_shape *s = c->shape;
	size_t bytes = t == MTA_FP32 ? 4 : 2, row_bytes = s->mta.length * bytes, h;

	for (h = 0; h < heads; h++) {
		char *line = room->lines + h * room->line_bytes;
		char *to = (char *)c->y + ((head + h) * s->mta.length + i) * row_bytes;

		/* What the last vectors wrote beyond the diagonal. */
		memset(line + (i + 1) * bytes, 0, VW * bytes);
		if (s->stream)
			copy_around(to, line, row_bytes);
		else
			memcpy(to, line, row_bytes);
	}
}

INLINE void block_rows(const struct fused_call *c, struct fused_room *room, size_t batch_item,
		       size_t group, size_t first, size_t end, enum mta_dtype t)
{
	const struct fused_shape *s = c->shape;
	const struct mta *m = &s->mta;
	size_t ready = first > m->half ? first - m->half : 0, i, tile;

	memset(room->lines, 0, FUSED_HEADS * room->line_bytes);
	for (i = first; i < end; i++) {
		for (; ready <= i + m->half && ready < m->length; ready++)
			ring_fill(c, room, batch_item * m->heads_in + group * m->in_per_group,
				  ready, t);
		rows_meet(s, room, i);
		for (tile = 0; tile < s->tiles; tile++) {
			size_t o = group * m->out_per_group + tile * FUSED_HEADS;
			size_t left = m->out_per_group - tile * FUSED_HEADS;
			size_t heads = left < FUSED_HEADS ? left : FUSED_HEADS;
			const float *bias = c->bias + (group * s->tiles + tile) * FUSED_HEADS;

			tile_weights(c, room, group, tile);
			if (heads == 4)
				tile_row(c, room, bias, i, t, 4);
			else if (heads == 3)
				tile_row(c, room, bias, i, t, 3);
			else if (heads == 2)
				tile_row(c, room, bias, i, t, 2);
			else
				tile_row(c, room, bias, i, t, 1);
			tile_out(c, room, batch_item * m->heads_out + o, heads, i, t);
		}
	}
	if (s->stream)
		copy_done();
}

/* A copy for each dtype, so that no loop asks which it is. */
static ISA __attribute__((noinline)) void block_bf16(const struct fused_call *c,
						     struct fused_room *room, size_t batch_item,
						     size_t group, size_t first, size_t end)
{
	block_rows(c, room, batch_item, group, first, end, MTA_BF16);
}

static ISA __attribute__((noinline)) void block_fp16(const struct fused_call *c,
						     struct fused_room *room, size_t batch_item,
						     size_t group, size_t first, size_t end)
{
	block_rows(c, room, batch_item, group, first, end, MTA_FP16);
}

static ISA __attribute__((noinline)) void block_fp32(const struct fused_call *c,
						     struct fused_room *room, size_t batch_item,
						     size_t group, size_t first, size_t end)
{
	block_rows(c, room, batch_item, group, first, end, MTA_FP32);
}

ISA void BLOCK(const struct fused_call *c, struct fused_room *room, size_t batch_item, size_t group,
	       size_t first, size_t end)
{
	switch (c->shape->mta.dtype) {
	case MTA_BF16:
		block_bf16(c, room, batch_item, group, first, end);
		break;
	case MTA_FP16:
		block_fp16(c, room, batch_item, group, first, end);
		break;
	default:
		block_fp32(c, room, batch_item, group, first, end);
	}
}
