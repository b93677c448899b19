/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that one backend's turn at one case brought: what a record is made from. */
#ifndef KI_RECORD_MEASUREMENT_H
#define KI_RECORD_MEASUREMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/finding.h"
#include "verify/compare.h"

/* Integer nanoseconds of the samples; set by ki_measurement_summarize(). */
struct ki_summary {
	uint64_t median;
	uint64_t mean;
	uint64_t p05;
	uint64_t p20;
	uint64_t p80;
	uint64_t p95;
	uint64_t minimum;
	uint64_t maximum;
	uint64_t mad;
	uint64_t control_median;
};

/* The worst over all outputs, contents and phases that were compared. */
struct ki_accuracy {
	bool compared;
	uint64_t elements;
	uint64_t bad_rows;
	uint64_t rows;
	double row_ratio;
	double pool_ratio;
	double max_absolute_error;
	double max_relative_error;
};

/* One segment of one worker, as comparisons use it: medians, in nanoseconds. */
struct ki_segment_value {
	uint32_t replicate; /* worker */
	uint32_t segment;   /* of the worker: 2 * block of the schedule + half of the block */
	double latency_ns;
	double control_ns;
};

struct ki_measurement {
	struct ki_findings findings;
	bool interrupted; /* there is no record of it */

	size_t n_samples;
	size_t capacity;
	uint64_t *samples_ns; /* in time order, of all segments */
	uint64_t *controls_ns;
	size_t n_segments;
	size_t segments_capacity;
	struct ki_segment_value *values; /* in time order */
	struct ki_summary summary;       /* when n_samples > 0 */
	struct ki_accuracy accuracy;

	uint64_t create_ns;
	uint64_t prepare_ns;
	uint64_t first_launch_ns;
	uint64_t call_ns; /* of the method's estimate */
	uint64_t n_warmup;
	uint64_t n_planned; /* samples */
	uint64_t scratch_bytes;
	uint64_t slab_bytes;
	uint64_t slack_bytes;

	json_t *segments; /* evidence: placement, content and samples of each */
	json_t *checks;   /* evidence: what each comparison found */
	char *log;        /* what the plugin printed, NUL-terminated; may be NULL */
	size_t log_size;
	uint64_t log_total; /* bytes printed, of which log_size were kept */
};

int ki_measurement_init(struct ki_measurement *m, struct ki_error *e) KI_MUST_CHECK;
void ki_measurement_fini(struct ki_measurement *m);

/* Appends a segment of n > 0 samples and their controls. */
int ki_measurement_add(struct ki_measurement *m, uint32_t replicate, uint32_t segment,
		       const uint64_t *samples_ns, const uint64_t *controls_ns, size_t n,
		       struct ki_error *e) KI_MUST_CHECK;

/* Notes a comparison's result as evidence, in the accuracy, and as a finding when it failed. */
void ki_measurement_note(struct ki_measurement *m, const struct ki_compare_result *result,
			 const char *output, const char *phase, uint64_t content, uint64_t rows);

/* Computes the summary; n_samples > 0. */
int ki_measurement_summarize(struct ki_measurement *m, struct ki_error *e) KI_MUST_CHECK;

/* Whether it has a latency that may be shown: it passed and was sampled. */
bool ki_measurement_passed(const struct ki_measurement *m);

#endif
