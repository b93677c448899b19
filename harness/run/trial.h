/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One case, from inputs to measurements:
 *
 *   inputs generated -> workers started -> every content checked -> timed by the schedule, the
 *   backends interleaved -> what the last timed launches left checked -> workers ended.
 */
#ifndef KI_RUN_TRIAL_H
#define KI_RUN_TRIAL_H

#include "run/contender.h"

/* Told where the trial stands: done from 0 to 1.  May be NULL. */
typedef void (*ki_trial_report)(void *context, double done, const char *what);

/*
 * measurements[i] belongs to backends[i] and was initialised by the caller.  Returns
 * KI_FAIL_INTERRUPT when the user asked to stop, another error when this side failed; what a
 * backend does wrong is in its measurement.
 */
int ki_trial_run(struct ki_measurement *measurements, const struct ki_run_setting *setting,
		 const struct ki_case *c, const struct ki_backend *backends, size_t n_backends,
		 ki_trial_report report, void *context, struct ki_error *e) KI_MUST_CHECK;

#endif
