/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a run as a table for a person. */
#ifndef KI_REPORT_TABLE_H
#define KI_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "record/measurement.h"
#include "stats/comparison.h"

/* One line: a backend's turn at a case. */
struct ki_table_row {
	const char *case_label; /* "seq=1024 bf16" */
	const char *backend;
	enum ki_verdict verdict;
	bool interrupted;
	bool has_latency; /* what follows is set */
	struct ki_summary summary;
	int64_t work_bytes; /* 0: no bandwidth */
	double copy_rate;   /* bytes a second of the device's own copy; 0: not measured */
	double ratio;       /* baseline's median over this one's; 0: none */
	bool is_baseline;
	bool has_outcome; /* what follows is set */
	struct ki_comparison comparison;
	enum ki_outcome outcome;
	const char *reason; /* of a verdict other than passed: one sentence; NULL */
};

/*
 * Columns: case, backend, status, median, p20-p80, control, GB/s, share of the copy rate, ratio to
 * the baseline ("2.31x" is 2.31 times as fast), the difference with its interval, the verdict. Rows
 * of one case stand together, the case named once; reasons stand below the table.  UTF-8 only when
 * utf8.
 */
void ki_table_print(FILE *out, const struct ki_table_row *rows, size_t n, bool utf8);

#endif
