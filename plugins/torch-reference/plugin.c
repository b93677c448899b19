/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "ki_plugin.h"
#include "support/toolchain.h"
#include "torch-reference/eager.h"
#include "torch-reference/eager_gpu.h"

/* On one device or the other. */
struct ki_instance {
	bool on_gpu;
	struct eager cpu;
	struct eager_gpu gpu;
	uint64_t scratch_bytes;
};

static const char *reference_read(struct mta *out, const struct ki_device *dev,
				  const struct ki_workload *w)
{
	if (dev->dl.device_type != kDLCPU && dev->dl.device_type != kDLCUDA)
		return "only the CPU and CUDA devices";
	return mta_read(out, w, false);
}

static ki_status reference_supports(const struct ki_host *host, const struct ki_device *dev,
				    const struct ki_workload *w)
{
	struct mta mta;
	const char *why = reference_read(&mta, dev, w);

	return why == NULL ? KI_OK : host->fail(host, KI_E_UNSUPPORTED, 0, why);
}

static ki_status reference_init(ki_instance *k, const struct ki_host *host,
				const struct ki_device *dev, const struct mta *mta)
{
	k->on_gpu = dev->dl.device_type == kDLCUDA;
	k->scratch_bytes = eager_scratch_bytes(mta);
	if (k->on_gpu)
		return eager_gpu_init(&k->gpu, mta, host);
	if (eager_init(&k->cpu, mta, dev->cpu_threads) != 0)
		return host->fail(host, KI_E_NOMEM, 0, "no memory or no threads for an instance");
	return KI_OK;
}

static ki_status reference_create(ki_instance **out, const struct ki_host *host,
				  const struct ki_device *dev, const struct ki_workload *w)
{
	struct mta mta;
	const char *why = reference_read(&mta, dev, w);
	ki_instance *k;
	ki_status status;

	if (why != NULL)
		return host->fail(host, KI_E_UNSUPPORTED, 0, why);
	k = calloc(1, sizeof *k);
	status = k != NULL ? reference_init(k, host, dev, &mta)
			   : host->fail(host, KI_E_NOMEM, 0, "no memory for an instance");
	if (status == KI_OK)
		*out = k;
	else
		free(k);
	return status;
}

static ki_status reference_needs(ki_instance *k, struct ki_needs *out)
{
	out->scratch_bytes = k->scratch_bytes;
	return KI_OK;
}

static ki_status reference_launch(ki_instance *k, const struct ki_launch *l)
{
	if (k->on_gpu)
		return eager_gpu_forward(&k->gpu, l);
	eager_forward(&k->cpu, l->operands[MTA_SCORES].tensor->data,
		      l->operands[MTA_WEIGHT].tensor->data, l->operands[MTA_BIAS].tensor->data,
		      l->operands[MTA_Y].tensor->data, l->scratch);
	return KI_OK;
}

static void reference_destroy(ki_instance *k)
{
	if (k->on_gpu)
		eager_gpu_fini(&k->gpu);
	else
		eager_fini(&k->cpu);
	free(k);
}

static const struct ki_kernel eager = {
	.struct_size = sizeof eager,
	.id = "eager",
	.op = MTA_OP,
	.summary = "Multi-token attention pass by pass, as PyTorch runs it eagerly",
	.language = "c",
	.license = "Apache-2.0",
	.supports = reference_supports,
	.create = reference_create,
	.needs = reference_needs,
	.launch = reference_launch,
	.destroy = reference_destroy,
};

static const struct ki_kernel *const kernels[] = {&eager, NULL};

static const struct ki_plugin plugin = {
	.struct_size = sizeof plugin,
	.abi_version = KI_ABI_VERSION,
	.min_host_abi = KI_ABI_PACK(1, 0),
	.id = "org.ki-harness.torch-reference",
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
