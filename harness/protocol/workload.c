/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "document/canonical.h"
#include "document/kind/kind.h"
#include "protocol/operand.h"
#include "protocol/workload.h"

static json_t *workload_data(const struct ki_generator *g)
{
	json_t *parameters = json_object();
	const char *b = ki_operand_parameter(g->kind, 1);

	json_object_set_new(parameters, ki_operand_parameter(g->kind, 0), json_real(g->a));
	if (b != NULL)
		json_object_set_new(parameters, b, json_real(g->b));
	return json_pack("{s:s, s:I, s:o}", "generator", ki_generator_name(g->kind), "seed",
			 (json_int_t)g->seed, "parameters", parameters);
}

static json_t *workload_tensor(const struct ki_case_operand *o, bool state_inputs)
{
	json_t *shape = json_array();
	json_t *tensor;
	int i;

	for (i = 0; i < o->ndim; i++)
		json_array_append_new(shape, json_integer(o->shape[i]));
	tensor = json_pack("{s:o, s:s}", "shape", shape, "dtype", ki_dtype_name(o->dtype));
	if (state_inputs)
		json_object_set_new(tensor, "data", workload_data(&o->generator));
	return tensor;
}

/* A number in the letters of a token: 2.5 is 2p5, 1e-7 is 1em7. */
static void put_limit(struct ki_buffer *b, const char *name, double limit)
{
	char text[KI_CANONICAL_NUMBER_MAX];
	const char *p;

	ki_canonical_number(text, limit);
	ki_buffer_printf(b, "_%s", name);
	for (p = text; *p != '\0'; p++)
		if (*p != '+')
			ki_buffer_printf(b, "%c", *p == '.' ? 'p' : *p == '-' ? 'm' : *p);
}

void ki_workload_comparator(char out[KI_WORKLOAD_COMPARATOR_MAX], const struct ki_plan *plan)
{
	struct ki_buffer b;

	ki_buffer_init(&b, KI_WORKLOAD_COMPARATOR_MAX - 1);
	ki_buffer_puts(&b, "noise_relative");
	if (plan->state_inputs) {
		put_limit(&b, "row", plan->verification.row_limit);
		put_limit(&b, "pool", plan->verification.pool_limit);
	}
	snprintf(out, KI_WORKLOAD_COMPARATOR_MAX, "%s", b.data);
	ki_buffer_fini(&b);
}

static json_t *workload_correctness(const struct ki_plan *plan)
{
	char comparator[KI_WORKLOAD_COMPARATOR_MAX];

	if (!plan->state_inputs)
		return json_pack("{s:s}", "comparator", "not_asserted");
	ki_workload_comparator(comparator, plan);
	return json_pack("{s:s, s:i, s:s, s:s}", "comparator", comparator, "requiredMatchedRatio",
			 1, "nanPolicy", "reject", "infinityPolicy", "exact_match");
}

/* A Kernel Index name of at most 100 characters: [a-z0-9][a-z0-9._-]*. */
static void workload_name(char *out, size_t size, const struct ki_plan *plan,
			  const struct ki_case *c)
{
	const char *operation = json_string_value(
		json_object_get(json_object_get(plan->operation, "metadata"), "name"));
	struct ki_buffer b;
	char *p;
	size_t i;

	ki_buffer_init(&b, 4096);
	ki_buffer_puts(&b, operation != NULL ? operation : "workload");
	for (i = 0; i < c->n_axes; i++)
		ki_buffer_printf(&b, "-%s%" PRId64, c->axes[i].name, c->axes[i].value);
	ki_buffer_printf(&b, "-%s", ki_dtype_name(c->dtype));
	snprintf(out, size, "%s", b.data);
	for (p = out; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	ki_buffer_fini(&b);
}

int ki_workload_document(struct ki_case *c, const struct ki_plan *plan, struct ki_error *e)
{
	json_t *axes = json_object(), *tensors = json_object();
	char name[101];
	size_t i;

	for (i = 0; i < c->n_axes; i++)
		json_object_set_new(axes, c->axes[i].name, json_integer(c->axes[i].value));
	for (i = 0; i < c->n_inputs; i++)
		json_object_set_new(tensors, c->operands[i].name,
				    workload_tensor(&c->operands[i], plan->state_inputs));
	workload_name(name, sizeof name, plan, c);
	c->workload = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:o, s:o, s:o}}", "apiVersion",
				KI_API_VERSION, "kind", "WorkloadCase", "metadata", "name", name,
				"title", c->full, "spec", "operationSpecDigest",
				plan->operation_digest.text, "axes", axes, "tensors", tensors,
				"correctness", workload_correctness(plan));
	if (c->workload == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "out of memory");
	return ki_digest_document(&c->workload_digest, c->workload, e);
}
