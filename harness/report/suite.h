/* SPDX-License-Identifier: Apache-2.0 */
/* The verdicts of a whole suite, which are not those of its cases alone. */
#ifndef KI_REPORT_SUITE_H
#define KI_REPORT_SUITE_H

#include "base/error.h"
#include "report/sentence.h"
#include "report/table.h"
#include "stats/comparison.h"

/*
 * Sets the outcome of every row that is compared with a baseline (has_outcome, not is_baseline),
 * after Holm's adjustment over all of them, and sentences[i] of it ("" for the others).  *suite is
 * the outcome of all; inconclusive when there are none.
 */
int ki_suite_settle(enum ki_outcome *suite, struct ki_table_row *rows, size_t n,
		    const struct ki_comparison_rule *rule, char (*sentences)[KI_SENTENCE_MAX],
		    struct ki_error *e) KI_MUST_CHECK;

#endif
