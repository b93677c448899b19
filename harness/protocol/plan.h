/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A protocol file: a YAML stream of one BenchmarkProtocol, one OperationSpec and one Plan
 * (apiVersion ki-harness/v1), read into a typed plan.
 *
 * The BenchmarkProtocol in the file is a frame: what the plan decides (timer, warm-up, tolerance,
 * schedule, ...) is filled in by ki_identity_protocol(), so that it cannot be said twice.
 */
#ifndef KI_PROTOCOL_PLAN_H
#define KI_PROTOCOL_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "document/digest.h"
#include "document/yaml.h"
#include "protocol/reader.h"

#define KI_PLAN_API_VERSION "ki-harness/v1"
#define KI_PLAN_ATTRIBUTES_MAX 64

enum ki_attribute_type { KI_ATTRIBUTE_INTEGER, KI_ATTRIBUTE_REAL, KI_ATTRIBUTE_STRING };

/* A property of the work that is not a tensor: "groups" = 1. */
struct ki_plan_attribute {
	const char *name;
	enum ki_attribute_type type;
	int64_t integer;
	double real;
	const char *string;
};

struct ki_plan_timing {
	const char *method;       /* "do_bench" */
	uint64_t warmup_ns;       /* of launches before the first sample */
	uint64_t measure_ns;      /* that the samples may take, flushes included */
	uint64_t minimum_samples; /* whatever measure_ns says */
	uint64_t maximum_samples;
};

struct ki_plan_schedule {
	uint64_t segments;   /* of each backend, an even number: half of them mirror the others */
	uint64_t lead_in;    /* launches at the start of a segment that are not samples */
	uint64_t replicates; /* fresh workers of each backend, one after another */
};

struct ki_plan_comparison {
	double minimum_effect; /* below this a difference does not matter: a share, 0.01 */
};

/* Of the interval over replicates; Kernel Index's records state 95 %. */
#define KI_PLAN_INTERVAL_LEVEL 0.95
#define KI_PLAN_REPLICATES_MAX 1000

struct ki_plan_verification {
	const char *oracle;    /* backend whose output is float64 */
	const char *reference; /* backend that rounds where the eager implementation does */
	double row_limit;
	double pool_limit;
	uint64_t contents; /* sets of input values: the plan's own, and others keyed by the run */
};

struct ki_plan_deadlines {
	uint64_t load_ns;
	uint64_t create_ns;
	uint64_t prepare_ns;
	uint64_t launch_ns;
	uint64_t case_ns;
};

struct ki_plan_device_cpu {
	bool present;
	uint64_t threads; /* 0: all that the process may use */
};

struct ki_plan {
	struct ki_yaml yaml; /* owns the strings and nodes that the plan points to */
	char *path;

	const struct ki_node *protocol_node;
	json_t *protocol; /* as it stands in the file */
	const struct ki_node *operation_node;
	json_t *operation;
	struct ki_digest operation_digest;

	const char *name; /* metadata.name */
	const char *op;   /* "multi-token-attention/1": what plugins are asked for */
	const char *pass; /* "forward" */
	size_t n_attributes;
	struct ki_plan_attribute attributes[KI_PLAN_ATTRIBUTES_MAX];

	struct ki_plan_device_cpu cpu;
	bool cuda;
	struct ki_plan_timing timing;
	struct ki_plan_schedule schedule;
	struct ki_plan_comparison comparison;
	struct ki_plan_verification verification;
	struct ki_plan_deadlines deadlines;

	const struct ki_node *cases;
	const struct ki_node *inputs; /* generators by input name */
	bool state_inputs;            /* inputs and tolerances stand in the workload documents */
	const char *work_bytes;       /* expression over the axes and element_bytes, or NULL */
	const char *work_operations;  /* likewise */
};

/* Reads and checks everything but the cases.  On failure *out is untouched. */
int ki_plan_read(struct ki_plan *out, const char *path, struct ki_error *e) KI_MUST_CHECK;

void ki_plan_free(struct ki_plan *plan);

#endif
