/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is going on, on standard error: one line that is rewritten on a terminal, with the time
 * left; one line a finished case elsewhere.
 */
#ifndef KI_REPORT_PROGRESS_H
#define KI_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ki_progress {
	FILE *out;
	bool terminal;
	bool quiet;
	size_t n_cases;
	size_t finished;
	uint64_t started_ns; /* of the clock for deadlines */
	uint64_t last_draw_ns;
	double *weights; /* expected share of the time of each case; owned */
	double weight_total;
	double weight_done;
	char case_label[80];
};

/* weights[i] > 0: how long case i is expected to take, in any unit.  Copied; NULL: all alike. */
void ki_progress_init(struct ki_progress *p, FILE *out, bool quiet, size_t n_cases,
		      const double *weights);
void ki_progress_fini(struct ki_progress *p);

/* A case starts; label is copied. */
void ki_progress_case(struct ki_progress *p, const char *label);
/* Where it stands: "checking fused", and how much of the case is done (0 to 1). */
void ki_progress_step(struct ki_progress *p, double done, const char *what);
/* The case is done; text (may be NULL) is its line where there is no terminal. */
void ki_progress_case_done(struct ki_progress *p, const char *text);
/* Takes the line away, before something else is printed. */
void ki_progress_clear(struct ki_progress *p);

#endif
