/* SPDX-License-Identifier: Apache-2.0 */
/* What all cases of a run share. */
#ifndef KI_RUN_SETTING_H
#define KI_RUN_SETTING_H

#include <stdint.h>

#include "protocol/plan.h"
#include "run/backend.h"
#include "worker/process.h"

struct ki_run_setting {
	const struct ki_plan *plan;
	const char *device_kind;     /* "cpu", "cuda" */
	const char *device_selector; /* "" for the first of its kind */
	unsigned threads;            /* that a launch may use; also what this process uses */
	struct ki_worker_run workers;
	uint64_t seed;        /* of schedules and placements; recorded */
	uint64_t slack_bytes; /* of the operands' slab */
	const struct ki_backend *oracle;
	const struct ki_backend *reference;
};

#endif
