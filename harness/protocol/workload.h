/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kernel Index WorkloadCase of a case, as Kernel Index's Liger importer derives its own: the
 * axes, the input tensors with shape and dtype, and `not_asserted` correctness unless the plan
 * states inputs and tolerances.
 */
#ifndef KI_PROTOCOL_WORKLOAD_H
#define KI_PROTOCOL_WORKLOAD_H

#include "protocol/case.h"

/* Sets c's workload (the case's to release) and its digest. */
int ki_workload_document(struct ki_case *c, const struct ki_plan *plan,
			 struct ki_error *e) KI_MUST_CHECK;

#endif
