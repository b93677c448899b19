/* SPDX-License-Identifier: Apache-2.0 */
/* Multi-token attention on a CUDA device in one kernel (one_pass.cu). */
#ifndef KI_PLUGIN_FUSED_GPU_H
#define KI_PLUGIN_FUSED_GPU_H

#include "support/gpu.h"
#include "support/mta.h"

/* struct problem of one_pass.cu, as a kernel takes it by value. */
struct fused_problem {
	unsigned heads_in, heads_out, groups, length, k;
	unsigned chunk;
	float mask;
};

struct fused_gpu {
	struct gpu gpu;
	void *kernel;
	struct gpu_grid grid;
	struct fused_problem problem;
};

/* NULL, or why it is not for this kernel. */
const char *fused_gpu_refuses(const struct mta *mta);

ki_status fused_gpu_init(struct fused_gpu *f, const struct mta *mta, const struct ki_host *host);
void fused_gpu_fini(struct fused_gpu *f);
ki_status fused_gpu_forward(const struct fused_gpu *f, const struct ki_launch *l);

#endif
