/* SPDX-License-Identifier: Apache-2.0 */
/* A case as a plugin sees it: struct ki_workload, built from a message and owned here. */
#ifndef KI_WORKER_WORKLOAD_H
#define KI_WORKER_WORKLOAD_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "ki_plugin.h"
#include "verify/dtype.h"

#define KI_WORKLOAD_OPERANDS_MAX 32
#define KI_WORKLOAD_ATTRS_MAX 65
#define KI_WORKLOAD_NDIM_MAX 8

struct ki_workload_operand {
	enum ki_dtype dtype;
	uint64_t bytes;
	uint64_t row_length; /* the last axis */
	uint64_t rows;
	int64_t shape[KI_WORKLOAD_NDIM_MAX];
	int64_t strides[KI_WORKLOAD_NDIM_MAX];
	DLTensor tensor;
};

/* Not movable: the ABI structs point into it. */
struct ki_workload_copy {
	json_t *message; /* owns the strings */
	struct ki_workload abi;
	struct ki_operand operands[KI_WORKLOAD_OPERANDS_MAX];
	struct ki_attr attrs[KI_WORKLOAD_ATTRS_MAX];
	struct ki_workload_operand info[KI_WORKLOAD_OPERANDS_MAX];
};

/*
 * message: {"op", "attributes": {name: value}, "operands": [{"name", "role": "in"|"out", "dtype",
 * "shape"}]}.  Data pointers stay NULL.
 */
int ki_workload_copy_init(struct ki_workload_copy *out, json_t *message, const DLDevice *device,
			  struct ki_error *e) KI_MUST_CHECK;
void ki_workload_copy_fini(struct ki_workload_copy *w);

#endif
