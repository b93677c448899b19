/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BenchmarkProtocol document of a plan on a device.
 *
 * A different measurement has a different digest: what Kernel Index has a field for goes into that
 * field, everything else that decides a number is rendered in fixed order as the last sentences of
 * comparability.notes.  What does not (commit, driver, machine) stays out.
 */
#ifndef KI_PROTOCOL_IDENTITY_H
#define KI_PROTOCOL_IDENTITY_H

#include <jansson.h>

#include "base/error.h"
#include "protocol/case.h"
#include "protocol/plan.h"

/*
 * The revision of the code that measures: raised when a timing could differ, and only then.  It is
 * harness.version of the protocol document.
 */
#define KI_MEASURING_REVISION "1"

struct ki_identity_device {
	const char *timer;           /* "monotonic_raw", "cuda_events" */
	const char *synchronization; /* what ends a sample: "launch_return", "stream_event" */
	unsigned threads;            /* that a launch may use; 0 on a GPU */
	unsigned flush_llc_multiple; /* bytes flushed, in multiples of the last-level cache */
};

/* *out is a new reference.  c is any case of the plan: it gives the generators. */
int ki_identity_protocol(json_t **out, const struct ki_plan *plan, const struct ki_case *c,
			 const struct ki_identity_device *device, struct ki_error *e) KI_MUST_CHECK;

#endif
