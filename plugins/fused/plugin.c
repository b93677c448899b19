/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "fused/fused.h"
#include "fused/fused_gpu.h"
#include "ki_plugin.h"
#include "support/pool.h"
#include "support/toolchain.h"

/* Multiply-adds below which waking another thread costs more than it brings. */
#define FUSED_ALONE 1000000u
/* Rows of a block: the halo of K - 1 rows is computed twice, so not too few. */
#define FUSED_ROWS 32
/* A y that is larger is written past the caches. */
#define FUSED_STREAM_BYTES ((size_t)1 << 20)

struct ki_instance {
	bool on_gpu; /* then this, else the rest */
	struct fused_gpu gpu;
	struct fused_shape shape;
	fused_block_fn *block;
	struct pool *pool;
	size_t blocks; /* of a group of a batch item */
	struct fused_room *rooms;
	float *weights;
	float *bias;
};

/* One of the instruction sets that this CPU has. */
struct fused_isa {
	const char *name;
	fused_block_fn *block;
};

/* The best first; with a name that one or none. */
static fused_block_fn *fused_choose(const char *name)
{
	struct fused_isa isas[3];
	size_t n = 0, i;

#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		isas[n++] = (struct fused_isa){"avx512", fused_block_avx512};
	/* Each CPU with AVX2 has F16C; not every compiler knows its name here. */
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		isas[n++] = (struct fused_isa){"avx2", fused_block_avx2};
#endif
	isas[n++] = (struct fused_isa){"scalar", fused_block_scalar};
	for (i = 0; i < n; i++)
		if (name == NULL || strcmp(name, isas[i].name) == 0)
			return isas[i].block;
	return NULL;
}

static const char *fused_read(struct mta *mta, fused_block_fn **block, const struct ki_device *dev,
			      const struct ki_workload *w)
{
	const char *why = mta_read(mta, w, false);

	*block = NULL;
	if (why != NULL)
		return why;
	if (dev->dl.device_type == kDLCUDA)
		return fused_gpu_refuses(mta);
	if (dev->dl.device_type != kDLCPU)
		return "only the CPU and CUDA devices";
	*block = fused_choose(mta_string(w, "isa"));
	return *block != NULL ? NULL : "the CPU lacks the instruction set of the attribute isa";
}

static size_t fused_round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static void fused_shape_init(struct fused_shape *s, const struct mta *m)
{
	size_t bytes =
		m->batch * m->heads_out * m->length * m->length * mta_element_bytes(m->dtype);

	s->mta = *m;
	s->left = fused_round_up(m->half, 16);
	s->stride = fused_round_up(s->left + m->length + 2 * m->k + FUSED_SLACK, 16);
	s->tiles = (m->out_per_group + FUSED_HEADS - 1) / FUSED_HEADS;
	s->line = fused_round_up(m->k * FUSED_HEADS, 16);
	s->tile_weights = m->in_per_group * m->k * s->line;
	s->scores = m->batch * m->heads_in * m->length * m->length;
	s->mask = mta_mask_value(m->dtype);
	s->stream = bytes > FUSED_STREAM_BYTES;
}

static int fused_room_init(struct fused_room *room, const struct fused_shape *s)
{
	size_t n = s->mta.in_per_group * s->mta.k;
	size_t ring = fused_round_up(n * s->stride * sizeof(float), FUSED_ALIGN);
	size_t rows = fused_round_up(n * sizeof *room->rows, FUSED_ALIGN);
	size_t sums = fused_round_up(n * sizeof(float), FUSED_ALIGN);
	size_t weights = fused_round_up(s->tile_weights * sizeof(float), FUSED_ALIGN);
	char *memory;

	room->line_bytes =
		fused_round_up((s->mta.length + FUSED_SLACK) * sizeof(float), FUSED_ALIGN);
	memory = aligned_alloc(FUSED_ALIGN,
			       ring + rows + 2 * sums + weights + FUSED_HEADS * room->line_bytes);
	if (memory == NULL)
		return -1;
	room->memory = memory;
	/* Zeros left of column 0 for good; elsewhere so that no vector meets what is no float. */
	memset(memory, 0, ring);
	room->ring = (float *)(void *)memory;
	room->rows = (const float **)(void *)(memory += ring);
	room->inverse = (float *)(void *)(memory += rows);
	room->scales = (float *)(void *)(memory += sums);
	room->weights = (float *)(void *)(memory += sums);
	room->lines = memory + weights;
	return 0;
}

static unsigned fused_thread_count(const struct mta *m, unsigned allowed)
{
	double work = (double)m->batch * (double)m->heads_out * (double)m->length *
		      (double)m->length / 2 * (double)(m->in_per_group * m->k * m->k);

	return work < FUSED_ALONE || allowed < 1 ? 1 : allowed;
}

static void fused_destroy(ki_instance *k)
{
	unsigned i;

	if (k->on_gpu) {
		fused_gpu_fini(&k->gpu);
		free(k);
		return;
	}

	for (i = 0; k->rooms != NULL && i < pool_threads(k->pool); i++)
		free(k->rooms[i].memory);
	free(k->rooms);
	free(k->weights);
	free(k->bias);
	pool_free(k->pool);
	free(k);
}

static int fused_init(ki_instance *k, const struct mta *m, unsigned allowed)
{
	unsigned i;

	fused_shape_init(&k->shape, m);
	k->blocks = (m->length + FUSED_ROWS - 1) / FUSED_ROWS;
	k->pool = pool_new(fused_thread_count(m, allowed));
	if (k->pool == NULL)
		return -1;
	k->weights = calloc(m->groups * k->shape.tiles * k->shape.tile_weights, sizeof(float));
	k->bias = calloc(m->groups * k->shape.tiles * FUSED_HEADS, sizeof(float));
	k->rooms = calloc(pool_threads(k->pool), sizeof *k->rooms);
	if (k->weights == NULL || k->bias == NULL || k->rooms == NULL)
		return -1;
	for (i = 0; i < pool_threads(k->pool); i++)
		if (fused_room_init(&k->rooms[i], &k->shape) != 0)
			return -1;
	return 0;
}

/* Weights and bias in float, in the order in which the taps meet them. */
static void fused_weights(ki_instance *k, const void *weight, const void *bias)
{
	const struct mta *m = &k->shape.mta;
	size_t taps = m->in_per_group * m->k * m->k, o, t;

	for (o = 0; o < m->heads_out; o++) {
		size_t group = o / m->out_per_group, head = o % m->out_per_group;
		size_t tile = group * k->shape.tiles + head / FUSED_HEADS;
		float *to = k->weights + tile * k->shape.tile_weights + head % FUSED_HEADS;

		for (t = 0; t < taps; t++)
			to[t / m->k * k->shape.line + t % m->k * FUSED_HEADS] =
				mta_load(weight, m->dtype, o * taps + t);
		k->bias[tile * FUSED_HEADS + head % FUSED_HEADS] = mta_load(bias, m->dtype, o);
	}
}

struct fused_work {
	ki_instance *k;
	struct fused_call call;
};

static void fused_task(void *context, size_t task, unsigned thread)
{
	const struct fused_work *w = context;
	const ki_instance *k = w->k;
	const struct mta *m = &k->shape.mta;
	size_t groups = m->batch * m->groups, which = task % groups;
	/* The longest rows first, so that no thread ends up alone with them. */
	size_t first = (k->blocks - 1 - task / groups) * FUSED_ROWS;
	size_t end = first + FUSED_ROWS < m->length ? first + FUSED_ROWS : m->length;

	k->block(&w->call, &k->rooms[thread], which / m->groups, which % m->groups, first, end);
}

/* ---------------------------------------------------------------- the plugin */

static ki_status fused_supports(const struct ki_host *host, const struct ki_device *dev,
				const struct ki_workload *w)
{
	fused_block_fn *block;
	struct mta mta;
	const char *why = fused_read(&mta, &block, dev, w);

	return why == NULL ? KI_OK : host->fail(host, KI_E_UNSUPPORTED, 0, why);
}

static ki_status fused_create(ki_instance **out, const struct ki_host *host,
			      const struct ki_device *dev, const struct ki_workload *w)
{
	fused_block_fn *block;
	struct mta mta;
	const char *why = fused_read(&mta, &block, dev, w);
	ki_instance *k;

	if (why != NULL)
		return host->fail(host, KI_E_UNSUPPORTED, 0, why);
	k = calloc(1, sizeof *k);
	if (k == NULL)
		return host->fail(host, KI_E_NOMEM, 0, "no memory for an instance");
	k->block = block;
	k->on_gpu = dev->dl.device_type == kDLCUDA;
	if (k->on_gpu) {
		ki_status status = fused_gpu_init(&k->gpu, &mta, host);

		if (status != KI_OK) {
			free(k);
			return status;
		}
	} else if (fused_init(k, &mta, dev->cpu_threads) != 0) {
		fused_destroy(k);
		return host->fail(host, KI_E_NOMEM, 0, "no memory or no threads for an instance");
	}
	*out = k;
	return KI_OK;
}

static ki_status fused_launch(ki_instance *k, const struct ki_launch *l)
{
	const struct mta *m = &k->shape.mta;
	struct fused_work w = {.k = k,
			       .call = {.shape = &k->shape,
					.scores = l->operands[MTA_SCORES].tensor->data,
					.weights = k->weights,
					.bias = k->bias,
					.y = l->operands[MTA_Y].tensor->data}};

	if (k->on_gpu)
		return fused_gpu_forward(&k->gpu, l);
	fused_weights(k, l->operands[MTA_WEIGHT].tensor->data, l->operands[MTA_BIAS].tensor->data);
	pool_run(k->pool, m->batch * m->groups * k->blocks, fused_task, &w);
	return KI_OK;
}

static const struct ki_kernel fused = {
	.struct_size = sizeof fused,
	.id = "fused",
	.op = MTA_OP,
	.summary = "Multi-token attention in one pass over memory",
	.language = "c",
	.license = "Apache-2.0",
	.supports = fused_supports,
	.create = fused_create,
	.launch = fused_launch,
	.destroy = fused_destroy,
};

static const struct ki_kernel *const kernels[] = {&fused, NULL};

static const struct ki_plugin plugin = {
	.struct_size = sizeof plugin,
	.abi_version = KI_ABI_VERSION,
	.min_host_abi = KI_ABI_PACK(1, 0),
	.id = "org.ki-harness.fused",
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
