/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/parallel.h"
#include "device/device.h"
#include "plugin/search.h"
#include "run/session.h"
#include "stats/comparison.h"

#define SESSION_PROBE_NS 60000000000u
/* Room in the operands' slab beyond the operands, so that a placement is a choice among many. */
#define SESSION_SLACK_BYTES ((uint64_t)64 << 20)

int ki_session_nonce(uint64_t nonce[2], struct ki_error *e)
{
	if (getrandom(nonce, 2 * sizeof nonce[0], 0) != (ssize_t)(2 * sizeof nonce[0]))
		return ki_error_errno(e, errno, "no random numbers from the system");
	return KI_SUCCESS;
}

/* ---------------------------------------------------------------- cases */

static int session_filter_split(char axis[64], const char **value, const char *filter,
				struct ki_error *e)
{
	const char *equals = strchr(filter, '=');

	if (equals == NULL || equals == filter || (size_t)(equals - filter) >= 64)
		return ki_error_set(e, KI_FAIL_USAGE,
				    "--case %s: expected AXIS=VALUE, such as seq=1024", filter);
	snprintf(axis, 64, "%.*s", (int)(equals - filter), filter);
	*value = equals + 1;
	return KI_SUCCESS;
}

/* "batch, heads_in, ..., dtype" */
static void session_axis_names(const struct ki_case *c, char *out, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < c->n_axes && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s, ", c->axes[i].name);
	if (n < size)
		snprintf(out + n, size - n, "dtype");
}

/*
 * A case stays when for each axis that is filtered one of its values fits: --case seq=32 --case
 * seq=64 --case dtype=bf16 leaves both lengths, in bf16.
 */
static int session_case_stays(bool *out, const struct ki_case *c,
			      const struct ki_session_request *r, struct ki_error *e)
{
	char axis[64], other[64], names[256];
	const char *value, *other_value;
	size_t i, k;
	int rc;

	*out = true;
	for (i = 0; i < r->n_filters; i++) {
		bool fits = false;

		rc = session_filter_split(axis, &value, r->filters[i], e);
		for (k = 0; rc == KI_SUCCESS && k < r->n_filters; k++) {
			rc = session_filter_split(other, &other_value, r->filters[k], e);
			if (rc == KI_SUCCESS && strcmp(axis, other) == 0 &&
			    ki_case_matches(c, axis, other_value) == KI_CASE_MATCH)
				fits = true;
		}
		if (rc != KI_SUCCESS)
			return rc;
		if (ki_case_matches(c, axis, value) == KI_CASE_NO_SUCH_AXIS) {
			session_axis_names(c, names, sizeof names);
			return ki_error_set(e, KI_FAIL_USAGE,
					    "--case %s: there is no axis \"%s\"; there are %s",
					    r->filters[i], axis, names);
		}
		*out = *out && fits;
	}
	return KI_SUCCESS;
}

static int session_filter(struct ki_session *s, const struct ki_session_request *r,
			  struct ki_error *e)
{
	struct ki_case_list *list = &s->cases;
	size_t i, kept = 0;

	for (i = 0; i < list->count; i++) {
		bool stays;
		int rc = session_case_stays(&stays, &list->cases[i], r, e);

		if (rc != KI_SUCCESS)
			return rc;
		if (!stays) {
			json_decref(list->cases[i].workload);
			list->cases[i].workload = NULL;
			continue;
		}
		if (kept != i) {
			list->cases[kept] = list->cases[i];
			list->cases[i].workload = NULL;
		}
		kept++;
	}
	list->count = kept;
	if (kept == 0)
		return ki_error_set(
			e, KI_FAIL_USAGE,
			"--case: no case of the protocol fits; --dry-run without --case "
			"lists them");
	return KI_SUCCESS;
}

/* ---------------------------------------------------------------- device */

int ki_session_probe(struct ki_session_device *out, const char *kind, const char *selector,
		     unsigned threads, const struct ki_worker_run *run, struct ki_error *e)
{
	json_t *question = json_pack("{s:{s:s, s:s, s:i}}", "device", "kind", kind, "selector",
				     selector, "threads", (int)threads);
	struct ki_failure failure;
	struct ki_worker *w = NULL;
	json_t *answer = NULL;
	int rc = ki_worker_spawn(&w, kind, run, e);

	if (rc == KI_SUCCESS) {
		rc = ki_worker_ask(w, &answer, KI_WIRE_PROBE, question, NULL, 0, SESSION_PROBE_NS,
				   &failure);
		if (rc == KI_SUCCESS)
			rc = ki_worker_finish(w, SESSION_PROBE_NS, &failure);
		if (rc != KI_SUCCESS)
			rc = ki_error_set(e,
					  failure.kind == KI_FAILURE_INTERRUPTED ? KI_FAIL_INTERRUPT
										 : KI_FAIL_INPUT,
					  "device %s: %s", kind, failure.text);
	}
	json_decref(question);
	ki_worker_free(w);
	if (rc != KI_SUCCESS) {
		json_decref(answer);
		return rc;
	}
	out->kind = kind;
	out->selector = selector;
	out->probe = answer;
	out->copy_rate = json_real_value(json_object_get(answer, "copyRate"));
	out->flush_ns = (uint64_t)json_integer_value(json_object_get(answer, "flushNs"));
	return KI_SUCCESS;
}

const char *ki_session_cuda_selector(const char *device)
{
	if (strcmp(device, "cuda") == 0)
		return "";
	if (strncmp(device, "cuda:", 5) == 0 && device[5] != '\0')
		return device + 5;
	return NULL;
}

static int session_probe_cpu(struct ki_session *s, const char *why, struct ki_error *e)
{
	snprintf(s->device.why, sizeof s->device.why, "%s", why);
	return ki_session_probe(&s->device, "cpu", "", (unsigned)s->plan.cpu.threads,
				&s->setting.workers, e);
}

/* A GPU when one can be used, else the CPU and the reason. */
static int session_probe_auto(struct ki_session *s, struct ki_error *e)
{
	struct ki_error inner = {0};
	int rc = ki_session_probe(&s->device, "cuda", "", 0, &s->setting.workers, &inner);

	if (rc == KI_SUCCESS) {
		snprintf(s->device.why, sizeof s->device.why, "the first CUDA device");
		return KI_SUCCESS;
	}
	if (rc == KI_FAIL_INTERRUPT || !s->plan.cpu.present)
		return ki_error_set(e, inner.code, "%s", inner.text);
	return session_probe_cpu(s, inner.text, e);
}

static int session_probe(struct ki_session *s, const struct ki_session_request *r,
			 struct ki_error *e)
{
	const char *selector = ki_session_cuda_selector(r->device);
	struct ki_error inner = {0};
	int rc;

	if (selector != NULL && s->plan.cuda) {
		snprintf(s->device.why, sizeof s->device.why, "as --device says");
		rc = ki_session_probe(&s->device, "cuda", selector, 0, &s->setting.workers, &inner);
		if (rc == KI_SUCCESS)
			return rc;
		if (rc != KI_FAIL_INPUT || !s->plan.cpu.present)
			return ki_error_set(e, (enum ki_code)rc, "%s", inner.text);
		return ki_error_set(e, KI_FAIL_INPUT,
				    "%s. What works here: ki-harness -p %s -b %s --device cpu",
				    inner.text, r->protocol, r->backends[0]);
	}
	if (strcmp(r->device, "auto") == 0 && s->plan.cuda)
		return session_probe_auto(s, e);
	return session_probe_cpu(s,
				 strcmp(r->device, "auto") == 0 ? "the only one in the protocol"
								: "as --device says",
				 e);
}

/* Is the device one that there can be, and that the protocol is for? */
static int session_check_device(const struct ki_session *s, const struct ki_session_request *r,
				struct ki_error *e)
{
	bool cuda = ki_session_cuda_selector(r->device) != NULL;

	if (!cuda && strcmp(r->device, "auto") != 0 && strcmp(r->device, "cpu") != 0)
		return ki_error_set(
			e, KI_FAIL_USAGE,
			"--device %s: expected auto, cpu, cuda or cuda:WHICH, an index or "
			"the UUID of one",
			r->device);
	if (cuda && !s->plan.cuda)
		return ki_error_set(e, KI_FAIL_USAGE,
				    "protocol %s has no variant for CUDA (spec.devices.cuda); what "
				    "works: ki-harness -p %s -b %s --device cpu",
				    s->plan.path, r->protocol, r->backends[0]);
	if (strcmp(r->device, "cpu") == 0 && !s->plan.cpu.present)
		return ki_error_set(e, KI_FAIL_USAGE,
				    "protocol %s has no variant for the CPU (spec.devices.cpu)",
				    s->plan.path);
	return KI_SUCCESS;
}

/* ---------------------------------------------------------------- backends */

static int session_open_backends(struct ki_session *s, const struct ki_session_request *r,
				 struct ki_error *e)
{
	size_t i, k;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < r->n_backends; i++) {
		rc = ki_backend_open(&s->backends[i], r->backends[i], e);
		s->n_backends += rc == KI_SUCCESS ? 1u : 0u;
		for (k = 0; rc == KI_SUCCESS && k < i; k++)
			if (strcmp(s->backends[i].label, s->backends[k].label) == 0)
				rc = ki_error_set(e, KI_FAIL_USAGE,
						  "two backends are called \"%s\"; name one: -b "
						  "LABEL=%s",
						  s->backends[i].label, r->backends[i]);
	}
	if (rc == KI_SUCCESS) {
		rc = ki_backend_open(&s->oracle, s->plan.verification.oracle, e);
		ki_error_prefix(e, "the protocol's oracle");
	}
	if (rc == KI_SUCCESS) {
		rc = ki_backend_open(&s->reference, s->plan.verification.reference, e);
		ki_error_prefix(e, "the protocol's reference");
	}
	return rc;
}

static int session_describe(struct ki_session *s, struct ki_error *e)
{
	uint64_t load_ns = s->plan.deadlines.load_ns;
	size_t i;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < s->n_backends; i++)
		rc = ki_backend_describe(&s->backends[i], s->plan.op, &s->setting.workers, load_ns,
					 e);
	if (rc == KI_SUCCESS)
		rc = ki_backend_describe(&s->oracle, s->plan.op, &s->setting.workers, load_ns, e);
	if (rc == KI_SUCCESS)
		rc = ki_backend_describe(&s->reference, s->plan.op, &s->setting.workers, load_ns,
					 e);
	return rc;
}

static int session_baseline(struct ki_session *s, const char *label, struct ki_error *e)
{
	size_t i;

	if (label == NULL)
		return KI_SUCCESS;
	for (i = 0; i < s->n_backends; i++)
		if (strcmp(s->backends[i].label, label) == 0) {
			s->baseline = i;
			return KI_SUCCESS;
		}
	return ki_error_set(e, KI_FAIL_USAGE,
			    "--baseline %s: no backend is called so; the first is \"%s\"", label,
			    s->backends[0].label);
}

/* ---------------------------------------------------------------- documents */

static int session_implementations(struct ki_session *s, bool gate, struct ki_error *e)
{
	size_t i, k;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < s->n_backends; i++) {
		const struct ki_backend *b = &s->backends[i];
		const struct ki_implementation_source source = {
			.plugin = b->plugin,
			.kernel = b->kernel_facts,
			.file_name = b->file_name,
			.bytes = b->bytes,
			.digest = &b->digest,
			.operation = &s->plan.operation_digest,
		};

		rc = ki_document_implementation(&s->implementations[i], &source, e);
		for (k = 0; rc == KI_SUCCESS && !gate && k < i; k++)
			if (strcmp(s->implementations[i].digest.text,
				   s->implementations[k].digest.text) == 0)
				rc = ki_error_set(
					e, KI_FAIL_INPUT,
					"backends %s and %s are the same implementation "
					"(%s, kernel %s): nothing could tell their records "
					"apart; --gate compares a backend with itself",
					s->backends[k].label, b->label, b->path, b->kernel);
	}
	return rc;
}

static int session_protocol(struct ki_session *s, struct ki_error *e)
{
	const json_t *probe = s->device.probe;
	const struct ki_identity_device device = {
		.timer = json_string_value(json_object_get(probe, "timer")),
		.synchronization = json_string_value(json_object_get(probe, "synchronization")),
		.threads = strcmp(s->device.kind, "cpu") == 0 ? s->setting.threads : 0,
		.flush_llc_multiple = KI_DEVICE_FLUSH_MULTIPLE,
	};
	int rc = ki_identity_protocol(&s->protocol.document, &s->plan, &s->cases.cases[0], &device,
				      e);

	if (rc == KI_SUCCESS)
		rc = ki_digest_document(&s->protocol.digest, s->protocol.document, e);
	return rc;
}

static int session_prepare(struct ki_session *s, const struct ki_session_request *r,
			   struct ki_error *e)
{
	int rc = session_open_backends(s, r, e);

	if (rc == KI_SUCCESS)
		rc = session_baseline(s, r->baseline, e);
	if (rc == KI_SUCCESS)
		rc = session_describe(s, e);
	if (rc == KI_SUCCESS)
		rc = session_probe(s, r, e);
	if (rc != KI_SUCCESS)
		return rc;
	s->setting.threads =
		(unsigned)json_integer_value(json_object_get(s->device.probe, "threads"));
	rc = session_protocol(s, e);
	if (rc == KI_SUCCESS)
		rc = ki_document_environment(&s->environment,
					     json_object_get(s->device.probe, "facts"), e);
	if (rc == KI_SUCCESS)
		rc = session_implementations(s, r->gate, e);
	/* Last, so that a run that was refused leaves no folder behind. */
	if (rc == KI_SUCCESS && !r->dry_run)
		rc = ki_store_open(&s->store, r->out, e);
	return rc;
}

/* How many fresh workers: what was asked for, else the plan's; a gate raises that to the least that
 * has an interval. */
static void session_replicates(struct ki_plan_schedule *schedule,
			       const struct ki_session_request *r)
{
	if (r->replicates > 0)
		schedule->replicates = r->replicates;
	else if (r->gate && schedule->replicates < KI_COMPARISON_REPLICATES_MIN)
		schedule->replicates = KI_COMPARISON_REPLICATES_MIN;
}

int ki_session_open(struct ki_session *out, const struct ki_session_request *request,
		    int interrupt_fd, struct ki_error *e)
{
	struct ki_session *s = out;
	int rc;

	*s = (struct ki_session){.oracle = {.image = -1}, .reference = {.image = -1}};
	s->setting.workers.interrupt_fd = interrupt_fd;
	s->setting.slack_bytes = SESSION_SLACK_BYTES;
	rc = ki_session_nonce(s->setting.workers.nonce, e);
	s->setting.seed = s->setting.workers.nonce[0];
	if (rc == KI_SUCCESS) {
		rc = ki_search(&s->protocol_path, &s->protocol_elsewhere, KI_SEARCH_PROTOCOL,
			       request->protocol, e);
		ki_error_prefix(e, "protocol %s", request->protocol);
	}
	if (rc == KI_SUCCESS)
		rc = ki_plan_read(&s->plan, s->protocol_path, e);
	if (rc == KI_SUCCESS)
		session_replicates(&s->plan.schedule, request);
	if (rc == KI_SUCCESS)
		rc = ki_case_list_new(&s->cases, &s->plan, e);
	if (rc == KI_SUCCESS)
		rc = session_filter(s, request, e);
	if (rc == KI_SUCCESS)
		rc = session_check_device(s, request, e);
	if (rc == KI_SUCCESS)
		rc = session_prepare(s, request, e);
	s->setting.plan = &s->plan;
	s->setting.device_kind = s->device.kind;
	s->setting.device_selector = s->device.selector;
	s->setting.oracle = &s->oracle;
	s->setting.reference = &s->reference;
	if (rc != KI_SUCCESS)
		ki_session_close(s);
	return rc;
}

void ki_session_close(struct ki_session *s)
{
	size_t i;

	for (i = 0; i < s->n_backends; i++) {
		ki_backend_close(&s->backends[i]);
		ki_identified_free(&s->implementations[i]);
	}
	ki_backend_close(&s->oracle);
	ki_backend_close(&s->reference);
	ki_identified_free(&s->protocol);
	ki_identified_free(&s->environment);
	json_decref(s->device.probe);
	ki_store_close(s->store);
	ki_case_list_free(&s->cases);
	ki_plan_free(&s->plan);
	free(s->protocol_path);
	*s = (struct ki_session){.oracle = {.image = -1}, .reference = {.image = -1}};
}

double ki_session_guess_ns(const struct ki_session *s, const struct ki_case *c)
{
	const struct ki_plan *plan = &s->plan;
	double bytes = (double)c->work_bytes, flush = (double)s->device.flush_ns;
	double launch, launches, each;
	size_t i;

	for (i = 0; c->work_bytes == 0 && i < c->n_operands; i++)
		bytes += (double)c->operands[i].bytes;
	/* Nothing is known of the kernels: ten times what the bytes alone would take. */
	launch = 10 * bytes / (s->device.copy_rate > 0 ? s->device.copy_rate : 1e9);
	launches = (double)plan->timing.measure_ns / (launch * 1e9 + flush);
	if (launches < (double)plan->timing.minimum_samples)
		launches = (double)plan->timing.minimum_samples;
	each = launches * (launch * 1e9 + 2 * flush) +
	       (double)(plan->schedule.segments * plan->schedule.lead_in) * flush +
	       (double)plan->timing.warmup_ns + 5 * flush;
	/* Starting a worker, making inputs, the oracle: of the order of what was seen. */
	return (double)(s->n_backends * plan->schedule.replicates) * (each + 2e8) +
	       (double)plan->verification.contents * bytes * 20 + 2e8;
}
