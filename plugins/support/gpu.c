/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "support/gpu.h"

/* cuFuncSetAttribute */
#define GPU_MAX_DYNAMIC_SHARED_SIZE_BYTES 8
/* More than this has to be asked for. */
#define GPU_SHARED_FREELY ((size_t)48 << 10)

static ki_status gpu_proc(void *out, const struct ki_host *host, const struct ki_host_cuda *cuda,
			  const char *symbol)
{
	void *address = cuda->proc(host, symbol);

	if (address == NULL)
		return host->fail(host, KI_E_DEVICE, 0, symbol);
	memcpy(out, &address, sizeof address);
	return KI_OK;
}

ki_status gpu_open(struct gpu *out, const struct ki_host *host, const char *ptx)
{
	const struct ki_host_cuda *cuda = host->extension(host, KI_EXT_CUDA);
	struct gpu g = {.host = host};
	ki_status status;

	if (cuda == NULL)
		return host->fail(host, KI_E_ABI, 0, "the host does not offer " KI_EXT_CUDA);
	status = gpu_proc(&g.get_function, host, cuda, "cuModuleGetFunction");
	if (status == KI_OK)
		status = gpu_proc(&g.set_attribute, host, cuda, "cuFuncSetAttribute");
	if (status == KI_OK)
		status = gpu_proc(&g.unload, host, cuda, "cuModuleUnload");
	if (status == KI_OK)
		status = gpu_proc(&g.launch, host, cuda, "cuLaunchKernel");
	if (status == KI_OK)
		status = cuda->module_load(host, &g.module, ptx);
	if (status == KI_OK)
		*out = g;
	return status;
}

void gpu_close(struct gpu *g)
{
	if (g->module != NULL)
		g->unload(g->module);
	g->module = NULL;
}

ki_status gpu_kernel(void **out, const struct gpu *g, const char *name, size_t shared_bytes)
{
	int32_t r = g->get_function(out, g->module, name);

	if (r == 0 && shared_bytes > GPU_SHARED_FREELY)
		r = g->set_attribute(*out, GPU_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes);
	return r == 0 ? KI_OK : g->host->fail(g->host, KI_E_DEVICE, r, name);
}

ki_status gpu_launch(const struct gpu *g, void *kernel, const struct gpu_grid *grid, void *stream,
		     void **parameters)
{
	int32_t r = g->launch(kernel, grid->x, grid->y, grid->z, grid->threads, 1, 1,
			      grid->shared_bytes, stream, parameters, NULL);

	return r == 0 ? KI_OK : g->host->fail(g->host, KI_E_DEVICE, r, "cuLaunchKernel");
}
