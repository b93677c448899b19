/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the supervisor shares with workers: the operands of one or more contents. */
#ifndef KI_RUN_REGION_H
#define KI_RUN_REGION_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "protocol/case.h"

#define KI_REGION_CONTENTS_MAX 64

struct ki_region {
	int fd;
	unsigned char *memory;
	uint64_t bytes;
	size_t n_contents;
	size_t n_operands;
	uint64_t offsets[KI_REGION_CONTENTS_MAX][KI_CASE_OPERANDS_MAX];
};

/*
 * sizes[i] bytes for operand i of every content, 0 for one that has no place here.  The memory is
 * zero and can neither grow nor shrink.
 */
int ki_region_new(struct ki_region *out, const char *name, const uint64_t *sizes, size_t n_operands,
		  size_t n_contents, struct ki_error *e) KI_MUST_CHECK;
void ki_region_free(struct ki_region *r);

void *ki_region_at(const struct ki_region *r, size_t content, size_t operand);

/*
 * From now on no one else can map it for writing; this side's mapping stays writable.  Returns
 * false where the system cannot do that (before Linux 5.1).
 */
bool ki_region_seal(struct ki_region *r);

/* {"bytes", "offsets"} for a MAP question. */
json_t *ki_region_json(const struct ki_region *r);

#endif
