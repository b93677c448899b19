/* SPDX-License-Identifier: Apache-2.0 */
/* Driving a plugin of multi-token attention by the ABI alone, in this process. */
#ifndef KI_TESTS_MTA_CASE_H
#define KI_TESTS_MTA_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ki_plugin.h"
#include "verify/dtype.h"

struct mta_shape {
	int64_t batch, heads_in, heads_out, groups, length, k;
};

#define MTA_CASE_GUARD 256

/* A workload and its data; all owned. */
struct mta_case {
	struct mta_shape shape;
	enum ki_dtype dtype;
	DLDeviceType device;
	int64_t dims[4][4];
	int64_t strides[4][4];
	DLTensor tensors[4];
	struct ki_operand operands[4];
	struct ki_attr attrs[3];
	struct ki_workload workload;
	uint64_t elements[4];
	void *data[4]; /* y has MTA_CASE_GUARD bytes of guard on either side */
};

/* out_dtype: of y; isa: NULL, or the attribute. */
void mta_case_init(struct mta_case *c, struct mta_shape shape, enum ki_dtype dtype,
		   enum ki_dtype out_dtype, const char *isa);
void mta_case_fini(struct mta_case *c);

/* Normal scores, uniform weights and bias, from the seed; above the diagonal `masked`. */
void mta_case_fill(struct mta_case *c, uint64_t seed, double masked);

double mta_case_get(const struct mta_case *c, int operand, uint64_t i);
void mta_case_set(struct mta_case *c, int operand, uint64_t i, double v);

/* A kernel of a plugin in the build's plugins/ folder. */
const struct ki_kernel *mta_case_kernel(const char *plugin);

/* What host->fail() was told last. */
const char *mta_case_reason(void);

ki_status mta_case_supports(const struct ki_kernel *k, const struct mta_case *c, unsigned threads);
ki_instance *mta_case_create(const struct ki_kernel *k, const struct mta_case *c, unsigned threads);

/* Poisons y and launches; asserts that scratch, guards and inputs are kept. */
void mta_case_launch(const struct ki_kernel *k, ki_instance *i, struct mta_case *c);

/* What makes a workload of heads 4 to 4 and L 8 another operation, or none. */
enum mta_damage {
	OTHER_DEVICE,
	OTHER_OP,
	OTHER_PASS,
	NO_PASS,
	FEWER_OPERANDS,
	OTHER_NAME,
	OTHER_ROLE,
	OTHER_RANK,
	TRANSPOSED,
	OFFSET,
	NOT_SQUARE,
	EVEN_KERNEL,
	MIXED_DTYPES,
	INTEGERS,
	GROUPS_ZERO,
	GROUPS_DO_NOT_DIVIDE,
	GROUPS_TEXT,
	BIAS_TOO_SHORT,
	HEADS_DO_NOT_FIT,
	DAMAGES
};

void mta_case_damage(struct mta_case *c, enum mta_damage d);

/* create, launch, destroy. */
void mta_case_run(const struct ki_kernel *k, struct mta_case *c, unsigned threads);

#endif
