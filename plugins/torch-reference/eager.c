/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/half.h"
#include "torch-reference/eager.h"
#include "torch-reference/lanes.h"

/* A call in progress; task n of a pass is row n, counted over all axes but the last. */
struct eager_call {
	struct eager *e;
	const void *scores;
	void *masked; /* later c */
	void *p;
	void *y;
};

/* Elements of an elementwise pass that a thread takes at a time, as at::parallel_for does. */
#define EAGER_GRAIN 32768
/* Rows of the convolution that it takes. */
#define EAGER_ROWS 16
/* Columns of the convolution that are summed in registers. */
#define EAGER_COLUMNS 16

static void row_load(float *out, const void *array, enum mta_dtype t, size_t first, size_t n)
{
	const uint16_t *h = (const uint16_t *)array + first;
	size_t i = 0;

	if (t == MTA_FP32) {
		memcpy(out, (const float *)array + first, n * sizeof *out);
	} else if (t == MTA_BF16) {
		for (; i + LANES <= n; i += LANES)
			lanes_store(out + i, lanes_from_bf16(h + i));
		for (; i < n; i++)
			out[i] = half_from_bf16(h[i]);
	} else {
		for (; i + LANES <= n; i += LANES)
			lanes_store(out + i, lanes_from_fp16(h + i));
		for (; i < n; i++)
			out[i] = half_from_fp16(h[i]);
	}
}

static void row_store(void *array, const float *in, enum mta_dtype t, size_t first, size_t n)
{
	uint16_t *h = (uint16_t *)array + first;
	size_t i = 0;

	if (t == MTA_FP32) {
		memcpy((float *)array + first, in, n * sizeof *in);
	} else if (t == MTA_BF16) {
		for (; i + LANES <= n; i += LANES)
			lanes_to_bf16(h + i, lanes_load(in + i));
		for (; i < n; i++)
			h[i] = half_to_bf16(in[i]);
	} else {
		for (; i + LANES <= n; i += LANES)
			lanes_to_fp16(h + i, lanes_load(in + i));
		for (; i < n; i++)
			h[i] = half_to_fp16(in[i]);
	}
}

/* Copies row `row` and sets what lies right of the diagonal to value. */
static void row_mask(void *out, const void *in, const struct mta *m, size_t row, float value)
{
	size_t bytes = mta_element_bytes(m->dtype), live = row % m->length + 1, i;
	char *to = (char *)out + row * m->length * bytes;
	const char *from = (const char *)in + row * m->length * bytes;

	memcpy(to, from, live * bytes);
	if (m->dtype == MTA_FP32) {
		for (i = live; i < m->length; i++)
			((float *)(void *)to)[i] = value;
	} else {
		uint16_t half = m->dtype == MTA_BF16 ? half_to_bf16(value) : half_to_fp16(value);

		for (i = live; i < m->length; i++)
			((uint16_t *)(void *)to)[i] = half;
	}
}

static void row_softmax(struct eager_call *c, size_t row, float *line)
{
	const struct mta *m = &c->e->mta;
	size_t n = m->length, i;
	lanes most = lanes_all(-INFINITY), sum = {0}, scale, base;

	row_load(line, c->masked, m->dtype, row * n, n);
	/* Whole vectors: what is added counts as nothing. */
	lanes_store(line + n, most);
	for (i = 0; i < n; i += LANES)
		most = lanes_greater(lanes_load(line + i), most);
	base = lanes_all(lanes_greatest(most));
	for (i = 0; i < n; i += LANES) {
		lanes e = lanes_exp(lanes_load(line + i) - base);

		lanes_store(line + i, e);
		sum += e;
	}
	scale = lanes_all(1 / lanes_sum(sum));
	for (i = 0; i < n; i += LANES)
		lanes_store(line + i, lanes_load(line + i) * scale);
	row_store(c->p, line, m->dtype, row * n, n);
}

/* The rows of p that the taps of row i meet, in float, for all input heads of a group. */
static void rows_gather(struct eager_room *room, const struct eager_call *c, size_t head, size_t i)
{
	const struct mta *m = &c->e->mta;
	size_t n = m->length, in, ky;

	for (in = 0; in < m->in_per_group; in++)
		for (ky = 0; ky < m->k; ky++) {
			size_t t = in * m->k + ky;
			float *line = room->lines + t * c->e->line_stride;

			room->rows[t] = NULL;
			if (i + ky < m->half || i + ky - m->half >= n)
				continue;
			row_load(line + m->half, c->p, m->dtype,
				 ((head + in) * n + i + ky - m->half) * n, n);
			room->rows[t] = line;
		}
}

/* EAGER_COLUMNS columns of a row of the convolution, from column j on. */
static void columns_convolve(const struct eager_room *room, const struct eager *e,
			     const float *weights, size_t j)
{
	size_t k = e->mta.k, taps = e->mta.in_per_group * k, t, kx;
	lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};

	for (t = 0; t < taps; t++, weights += k)
		for (kx = 0; room->rows[t] != NULL && kx < k; kx++) {
			const float *p = room->rows[t] + j + kx;

			s0 += weights[kx] * lanes_load(p);
			s1 += weights[kx] * lanes_load(p + 4);
			s2 += weights[kx] * lanes_load(p + 8);
			s3 += weights[kx] * lanes_load(p + 12);
		}
	lanes_store(room->sum + j, s0);
	lanes_store(room->sum + j + 4, s1);
	lanes_store(room->sum + j + 8, s2);
	lanes_store(room->sum + j + 12, s3);
}

/* Row i of c = conv2d(p) for all output heads of a group, before it is masked. */
static void row_convolve(const struct eager_call *c, struct eager_room *room, size_t b,
			 size_t group, size_t i)
{
	const struct mta *m = &c->e->mta;
	size_t n = m->length, taps = m->in_per_group * m->k * m->k, o, j;

	rows_gather(room, c, b * m->heads_in + group * m->in_per_group, i);
	for (o = group * m->out_per_group; o < (group + 1) * m->out_per_group; o++) {
		for (j = 0; j < n; j += EAGER_COLUMNS)
			columns_convolve(room, c->e, c->e->weights + o * taps, j);
		for (j = 0; j < n; j++)
			room->sum[j] += c->e->bias[o];
		row_store(c->masked, room->sum, m->dtype, ((b * m->heads_out + o) * n + i) * n, n);
	}
}

static void pass_mask_scores(void *context, size_t task, unsigned thread)
{
	struct eager_call *c = context;
	const struct mta *m = &c->e->mta;
	size_t row = task * c->e->grain_rows, rows = m->batch * m->heads_in * m->length, i;

	(void)thread;
	for (i = 0; i < c->e->grain_rows && row < rows; i++, row++)
		row_mask(c->masked, c->scores, m, row, mta_mask_value(m->dtype));
}

static void pass_softmax(void *context, size_t task, unsigned thread)
{
	struct eager_call *c = context;
	const struct mta *m = &c->e->mta;
	size_t row = task * c->e->grain_rows, rows = m->batch * m->heads_in * m->length, i;

	for (i = 0; i < c->e->grain_rows && row < rows; i++, row++)
		row_softmax(c, row, c->e->rooms[thread].sum);
}

static void pass_convolve(void *context, size_t task, unsigned thread)
{
	struct eager_call *c = context;
	const struct mta *m = &c->e->mta;
	size_t rows = m->batch * m->groups * m->length, row = task * EAGER_ROWS, i;

	for (i = 0; i < EAGER_ROWS && row < rows; i++, row++) {
		size_t plane = row / m->length; /* NOLINT(clang-analyzer-core.DivideZero) */

		row_convolve(c, &c->e->rooms[thread], plane / m->groups, plane % m->groups,
			     row % m->length);
	}
}

static void pass_mask_output(void *context, size_t task, unsigned thread)
{
	struct eager_call *c = context;
	const struct mta *m = &c->e->mta;
	size_t row = task * c->e->grain_rows, rows = m->batch * m->heads_out * m->length, i;

	(void)thread;
	for (i = 0; i < c->e->grain_rows && row < rows; i++, row++)
		row_mask(c->y, c->masked, m, row, 0);
}

static int room_init(struct eager_room *room, const struct eager *e)
{
	size_t rows = e->mta.in_per_group * e->mta.k;

	/* Zeros: those beside the rows stay. */
	room->lines = calloc(rows * e->line_stride, sizeof *room->lines);
	room->rows = calloc(rows, sizeof *room->rows);
	room->sum = calloc(e->line_stride, sizeof *room->sum);
	return room->lines != NULL && room->rows != NULL && room->sum != NULL ? 0 : -1;
}

int eager_init(struct eager *e, const struct mta *mta, unsigned threads)
{
	unsigned i;

	*e = (struct eager){.mta = *mta};
	e->line_stride = (mta->length + mta->k + (size_t)2 * EAGER_COLUMNS) / 16 * 16;
	e->grain_rows = mta->length < EAGER_GRAIN ? EAGER_GRAIN / mta->length : 1;
	e->pool = pool_new(threads);
	if (e->pool == NULL)
		return -1;
	e->weights = calloc(mta->heads_out * mta->in_per_group * mta->k * mta->k, sizeof(float));
	e->bias = calloc(mta->heads_out, sizeof(float));
	e->rooms = calloc(pool_threads(e->pool), sizeof *e->rooms);
	if (e->weights == NULL || e->bias == NULL || e->rooms == NULL)
		goto failed;
	for (i = 0; i < pool_threads(e->pool); i++)
		if (room_init(&e->rooms[i], e) != 0)
			goto failed;
	return 0;
failed:
	eager_fini(e);
	return -1;
}

void eager_fini(struct eager *e)
{
	unsigned i;

	for (i = 0; e->rooms != NULL && i < pool_threads(e->pool); i++) {
		free(e->rooms[i].lines);
		free(e->rooms[i].rows);
		free(e->rooms[i].sum);
	}
	free(e->rooms);
	free(e->weights);
	free(e->bias);
	pool_free(e->pool);
	*e = (struct eager){0};
}

/* Of masked, or c if that is larger. */
uint64_t eager_tensor_bytes(const struct mta *m)
{
	uint64_t heads = m->heads_in > m->heads_out ? m->heads_in : m->heads_out;
	uint64_t bytes = m->batch * heads * m->length * m->length * mta_element_bytes(m->dtype);

	return (bytes + 255) / 256 * 256;
}

uint64_t eager_scratch_bytes(const struct mta *m)
{
	return eager_tensor_bytes(m) +
	       m->batch * m->heads_in * m->length * m->length * mta_element_bytes(m->dtype);
}

void eager_forward(struct eager *e, const void *scores, const void *weight, const void *bias,
		   void *y, void *scratch)
{
	const struct mta *m = &e->mta;
	struct eager_call c = {.e = e,
			       .scores = scores,
			       .masked = scratch,
			       .p = (char *)scratch + eager_tensor_bytes(m),
			       .y = y};
	size_t grain = e->grain_rows, in = (m->batch * m->heads_in * m->length + grain - 1) / grain;
	size_t convolved = (m->batch * m->groups * m->length + EAGER_ROWS - 1) / EAGER_ROWS;
	size_t out = (m->batch * m->heads_out * m->length + grain - 1) / grain;

	row_load(e->weights, weight, m->dtype, 0, m->heads_out * m->in_per_group * m->k * m->k);
	row_load(e->bias, bias, m->dtype, 0, m->heads_out);
	pool_run(e->pool, in, pass_mask_scores, &c);
	pool_run(e->pool, in, pass_softmax, &c);
	pool_run(e->pool, convolved, pass_convolve, &c);
	pool_run(e->pool, out, pass_mask_output, &c);
}
