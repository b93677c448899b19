/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "document/slug.h"
#include "import/liger_catalog.h"
#include "record/manifest.h"

#define LIGER_REPOSITORY "https://github.com/linkedin/Liger-Kernel"
/* Of the benchmark scripts that the operations were read from. */
#define LIGER_COMMIT "2120862ba532c9449e72d603ba6324310ae756e7"
#define LIGER_TEXT_MAX 1024

static const struct ki_liger_kernel kernels[] = {
	{"multi_token_attention", "Multi-token attention", "softmax"},
	{"sparse_multi_token_attention", "Sparse multi-token attention", "sparsemax"},
};

static const struct ki_liger_provider providers[] = {
	{
		.name = "liger",
		.title = "Liger",
		.description = "Liger-Kernel Triton implementation.",
		.language = "triton",
		.license = "BSD-2-Clause",
		.package = "liger-kernel",
		.project = "liger-kernel",
		.project_title = "Liger-Kernel",
		.repository = "linkedin/Liger-Kernel",
	},
	{
		.name = "torch",
		.title = "PyTorch",
		.description = "PyTorch reference module.",
		.language = "python",
		.license = "BSD-3-Clause",
		.project = "pytorch",
		.project_title = "PyTorch",
		.repository = "pytorch/pytorch",
	},
};

static const struct ki_liger_pass passes[] = {
	{"forward", "the module forward pass"},
	{"backward", "the backward pass of the module output given a random upstream gradient"},
	{"full", "the forward pass plus the backward pass"},
};

static const struct ki_liger_gpu gpus[] = {
	{"NVIDIA A100-SXM4-80GB", "sm_80"},   {"NVIDIA B200", "sm_100"},
	{"NVIDIA GeForce RTX 3090", "sm_86"}, {"NVIDIA GeForce RTX 4090", "sm_89"},
	{"NVIDIA H100 80GB HBM3", "sm_90"},   {"NVIDIA H100 PCIe", "sm_90"},
};

static const struct ki_liger_dtype dtypes[] = {
	{"torch.bfloat16", "bf16"},
	{"torch.float16", "fp16"},
	{"torch.float32", "fp32"},
};

static const char *const axis_names[KI_LIGER_AXES] = {
	[KI_LIGER_BATCH] = "batch",
	[KI_LIGER_HEADS_IN] = "heads_in",
	[KI_LIGER_HEADS_OUT] = "heads_out",
	[KI_LIGER_SEQ] = "seq",
	[KI_LIGER_K] = "k",
};

#define FIND(table, member, wanted)                                                                \
	do {                                                                                       \
		size_t i_;                                                                         \
		for (i_ = 0; i_ < sizeof(table) / sizeof(table)[0]; i_++)                          \
			if (strcmp((table)[i_].member, wanted) == 0)                               \
				return &(table)[i_];                                               \
		return NULL;                                                                       \
	} while (0)

const struct ki_liger_kernel *ki_liger_kernel(const char *name)
{
	FIND(kernels, name, name);
}

const struct ki_liger_provider *ki_liger_provider(const char *name)
{
	FIND(providers, name, name);
}

const struct ki_liger_pass *ki_liger_pass(const char *name)
{
	FIND(passes, name, name);
}

const struct ki_liger_gpu *ki_liger_gpu(const char *name)
{
	FIND(gpus, name, name);
}

const struct ki_liger_dtype *ki_liger_dtype(const char *torch)
{
	FIND(dtypes, torch, torch);
}

/* ---------------------------------------------------------------- names */

void ki_liger_config(char out[KI_LIGER_CONFIG_MAX], const struct ki_liger_shape *shape)
{
	static const enum ki_liger_axis order[] = {KI_LIGER_BATCH, KI_LIGER_HEADS_IN,
						   KI_LIGER_HEADS_OUT, KI_LIGER_K, KI_LIGER_SEQ};
	size_t used = 0, i;

	for (i = 0; i < KI_LIGER_AXES; i++)
		used += (size_t)snprintf(out + used, KI_LIGER_CONFIG_MAX - used, "%s%" PRId64 "-",
					 axis_names[order[i]], shape->axes[order[i]]);
	snprintf(out + used, KI_LIGER_CONFIG_MAX - used, "%s", shape->dtype->name);
}

static json_t *metadata(const char *name, const char *title)
{
	char slug[KI_SLUG_MAX];

	ki_slug(slug, name);
	return json_pack("{s:s, s:s*}", "name", slug, "title", title);
}

static json_t *sources(const char *url)
{
	return json_pack("[{s:s}]", "url", url);
}

/* ---------------------------------------------------------------- documents */

int ki_liger_project(struct ki_identified *out, const struct ki_liger_provider *provider,
		     struct ki_error *e)
{
	char url[LIGER_TEXT_MAX];

	snprintf(url, sizeof url, "https://github.com/%s", provider->repository);
	return ki_manifest_new(out, "SoftwareProject", metadata(provider->project, NULL),
			       json_pack("{s:s, s:s, s:s, s:{s:s, s:s}}", "name",
					 provider->project_title, "kind", "library", "repository",
					 url, "host", "kind", "github", "id", provider->repository),
			       e);
}

static json_t *operation_axes(void)
{
	json_t *axes = json_object();
	int i;

	for (i = 0; i < KI_LIGER_AXES; i++)
		json_object_set_new(axes, axis_names[i],
				    json_pack("{s:s, s:s}", "role", "variable", "type", "integer"));
	return axes;
}

int ki_liger_operation(struct ki_identified *out, const struct ki_liger_kernel *kernel,
		       struct ki_error *e)
{
	char name[LIGER_TEXT_MAX], url[LIGER_TEXT_MAX], description[LIGER_TEXT_MAX];
	json_t *m, *spec;

	snprintf(name, sizeof name, "liger-%s", kernel->name);
	snprintf(url, sizeof url,
		 LIGER_REPOSITORY "/blob/" LIGER_COMMIT "/benchmark/scripts/benchmark_%s.py",
		 kernel->name);
	snprintf(
		description, sizeof description,
		"Multi-token attention over batch\u00d7heads_in\u00d7seq\u00d7seq scores: causal "
		"mask, %s, then a K\u00d7K convolution to heads_out with bias, re-masked causally.",
		kernel->function);
	m = metadata(name, kernel->title);
	json_object_set_new(m, "description", json_string(description));
	json_object_set_new(m, "sourceRefs", sources(url));
	spec = json_pack("{s:s, s:o, s:[{s:s, s:{s:[ssss], s:s}}, {s:s, s:{s:[ssss], s:s}},"
			 " {s:s, s:{s:[s], s:s}}], s:[{s:s, s:{s:[ssss], s:s}}], s:{s:s, s:s}}",
			 "family", "multi-token-attention", "axes", operation_axes(), "inputs",
			 "name", "scores", "tensor", "shape", "batch", "heads_in", "seq", "seq",
			 "dtype", "float", "name", "weight", "tensor", "shape", "heads_out",
			 "heads_in", "k", "k", "dtype", "float", "name", "bias", "tensor", "shape",
			 "heads_out", "dtype", "float", "outputs", "name", "y", "tensor", "shape",
			 "batch", "heads_out", "seq", "seq", "dtype", "float", "semantics",
			 "mutation", "none", "determinism", "unspecified");
	return ki_manifest_new(out, "OperationSpec", m, spec, e);
}

static json_t *workload_tensors(const struct ki_liger_shape *s)
{
	json_int_t b = s->axes[KI_LIGER_BATCH], in = s->axes[KI_LIGER_HEADS_IN],
		   heads = s->axes[KI_LIGER_HEADS_OUT], l = s->axes[KI_LIGER_SEQ],
		   k = s->axes[KI_LIGER_K];
	const char *dtype = s->dtype->name;

	return json_pack("{s:{s:[IIII], s:s}, s:{s:[IIII], s:s}, s:{s:[I], s:s}}", "scores",
			 "shape", b, in, l, l, "dtype", dtype, "weight", "shape", heads, in, k, k,
			 "dtype", dtype, "bias", "shape", heads, "dtype", dtype);
}

int ki_liger_workload(struct ki_identified *out, const struct ki_liger_kernel *kernel,
		      const struct ki_liger_shape *shape, const struct ki_digest *operation,
		      struct ki_error *e)
{
	char config[KI_LIGER_CONFIG_MAX], name[LIGER_TEXT_MAX], title[LIGER_TEXT_MAX];
	json_t *axes = json_object();
	size_t used, i;

	ki_liger_config(config, shape);
	snprintf(name, sizeof name, "liger-%s-%s", kernel->name, config);
	used = (size_t)snprintf(title, sizeof title, "%s \u00b7 ", kernel->title);
	for (i = 0; i < KI_LIGER_AXES; i++) {
		used += (size_t)snprintf(title + used, sizeof title - used, "%s%s=%" PRId64,
					 i > 0 ? ", " : "", axis_names[i], shape->axes[i]);
		json_object_set_new(axes, axis_names[i], json_integer(shape->axes[i]));
	}
	snprintf(title + used, sizeof title - used, " \u00b7 %s", shape->dtype->name);
	return ki_manifest_new(out, "WorkloadCase", metadata(name, title),
			       json_pack("{s:s, s:o, s:o, s:{s:s}}", "operationSpecDigest",
					 operation->text, "axes", axes, "tensors",
					 workload_tensors(shape), "correctness", "comparator",
					 "not_asserted"),
			       e);
}

/* Whose package is named has a build variant and a licence that was looked at; the other is the
 * baseline. */
static void implementation_package(json_t *m, json_t *spec, const struct ki_liger_provider *p)
{
	json_t *licensing = json_object_get(spec, "licensing");

	if (p->package == NULL) {
		json_object_set_new(m, "labels", json_pack("{s:s}", "role", "baseline"));
		return;
	}
	json_object_set_new(spec, "buildVariants",
			    json_pack("[{s:s, s:{s:s, s:s}}]", "name", "pip", "install", "kind",
				      "pip", "package", p->package));
	json_object_set_new(licensing, "concluded", json_string(p->license));
}

int ki_liger_implementation(struct ki_identified *out, const struct ki_liger_kernel *kernel,
			    const struct ki_liger_provider *provider,
			    const struct ki_digest *operation, struct ki_error *e)
{
	char name[LIGER_TEXT_MAX], title[LIGER_TEXT_MAX];
	json_t *m, *spec;

	snprintf(name, sizeof name, "liger-bench-%s-%s", kernel->name, provider->name);
	snprintf(title, sizeof title, "%s \u00b7 %s", kernel->title, provider->title);
	m = metadata(name, title);
	json_object_set_new(m, "description", json_string(provider->description));
	json_object_set_new(m, "sourceRefs", sources(LIGER_REPOSITORY));
	spec = json_pack("{s:{}, s:{s:s}, s:{s:s}, s:{s:[], s:[]}, s:{s:s}}", "projectRevision",
			 "operation", "specDigest", operation->text, "callable", "language",
			 provider->language, "support", "hardwareArchitectures", "dtypes",
			 "licensing", "declared", provider->license);
	implementation_package(m, spec, provider);
	return ki_manifest_new(out, "ImplementationRevision", m, spec, e);
}

int ki_liger_protocol(struct ki_identified *out, const struct ki_liger_pass *pass,
		      struct ki_error *e)
{
	char name[LIGER_TEXT_MAX], title[LIGER_TEXT_MAX], notes[LIGER_TEXT_MAX];

	snprintf(name, sizeof name, "liger-bench-do-bench-%s", pass->name);
	snprintf(title, sizeof title, "Liger benchmark harness \u00b7 %s pass", pass->name);
	snprintf(notes, sizeof notes,
		 "Timed: %s, via triton.testing.do_bench with quantiles 0.5/0.2/0.8 (median with "
		 "p20/p80 spread). The upstream CSV records no CUDA, driver, or torch version; the "
		 "Liger release rides each run's labels. Comparable only within one kernel, "
		 "workload, timed pass, and GPU.",
		 pass->timed);
	return ki_manifest_new(out, "BenchmarkProtocol", metadata(name, title),
			       json_pack("{s:{s:s, s:s}, s:{s:s, s:s}, s:{s:s, s:s}}", "harness",
					 "name", "Liger-Kernel benchmark scripts", "repository",
					 LIGER_REPOSITORY, "measurement", "timer", "cuda_events",
					 "primaryStatistic", "median", "comparability", "family",
					 "liger_kernel_bench", "notes", notes),
			       e);
}

int ki_liger_environment(struct ki_identified *out, const struct ki_liger_gpu *gpu,
			 struct ki_error *e)
{
	static const char vendor[] = "NVIDIA ";
	char name[LIGER_TEXT_MAX], title[LIGER_TEXT_MAX];
	const char *product = gpu->name;

	if (strncmp(product, vendor, sizeof vendor - 1) == 0)
		product += sizeof vendor - 1;
	snprintf(name, sizeof name, "liger-bench-%s", gpu->name);
	snprintf(title, sizeof title, "Liger benchmark host \u00b7 %s", product);
	return ki_manifest_new(out, "ExecutionEnvironment", metadata(name, title),
			       json_pack("{s:{s:s, s:s, s:s}, s:{}}", "hardware", "vendor",
					 "nvidia", "product", gpu->name, "architecture",
					 gpu->architecture, "software"),
			       e);
}
