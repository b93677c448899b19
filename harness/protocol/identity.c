/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "document/canonical.h"
#include "document/kind/kind.h"
#include "protocol/duration.h"
#include "protocol/identity.h"
#include "protocol/workload.h"
#include "stats/interval.h"

/* What the schema of BenchmarkProtocol allows, in UTF-16 code units; ours are ASCII. */
#define IDENTITY_NOTES_MAX 1000

/* Sections of the file's BenchmarkProtocol, with the only keys that the file may state. */
struct identity_frame {
	const struct ki_node *harness;
	const struct ki_node *measurement;
	const struct ki_node *comparability;
	const char *harness_name;
	const char *harness_repository;
	const char *primary_statistic;
	const char *family;
	const char *notes;
};

#define FRAME_FIELD(type_, member, key_, required_)                                                \
	{                                                                                          \
		.key = (key_), .type = (type_), .offset = offsetof(struct identity_frame, member), \
		.required = (required_)                                                            \
	}

static const struct ki_field frame_fields[] = {
	FRAME_FIELD(KI_FIELD_MAPPING, harness, "harness", true),
	FRAME_FIELD(KI_FIELD_MAPPING, measurement, "measurement", true),
	FRAME_FIELD(KI_FIELD_MAPPING, comparability, "comparability", true),
};
static const struct ki_field harness_fields[] = {
	FRAME_FIELD(KI_FIELD_STRING, harness_name, "name", true),
	FRAME_FIELD(KI_FIELD_STRING, harness_repository, "repository", false),
};
static const struct ki_field measurement_fields[] = {
	FRAME_FIELD(KI_FIELD_STRING, primary_statistic, "primaryStatistic", true),
};
static const struct ki_field comparability_fields[] = {
	FRAME_FIELD(KI_FIELD_STRING, family, "family", true),
	FRAME_FIELD(KI_FIELD_STRING, notes, "notes", false),
};

static int identity_frame_read(struct identity_frame *f, const struct ki_plan *plan,
			       struct ki_error *e)
{
	const struct ki_reader r = {.file = plan->path, .error = e};
	const struct ki_node *spec = ki_node_get(plan->protocol_node, "spec");
	int rc;

	if (spec == NULL)
		return ki_reader_fail(&r, plan->protocol_node, "BenchmarkProtocol: missing spec");
	rc = ki_reader_fields(&r, spec, "BenchmarkProtocol.spec", frame_fields, 3, f);
	if (rc == KI_SUCCESS)
		rc = ki_reader_fields(&r, f->harness, "BenchmarkProtocol.spec.harness",
				      harness_fields, 2, f);
	if (rc == KI_SUCCESS)
		rc = ki_reader_fields(&r, f->measurement, "BenchmarkProtocol.spec.measurement",
				      measurement_fields, 1, f);
	if (rc == KI_SUCCESS)
		rc = ki_reader_fields(&r, f->comparability, "BenchmarkProtocol.spec.comparability",
				      comparability_fields, 2, f);
	if (rc != KI_SUCCESS)
		return rc;
	if (strcmp(f->harness_name, "ki-harness") != 0)
		return ki_reader_fail(
			&r, f->harness,
			"BenchmarkProtocol.spec.harness.name: expected \"ki-harness\": "
			"what measures is this program, whoever wrote the protocol");
	if (strcmp(f->primary_statistic, "median") != 0)
		return ki_reader_fail(&r, f->measurement,
				      "BenchmarkProtocol.spec.measurement.primaryStatistic: "
				      "expected \"median\"");
	return KI_SUCCESS;
}

static void notes_number(struct ki_buffer *b, double v)
{
	char text[KI_CANONICAL_NUMBER_MAX];

	ki_canonical_number(text, v);
	ki_buffer_puts(b, text);
}

static void notes_work(struct ki_buffer *b, const struct ki_plan *plan)
{
	size_t i;

	ki_buffer_printf(b, "Timed: %s, pass %s", plan->op, plan->pass);
	for (i = 0; i < plan->n_attributes; i++) {
		const struct ki_plan_attribute *a = &plan->attributes[i];

		ki_buffer_printf(b, ", %s=", a->name);
		if (a->type == KI_ATTRIBUTE_INTEGER)
			ki_buffer_printf(b, "%" PRId64, a->integer);
		else if (a->type == KI_ATTRIBUTE_REAL)
			notes_number(b, a->real);
		else
			ki_buffer_puts(b, a->string);
	}
	ki_buffer_puts(b, ". ");
}

static void notes_method(struct ki_buffer *b, const struct ki_plan *plan,
			 const struct ki_identity_device *device)
{
	const struct ki_plan_timing *t = &plan->timing;

	ki_buffer_printf(b,
			 "Method %s: estimate over 5 flushed calls, %" PRIu64
			 " ns of samples with flushes, %" PRIu64 " to %" PRIu64 " samples",
			 t->method, t->measure_ns, t->minimum_samples, t->maximum_samples);
	ki_buffer_printf(b, "; write flush of %u x last-level cache before each; type-7 quantiles",
			 device->flush_llc_multiple);
	if (device->threads > 0)
		ki_buffer_printf(b, "; %u CPU thread%s", device->threads,
				 device->threads == 1 ? "" : "s");
	ki_buffer_puts(b, ". ");
}

static void notes_schedule(struct ki_buffer *b, const struct ki_plan *plan)
{
	const struct ki_plan_schedule *p = &plan->schedule;

	ki_buffer_printf(b,
			 "Schedule: %" PRIu64 " fresh worker%s a backend, %" PRIu64
			 " segments each in mirrored blocks, each with a new random placement, "
			 "%" PRIu64 " lead-in launch%s and a flushed control launch beside every "
			 "sample; ",
			 p->replicates, p->replicates == 1 ? "" : "s", p->segments, p->lead_in,
			 p->lead_in == 1 ? "" : "es");
	if (p->replicates < KI_INTERVAL_VALUES_MIN) {
		ki_buffer_puts(b, "no interval");
	} else {
		ki_buffer_puts(b, "Student interval over pairs, ");
		notes_number(b, 100 * KI_PLAN_INTERVAL_LEVEL);
		ki_buffer_puts(b, " %");
	}
	ki_buffer_puts(b, "; minimum effect ");
	notes_number(b, 100 * plan->comparison.minimum_effect);
	ki_buffer_puts(b, " %. ");
}

static void notes_inputs(struct ki_buffer *b, const struct ki_case *c)
{
	size_t i;

	ki_buffer_puts(b, "Inputs:");
	for (i = 0; i < c->n_inputs; i++) {
		const struct ki_generator *g = &c->operands[i].generator;

		ki_buffer_printf(b, "%s %s %s(", i ? "," : "", c->operands[i].name,
				 ki_generator_name(g->kind));
		notes_number(b, g->a);
		if (g->kind == KI_GENERATOR_UNIFORM || g->kind == KI_GENERATOR_NORMAL) {
			ki_buffer_puts(b, ", ");
			notes_number(b, g->b);
		}
		ki_buffer_printf(b, ") seed %" PRIu64, g->seed);
	}
	ki_buffer_puts(b, "; ");
}

static void notes_verification(struct ki_buffer *b, const struct ki_plan *plan)
{
	ki_buffer_printf(b, "%" PRIu64 " contents, all but the first keyed by the run. Limits: ",
			 plan->verification.contents);
	ki_buffer_puts(b, "row noise ratio ");
	notes_number(b, plan->verification.row_limit);
	ki_buffer_puts(b, ", pooled ");
	notes_number(b, plan->verification.pool_limit);
	ki_buffer_puts(b, ".");
}

static int identity_notes(struct ki_buffer *b, const struct identity_frame *f,
			  const struct ki_plan *plan, const struct ki_case *c,
			  const struct ki_identity_device *device, struct ki_error *e)
{
	if (f->notes != NULL && f->notes[0] != '\0')
		ki_buffer_printf(b, "%s ", f->notes);
	notes_work(b, plan);
	notes_method(b, plan, device);
	notes_schedule(b, plan);
	notes_inputs(b, c);
	notes_verification(b, plan);
	if (b->failed)
		return ki_error_set(e, KI_FAIL_INPUT,
				    "%s: BenchmarkProtocol.spec.comparability.notes: with what the "
				    "harness adds, the text is longer than the %d characters that "
				    "Kernel Index allows; shorten the file's own notes",
				    plan->path, IDENTITY_NOTES_MAX);
	return KI_SUCCESS;
}

static json_t *identity_measurement(const struct ki_plan *plan,
				    const struct ki_identity_device *device)
{
	return json_pack("{s:s, s:s, s:b, s:b, s:I, s:s, s:s, s:s}", "timer", device->timer,
			 "synchronization", device->synchronization, "compileIncluded", 0,
			 "setupIncluded", 0, "warmupDuration", (json_int_t)plan->timing.warmup_ns,
			 "inputRegeneration", "per_segment", "outlierPolicy",
			 "none: every sample is kept", "primaryStatistic", "median");
}

int ki_identity_protocol(json_t **out, const struct ki_plan *plan, const struct ki_case *c,
			 const struct ki_identity_device *device, struct ki_error *e)
{
	struct identity_frame f = {0};
	struct ki_buffer notes;
	char reference[500], comparator[KI_WORKLOAD_COMPARATOR_MAX];
	json_t *document = NULL, *harness;
	int rc;

	ki_buffer_init(&notes, IDENTITY_NOTES_MAX);
	rc = identity_frame_read(&f, plan, e);
	if (rc == KI_SUCCESS)
		rc = identity_notes(&notes, &f, plan, c, device, e);
	if (rc != KI_SUCCESS)
		goto out;
	snprintf(reference, sizeof reference, "float64 oracle %s; noise of %s",
		 plan->verification.oracle, plan->verification.reference);
	ki_workload_comparator(comparator, plan);
	harness = json_pack("{s:s, s:s}", "name", f.harness_name, "version", KI_MEASURING_REVISION);
	if (f.harness_repository != NULL)
		json_object_set_new(harness, "repository", json_string(f.harness_repository));
	document = json_pack("{s:s, s:s, s:O, s:{s:o, s:o, s:{s:s, s:s}, s:{s:s, s:s}}}",
			     "apiVersion", KI_API_VERSION, "kind", "BenchmarkProtocol", "metadata",
			     json_object_get(plan->protocol, "metadata"), "spec", "harness",
			     harness, "measurement", identity_measurement(plan, device),
			     "correctness", "reference", reference, "comparator", comparator,
			     "comparability", "family", f.family, "notes", notes.data);
	if (document == NULL)
		rc = ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	else
		*out = document;
out:
	ki_buffer_fini(&notes);
	return rc;
}
