/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kernel Index documents of a measurement: ExecutionEnvironment, ImplementationRevision and
 * BenchmarkRun, and the record that holds them together with the protocol, the workload and the
 * operation.  Everything emitted is canonical already: integer nanoseconds, sorted sets, .000Z
 * instants.
 */
#ifndef KI_RECORD_DOCUMENT_H
#define KI_RECORD_DOCUMENT_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "document/digest.h"
#include "record/measurement.h"

/* A document and its digest. */
struct ki_identified {
	json_t *document; /* owned */
	struct ki_digest digest;
};
void ki_identified_free(struct ki_identified *d);

/* From what a device reports: {"hardware", "software"} of ki_device_ops.facts. */
int ki_document_environment(struct ki_identified *out, const json_t *facts,
			    struct ki_error *e) KI_MUST_CHECK;

/* What is declared by a plugin (worker/wire.h, LOAD) and what was observed of its file. */
struct ki_implementation_source {
	const json_t *plugin;
	const json_t *kernel; /* one of plugin's kernels */
	const char *file_name;
	uint64_t bytes;
	const struct ki_digest *digest;
	const struct ki_digest *operation;
};
int ki_document_implementation(struct ki_identified *out,
			       const struct ki_implementation_source *source,
			       struct ki_error *e) KI_MUST_CHECK;

/* Who built this program; empty strings when unknown. */
struct ki_harness_revision {
	const char *repository; /* an https URL */
	const char *commit;     /* 40 hexadecimal digits; "" also for a tree with changes */
};

struct ki_record_parts {
	const struct ki_identified *environment;
	const struct ki_identified *implementation;
	const struct ki_identified *protocol;
	const json_t *operation;
	const json_t *workload;
	const struct ki_digest *workload_digest;
	const struct ki_measurement *measurement;
	struct ki_harness_revision harness;
	const char *observed_at;         /* "2026-12-01T09:00:00.000Z" */
	const char *label;               /* of the backend, for the title */
	const struct ki_digest *samples; /* the evidence artifact; NULL: none */
	int64_t work_bytes;              /* 0: not known */
	int64_t work_operations;
};

/*
 * {"run", "protocol", "environment", "workload", "operation", "implementation"}; *digest is the
 * run's.  A measurement that did not pass has no timing and no measurements.
 */
int ki_document_record(json_t **out, struct ki_digest *digest, const struct ki_record_parts *p,
		       struct ki_error *e) KI_MUST_CHECK;

#endif
