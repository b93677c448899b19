/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who decides whether an output is right: the float64 oracle and the eager reference of the plan,
 * each in a worker of its own, and the comparison, here.
 */
#ifndef KI_RUN_JUDGE_H
#define KI_RUN_JUDGE_H

#include <stdbool.h>

#include "run/contender.h"

struct ki_judge {
	const struct ki_run_setting *setting;
	const struct ki_case *c;
	struct ki_contender oracle;
	struct ki_contender reference;
	struct ki_measurement oracle_notes;
	struct ki_measurement reference_notes;
	uint64_t tile_rows;
	bool fit; /* oracle and reference answer, and the comparison can tell right from wrong */
	char unfit[KI_ERROR_TEXT_MAX]; /* why not */
	bool interrupted;
};

/* Starts both workers.  Their failures make the judge unfit; only ours are returned. */
int ki_judge_start(struct ki_judge *j, const struct ki_run_setting *setting,
		   const struct ki_case *c, const struct ki_region *inputs,
		   struct ki_error *e) KI_MUST_CHECK;

/*
 * Compares what lies in the outputs of every live contender, which all were computed from the same
 * content, and notes the results.  phase is "before timing" or "timed".  With self_test the
 * comparison is tried on wrong outputs first.
 */
int ki_judge_compare(struct ki_judge *j, struct ki_contender *contenders, size_t n, size_t content,
		     const char *phase, bool self_test, struct ki_error *e) KI_MUST_CHECK;

/* Stops the threads of both until they are needed again. */
void ki_judge_pause(struct ki_judge *j);

void ki_judge_finish(struct ki_judge *j);

#endif
