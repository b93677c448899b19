/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/seed.h"
#include "ki_plugin.h"
#include "run/contender.h"
#include "worker/arena.h"

/* A segment may take this many times what the estimate says before it counts as hung. */
#define CONTENDER_PATIENCE UINT64_C(10)

/* ---------------------------------------------------------------- failures */

static void contender_reported(struct ki_contender *k, const struct ki_failure *f)
{
	struct ki_findings *findings = &k->measurement->findings;
	enum ki_finding_code code = KI_FINDING_KERNEL_ERROR;

	if (strcmp(f->phase, "supports") == 0 && f->code == KI_E_UNSUPPORTED)
		code = KI_FINDING_UNSUPPORTED;
	else if (f->code == KI_E_UNSUPPORTED)
		code = KI_FINDING_CONTRACT_BROKEN;
	else if (strcmp(f->phase, "load") == 0 || f->code == KI_E_BUILD)
		code = KI_FINDING_BUILD_FAILED;
	else if (f->code == KI_E_NOMEM)
		code = KI_FINDING_OUT_OF_MEMORY;
	else if (f->code < 0)
		code = KI_FINDING_HARNESS_FAILED;
	ki_findings_add(findings, code, f->phase, "%s: %s", f->phase, f->text);
}

/* What a worker that did not answer says about its backend. */
static void contender_failed(struct ki_contender *k, const struct ki_failure *f)
{
	static const enum ki_finding_code codes[] = {
		[KI_FAILURE_CRASHED] = KI_FINDING_CRASH,
		[KI_FAILURE_EXITED] = KI_FINDING_EARLY_EXIT,
		[KI_FAILURE_TIMEOUT] = KI_FINDING_DEADLINE,
		[KI_FAILURE_PROTOCOL] = KI_FINDING_PROTOCOL_BROKEN,
		[KI_FAILURE_HARNESS] = KI_FINDING_HARNESS_FAILED,
	};

	k->live = false;
	if (f->kind == KI_FAILURE_INTERRUPTED)
		k->measurement->interrupted = true;
	else if (f->kind == KI_FAILURE_REPORTED)
		contender_reported(k, f);
	else
		ki_findings_add(&k->measurement->findings, codes[f->kind], f->phase, "%s: %s",
				f->phase, f->text);
}

/* Asks within the phase's own deadline and what is left of the case's. */
static bool contender_ask(struct ki_contender *k, json_t **answer, enum ki_wire_type type,
			  json_t *question, const int *fds, int n_fds, uint64_t timeout_ns)
{
	uint64_t now = ki_clock_deadline_ns();
	struct ki_failure failure;
	int rc;

	if (!k->live) {
		json_decref(question);
		return false;
	}
	if (k->deadline_ns <= now)
		timeout_ns = 0;
	else if (k->deadline_ns - now < timeout_ns)
		timeout_ns = k->deadline_ns - now;
	rc = ki_worker_ask(k->worker, answer, type, question, fds, n_fds, timeout_ns, &failure);
	json_decref(question);
	if (rc != KI_SUCCESS)
		contender_failed(k, &failure);
	return rc == KI_SUCCESS;
}

/* Answers come from a process that holds a plugin: a number that is missing or negative is 0. */
static uint64_t answer_number(const json_t *answer, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(answer, key));

	return v > 0 ? (uint64_t)v : 0;
}

/* ---------------------------------------------------------------- start */

static json_t *contender_operand(const struct ki_case_operand *o, enum ki_contender_role role)
{
	bool out = o->role == KI_OPERAND_OUTPUT;
	enum ki_dtype dtype = out && role == KI_CONTENDER_ORACLE ? KI_DTYPE_FP64 : o->dtype;
	json_t *shape = json_array();
	int i;

	for (i = 0; i < o->ndim; i++)
		json_array_append_new(shape, json_integer(o->shape[i]));
	return json_pack("{s:s, s:s, s:s, s:o}", "name", o->name, "role", out ? "out" : "in",
			 "dtype", ki_dtype_name(dtype), "shape", shape);
}

static json_t *contender_attributes(const struct ki_plan *plan)
{
	json_t *o = json_pack("{s:s}", "pass", plan->pass);
	size_t i;

	for (i = 0; i < plan->n_attributes; i++) {
		const struct ki_plan_attribute *a = &plan->attributes[i];

		json_object_set_new(o, a->name,
				    a->type == KI_ATTRIBUTE_INTEGER ? json_integer(a->integer)
				    : a->type == KI_ATTRIBUTE_REAL  ? json_real(a->real)
								    : json_string(a->string));
	}
	return o;
}

static json_t *contender_workload(const struct ki_contender *k, enum ki_contender_role role)
{
	json_t *operands = json_array();
	size_t i;

	for (i = 0; i < k->c->n_operands; i++)
		json_array_append_new(operands, contender_operand(&k->c->operands[i], role));
	return json_pack("{s:s, s:o, s:o}", "op", k->setting->plan->op, "attributes",
			 contender_attributes(k->setting->plan), "operands", operands);
}

static int contender_outputs(struct ki_contender *k, enum ki_contender_role role,
			     uint64_t tile_rows, struct ki_error *e)
{
	uint64_t sizes[KI_CASE_OPERANDS_MAX] = {0};
	size_t i;

	for (i = k->c->n_inputs; i < k->c->n_operands; i++)
		sizes[i] = role == KI_CONTENDER_ORACLE
				   ? tile_rows * k->c->operands[i].row_length * sizeof(double)
				   : k->c->operands[i].bytes;
	return ki_region_new(&k->outputs, "ki-outputs", sizes, k->c->n_operands, 1, e);
}

static bool contender_create(struct ki_contender *k, enum ki_contender_role role)
{
	const struct ki_plan_deadlines *d = &k->setting->plan->deadlines;
	bool oracle = role == KI_CONTENDER_ORACLE;
	json_t *answer = NULL;
	json_t *question = json_pack(
		"{s:s, s:{s:s, s:s, s:i}, s:o, s:I}", "kernel", k->backend->kernel, "device",
		"kind", oracle ? "cpu" : k->setting->device_kind, "selector",
		oracle ? "" : k->setting->device_selector, "threads", (int)k->setting->threads,
		"workload", contender_workload(k, role), "slackBytes",
		oracle ? (json_int_t)0 : (json_int_t)k->setting->slack_bytes);

	if (!contender_ask(k, &answer, KI_WIRE_CREATE, question, NULL, 0, d->create_ns))
		return false;
	k->measurement->create_ns = answer_number(answer, "createNs");
	k->measurement->scratch_bytes = answer_number(answer, "scratchBytes");
	k->measurement->slab_bytes = answer_number(answer, "slabBytes");
	k->measurement->slack_bytes = answer_number(answer, "slackBytes");
	json_decref(answer);
	answer = NULL;
	question = json_pack("{s:I}", "budgetNs", (json_int_t)(d->prepare_ns / 2));
	if (!contender_ask(k, &answer, KI_WIRE_PREPARE, question, NULL, 0, d->prepare_ns))
		return false;
	k->measurement->prepare_ns = answer_number(answer, "prepareNs");
	json_decref(answer);
	return true;
}

static void contender_map(struct ki_contender *k, const struct ki_region *inputs)
{
	int fds[2] = {inputs->fd, k->outputs.fd};
	json_t *question = json_pack("{s:o, s:o}", "inputs", ki_region_json(inputs), "outputs",
				     ki_region_json(&k->outputs));

	contender_ask(k, NULL, KI_WIRE_MAP, question, fds, 2,
		      k->setting->plan->deadlines.create_ns);
}

int ki_contender_start(struct ki_contender *out, const struct ki_run_setting *setting,
		       const struct ki_case *c, const struct ki_backend *backend,
		       enum ki_contender_role role, uint64_t tile_rows,
		       const struct ki_region *inputs, struct ki_measurement *measurement,
		       struct ki_error *e)
{
	struct ki_contender k = {.setting = setting,
				 .c = c,
				 .backend = backend,
				 .measurement = measurement,
				 .outputs = {.fd = -1},
				 .live = true};
	int rc = contender_outputs(&k, role, tile_rows, e);

	if (rc == KI_SUCCESS)
		rc = ki_worker_spawn(&k.worker, backend->label, &setting->workers, e);
	if (rc != KI_SUCCESS) {
		ki_region_free(&k.outputs);
		return rc;
	}
	k.deadline_ns = ki_clock_deadline_ns() + setting->plan->deadlines.case_ns;
	if (contender_ask(&k, NULL, KI_WIRE_LOAD, json_pack("{s:s}", "kernel", backend->kernel),
			  &backend->image, 1, setting->plan->deadlines.load_ns) &&
	    contender_create(&k, role))
		contender_map(&k, inputs);
	*out = k;
	ki_contender_pause(out);
	return KI_SUCCESS;
}

/* ---------------------------------------------------------------- launches */

static json_t *contender_placed(size_t content, uint64_t placement, uint64_t poison)
{
	return json_pack("{s:I, s:I, s:I}", "content", (json_int_t)content, "placement",
			 (json_int_t)placement, "poison", (json_int_t)poison);
}

static void contender_damage(struct ki_contender *k, const json_t *answer, const char *phase)
{
	const json_t *damage = json_object_get(answer, "damage");
	const char *guard = json_string_value(json_object_get(damage, "guard"));
	const char *input = json_string_value(json_object_get(damage, "input"));
	struct ki_findings *f = &k->measurement->findings;

	if (guard != NULL && guard[0] != '\0' && !ki_findings_has(f, KI_FINDING_GUARD_WRITTEN))
		ki_findings_add(f, KI_FINDING_GUARD_WRITTEN, phase,
				"bytes beside \"%s\" were written", guard);
	if (input != NULL && input[0] != '\0' && !ki_findings_has(f, KI_FINDING_INPUT_MUTATED))
		ki_findings_add(f, KI_FINDING_INPUT_MUTATED, phase,
				"input \"%s\" was changed by a launch", input);
}

void ki_contender_check(struct ki_contender *k, size_t content, uint64_t seed)
{
	json_t *answer = NULL;

	k->content = content;
	k->poison = ki_seed_derive(seed, 1);
	if (!contender_ask(k, &answer, KI_WIRE_CHECK,
			   contender_placed(content, ki_seed_derive(seed, 0), k->poison), NULL, 0,
			   k->setting->plan->deadlines.launch_ns))
		return;
	if (k->measurement->first_launch_ns == 0)
		k->measurement->first_launch_ns = answer_number(answer, "launchNs");
	contender_damage(k, answer, "before timing");
	json_decref(answer);
	ki_contender_pause(k);
}

bool ki_contender_rows(struct ki_contender *k, size_t content, size_t output, uint64_t first,
		       uint64_t count)
{
	json_t *question = json_pack("{s:I, s:I, s:I, s:I}", "content", (json_int_t)content,
				     "output", (json_int_t)output, "first", (json_int_t)first,
				     "count", (json_int_t)count);

	return contender_ask(k, NULL, KI_WIRE_ROWS, question, NULL, 0,
			     k->setting->plan->deadlines.launch_ns);
}

/* ---------------------------------------------------------------- timing */

void ki_contender_warm(struct ki_contender *k, size_t content, uint64_t seed)
{
	const struct ki_plan_timing *t = &k->setting->plan->timing;
	struct ki_measurement *m = k->measurement;
	json_t *answer = NULL;
	json_t *question =
		contender_placed(content, ki_seed_derive(seed, 0), ki_seed_derive(seed, 1));
	json_t *method = json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:I}", "method", t->method, "warmupNs",
		(json_int_t)t->warmup_ns, "measureNs", (json_int_t)t->measure_ns, "minimumSamples",
		(json_int_t)t->minimum_samples, "maximumSamples", (json_int_t)t->maximum_samples,
		"leadIn", (json_int_t)k->setting->plan->schedule.lead_in);

	json_object_update(question, method);
	json_decref(method);
	if (!contender_ask(k, &answer, KI_WIRE_WARM, question, NULL, 0,
			   k->setting->plan->deadlines.launch_ns +
				   CONTENDER_PATIENCE * (m->first_launch_ns * 6 + t->warmup_ns)))
		return;
	m->call_ns = answer_number(answer, "callNs");
	m->n_warmup = answer_number(answer, "warmups");
	m->n_planned = answer_number(answer, "samples");
	json_decref(answer);
	/* It comes from the worker: the plan's bounds hold whatever it says. */
	if (m->n_planned < t->minimum_samples)
		m->n_planned = t->minimum_samples;
	if (m->n_planned > t->maximum_samples)
		m->n_planned = t->maximum_samples;
	ki_contender_pause(k);
}

/* n integers, none negative; false when the array is anything else. */
static bool contender_numbers(uint64_t *out, const json_t *array, uint64_t n)
{
	uint64_t i;

	if (json_array_size(array) != n)
		return false;
	for (i = 0; i < n; i++) {
		const json_t *v = json_array_get(array, i);

		if (!json_is_integer(v) || json_integer_value(v) < 0)
			return false;
		out[i] = (uint64_t)json_integer_value(v);
	}
	return true;
}

static void contender_segment_evidence(struct ki_contender *k, const json_t *answer,
				       uint64_t placement, uint32_t segment)
{
	char hex[20];

	snprintf(hex, sizeof hex, "%016" PRIx64, placement);
	json_array_append_new(k->measurement->segments,
			      json_pack("{s:i, s:i, s:I, s:s, s:O, s:O}", "replicate",
					(int)k->replicate, "block", (int)(segment / 2), "content",
					(json_int_t)k->content, "placement", hex, "samplesNs",
					json_object_get(answer, "samples"), "controlsNs",
					json_object_get(answer, "controls")));
}

static int contender_samples(struct ki_contender *k, const json_t *answer, uint32_t segment,
			     uint64_t n, struct ki_error *e)
{
	uint64_t *samples = calloc(n, sizeof *samples), *controls = calloc(n, sizeof *controls);
	int rc = KI_SUCCESS;

	if (samples == NULL || controls == NULL)
		rc = ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	else if (!contender_numbers(samples, json_object_get(answer, "samples"), n) ||
		 !contender_numbers(controls, json_object_get(answer, "controls"), n))
		rc = ki_error_set(e, KI_FAIL_BACKEND, "a segment without its %" PRIu64 " samples",
				  n);
	else
		rc = ki_measurement_add(k->measurement, k->replicate, segment, samples, controls, n,
					e);
	free(samples);
	free(controls);
	return rc;
}

void ki_contender_segment(struct ki_contender *k, size_t content, uint64_t placement,
			  uint32_t segment, uint64_t n)
{
	const struct ki_plan *plan = k->setting->plan;
	struct ki_error e = {0};
	json_t *question, *answer = NULL;

	k->content = content;
	k->poison = ki_seed_derive(placement, 1);
	question = contender_placed(content, placement, k->poison);
	json_object_set_new(question, "n", json_integer((json_int_t)n));
	if (!contender_ask(k, &answer, KI_WIRE_SEGMENT, question, NULL, 0,
			   plan->deadlines.launch_ns + CONTENDER_PATIENCE * 2 *
							       (n + plan->schedule.lead_in) *
							       k->measurement->call_ns))
		return;
	ki_contender_pause(k);
	if (contender_samples(k, answer, segment, n, &e) != KI_SUCCESS) {
		k->live = false;
		ki_findings_add(&k->measurement->findings,
				e.code == KI_FAIL_BACKEND ? KI_FINDING_PROTOCOL_BROKEN
							  : KI_FINDING_HARNESS_FAILED,
				"timed", "%s", e.text);
	} else {
		contender_segment_evidence(k, answer, placement, segment);
		contender_damage(k, answer, "timed");
	}
	json_decref(answer);
}

void ki_contender_pause(struct ki_contender *k)
{
	if (ki_worker_alive(k->worker))
		ki_worker_pause(k->worker);
}

static void contender_keep_log(struct ki_contender *k)
{
	struct ki_measurement *m = k->measurement;
	const char *log = ki_worker_log(k->worker, &m->log_size, &m->log_total);

	free(m->log);
	m->log = strndup(log, m->log_size);
	if (m->log == NULL)
		m->log_size = 0;
}

void ki_contender_finish(struct ki_contender *k)
{
	struct ki_failure failure;

	if (k->worker == NULL)
		return;
	if (k->live && ki_worker_finish(k->worker, k->setting->plan->deadlines.create_ns,
					&failure) != KI_SUCCESS) {
		if (failure.kind == KI_FAILURE_INTERRUPTED)
			k->measurement->interrupted = true;
		else
			ki_findings_add(&k->measurement->findings, KI_FINDING_UNCLEAN_END,
					failure.phase, "%s: %s", failure.phase, failure.text);
	}
	k->live = false;
	contender_keep_log(k);
	ki_worker_free(k->worker);
	k->worker = NULL;
	ki_region_free(&k->outputs);
}

uint64_t ki_contender_poison(const struct ki_contender *k, size_t operand)
{
	return ki_arena_poison_key(k->poison, (uint32_t)operand);
}
