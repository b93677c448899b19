/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "ki_plugin.h"
#include "support/toolchain.h"
#include "torch-reference/eager.h"

struct ki_instance {
	struct eager eager;
};

static ki_status reference_supports(const struct ki_host *host, const struct ki_device *dev,
				    const struct ki_workload *w)
{
	struct mta mta;
	const char *why = mta_read(&mta, dev, w, false);

	return why == NULL ? KI_OK : host->fail(host, KI_E_UNSUPPORTED, 0, why);
}

static ki_status reference_create(ki_instance **out, const struct ki_host *host,
				  const struct ki_device *dev, const struct ki_workload *w)
{
	struct mta mta;
	const char *why = mta_read(&mta, dev, w, false);
	ki_instance *k;

	if (why != NULL)
		return host->fail(host, KI_E_UNSUPPORTED, 0, why);
	k = calloc(1, sizeof *k);
	if (k == NULL || eager_init(&k->eager, &mta, dev->cpu_threads) != 0) {
		free(k);
		return host->fail(host, KI_E_NOMEM, 0, "no memory or no threads for an instance");
	}
	*out = k;
	return KI_OK;
}

static ki_status reference_needs(ki_instance *k, struct ki_needs *out)
{
	out->scratch_bytes = eager_scratch_bytes(&k->eager.mta);
	return KI_OK;
}

static ki_status reference_launch(ki_instance *k, const struct ki_launch *l)
{
	eager_forward(&k->eager, l->operands[MTA_SCORES].tensor->data,
		      l->operands[MTA_WEIGHT].tensor->data, l->operands[MTA_BIAS].tensor->data,
		      l->operands[MTA_Y].tensor->data, l->scratch);
	return KI_OK;
}

static void reference_destroy(ki_instance *k)
{
	eager_fini(&k->eager);
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
