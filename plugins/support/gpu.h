/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels from PTX on a CUDA device, through what the host offers as "ki.cuda/1". */
#ifndef KI_PLUGIN_GPU_H
#define KI_PLUGIN_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "ki_plugin.h"

/* A module and the few driver functions that launching its kernels takes. */
struct gpu {
	const struct ki_host *host;
	void *module;
	int32_t (*get_function)(void **out, void *module, const char *name);
	int32_t (*set_attribute)(void *function, int attribute, int value);
	int32_t (*unload)(void *module);
	int32_t (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
			  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
			  void *stream, void **parameters, void **extra);
};

struct gpu_grid {
	unsigned x, y, z;
	unsigned threads;
	unsigned shared_bytes;
};

/* ptx is NUL-terminated text.  A failure is recorded with the host. */
ki_status gpu_open(struct gpu *out, const struct ki_host *host, const char *ptx);
void gpu_close(struct gpu *g);

/* shared_bytes: dynamic shared memory that a launch of it will ask for. */
ki_status gpu_kernel(void **out, const struct gpu *g, const char *name, size_t shared_bytes);

ki_status gpu_launch(const struct gpu *g, void *kernel, const struct gpu_grid *grid, void *stream,
		     void **parameters);

#endif
