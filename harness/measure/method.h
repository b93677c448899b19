/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timing method, as a table: one implementation a file (do_bench.c).  The estimate and the
 * warm-up happen once a worker, segments as often as the schedule says.
 */
#ifndef KI_MEASURE_METHOD_H
#define KI_MEASURE_METHOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "measure/subject.h"

/* Most samples of one segment; each needs four marks. */
#define KI_METHOD_SEGMENT_SAMPLES_MAX 2000

struct ki_method_parameters {
	uint64_t warmup_ns;
	uint64_t measure_ns;
	uint64_t minimum_samples;
	uint64_t maximum_samples;
	uint64_t lead_in;
};

struct ki_method_estimate {
	uint64_t call_ns;   /* one flushed call, by the estimate loop */
	uint64_t n_warmup;  /* launches of the warm-up */
	uint64_t n_samples; /* of the whole worker */
};

/* Both arrays hold n entries, in time order. */
struct ki_method_segment {
	size_t n;
	uint64_t *samples_ns;
	uint64_t *controls_ns;
};

struct ki_method {
	const char *name;
	int (*estimate)(struct ki_method_estimate *out, const struct ki_subject *s,
			const struct ki_method_parameters *p, struct ki_error *e);
	int (*warm_up)(const struct ki_subject *s, const struct ki_method_estimate *estimate,
		       struct ki_error *e);
	/* Takes segment->n samples into the caller's arrays. */
	int (*segment)(struct ki_method_segment *segment, const struct ki_subject *s,
		       const struct ki_method_parameters *p, struct ki_error *e);
};

/* The method of this name, or NULL. */
const struct ki_method *ki_method_find(const char *name);

#endif
