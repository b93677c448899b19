/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multi-token attention in float64: who decides what is right.  It has no arithmetic in common with
 * the kernels that it judges; nothing is rounded before the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ki_plugin.h"
#include "support/mta.h"
#include "support/pool.h"
#include "support/toolchain.h"

/* Rows of y that a thread computes from one walk over p. */
#define ORACLE_BLOCK 64

/* A thread's room: for each head of a group, the K rows of p around the row that is computed. */
struct oracle_room {
	double *ring;
	double *sum;
};

struct ki_instance {
	struct mta mta;
	struct pool *pool;
	size_t row_stride; /* doubles of a row of p: half zeros, L values, half zeros */
	struct oracle_room *rooms;
};

struct oracle_call {
	ki_instance *k;
	const void *scores;
	const void *weight;
	const void *bias;
	double *y;        /* of row first_row on */
	size_t first_row; /* over batch, heads_out and L */
	size_t end_row;
};

/* Row i of the softmax of a head, in out[0 .. L - 1]. */
static void oracle_softmax(double *out, const ki_instance *k, const void *scores, size_t head,
			   size_t i)
{
	const struct mta *m = &k->mta;
	size_t n = m->length, first = (head * n + i) * n, j;
	double mask = mta_mask_value(m->dtype), most = i + 1 < n ? mask : -INFINITY, sum = 0;

	for (j = 0; j <= i; j++) {
		out[j] = mta_load(scores, m->dtype, first + j);
		most = out[j] > most ? out[j] : most;
	}
	for (j = 0; j <= i; j++)
		sum += out[j] = exp(out[j] - most);
	/* All masked elements are alike; beside any sane score they are zero. */
	out[n] = exp(mask - most);
	for (; j < n; j++)
		sum += out[j] = out[n];
	out[n] = 0;
	for (j = 0; j < n; j++)
		out[j] /= sum;
}

static double *oracle_ring_row(const ki_instance *k, const struct oracle_room *room, size_t in,
			       size_t i)
{
	return room->ring + (in * k->mta.k + i % k->mta.k) * k->row_stride;
}

static void oracle_advance(const struct oracle_call *c, const struct oracle_room *room, size_t b,
			   size_t group, size_t i)
{
	const ki_instance *k = c->k;
	const struct mta *m = &k->mta;
	size_t in;

	for (in = 0; i < m->length && in < m->in_per_group; in++)
		oracle_softmax(oracle_ring_row(k, room, in, i) + m->half, k, c->scores,
			       b * m->heads_in + group * m->in_per_group + in, i);
}

/* Row i of output head `out`, whose rows of p are in the ring. */
static void oracle_row(const struct oracle_call *c, const struct oracle_room *room, size_t out,
		       size_t i, double *y)
{
	const ki_instance *k = c->k;
	const struct mta *m = &k->mta;
	size_t in, ky, kx, j;

	for (j = 0; j <= i; j++)
		room->sum[j] = mta_load(c->bias, m->dtype, out);
	for (in = 0; in < m->in_per_group; in++)
		for (ky = 0; ky < m->k; ky++) {
			const double *p;

			if (i + ky < m->half || i + ky - m->half >= m->length)
				continue;
			p = oracle_ring_row(k, room, in, i + ky - m->half);
			for (kx = 0; kx < m->k; kx++) {
				size_t at = ((out * m->in_per_group + in) * m->k + ky) * m->k + kx;
				double w = mta_load(c->weight, m->dtype, at);

				for (j = 0; j <= i; j++)
					room->sum[j] += w * p[j + kx];
			}
		}
	memcpy(y, room->sum, (i + 1) * sizeof *y);
	memset(y + i + 1, 0, (m->length - i - 1) * sizeof *y);
}

/* A block of rows of all heads of a group, as far as they are asked for. */
static void oracle_block(void *context, size_t task, unsigned thread)
{
	const struct oracle_call *c = context;
	const struct mta *m = &c->k->mta;
	const struct oracle_room *room = &c->k->rooms[thread];
	size_t blocks = (m->length + ORACLE_BLOCK - 1) / ORACLE_BLOCK;
	size_t first = task % blocks * ORACLE_BLOCK, group = task / blocks % m->groups;
	size_t b = task / blocks / m->groups, i, o;
	size_t end = first + ORACLE_BLOCK < m->length ? first + ORACLE_BLOCK : m->length;
	size_t ready =
		first > m->half ? first - m->half : 0; /* rows of p before it are not needed */

	for (i = first; i < end; i++) {
		for (o = 0; o < m->out_per_group; o++) {
			size_t out = group * m->out_per_group + o;
			size_t row = (b * m->heads_out + out) * m->length + i;

			if (row < c->first_row || row >= c->end_row)
				continue;
			for (ready = i > ready + m->half ? i - m->half : ready;
			     ready <= i + m->half; ready++)
				oracle_advance(c, room, b, group, ready);
			oracle_row(c, room, out, i, c->y + (row - c->first_row) * m->length);
		}
	}
}

static void oracle_span(ki_instance *k, const struct ki_launch *l, size_t first_row, size_t n_rows)
{
	const struct mta *m = &k->mta;
	size_t blocks = (m->length + ORACLE_BLOCK - 1) / ORACLE_BLOCK;
	struct oracle_call c = {.k = k,
				.scores = l->operands[MTA_SCORES].tensor->data,
				.weight = l->operands[MTA_WEIGHT].tensor->data,
				.bias = l->operands[MTA_BIAS].tensor->data,
				.y = l->operands[MTA_Y].tensor->data,
				.first_row = first_row,
				.end_row = first_row + n_rows};

	pool_run(k->pool, m->batch * m->groups * blocks, oracle_block, &c);
}

/* ---------------------------------------------------------------- the plugin */

static ki_status oracle_supports(const struct ki_host *host, const struct ki_device *dev,
				 const struct ki_workload *w)
{
	struct mta mta;
	const char *why = dev->dl.device_type == kDLCPU ? mta_read(&mta, w, true) : "only the CPU";

	return why == NULL ? KI_OK : host->fail(host, KI_E_UNSUPPORTED, 0, why);
}

static void oracle_destroy(ki_instance *k)
{
	unsigned i;

	for (i = 0; k->rooms != NULL && k->pool != NULL && i < pool_threads(k->pool); i++) {
		free(k->rooms[i].ring);
		free(k->rooms[i].sum);
	}
	free(k->rooms);
	pool_free(k->pool);
	free(k);
}

static int oracle_make_rooms(ki_instance *k)
{
	const struct mta *m = &k->mta;
	unsigned i;

	k->rooms = calloc(pool_threads(k->pool), sizeof *k->rooms);
	for (i = 0; k->rooms != NULL && i < pool_threads(k->pool); i++) {
		/* Zeros where no row reaches: what lies left and right of p. */
		k->rooms[i].ring = calloc(m->in_per_group * m->k * k->row_stride, sizeof(double));
		k->rooms[i].sum = calloc(m->length, sizeof(double));
		if (k->rooms[i].ring == NULL || k->rooms[i].sum == NULL)
			return -1;
	}
	return k->rooms != NULL ? 0 : -1;
}

static ki_status oracle_create(ki_instance **out, const struct ki_host *host,
			       const struct ki_device *dev, const struct ki_workload *w)
{
	ki_instance *k = calloc(1, sizeof *k);
	const char *why;

	if (k == NULL)
		return host->fail(host, KI_E_NOMEM, 0, "no memory for an instance");
	why = dev->dl.device_type == kDLCPU ? mta_read(&k->mta, w, true) : "only the CPU";
	if (why != NULL) {
		free(k);
		return host->fail(host, KI_E_UNSUPPORTED, 0, why);
	}
	k->row_stride = k->mta.length + 2 * k->mta.half + 1;
	k->pool = pool_new(dev->cpu_threads);
	if (k->pool == NULL || oracle_make_rooms(k) != 0) {
		oracle_destroy(k);
		return host->fail(host, KI_E_NOMEM, 0, "no memory or no threads for an instance");
	}
	*out = k;
	return KI_OK;
}

static ki_status oracle_launch(ki_instance *k, const struct ki_launch *l)
{
	oracle_span(k, l, 0, k->mta.batch * k->mta.heads_out * k->mta.length);
	return KI_OK;
}

static ki_status oracle_launch_rows(ki_instance *k, const struct ki_launch *l, uint32_t output,
				    uint64_t first_row, uint64_t n_rows)
{
	uint64_t rows = k->mta.batch * k->mta.heads_out * k->mta.length;

	if (output != MTA_Y || first_row > rows || n_rows > rows - first_row)
		return KI_E_INVALID;
	oracle_span(k, l, first_row, n_rows);
	return KI_OK;
}

static const void *oracle_extension(const char *id)
{
	static const struct ki_kernel_rows rows = {.struct_size = sizeof rows,
						   .launch_rows = oracle_launch_rows};

	return strcmp(id, KI_EXT_ROWS) == 0 ? &rows : NULL;
}

static const struct ki_kernel float64 = {
	.struct_size = sizeof float64,
	.id = "float64",
	.op = MTA_OP,
	.summary = "Multi-token attention in float64, nothing rounded on the way",
	.language = "c",
	.license = "Apache-2.0",
	.supports = oracle_supports,
	.create = oracle_create,
	.launch = oracle_launch,
	.destroy = oracle_destroy,
	.extension = oracle_extension,
};

static const struct ki_kernel *const kernels[] = {&float64, NULL};

static const struct ki_plugin plugin = {
	.struct_size = sizeof plugin,
	.abi_version = KI_ABI_VERSION,
	.min_host_abi = KI_ABI_PACK(1, 0),
	.id = "org.ki-harness.mta-oracle",
	.version = "1.0.0",
	.vendor = "ki-harness",
	.license = "Apache-2.0",
	.toolchain = TOOLCHAIN,
	.kernels = kernels,
};

const struct ki_plugin *ki_plugin_entry(uint32_t host_abi, char *why, size_t why_size)
{
	(void)host_abi;
	if (why_size > 0)
		why[0] = '\0';
	return &plugin;
}
