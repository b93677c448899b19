/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "fused/fused_gpu.h"
#include "fused/one_pass_ptx.h"

/* As in one_pass.cu. */
#define ONE_PASS_ROWS 8u
#define ONE_PASS_COLUMNS 256u
#define ONE_PASS_HEADS 4u
#define ONE_PASS_STATE 3u /* floats */

/* What every GPU from sm_75 on lets a block have. */
#define ONE_PASS_SHARED_MAX ((size_t)64 << 10)
#define ONE_PASS_CHUNK_MAX 4u
#define GRID_YZ_MAX 65535u

static size_t one_pass_shared(const struct mta *m, size_t chunk)
{
	size_t rows = ONE_PASS_ROWS + m->k - 1, width = ONE_PASS_COLUMNS + m->k - 1;
	size_t floats = m->in_per_group * rows * ONE_PASS_STATE;

	floats += chunk * m->k * m->k * ONE_PASS_HEADS + chunk * rows * width;
	return floats * sizeof(float);
}

/* As many input heads at a time as there is room for; 0: not even one. */
static size_t one_pass_chunk(const struct mta *m)
{
	size_t chunk = m->in_per_group < ONE_PASS_CHUNK_MAX ? m->in_per_group : ONE_PASS_CHUNK_MAX;

	while (chunk > 0 && one_pass_shared(m, chunk) > ONE_PASS_SHARED_MAX)
		chunk--;
	return chunk;
}

const char *fused_gpu_refuses(const struct mta *m)
{
	if (m->k > ONE_PASS_COLUMNS || m->in_per_group > ONE_PASS_SHARED_MAX ||
	    one_pass_chunk(m) == 0)
		return "K or the input heads of a group are too many for a block's shared memory";
	if (m->batch > GRID_YZ_MAX || m->groups > GRID_YZ_MAX)
		return "more batch items or groups than a grid has";
	return NULL;
}

ki_status fused_gpu_init(struct fused_gpu *f, const struct mta *m, const struct ki_host *host)
{
	size_t chunk = one_pass_chunk(m), shared = one_pass_shared(m, chunk);
	char name[64];
	ki_status status;

	*f = (struct fused_gpu){
		.grid = {.x = (unsigned)((m->length + ONE_PASS_ROWS - 1) / ONE_PASS_ROWS),
			 .y = (unsigned)m->groups,
			 .z = (unsigned)m->batch,
			 .threads = ONE_PASS_COLUMNS,
			 .shared_bytes = (unsigned)shared},
		.problem = {.heads_in = (unsigned)m->heads_in,
			    .heads_out = (unsigned)m->heads_out,
			    .groups = (unsigned)m->groups,
			    .length = (unsigned)m->length,
			    .k = (unsigned)m->k,
			    .chunk = (unsigned)chunk,
			    .mask = mta_mask_value(m->dtype)},
	};
	status = gpu_open(&f->gpu, host, one_pass_ptx);
	if (status != KI_OK)
		return status;
	snprintf(name, sizeof name, "one_pass_%s_%d", mta_dtype_name(m->dtype), m->k == 3 ? 3 : 0);
	status = gpu_kernel(&f->kernel, &f->gpu, name, shared);
	if (status != KI_OK)
		fused_gpu_fini(f);
	return status;
}

void fused_gpu_fini(struct fused_gpu *f)
{
	gpu_close(&f->gpu);
}

ki_status fused_gpu_forward(const struct fused_gpu *f, const struct ki_launch *l)
{
	void *scores = l->operands[MTA_SCORES].tensor->data, *y = l->operands[MTA_Y].tensor->data;
	void *weight = l->operands[MTA_WEIGHT].tensor->data;
	void *bias = l->operands[MTA_BIAS].tensor->data;
	struct fused_problem problem = f->problem;
	void *parameters[] = {&y, &scores, &weight, &bias, &problem};

	return gpu_launch(&f->gpu, f->kernel, &f->grid, l->stream, parameters);
}
