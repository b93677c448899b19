/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "torch-reference/eager.h"
#include "torch-reference/eager_gpu.h"
#include "torch-reference/eager_ptx.h"

#define EAGER_GPU_THREADS_MAX 256u

static ki_status eager_gpu_kernel(void **out, const struct eager_gpu *e, const char *pass)
{
	char name[64];

	snprintf(name, sizeof name, "eager_%s_%s", pass, mta_dtype_name(e->mta.dtype));
	return gpu_kernel(out, &e->gpu, name, 0);
}

ki_status eager_gpu_init(struct eager_gpu *e, const struct mta *mta, const struct ki_host *host)
{
	ki_status status;

	*e = (struct eager_gpu){.mta = *mta};
	status = gpu_open(&e->gpu, host, eager_ptx);
	if (status == KI_OK)
		status = eager_gpu_kernel(&e->mask, e, "mask");
	if (status == KI_OK)
		status = eager_gpu_kernel(&e->softmax, e, "softmax");
	if (status == KI_OK)
		status = eager_gpu_kernel(&e->convolve, e, "convolve");
	if (status != KI_OK)
		eager_gpu_fini(e);
	return status;
}

void eager_gpu_fini(struct eager_gpu *e)
{
	gpu_close(&e->gpu);
}

/* A block for each row of a tensor of that many heads. */
static struct gpu_grid eager_gpu_grid(const struct mta *m, size_t heads)
{
	size_t threads = (m->length + 31) / 32 * 32;

	return (struct gpu_grid){.x = (unsigned)(m->batch * heads * m->length),
				 .y = 1,
				 .z = 1,
				 .threads = threads < EAGER_GPU_THREADS_MAX
						    ? (unsigned)threads
						    : EAGER_GPU_THREADS_MAX};
}

ki_status eager_gpu_forward(const struct eager_gpu *e, const struct ki_launch *l)
{
	const struct mta *m = &e->mta;
	struct gpu_grid in = eager_gpu_grid(m, m->heads_in), out = eager_gpu_grid(m, m->heads_out);
	void *scores = l->operands[MTA_SCORES].tensor->data, *y = l->operands[MTA_Y].tensor->data;
	void *weight = l->operands[MTA_WEIGHT].tensor->data;
	void *bias = l->operands[MTA_BIAS].tensor->data;
	void *masked = l->scratch, *p = (char *)l->scratch + eager_tensor_bytes(m);
	unsigned length = (unsigned)m->length, heads_in = (unsigned)m->heads_in;
	unsigned heads_out = (unsigned)m->heads_out, groups = (unsigned)m->groups;
	unsigned k = (unsigned)m->k;
	float mask = mta_mask_value(m->dtype), zero = 0;
	void *mask_scores[] = {&masked, &scores, &length, &mask};
	void *softmax[] = {&p, &masked, &length};
	void *convolve[] = {&masked,    &p,      &weight, &bias, &heads_in,
			    &heads_out, &groups, &length, &k};
	void *mask_output[] = {&y, &masked, &length, &zero};
	ki_status status = gpu_launch(&e->gpu, e->mask, &in, l->stream, mask_scores);

	if (status == KI_OK)
		status = gpu_launch(&e->gpu, e->softmax, &in, l->stream, softmax);
	if (status == KI_OK)
		status = gpu_launch(&e->gpu, e->convolve, &out, l->stream, convolve);
	if (status == KI_OK)
		status = gpu_launch(&e->gpu, e->mask, &out, l->stream, mask_output);
	return status;
}
