/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "document/kind/common.h"
#include "document/kind/tables.h"
#include "protocol/plan.h"

#define PLAN_NS_PER_S 1000000000ull
#define PLAN_THREADS_MAX 4096

/* What the sections of a Plan hold before they are checked. */
struct plan_document {
	const char *api_version;
	const char *kind;
	const struct ki_node *metadata;
	const struct ki_node *spec;
};

struct plan_spec {
	const struct ki_node *spec; /* the mapping itself */
	const char *operation;
	const char *pass;
	const struct ki_node *attributes;
	const struct ki_node *devices;
	const struct ki_node *timing;
	const struct ki_node *schedule;
	const struct ki_node *comparison;
	const struct ki_node *verification;
	const struct ki_node *deadlines;
	const struct ki_node *work;
	const struct ki_node *workload;
	const struct ki_node *cases;
	const struct ki_node *inputs;
};

struct plan_devices {
	const struct ki_node *cpu;
	const struct ki_node *cuda;
};

struct plan_device {
	const char *timer;
	const struct ki_node *threads; /* of the CPU alone */
};

#define FIELD(type_, struct_, member, key_, required_, min, max)                                   \
	{                                                                                          \
		.key = (key_), .type = (type_), .offset = offsetof(struct struct_, member),        \
		.required = (required_), .minimum = (min), .maximum = (max)                        \
	}

static const struct ki_field document_fields[] = {
	FIELD(KI_FIELD_STRING, plan_document, api_version, "apiVersion", true, 0, 0),
	FIELD(KI_FIELD_STRING, plan_document, kind, "kind", true, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_document, metadata, "metadata", true, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_document, spec, "spec", true, 0, 0),
};

static const struct ki_field spec_fields[] = {
	FIELD(KI_FIELD_STRING, plan_spec, operation, "operation", true, 0, 0),
	FIELD(KI_FIELD_STRING, plan_spec, pass, "pass", true, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, attributes, "attributes", false, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, devices, "devices", true, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, timing, "timing", true, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, schedule, "schedule", false, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, comparison, "comparison", false, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, verification, "verification", true, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, deadlines, "deadlines", false, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, work, "work", false, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, workload, "workload", false, 0, 0),
	FIELD(KI_FIELD_SEQUENCE, plan_spec, cases, "cases", true, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_spec, inputs, "inputs", true, 0, 0),
};

static const struct ki_field devices_fields[] = {
	FIELD(KI_FIELD_MAPPING, plan_devices, cpu, "cpu", false, 0, 0),
	FIELD(KI_FIELD_MAPPING, plan_devices, cuda, "cuda", false, 0, 0),
};

static const struct ki_field cuda_fields[] = {
	FIELD(KI_FIELD_STRING, plan_device, timer, "timer", false, 0, 0),
};

static const struct ki_field cpu_fields[] = {
	FIELD(KI_FIELD_STRING, plan_device, timer, "timer", false, 0, 0),
	FIELD(KI_FIELD_ANY, plan_device, threads, "threads", false, 0, 0),
};

static const struct ki_field timing_fields[] = {
	FIELD(KI_FIELD_STRING, ki_plan_timing, method, "method", true, 0, 0),
	FIELD(KI_FIELD_DURATION, ki_plan_timing, warmup_ns, "warmup", false, 0, 60 * PLAN_NS_PER_S),
	FIELD(KI_FIELD_DURATION, ki_plan_timing, measure_ns, "measure", false, 1,
	      600 * PLAN_NS_PER_S),
	FIELD(KI_FIELD_UNSIGNED, ki_plan_timing, minimum_samples, "minimumSamples", false, 1,
	      100000),
	FIELD(KI_FIELD_UNSIGNED, ki_plan_timing, maximum_samples, "maximumSamples", false, 1,
	      100000),
};

static const struct ki_field schedule_fields[] = {
	FIELD(KI_FIELD_UNSIGNED, ki_plan_schedule, segments, "segments", false, 2, 1000),
	FIELD(KI_FIELD_UNSIGNED, ki_plan_schedule, lead_in, "leadIn", false, 1, 1000),
	FIELD(KI_FIELD_UNSIGNED, ki_plan_schedule, replicates, "replicates", false, 1,
	      KI_PLAN_REPLICATES_MAX),
};

static const struct ki_field comparison_fields[] = {
	FIELD(KI_FIELD_REAL, ki_plan_comparison, minimum_effect, "minimumEffect", false, 0, 0),
};

static const struct ki_field verification_fields[] = {
	FIELD(KI_FIELD_STRING, ki_plan_verification, oracle, "oracle", true, 0, 0),
	FIELD(KI_FIELD_STRING, ki_plan_verification, reference, "reference", true, 0, 0),
	FIELD(KI_FIELD_REAL, ki_plan_verification, row_limit, "rowLimit", false, 0, 0),
	FIELD(KI_FIELD_REAL, ki_plan_verification, pool_limit, "poolLimit", false, 0, 0),
	FIELD(KI_FIELD_UNSIGNED, ki_plan_verification, contents, "contents", false, 2, 64),
};

static const struct ki_field deadline_fields[] = {
	FIELD(KI_FIELD_DURATION, ki_plan_deadlines, load_ns, "load", false, 1, 0),
	FIELD(KI_FIELD_DURATION, ki_plan_deadlines, create_ns, "create", false, 1, 0),
	FIELD(KI_FIELD_DURATION, ki_plan_deadlines, prepare_ns, "prepare", false, 1, 0),
	FIELD(KI_FIELD_DURATION, ki_plan_deadlines, launch_ns, "launch", false, 1, 0),
	FIELD(KI_FIELD_DURATION, ki_plan_deadlines, case_ns, "case", false, 1, 0),
};

static const struct ki_field work_fields[] = {
	FIELD(KI_FIELD_STRING, ki_plan, work_bytes, "bytes", false, 0, 0),
	FIELD(KI_FIELD_STRING, ki_plan, work_operations, "operations", false, 0, 0),
};

#define FIELDS(table) (table), sizeof(table) / sizeof((table)[0])

static void plan_defaults(struct ki_plan *p)
{
	p->timing = (struct ki_plan_timing){.warmup_ns = 25000000,
					    .measure_ns = 100000000,
					    .minimum_samples = 20,
					    .maximum_samples = 10000};
	p->schedule = (struct ki_plan_schedule){.segments = 8, .lead_in = 2, .replicates = 1};
	p->comparison = (struct ki_plan_comparison){.minimum_effect = 0.01};
	p->verification =
		(struct ki_plan_verification){.row_limit = 4, .pool_limit = 2, .contents = 3};
	p->deadlines = (struct ki_plan_deadlines){.load_ns = 20 * PLAN_NS_PER_S,
						  .create_ns = 20 * PLAN_NS_PER_S,
						  .prepare_ns = 120 * PLAN_NS_PER_S,
						  .launch_ns = 20 * PLAN_NS_PER_S,
						  .case_ns = 600 * PLAN_NS_PER_S};
}

/* A device has one timer; a plan may name it, so that a reader of the file knows. */
static int plan_timer(const struct ki_reader *r, const struct ki_node *n, const char *path,
		      const char *timer, const char *only)
{
	if (timer == NULL || strcmp(timer, only) == 0)
		return KI_SUCCESS;
	return ki_reader_fail(r, ki_node_get(n, "timer"), "%s.timer: expected \"%s\", found \"%s\"",
			      path, only, timer);
}

static int plan_cuda(struct ki_plan *p, const struct ki_reader *r, const struct ki_node *n)
{
	struct plan_device d = {0};
	int rc = ki_reader_fields(r, n, "spec.devices.cuda", FIELDS(cuda_fields), &d);

	p->cuda = true;
	return rc != KI_SUCCESS ? rc
				: plan_timer(r, n, "spec.devices.cuda", d.timer, "cuda_events");
}

static int plan_cpu(struct ki_plan *p, const struct ki_reader *r, const struct ki_node *n)
{
	struct plan_device d = {0};
	int rc = ki_reader_fields(r, n, "spec.devices.cpu", FIELDS(cpu_fields), &d);

	if (rc == KI_SUCCESS)
		rc = plan_timer(r, n, "spec.devices.cpu", d.timer, "monotonic_raw");
	if (rc != KI_SUCCESS)
		return rc;
	p->cpu.present = true;
	if (d.threads == NULL ||
	    (d.threads->type == KI_NODE_STRING && strcmp(d.threads->text, "all") == 0))
		return KI_SUCCESS;
	if (d.threads->type != KI_NODE_INTEGER || d.threads->integer < 1 ||
	    d.threads->integer > PLAN_THREADS_MAX)
		return ki_reader_expected(r, d.threads, "spec.devices.cpu.threads",
					  "\"all\" or an integer from 1 to 4096");
	p->cpu.threads = (uint64_t)d.threads->integer;
	return KI_SUCCESS;
}

static int plan_devices(struct ki_plan *p, const struct ki_reader *r, const struct ki_node *n)
{
	struct plan_devices d = {0};
	int rc = ki_reader_fields(r, n, "spec.devices", FIELDS(devices_fields), &d);

	if (rc == KI_SUCCESS && d.cpu == NULL && d.cuda == NULL)
		rc = ki_reader_fail(r, n, "spec.devices: name at least one of cpu, cuda");
	if (rc == KI_SUCCESS && d.cuda != NULL)
		rc = plan_cuda(p, r, d.cuda);
	if (rc == KI_SUCCESS && d.cpu != NULL)
		rc = plan_cpu(p, r, d.cpu);
	return rc;
}

static int plan_attribute(struct ki_plan *p, const struct ki_reader *r, const struct ki_node *key,
			  const struct ki_node *v)
{
	struct ki_plan_attribute *a = &p->attributes[p->n_attributes];

	if (p->n_attributes == KI_PLAN_ATTRIBUTES_MAX)
		return ki_reader_fail(r, key, "spec.attributes: more than %d",
				      KI_PLAN_ATTRIBUTES_MAX);
	if (strcmp(key->text, "pass") == 0)
		return ki_reader_fail(r, key, "spec.attributes: the pass is spec.pass");
	*a = (struct ki_plan_attribute){.name = key->text};
	if (v->type == KI_NODE_INTEGER) {
		a->type = KI_ATTRIBUTE_INTEGER;
		a->integer = v->integer;
	} else if (v->type == KI_NODE_REAL) {
		a->type = KI_ATTRIBUTE_REAL;
		a->real = v->real;
	} else if (v->type == KI_NODE_STRING) {
		a->type = KI_ATTRIBUTE_STRING;
		a->string = v->text;
	} else {
		return ki_reader_expected(r, v, key->text, "an integer, a number or a string");
	}
	p->n_attributes++;
	return KI_SUCCESS;
}

static int plan_workload(struct ki_plan *p, const struct ki_reader *r, const struct ki_node *n)
{
	const char *inputs = "unstated";
	const struct ki_field field = {.key = "inputs", .type = KI_FIELD_STRING};
	int rc = ki_reader_fields(r, n, "spec.workload", &field, 1, &inputs);

	if (rc != KI_SUCCESS)
		return rc;
	if (strcmp(inputs, "stated") != 0 && strcmp(inputs, "unstated") != 0)
		return ki_reader_expected(r, ki_node_get(n, "inputs"), "spec.workload.inputs",
					  "\"stated\" or \"unstated\"");
	p->state_inputs = strcmp(inputs, "stated") == 0;
	return KI_SUCCESS;
}

static int plan_check(const struct ki_plan *p, const struct ki_reader *r, const struct plan_spec *s)
{
	if (strcmp(p->timing.method, "do_bench") != 0)
		return ki_reader_fail(
			r, ki_node_get(s->timing, "method"),
			"spec.timing.method: unknown method \"%s\"; known is do_bench",
			p->timing.method);
	if (p->timing.maximum_samples < p->timing.minimum_samples)
		return ki_reader_fail(r, s->timing,
				      "spec.timing: maximumSamples is below minimumSamples");
	if (p->schedule.segments % 2 != 0)
		return ki_reader_fail(r, ki_node_get(s->schedule, "segments"),
				      "spec.schedule.segments: expected an even number, since half "
				      "of the segments mirror the others");
	if (!(p->comparison.minimum_effect > 0) || !(p->comparison.minimum_effect < 1))
		return ki_reader_fail(r, ki_node_get(s->comparison, "minimumEffect"),
				      "spec.comparison.minimumEffect: expected a share above 0 and "
				      "below 1; 0.01 is one percent");
	if (!(p->verification.row_limit > 0) || !(p->verification.pool_limit > 0))
		return ki_reader_fail(r, s->verification,
				      "spec.verification: rowLimit and poolLimit must be above 0");
	if (strchr(p->op, '/') == NULL)
		return ki_reader_fail(r, ki_node_get(s->spec, "operation"),
				      "spec.operation: expected a name with a revision, such as "
				      "\"%s/1\"",
				      p->op);
	return KI_SUCCESS;
}

static int plan_sections(struct ki_plan *p, const struct ki_reader *r, const struct plan_spec *s)
{
	int rc = plan_devices(p, r, s->devices);
	size_t i;

	for (i = 0; rc == KI_SUCCESS && s->attributes != NULL && i < s->attributes->count; i++)
		rc = plan_attribute(p, r, s->attributes->keys[i], s->attributes->items[i]);
	if (rc == KI_SUCCESS)
		rc = ki_reader_fields(r, s->timing, "spec.timing", FIELDS(timing_fields),
				      &p->timing);
	if (rc == KI_SUCCESS && s->schedule != NULL)
		rc = ki_reader_fields(r, s->schedule, "spec.schedule", FIELDS(schedule_fields),
				      &p->schedule);
	if (rc == KI_SUCCESS && s->comparison != NULL)
		rc = ki_reader_fields(r, s->comparison, "spec.comparison",
				      FIELDS(comparison_fields), &p->comparison);
	if (rc == KI_SUCCESS)
		rc = ki_reader_fields(r, s->verification, "spec.verification",
				      FIELDS(verification_fields), &p->verification);
	if (rc == KI_SUCCESS && s->deadlines != NULL)
		rc = ki_reader_fields(r, s->deadlines, "spec.deadlines", FIELDS(deadline_fields),
				      &p->deadlines);
	if (rc == KI_SUCCESS && s->work != NULL)
		rc = ki_reader_fields(r, s->work, "spec.work", FIELDS(work_fields), p);
	if (rc == KI_SUCCESS && s->workload != NULL)
		rc = plan_workload(p, r, s->workload);
	if (rc == KI_SUCCESS)
		rc = plan_check(p, r, s);
	return rc;
}

static int plan_spec(struct ki_plan *p, const struct ki_reader *r, const struct ki_node *n)
{
	struct plan_document d = {0};
	struct plan_spec s = {0};
	const struct ki_node *name;
	int rc = ki_reader_fields(r, n, "Plan", FIELDS(document_fields), &d);

	if (rc == KI_SUCCESS)
		rc = ki_reader_fields(r, d.spec, "spec", FIELDS(spec_fields), &s);
	if (rc != KI_SUCCESS)
		return rc;
	s.spec = d.spec;
	name = ki_node_get(d.metadata, "name");
	if (name == NULL || name->type != KI_NODE_STRING)
		return ki_reader_fail(r, d.metadata, "metadata: missing key \"name\"");
	p->name = name->text;
	p->op = s.operation;
	p->pass = s.pass;
	p->cases = s.cases;
	p->inputs = s.inputs;
	return plan_sections(p, r, &s);
}

/* Which of the three documents n is; NULL, with the error set, when it is none. */
static const struct ki_node **plan_slot(struct ki_plan *p, const struct ki_node **plan_node,
					const struct ki_reader *r, const struct ki_node *n)
{
	const struct ki_node *kind = n->type == KI_NODE_MAPPING ? ki_node_get(n, "kind") : NULL;
	const struct ki_node *api =
		n->type == KI_NODE_MAPPING ? ki_node_get(n, "apiVersion") : NULL;
	const char *expected = KI_API_VERSION;
	const struct ki_node **slot = NULL;

	if (kind == NULL || kind->type != KI_NODE_STRING || api == NULL ||
	    api->type != KI_NODE_STRING) {
		ki_reader_fail(r, n, "expected a document with apiVersion and kind");
		return NULL;
	}
	if (strcmp(kind->text, "BenchmarkProtocol") == 0) {
		slot = &p->protocol_node;
	} else if (strcmp(kind->text, "OperationSpec") == 0) {
		slot = &p->operation_node;
	} else if (strcmp(kind->text, "Plan") == 0) {
		slot = plan_node;
		expected = KI_PLAN_API_VERSION;
	}
	if (slot == NULL)
		ki_reader_fail(r, kind,
			       "kind: expected BenchmarkProtocol, OperationSpec or Plan, found "
			       "\"%s\"",
			       kind->text);
	else if (strcmp(api->text, expected) != 0)
		ki_reader_fail(r, api, "apiVersion: expected \"%s\" for a %s, found \"%s\"",
			       expected, kind->text, api->text);
	else if (*slot != NULL)
		ki_reader_fail(r, n, "a second %s; the first is at line %u", kind->text,
			       (*slot)->line);
	else
		return slot;
	return NULL;
}

static int plan_documents(struct ki_plan *p, const struct ki_node **plan_node,
			  const struct ki_reader *r)
{
	size_t i;

	for (i = 0; i < p->yaml.count; i++) {
		const struct ki_node *n = p->yaml.documents[i];
		const struct ki_node **slot = plan_slot(p, plan_node, r, n);

		if (slot == NULL)
			return KI_FAIL_INPUT;
		*slot = n;
	}
	if (p->protocol_node == NULL || p->operation_node == NULL || *plan_node == NULL)
		return ki_error_set(
			r->error, KI_FAIL_INPUT,
			"%s: a protocol file holds three documents (separated by ---): "
			"a BenchmarkProtocol, an OperationSpec and a Plan; %s is missing",
			r->file,
			p->protocol_node == NULL    ? "the BenchmarkProtocol"
			: p->operation_node == NULL ? "the OperationSpec"
						    : "the Plan");
	return KI_SUCCESS;
}

/* The operation and the frame of the protocol, by the rules of their kinds. */
static int plan_check_documents(struct ki_plan *p, struct ki_error *e)
{
	const struct ki_node *metadata = ki_node_get(p->protocol_node, "metadata");
	struct ki_issues issues = {0};
	json_t *checked = NULL;
	int rc = ki_kind_read(&p->operation, &issues, p->operation_node, &ki_kind_operation_spec,
			      "", e);

	if (rc == KI_SUCCESS && metadata == NULL)
		ki_issues_add(&issues, p->protocol_node, "/metadata",
			      "expected a mapping, found nothing");
	else if (rc == KI_SUCCESS)
		rc = ki_schema_read(&checked, &issues, &ki_common_metadata, metadata, "/metadata",
				    e);
	json_decref(checked);
	if (rc == KI_SUCCESS && issues.count > 0)
		rc = ki_issues_fail(&issues, p->path, e);
	ki_issues_free(&issues);
	return rc;
}

int ki_plan_read(struct ki_plan *out, const char *path, struct ki_error *e)
{
	struct ki_reader r = {.file = path, .error = e};
	const struct ki_node *plan_node = NULL;
	struct ki_plan p = {0};
	int rc = ki_yaml_read(&p.yaml, path, e);

	if (rc != KI_SUCCESS)
		return rc;
	plan_defaults(&p);
	p.path = strdup(path);
	rc = p.path == NULL ? ki_error_set(e, KI_FAIL_MEMORY, "out of memory")
			    : plan_documents(&p, &plan_node, &r);
	if (rc == KI_SUCCESS)
		rc = plan_spec(&p, &r, plan_node);
	if (rc == KI_SUCCESS)
		rc = ki_node_to_json(&p.protocol, p.protocol_node, path, e);
	if (rc == KI_SUCCESS)
		rc = plan_check_documents(&p, e);
	if (rc == KI_SUCCESS)
		rc = ki_digest_document(&p.operation_digest, p.operation, e);
	if (rc != KI_SUCCESS) {
		ki_plan_free(&p);
		return rc;
	}
	*out = p;
	return KI_SUCCESS;
}

void ki_plan_free(struct ki_plan *plan)
{
	json_decref(plan->protocol);
	json_decref(plan->operation);
	ki_yaml_free(&plan->yaml);
	free(plan->path);
	*plan = (struct ki_plan){0};
}
