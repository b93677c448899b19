/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One backend's turn at one case: its worker, the memory that its outputs arrive in, and what was
 * measured.  Whatever goes wrong becomes a finding and ends this turn alone.
 */
#ifndef KI_RUN_CONTENDER_H
#define KI_RUN_CONTENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/case.h"
#include "record/measurement.h"
#include "run/backend.h"
#include "run/region.h"
#include "run/setting.h"

struct ki_contender {
	const struct ki_run_setting *setting;
	const struct ki_case *c;
	const struct ki_backend *backend;
	struct ki_measurement *measurement; /* the caller's */
	uint32_t replicate; /* which of its workers this is, from 0; the caller's to set */
	struct ki_worker *worker;
	struct ki_region outputs;
	uint64_t deadline_ns; /* of the whole case, on the clock for deadlines */
	uint64_t poison;      /* key that the outputs now in `outputs` were filled with before */
	size_t content;       /* that they were computed from */
	bool live;            /* still in the running */
};

/* What a contender computes. */
enum ki_contender_role {
	KI_CONTENDER_CANDIDATE, /* on the run's device, outputs in the case's dtypes */
	KI_CONTENDER_ORACLE     /* on the CPU, outputs in float64, a tile of rows at a time */
};

/*
 * Spawns, loads, creates, prepares and maps inputs.  tile_rows is an oracle's, 0 otherwise.  Only
 * a failure of this side is returned; a failure of the backend ends its turn (live is false).
 */
int ki_contender_start(struct ki_contender *out, const struct ki_run_setting *setting,
		       const struct ki_case *c, const struct ki_backend *backend,
		       enum ki_contender_role role, uint64_t tile_rows,
		       const struct ki_region *inputs, struct ki_measurement *measurement,
		       struct ki_error *e) KI_MUST_CHECK;

/* An untimed launch on a content; the output is then in `outputs`. */
void ki_contender_check(struct ki_contender *k, size_t content, uint64_t seed);

/* Rows first .. first + count - 1 of one output, into `outputs`; false when that failed. */
bool ki_contender_rows(struct ki_contender *k, size_t content, size_t output, uint64_t first,
		       uint64_t count);

/* The method's estimate and warm-up. */
void ki_contender_warm(struct ki_contender *k, size_t content, uint64_t seed);

/* One segment of n samples; the last sample's output is then in `outputs`. */
void ki_contender_segment(struct ki_contender *k, size_t content, uint64_t placement,
			  uint32_t segment, uint64_t n);

/* Stops its threads until it is asked again. */
void ki_contender_pause(struct ki_contender *k);

/* The orderly end, and its log into the measurement. */
void ki_contender_finish(struct ki_contender *k);

/* The key that output operand i was filled with. */
uint64_t ki_contender_poison(const struct ki_contender *k, size_t operand);

#endif
