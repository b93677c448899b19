/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Liger-Kernel's benchmark results are about, as Kernel Index's importer describes it (its
 * apps/web/src/server/import/liger, parser version 1): kernels, providers, passes, GPUs, and the
 * documents that stand for them.
 *
 * Two kernels of Liger may be one operation: softmax and sparsemax are told apart by the
 * description alone, which has no part in the digest.
 */
#ifndef KI_IMPORT_LIGER_CATALOG_H
#define KI_IMPORT_LIGER_CATALOG_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "record/document.h"

/* kernel_name: a row of another kernel is not known. */
struct ki_liger_kernel {
	const char *name;     /* "multi_token_attention" */
	const char *title;    /* "Multi-token attention" */
	const char *function; /* what is applied to the scores */
};

/* kernel_provider. */
struct ki_liger_provider {
	const char *name;
	const char *title;
	const char *description;
	const char *language;
	const char *license;
	const char *package; /* that pip installs; NULL: none is named, it is the baseline */
	const char *project; /* name of its SoftwareProject */
	const char *project_title;
	const char *repository; /* "linkedin/Liger-Kernel", of GitHub */
};

/* kernel_operation_mode. */
struct ki_liger_pass {
	const char *name;
	const char *timed;
};

/* gpu_name. */
struct ki_liger_gpu {
	const char *name;
	const char
		*architecture; /* its compute capability (NVIDIA, "CUDA GPU Compute Capability") */
};

/* dtype of the configuration. */
struct ki_liger_dtype {
	const char *torch;
	const char *name;
};

/* NULL: there is none of that name. */
const struct ki_liger_kernel *ki_liger_kernel(const char *name);
const struct ki_liger_provider *ki_liger_provider(const char *name);
const struct ki_liger_pass *ki_liger_pass(const char *name);
const struct ki_liger_gpu *ki_liger_gpu(const char *name);
const struct ki_liger_dtype *ki_liger_dtype(const char *torch);

/* The sizes of a multi-token attention, in the order in which they are written. */
enum ki_liger_axis {
	KI_LIGER_BATCH,
	KI_LIGER_HEADS_IN,
	KI_LIGER_HEADS_OUT,
	KI_LIGER_SEQ,
	KI_LIGER_K,
	KI_LIGER_AXES
};

struct ki_liger_shape {
	int64_t axes[KI_LIGER_AXES];
	const struct ki_liger_dtype *dtype;
};

/* "batch2-heads_in4-heads_out4-k3-seq32-bf16". */
#define KI_LIGER_CONFIG_MAX 160
void ki_liger_config(char out[KI_LIGER_CONFIG_MAX], const struct ki_liger_shape *shape);

int ki_liger_project(struct ki_identified *out, const struct ki_liger_provider *provider,
		     struct ki_error *e) KI_MUST_CHECK;
int ki_liger_operation(struct ki_identified *out, const struct ki_liger_kernel *kernel,
		       struct ki_error *e) KI_MUST_CHECK;
int ki_liger_workload(struct ki_identified *out, const struct ki_liger_kernel *kernel,
		      const struct ki_liger_shape *shape, const struct ki_digest *operation,
		      struct ki_error *e) KI_MUST_CHECK;
int ki_liger_implementation(struct ki_identified *out, const struct ki_liger_kernel *kernel,
			    const struct ki_liger_provider *provider,
			    const struct ki_digest *operation, struct ki_error *e) KI_MUST_CHECK;
int ki_liger_protocol(struct ki_identified *out, const struct ki_liger_pass *pass,
		      struct ki_error *e) KI_MUST_CHECK;
int ki_liger_environment(struct ki_identified *out, const struct ki_liger_gpu *gpu,
			 struct ki_error *e) KI_MUST_CHECK;

#endif
