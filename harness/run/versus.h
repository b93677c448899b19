/* SPDX-License-Identifier: Apache-2.0 */
/* Two backends' measurements of one case, put beside each other pair of workers by pair. */
#ifndef KI_RUN_VERSUS_H
#define KI_RUN_VERSUS_H

#include "record/measurement.h"
#include "stats/comparison.h"

/*
 * head against base.  A replicate counts when both have every segment of at least one block of it.
 * rule->tick_ns is filled in from the samples where it is 0.
 */
int ki_versus_compare(struct ki_comparison *out, const struct ki_measurement *base,
		      const struct ki_measurement *head, struct ki_comparison_rule rule,
		      struct ki_error *e) KI_MUST_CHECK;

#endif
