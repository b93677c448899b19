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

/*
 * What decides whether an output is right, as a token: "noise_relative", and behind it, when the
 * plan states its tolerances, the limits of verify/compare.h: "noise_relative_row4_pool2", with p
 * for a point.  A run of such a workload has matched when all of its rows have.
 */
#define KI_WORKLOAD_COMPARATOR_MAX 96
void ki_workload_comparator(char out[KI_WORKLOAD_COMPARATOR_MAX], const struct ki_plan *plan);

#endif
