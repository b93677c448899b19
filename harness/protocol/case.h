/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of a plan: every binding of the operation's axes, with the tensors that follow from
 * it, the data they start from, and the Kernel Index WorkloadCase that names it (workload.h).
 */
#ifndef KI_PROTOCOL_CASE_H
#define KI_PROTOCOL_CASE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocol/plan.h"
#include "verify/dtype.h"
#include "verify/generate.h"

#define KI_CASE_NDIM_MAX 8
#define KI_CASE_AXES_MAX 32
#define KI_CASE_OPERANDS_MAX 32
#define KI_CASE_COUNT_MAX 4096
#define KI_CASE_TEXT_MAX 200
/* The largest integer that a JSON reader in doubles still tells from its neighbours. */
#define KI_CASE_INTEGER_MAX 9007199254740991
/* No tensor is larger: what a pointer difference can hold on every machine that we run on. */
#define KI_CASE_TENSOR_BYTES_MAX ((uint64_t)1 << 46)

struct ki_axis {
	const char *name; /* the plan's */
	int64_t value;
};

enum ki_operand_role { KI_OPERAND_INPUT, KI_OPERAND_OUTPUT };

struct ki_case_operand {
	const char *name;
	enum ki_operand_role role;
	enum ki_dtype dtype;
	int ndim;
	int64_t shape[KI_CASE_NDIM_MAX];
	uint64_t elements;
	uint64_t bytes;
	uint64_t row_length;           /* the last axis */
	uint64_t rows;                 /* the axes before it */
	struct ki_generator generator; /* of an input */
};

struct ki_case {
	char label[KI_CASE_TEXT_MAX]; /* "seq=1024 bf16": what differs between the cases */
	char full[KI_CASE_TEXT_MAX];  /* "batch=2, heads_in=4, ..., k=3, bf16" */
	enum ki_dtype dtype;
	size_t n_axes;
	struct ki_axis axes[KI_CASE_AXES_MAX];
	size_t n_operands; /* inputs in the operation's order, then outputs */
	size_t n_inputs;
	struct ki_case_operand operands[KI_CASE_OPERANDS_MAX];
	int64_t work_bytes;      /* that a launch must move; 0 when the plan does not say */
	int64_t work_operations; /* likewise */
	json_t *workload;
	struct ki_digest workload_digest;
};

struct ki_case_list {
	size_t count;
	struct ki_case *cases;
};

int ki_case_list_new(struct ki_case_list *out, const struct ki_plan *plan,
		     struct ki_error *e) KI_MUST_CHECK;
void ki_case_list_free(struct ki_case_list *list);

/* The value of an axis; false when there is none of that name. */
bool ki_case_axis(int64_t *out, const struct ki_case *c, const char *name);

/* Whether the case has the axis (or "dtype") bound to value, as in --case seq=1024. */
enum ki_case_match { KI_CASE_MATCH, KI_CASE_NO_MATCH, KI_CASE_NO_SUCH_AXIS };
enum ki_case_match ki_case_matches(const struct ki_case *c, const char *axis, const char *value);

#endif
