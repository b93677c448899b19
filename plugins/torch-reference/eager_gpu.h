/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of eager.h on a CUDA device, a kernel each (eager.cu). */
#ifndef KI_PLUGIN_EAGER_GPU_H
#define KI_PLUGIN_EAGER_GPU_H

#include "support/gpu.h"
#include "support/mta.h"

struct eager_gpu {
	struct gpu gpu;
	struct mta mta;
	void *mask;
	void *softmax;
	void *convolve;
};

ki_status eager_gpu_init(struct eager_gpu *e, const struct mta *mta, const struct ki_host *host);
void eager_gpu_fini(struct eager_gpu *e);

/* Device pointers; scratch as for the CPU (eager_scratch_bytes). */
ki_status eager_gpu_forward(const struct eager_gpu *e, const struct ki_launch *l);

#endif
