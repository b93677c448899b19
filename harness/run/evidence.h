/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evidence artifact of one backend's turn at one case: every sample in time order with where
 * and on what it was taken, what was compared, what was found, what the plugin said of itself and
 * what the machine said of itself.  Its digest stands in the record.
 */
#ifndef KI_RUN_EVIDENCE_H
#define KI_RUN_EVIDENCE_H

#include <jansson.h>

#include "base/error.h"
#include "run/session.h"

/* *out is a new reference. */
int ki_evidence_build(json_t **out, const struct ki_session *s, const struct ki_case *c,
		      size_t backend, const struct ki_measurement *m, const char *observed_at,
		      struct ki_error *e) KI_MUST_CHECK;

#endif
