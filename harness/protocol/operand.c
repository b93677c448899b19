/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "protocol/operand.h"

static int operand_dtype(const struct ki_operand_reader *b, const struct ki_case *c,
			 enum ki_dtype *out, const struct ki_node *n, const char *name)
{
	if (n == NULL || n->type != KI_NODE_STRING)
		return ki_reader_fail(b->reader, n != NULL ? n : b->plan->operation_node,
				      "argument %s: expected a dtype", name);
	if (strcmp(n->text, "float") == 0) {
		*out = c->dtype;
		return KI_SUCCESS;
	}
	if (ki_dtype_from_name(out, n->text))
		return KI_SUCCESS;
	return ki_reader_fail(b->reader, n,
			      "argument %s: dtype \"%s\" is not supported; supported are float, "
			      "bf16, fp16, fp32, fp64",
			      name, n->text);
}

static int operand_shape(const struct ki_operand_reader *b, const struct ki_case *c,
			 struct ki_case_operand *o, const struct ki_node *shape)
{
	size_t i;

	if (shape == NULL || shape->type != KI_NODE_SEQUENCE || shape->count < 1 ||
	    shape->count > KI_CASE_NDIM_MAX)
		return ki_reader_fail(b->reader, shape != NULL ? shape : b->plan->operation_node,
				      "argument %s: expected a shape of 1 to %d axes", o->name,
				      KI_CASE_NDIM_MAX);
	o->ndim = (int)shape->count;
	o->elements = 1;
	for (i = 0; i < shape->count; i++) {
		const struct ki_node *d = shape->items[i];
		int64_t v = d->integer;

		if (d->type == KI_NODE_STRING && !ki_case_axis(&v, c, d->text))
			return ki_reader_fail(b->reader, d, "argument %s: there is no axis \"%s\"",
					      o->name, d->text);
		if ((d->type != KI_NODE_STRING && d->type != KI_NODE_INTEGER) || v < 1)
			return ki_reader_fail(
				b->reader, d,
				"argument %s: expected an axis or a size of 1 or more", o->name);
		o->shape[i] = v;
		if (!ki_size_mul(&o->elements, o->elements, (uint64_t)v) ||
		    o->elements > KI_CASE_TENSOR_BYTES_MAX / 8)
			return ki_reader_fail(b->reader, d,
					      "argument %s: the tensor of case %s "
					      "would be too large",
					      o->name, c->full);
	}
	o->bytes = o->elements * ki_dtype_bytes(o->dtype);
	o->row_length = (uint64_t)o->shape[o->ndim - 1];
	o->rows = o->elements / o->row_length;
	return KI_SUCCESS;
}

struct generator_text {
	const char *generator;
	uint64_t seed;
	const struct ki_node *parameters;
};

static const struct ki_field generator_fields[] = {
	{.key = "generator",
	 .type = KI_FIELD_STRING,
	 .offset = offsetof(struct generator_text, generator),
	 .required = true},
	{.key = "seed",
	 .type = KI_FIELD_UNSIGNED,
	 .offset = offsetof(struct generator_text, seed),
	 .maximum = KI_CASE_INTEGER_MAX},
	{.key = "parameters",
	 .type = KI_FIELD_MAPPING,
	 .offset = offsetof(struct generator_text, parameters)},
};

/* The parameters of each generator, in the order a, b, with what they are when not given. */
static const struct {
	const char *a;
	double a_default;
	const char *b;
	double b_default;
} generator_parameters[KI_GENERATOR_COUNT] = {
	[KI_GENERATOR_CONSTANT] = {"value", 0, NULL, 0},
	[KI_GENERATOR_UNIFORM] = {"low", 0, "high", 1},
	[KI_GENERATOR_NORMAL] = {"mean", 0, "stddev", 1},
	[KI_GENERATOR_KAIMING_UNIFORM] = {"a", 0, NULL, 0},
};

static int generator_values(const struct ki_reader *r, struct ki_generator *g,
			    const struct ki_node *parameters, const char *path)
{
	struct ki_field fields[2] = {
		{.key = generator_parameters[g->kind].a,
		 .type = KI_FIELD_REAL,
		 .offset = offsetof(struct ki_generator, a)},
		{.key = generator_parameters[g->kind].b,
		 .type = KI_FIELD_REAL,
		 .offset = offsetof(struct ki_generator, b)},
	};
	size_t n = fields[1].key != NULL ? 2 : 1;

	g->a = generator_parameters[g->kind].a_default;
	g->b = generator_parameters[g->kind].b_default;
	if (parameters == NULL)
		return KI_SUCCESS;
	return ki_reader_fields(r, parameters, path, fields, n, g);
}

static int operand_generator(const struct ki_operand_reader *b, struct ki_case_operand *o)
{
	const struct ki_node *n = ki_node_get(b->plan->inputs, o->name);
	struct generator_text t = {0};
	char path[KI_CASE_TEXT_MAX];
	int kind, rc, i;

	if (n == NULL)
		return ki_reader_fail(b->reader, b->plan->inputs,
				      "spec.inputs: nothing says how input \"%s\" is generated",
				      o->name);
	snprintf(path, sizeof path, "spec.inputs.%s", o->name);
	rc = ki_reader_fields(b->reader, n, path, generator_fields,
			      sizeof generator_fields / sizeof generator_fields[0], &t);
	if (rc != KI_SUCCESS)
		return rc;
	kind = ki_generator_from_name(t.generator);
	if (kind < 0)
		return ki_reader_fail(b->reader, ki_node_get(n, "generator"),
				      "%s.generator: unknown generator \"%s\"; known are constant, "
				      "uniform, normal, kaiming_uniform",
				      path, t.generator);
	o->generator.kind = (enum ki_generator_kind)kind;
	o->generator.seed = t.seed;
	o->generator.fan_in = 1;
	for (i = 1; i < o->ndim; i++)
		o->generator.fan_in *= (uint64_t)o->shape[i];
	return generator_values(b->reader, &o->generator, t.parameters, path);
}

int ki_operand_read(struct ki_case *c, const struct ki_operand_reader *b,
		    const struct ki_node *argument, enum ki_operand_role role)
{
	const struct ki_node *name =
		argument->type == KI_NODE_MAPPING ? ki_node_get(argument, "name") : NULL;
	const struct ki_node *tensor = name != NULL ? ki_node_get(argument, "tensor") : NULL;
	struct ki_case_operand *o = &c->operands[c->n_operands];
	int rc;

	if (name == NULL || name->type != KI_NODE_STRING)
		return ki_reader_fail(b->reader, argument, "expected an argument with a name");
	if (tensor == NULL || tensor->type != KI_NODE_MAPPING)
		return ki_reader_fail(b->reader, argument,
				      "argument %s: only tensors are supported; give a scalar as a "
				      "plan attribute",
				      name->text);
	if (c->n_operands == KI_CASE_OPERANDS_MAX)
		return ki_reader_fail(b->reader, argument, "more than %d arguments",
				      KI_CASE_OPERANDS_MAX);
	*o = (struct ki_case_operand){.name = name->text, .role = role};
	rc = operand_dtype(b, c, &o->dtype, ki_node_get(tensor, "dtype"), o->name);
	if (rc == KI_SUCCESS)
		rc = operand_shape(b, c, o, ki_node_get(tensor, "shape"));
	if (rc == KI_SUCCESS && role == KI_OPERAND_INPUT)
		rc = operand_generator(b, o);
	c->n_operands += rc == KI_SUCCESS ? 1u : 0u;
	return rc;
}

const char *ki_operand_parameter(enum ki_generator_kind kind, int i)
{
	return i == 0 ? generator_parameters[kind].a : generator_parameters[kind].b;
}
