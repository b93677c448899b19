/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/device.h"
#include "measure/method.h"
#include "plugin/load.h"
#include "worker/arena.h"
#include "worker/host.h"
#include "worker/servant.h"
#include "worker/workload.h"

#define SERVANT_SCRATCH_ALIGN_MAX 4096
#define SERVANT_CONTENTS_MAX 64
#define SERVANT_FLUSHES 3
#define SERVANT_OFFERED_MAX 400

/* Shared memory, and where in it the operands of each content lie. */
struct servant_region {
	unsigned char *memory;
	uint64_t bytes;
	uint64_t offsets[SERVANT_CONTENTS_MAX][KI_WORKLOAD_OPERANDS_MAX];
	size_t n_contents;
};

struct ki_servant {
	const char *phase;
	int64_t status; /* of the plugin's call; -1 when it was no such call */
	struct ki_host_services host;
	const struct ki_device_ops *ops;
	struct ki_device_handle *device;
	struct ki_device abi_device;
	struct ki_loaded_plugin plugin;
	const struct ki_kernel *kernel;
	const struct ki_kernel_rows *rows;
	struct ki_workload_copy workload;
	ki_instance *instance;
	struct ki_needs needs;
	struct ki_arena arena;
	struct servant_region inputs;
	struct servant_region outputs;
	const struct ki_method *method;
	struct ki_method_parameters parameters;
};

struct ki_servant *ki_servant_new(void)
{
	struct ki_servant *s = calloc(1, sizeof *s);

	if (s != NULL) {
		ki_host_services_init(&s->host);
		s->phase = "start";
		s->status = -1;
	}
	return s;
}

const char *ki_servant_phase(const struct ki_servant *s)
{
	return s->phase;
}

int64_t ki_servant_status(const struct ki_servant *s)
{
	return s->status;
}

static void servant_enter(struct ki_servant *s, const char *phase)
{
	s->phase = phase;
	s->status = -1;
	ki_host_services_begin(&s->host);
}

/* Turns the status of a plugin's call into an error of this process. */
static int servant_called(struct ki_servant *s, ki_status status, struct ki_error *e)
{
	char space[32];
	const char *name = ki_host_status_name(status, space, sizeof space);

	if (status == KI_OK)
		return KI_SUCCESS;
	s->status = status;
	if (s->host.failed && s->host.text[0] != '\0' && s->host.native != 0)
		ki_error_set(e, KI_FAIL_BACKEND, "%s: %s (native code %" PRId64 ")", name,
			     s->host.text, s->host.native);
	else if (s->host.failed && s->host.text[0] != '\0')
		ki_error_set(e, KI_FAIL_BACKEND, "%s: %s", name, s->host.text);
	else
		ki_error_set(e, KI_FAIL_BACKEND, "%s, without a reason", name);
	return KI_FAIL_BACKEND;
}

static int servant_open_device(struct ki_servant *s, const json_t *payload, struct ki_error *e)
{
	const json_t *device = json_object_get(payload, "device");
	struct ki_device_request request = {
		.kind = json_string_value(json_object_get(device, "kind")),
		.selector = json_string_value(json_object_get(device, "selector")),
		.threads = (unsigned)json_integer_value(json_object_get(device, "threads")),
	};
	int rc;

	if (s->device != NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "a second device");
	s->ops = request.kind != NULL ? ki_device_ops(request.kind) : NULL;
	if (s->ops == NULL)
		return ki_error_set(e, KI_FAIL_INPUT, "no device of kind \"%s\"",
				    request.kind != NULL ? request.kind : "");
	rc = s->ops->open(&s->device, &request, e);
	if (rc != KI_SUCCESS)
		return rc;
	s->ops->describe(s->device, &s->abi_device);
	s->host.ops = s->ops;
	s->host.device = s->device;
	return KI_SUCCESS;
}

/* ---------------------------------------------------------------- probe */

static int servant_flush_ns(struct ki_servant *s, uint64_t *out, struct ki_error *e)
{
	int i, rc = s->ops->mark(s->device, 0, e);

	for (i = 0; rc == KI_SUCCESS && i < SERVANT_FLUSHES; i++)
		rc = s->ops->flush(s->device, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->mark(s->device, 1, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->synchronize(s->device, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->elapsed(s->device, out, 0, 1, e);
	*out /= SERVANT_FLUSHES;
	return rc;
}

int ki_servant_probe(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		     struct ki_error *e)
{
	double copy_rate = 0;
	uint64_t flush_ns = 0;
	json_t *facts;
	int rc;

	servant_enter(s, "probe");
	rc = servant_open_device(s, question->payload, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->copy_rate(s->device, &copy_rate, e);
	if (rc == KI_SUCCESS)
		rc = servant_flush_ns(s, &flush_ns, e);
	if (rc != KI_SUCCESS)
		return rc;
	facts = s->ops->facts(s->device);
	*answer = json_pack("{s:o, s:s, s:s, s:i, s:f, s:I}", "facts", facts, "timer",
			    s->ops->timer, "synchronization", s->ops->synchronization, "threads",
			    (int)s->abi_device.cpu_threads, "copyRate", copy_rate, "flushNs",
			    (json_int_t)flush_ns);
	return *answer != NULL ? KI_SUCCESS : ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
}

/* ---------------------------------------------------------------- load */

static void servant_set_string(json_t *object, const char *key, const char *value)
{
	if (value != NULL && value[0] != '\0')
		json_object_set_new(object, key, json_string(value));
}

static json_t *servant_kernel_json(const struct ki_kernel *k)
{
	json_t *o = json_object();

	servant_set_string(o, "id", k->id);
	servant_set_string(o, "op", k->op);
	servant_set_string(o, "summary", k->summary);
	servant_set_string(o, "language", k->language);
	servant_set_string(o, "license", k->license);
	servant_set_string(o, "sourceDigest", k->source_digest);
	servant_set_string(o, "sourceUri", k->source_uri);
	servant_set_string(o, "revision", k->project_revision);
	return o;
}

/* "eager (gemm/1), tiled (gemm/1), 3 more": for a message. */
static void servant_offered(char *out, size_t size, const struct ki_loaded_plugin *p)
{
	size_t n = 0, i;

	out[0] = '\0';
	for (i = 0; i < p->n_kernels; i++) {
		size_t need = strlen(p->kernels[i].id) + strlen(p->kernels[i].op) + 6;

		/* Room for how many more there are. */
		if (n + need + 24 > size) {
			snprintf(out + n, size - n, "%s%zu more", i > 0 ? ", " : "",
				 p->n_kernels - i);
			return;
		}
		n += (size_t)snprintf(out + n, size - n, "%s%s (%s)", i > 0 ? ", " : "",
				      p->kernels[i].id, p->kernels[i].op);
	}
}

/* The kernel that is asked for by its id, else the first for an operation; NULL when none is. */
static const struct ki_kernel *servant_choose(const struct ki_loaded_plugin *p,
					      const json_t *question)
{
	const char *id = json_string_value(json_object_get(question, "kernel"));
	const char *op = json_string_value(json_object_get(question, "op"));
	size_t i;

	if (id != NULL)
		return ki_plugin_kernel(p, id);
	for (i = 0; op != NULL && i < p->n_kernels; i++)
		if (strcmp(p->kernels[i].op, op) == 0)
			return &p->kernels[i];
	return NULL;
}

/* One kernel alone: all of 256, with strings of 4096 bytes, would fit into no message. */
static json_t *servant_plugin_json(const struct ki_loaded_plugin *p, const json_t *question)
{
	const struct ki_kernel *k = servant_choose(p, question);
	char abi[32], offered[SERVANT_OFFERED_MAX];
	json_t *o = json_object();

	snprintf(abi, sizeof abi, "%u.%u", KI_ABI_MAJOR_OF(p->plugin.abi_version),
		 KI_ABI_MINOR_OF(p->plugin.abi_version));
	servant_offered(offered, sizeof offered, p);
	servant_set_string(o, "id", p->plugin.id);
	servant_set_string(o, "version", p->plugin.version);
	servant_set_string(o, "vendor", p->plugin.vendor);
	servant_set_string(o, "license", p->plugin.license);
	servant_set_string(o, "url", p->plugin.url);
	servant_set_string(o, "toolchain", p->plugin.toolchain);
	servant_set_string(o, "abi", abi);
	servant_set_string(o, "refused", p->refused);
	servant_set_string(o, "offered", offered);
	if (k != NULL)
		json_object_set_new(o, "kernel", servant_kernel_json(k));
	return o;
}

int ki_servant_load(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		    struct ki_error *e)
{
	char path[64];
	int rc;

	servant_enter(s, "load");
	if (s->plugin.handle != NULL || question->n_fds != 1)
		return ki_error_set(e, KI_FAIL_INTERNAL, "a second plugin, or none");
	/* The sealed copy that was hashed: nothing can change between the hash and this. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", question->fds[0]);
	rc = ki_plugin_load(&s->plugin, path, KI_ABI_VERSION, e);
	if (rc != KI_SUCCESS)
		return rc;
	if (s->plugin.plugin.init != NULL) {
		rc = servant_called(s, s->plugin.plugin.init(&s->host.table), e);
		ki_error_prefix(e, "init");
	}
	if (rc == KI_SUCCESS)
		*answer = servant_plugin_json(&s->plugin, question->payload);
	return rc;
}

/* ---------------------------------------------------------------- create */

static int servant_needs(struct ki_servant *s, struct ki_error *e)
{
	struct ki_needs *needs = &s->needs;
	int rc = KI_SUCCESS;

	*needs = (struct ki_needs){.struct_size = sizeof *needs};
	servant_enter(s, "needs");
	if (s->kernel->needs != NULL)
		rc = servant_called(s, s->kernel->needs(s->instance, needs), e);
	if (rc != KI_SUCCESS)
		return rc;
	if (needs->scratch_align == 0)
		needs->scratch_align = KI_PLACEMENT_ALIGN;
	if ((needs->scratch_align & (needs->scratch_align - 1)) != 0 ||
	    needs->scratch_align > SERVANT_SCRATCH_ALIGN_MAX) {
		s->status = KI_E_INVALID;
		return ki_error_set(e, KI_FAIL_BACKEND,
				    "scratch_align is %" PRIu64
				    ", not a power of two of at most %d",
				    needs->scratch_align, SERVANT_SCRATCH_ALIGN_MAX);
	}
	return KI_SUCCESS;
}

static int servant_arena(struct ki_servant *s, uint64_t slack, struct ki_error *e)
{
	int rc = ki_arena_init(&s->arena, s->ops, s->device, &s->workload, s->needs.scratch_bytes,
			       s->needs.scratch_align, slack, e);

	if (rc == KI_FAIL_MEMORY || rc == KI_FAIL_LIMIT) {
		s->status = KI_E_NOMEM;
		ki_error_prefix(e, "with %" PRIu64 " bytes of scratch", s->needs.scratch_bytes);
	}
	return rc;
}

static int servant_kernel(struct ki_servant *s, const json_t *payload, struct ki_error *e)
{
	const char *id = json_string_value(json_object_get(payload, "kernel"));
	int rc;

	s->kernel = id != NULL ? ki_plugin_kernel(&s->plugin, id) : NULL;
	if (s->kernel == NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "no kernel \"%s\"", id ? id : "");
	rc = ki_workload_copy_init(&s->workload, json_object_get(payload, "workload"),
				   &s->abi_device.dl, e);
	if (rc != KI_SUCCESS)
		return rc;
	servant_enter(s, "supports");
	rc = servant_called(
		s, s->kernel->supports(&s->host.table, &s->abi_device, &s->workload.abi), e);
	if (rc != KI_SUCCESS)
		return rc;
	servant_enter(s, "create");
	rc = servant_called(
		s,
		s->kernel->create(&s->instance, &s->host.table, &s->abi_device, &s->workload.abi),
		e);
	if (rc == KI_SUCCESS && s->instance == NULL) {
		s->status = KI_E_INTERNAL;
		rc = ki_error_set(e, KI_FAIL_BACKEND, "create succeeded without an instance");
	}
	return rc;
}

int ki_servant_create(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		      struct ki_error *e)
{
	uint64_t start = ki_clock_raw_ns();
	json_int_t slack = json_integer_value(json_object_get(question->payload, "slackBytes"));
	int rc;

	servant_enter(s, "create");
	if (s->kernel != NULL || s->plugin.handle == NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "create before load, or twice");
	rc = servant_open_device(s, question->payload, e);
	if (rc == KI_SUCCESS)
		rc = servant_kernel(s, question->payload, e);
	if (rc == KI_SUCCESS)
		rc = servant_needs(s, e);
	if (rc != KI_SUCCESS)
		return rc;
	if (s->kernel->extension != NULL)
		s->rows = s->kernel->extension(KI_EXT_ROWS);
	rc = servant_arena(s, slack > 0 ? (uint64_t)slack : 0, e);
	if (rc != KI_SUCCESS)
		return rc;
	*answer = json_pack("{s:I, s:I, s:i, s:b, s:I, s:I}", "createNs",
			    (json_int_t)(ki_clock_raw_ns() - start), "scratchBytes",
			    (json_int_t)s->needs.scratch_bytes, "needs", (int)s->needs.flags,
			    "rows", s->rows != NULL, "slabBytes", (json_int_t)s->arena.slab_bytes,
			    "slackBytes", (json_int_t)(s->arena.slab_bytes - s->arena.least_bytes));
	return KI_SUCCESS;
}

int ki_servant_prepare(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		       struct ki_error *e)
{
	uint64_t start = ki_clock_raw_ns();
	json_int_t budget = json_integer_value(json_object_get(question->payload, "budgetNs"));
	struct ki_prepare p = {.struct_size = sizeof p,
			       .budget_ns = budget > 0 ? (uint64_t)budget : 0};
	int rc = KI_SUCCESS;

	servant_enter(s, "prepare");
	if (s->instance == NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "prepare before create");
	p.stream = s->ops->stream(s->device);
	/* Scratch moves from segment to segment; what prepare leaves in it is lost. */
	p.scratch = s->arena.has_scratch ? s->arena.slab : NULL;
	if (s->kernel->prepare != NULL)
		rc = servant_called(s, s->kernel->prepare(s->instance, &p), e);
	if (rc == KI_SUCCESS)
		rc = s->ops->synchronize(s->device, e);
	if (rc == KI_SUCCESS)
		*answer = json_pack("{s:I}", "prepareNs", (json_int_t)(ki_clock_raw_ns() - start));
	return rc;
}

/* ---------------------------------------------------------------- map */

/*
 * {"bytes", "offsets": [[...] a content]}: an offset for each operand, -1 where it has none.
 * Everything is checked against bytes, and bytes against nothing: the supervisor is trusted.
 */
static int servant_region_map(struct servant_region *out, const struct ki_servant *s,
			      const json_t *message, int fd, int protection, struct ki_error *e)
{
	const json_t *contents = json_object_get(message, "offsets");
	size_t c, n = s->workload.abi.n_operands, i;
	void *p;

	out->bytes = (uint64_t)json_integer_value(json_object_get(message, "bytes"));
	out->n_contents = json_array_size(contents);
	if (out->n_contents > SERVANT_CONTENTS_MAX)
		return ki_error_set(e, KI_FAIL_INTERNAL, "too many contents");
	for (c = 0; c < out->n_contents; c++)
		for (i = 0; i < n; i++)
			out->offsets[c][i] = (uint64_t)json_integer_value(
				json_array_get(json_array_get(contents, c), i));
	p = mmap(NULL, out->bytes, protection, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return ki_error_errno(e, errno, "cannot map shared memory");
	out->memory = p;
	return KI_SUCCESS;
}

int ki_servant_map(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		   struct ki_error *e)
{
	int rc;

	(void)answer;
	servant_enter(s, "map");
	if (question->n_fds != 2 || s->instance == NULL || s->inputs.memory != NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "map out of order");
	rc = servant_region_map(&s->inputs, s, json_object_get(question->payload, "inputs"),
				question->fds[0], PROT_READ, e);
	if (rc == KI_SUCCESS)
		rc = servant_region_map(&s->outputs, s,
					json_object_get(question->payload, "outputs"),
					question->fds[1], PROT_READ | PROT_WRITE, e);
	return rc;
}

/* ---------------------------------------------------------------- launches */

static int servant_launch(void *context, struct ki_error *e)
{
	struct ki_servant *s = context;
	const struct ki_launch l = {.struct_size = sizeof l,
				    .n_operands = s->workload.abi.n_operands,
				    .operands = s->arena.operands,
				    .stream = s->ops->stream(s->device),
				    .scratch = s->arena.scratch};
	ki_status status = s->kernel->launch(s->instance, &l);

	return status == KI_OK ? KI_SUCCESS : servant_called(s, status, e);
}

/* What has to be done anew before each launch. */
static int servant_ready(void *context, struct ki_error *e)
{
	struct ki_servant *s = context;

	if ((s->needs.flags & KI_NEED_ZEROED) == 0 || !s->arena.has_scratch)
		return KI_SUCCESS;
	return s->ops->zero(s->device, s->arena.scratch, s->needs.scratch_bytes, e);
}

/* Where the inputs (want_out false) or outputs of a content lie; NULL for the others. */
static void servant_pointers(void **out, const struct ki_servant *s,
			     const struct servant_region *region, size_t content, bool want_out)
{
	uint32_t i;

	for (i = 0; i < s->workload.abi.n_operands; i++) {
		bool is_out = s->workload.operands[i].role == KI_ROLE_OUT;

		out[i] = is_out == want_out ? region->memory + region->offsets[content][i] : NULL;
	}
}

struct servant_setting {
	size_t content;
	uint64_t placement;
	uint64_t poison;
	void *inputs[KI_WORKLOAD_OPERANDS_MAX];
	void *outputs[KI_WORKLOAD_OPERANDS_MAX];
};

/* Places the operands as the question says. */
static int servant_set(struct ki_servant *s, struct servant_setting *set, const json_t *payload,
		       struct ki_error *e)
{
	json_int_t content = json_integer_value(json_object_get(payload, "content"));

	if (s->inputs.memory == NULL || content < 0 || (size_t)content >= s->inputs.n_contents)
		return ki_error_set(e, KI_FAIL_INTERNAL, "a launch before map, or on no content");
	set->content = (size_t)content;
	set->placement = (uint64_t)json_integer_value(json_object_get(payload, "placement"));
	set->poison = (uint64_t)json_integer_value(json_object_get(payload, "poison"));
	servant_pointers(set->inputs, s, &s->inputs, set->content, false);
	servant_pointers(set->outputs, s, &s->outputs, 0, true);
	return ki_arena_place(&s->arena, set->placement, set->poison,
			      (const void *const *)set->inputs, e);
}

/* After a launch: what it did to memory, and its output for the supervisor to judge. */
static int servant_take(struct ki_servant *s, json_t *answer, const struct servant_setting *set,
			struct ki_error *e)
{
	struct ki_arena_damage damage;
	int rc = ki_arena_inspect(&damage, &s->arena, (const void *const *)set->inputs, e);

	if (rc == KI_SUCCESS)
		rc = ki_arena_copy_out(&s->arena, set->outputs, e);
	if (rc == KI_SUCCESS)
		json_object_set_new(
			answer, "damage",
			json_pack("{s:s, s:s}", "guard", damage.guard, "input", damage.input));
	return rc;
}

int ki_servant_check(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		     struct ki_error *e)
{
	struct servant_setting set;
	uint64_t start;
	int rc;

	servant_enter(s, "launch");
	rc = servant_set(s, &set, question->payload, e);
	if (rc == KI_SUCCESS)
		rc = servant_ready(s, e);
	start = ki_clock_raw_ns();
	if (rc == KI_SUCCESS)
		rc = servant_launch(s, e);
	if (rc == KI_SUCCESS)
		rc = s->ops->synchronize(s->device, e);
	if (rc != KI_SUCCESS)
		return rc;
	*answer = json_pack("{s:I}", "launchNs", (json_int_t)(ki_clock_raw_ns() - start));
	return servant_take(s, *answer, &set, e);
}

/* The operands of a call for rows: inputs where they are shared, one output of n rows. */
static void servant_rows_operands(struct ki_operand *operands, DLTensor *tensors,
				  const struct ki_servant *s, size_t content, uint32_t output)
{
	uint32_t i;

	for (i = 0; i < s->workload.abi.n_operands; i++) {
		operands[i] = s->workload.operands[i];
		tensors[i] = s->workload.info[i].tensor;
		tensors[i].data = NULL;
		if (i == output)
			tensors[i].data = s->outputs.memory + s->outputs.offsets[0][i];
		else if (operands[i].role != KI_ROLE_OUT)
			tensors[i].data = s->inputs.memory + s->inputs.offsets[content][i];
		operands[i].tensor = &tensors[i];
	}
}

/* An oracle computes from the shared inputs straight into the shared output: a tile of rows. */
int ki_servant_rows(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		    struct ki_error *e)
{
	uint64_t first = (uint64_t)json_integer_value(json_object_get(question->payload, "first"));
	uint64_t count = (uint64_t)json_integer_value(json_object_get(question->payload, "count"));
	size_t content = (size_t)json_integer_value(json_object_get(question->payload, "content"));
	uint32_t output =
		(uint32_t)json_integer_value(json_object_get(question->payload, "output"));
	struct ki_operand operands[KI_WORKLOAD_OPERANDS_MAX];
	DLTensor tensors[KI_WORKLOAD_OPERANDS_MAX];
	int64_t shape[2], strides[2];
	const struct ki_launch l = {.struct_size = sizeof l,
				    .n_operands = s->workload.abi.n_operands,
				    .operands = operands,
				    .scratch = s->arena.has_scratch ? s->arena.slab : NULL};

	(void)answer;
	servant_enter(s, "launch");
	if (s->rows == NULL || s->rows->launch_rows == NULL || s->inputs.memory == NULL ||
	    content >= s->inputs.n_contents || output >= l.n_operands ||
	    s->workload.operands[output].role != KI_ROLE_OUT)
		return ki_error_set(e, KI_FAIL_BACKEND, "the oracle does not offer " KI_EXT_ROWS);
	servant_rows_operands(operands, tensors, s, content, output);
	shape[0] = (int64_t)count;
	shape[1] = strides[0] = (int64_t)s->workload.info[output].row_length;
	strides[1] = 1;
	tensors[output].ndim = 2;
	tensors[output].shape = shape;
	tensors[output].strides = strides;
	return servant_called(s, s->rows->launch_rows(s->instance, &l, output, first, count), e);
}

/* ---------------------------------------------------------------- timing */

static struct ki_subject servant_subject(struct ki_servant *s)
{
	return (struct ki_subject){.ops = s->ops,
				   .device = s->device,
				   .ready = servant_ready,
				   .launch = servant_launch,
				   .context = s};
}

static int servant_parameters(struct ki_servant *s, const json_t *payload, struct ki_error *e)
{
	const char *method = json_string_value(json_object_get(payload, "method"));

	s->method = method != NULL ? ki_method_find(method) : NULL;
	if (s->method == NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "no method \"%s\"", method ? method : "");
	s->parameters = (struct ki_method_parameters){
		.warmup_ns = (uint64_t)json_integer_value(json_object_get(payload, "warmupNs")),
		.measure_ns = (uint64_t)json_integer_value(json_object_get(payload, "measureNs")),
		.minimum_samples =
			(uint64_t)json_integer_value(json_object_get(payload, "minimumSamples")),
		.maximum_samples =
			(uint64_t)json_integer_value(json_object_get(payload, "maximumSamples")),
		.lead_in = (uint64_t)json_integer_value(json_object_get(payload, "leadIn")),
	};
	return KI_SUCCESS;
}

int ki_servant_warm(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		    struct ki_error *e)
{
	struct ki_subject subject = servant_subject(s);
	struct ki_method_estimate estimate = {0};
	struct servant_setting set;
	int rc;

	servant_enter(s, "launch");
	rc = servant_parameters(s, question->payload, e);
	if (rc == KI_SUCCESS)
		rc = servant_set(s, &set, question->payload, e);
	if (rc == KI_SUCCESS)
		rc = s->method->estimate(&estimate, &subject, &s->parameters, e);
	if (rc == KI_SUCCESS)
		rc = s->method->warm_up(&subject, &estimate, e);
	if (rc == KI_SUCCESS)
		*answer = json_pack("{s:I, s:I, s:I}", "callNs", (json_int_t)estimate.call_ns,
				    "warmups", (json_int_t)estimate.n_warmup, "samples",
				    (json_int_t)estimate.n_samples);
	return rc;
}

static json_t *servant_numbers(const uint64_t *values, size_t n)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(a, json_integer((json_int_t)values[i]));
	return a;
}

int ki_servant_segment(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		       struct ki_error *e)
{
	json_int_t n = json_integer_value(json_object_get(question->payload, "n"));
	struct ki_subject subject = servant_subject(s);
	struct ki_method_segment segment = {0};
	struct servant_setting set;
	int rc;

	servant_enter(s, "launch");
	if (s->method == NULL || n < 1 || n > KI_METHOD_SEGMENT_SAMPLES_MAX)
		return ki_error_set(e, KI_FAIL_INTERNAL, "a segment before warm, or of no size");
	segment.n = (size_t)n;
	segment.samples_ns = calloc(segment.n, sizeof *segment.samples_ns);
	segment.controls_ns = calloc(segment.n, sizeof *segment.controls_ns);
	rc = segment.samples_ns == NULL || segment.controls_ns == NULL
		     ? ki_error_set(e, KI_FAIL_MEMORY, "out of memory")
		     : servant_set(s, &set, question->payload, e);
	if (rc == KI_SUCCESS)
		rc = s->method->segment(&segment, &subject, &s->parameters, e);
	if (rc == KI_SUCCESS) {
		*answer = json_pack("{s:o, s:o}", "samples",
				    servant_numbers(segment.samples_ns, segment.n), "controls",
				    servant_numbers(segment.controls_ns, segment.n));
		rc = servant_take(s, *answer, &set, e);
	}
	free(segment.samples_ns);
	free(segment.controls_ns);
	return rc;
}

/* ---------------------------------------------------------------- finish */

int ki_servant_finish(struct ki_servant *s, json_t **answer, struct ki_wire_message *question,
		      struct ki_error *e)
{
	(void)answer;
	(void)question;
	(void)e;
	servant_enter(s, "destroy");
	if (s->instance != NULL)
		s->kernel->destroy(s->instance);
	s->instance = NULL;
	if (s->plugin.handle != NULL && s->plugin.plugin.deinit != NULL)
		s->plugin.plugin.deinit();
	return KI_SUCCESS;
}
