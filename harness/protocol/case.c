/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/size.h"
#include "protocol/case.h"
#include "protocol/expression.h"
#include "protocol/operand.h"
#include "protocol/workload.h"

/* An entry of spec.cases while its sweeps are unrolled. */
struct case_entry {
	const struct ki_node *node;
	const struct ki_node *axes;
	const struct ki_node *dtype; /* a string, or a sequence of strings */
	size_t index[KI_CASE_AXES_MAX];
	size_t dtype_index;
};

struct case_builder {
	const struct ki_plan *plan;
	struct ki_reader reader;
	const struct ki_node *axes;    /* of the OperationSpec */
	const struct ki_node *inputs;  /* likewise */
	const struct ki_node *outputs; /* likewise */
	struct ki_case_list *list;
};

/* How many values a node sweeps over: a sequence its items, a scalar itself. */
static size_t sweep_count(const struct ki_node *n)
{
	return n->type == KI_NODE_SEQUENCE ? n->count : 1;
}

static const struct ki_node *sweep_item(const struct ki_node *n, size_t i)
{
	return n->type == KI_NODE_SEQUENCE ? n->items[i] : n;
}

bool ki_case_axis(int64_t *out, const struct ki_case *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->n_axes; i++)
		if (strcmp(c->axes[i].name, name) == 0) {
			*out = c->axes[i].value;
			return true;
		}
	return false;
}

/* Names of an expression: the axes, and element_bytes. */
static bool case_lookup(int64_t *out, const char *name, void *context)
{
	const struct ki_case *c = context;

	if (strcmp(name, "element_bytes") == 0) {
		*out = (int64_t)ki_dtype_bytes(c->dtype);
		return true;
	}
	return ki_case_axis(out, c, name);
}

static int case_add_axis(struct case_builder *b, struct ki_case *c, const struct ki_node *at,
			 const char *name, int64_t value)
{
	if (c->n_axes == KI_CASE_AXES_MAX)
		return ki_reader_fail(&b->reader, at, "more than %d axes", KI_CASE_AXES_MAX);
	c->axes[c->n_axes++] = (struct ki_axis){.name = name, .value = value};
	return KI_SUCCESS;
}

static int case_axis_limits(struct case_builder *b, const struct ki_node *at,
			    const struct ki_node *spec, const char *name, int64_t value)
{
	const struct ki_node *low = ki_node_get(spec, "minimum");
	const struct ki_node *high = ki_node_get(spec, "maximum");

	if (value < 0 || value > KI_CASE_INTEGER_MAX)
		return ki_reader_fail(&b->reader, at, "axis %s: %" PRId64 " is not a size", name,
				      value);
	if (low != NULL && low->type == KI_NODE_INTEGER && value < low->integer)
		return ki_reader_fail(&b->reader, at,
				      "axis %s: %" PRId64 " is below the operation's minimum of "
				      "%" PRId64,
				      name, value, low->integer);
	if (high != NULL && high->type == KI_NODE_INTEGER && value > high->integer)
		return ki_reader_fail(&b->reader, at,
				      "axis %s: %" PRId64 " is above the operation's maximum of "
				      "%" PRId64,
				      name, value, high->integer);
	return KI_SUCCESS;
}

static const char *axis_role(const struct ki_node *spec)
{
	const struct ki_node *role =
		spec->type == KI_NODE_MAPPING ? ki_node_get(spec, "role") : NULL;

	return role != NULL && role->type == KI_NODE_STRING ? role->text : "";
}

static int case_bound_axis(struct case_builder *b, struct ki_case *c,
			   const struct case_entry *entry, size_t i)
{
	const struct ki_node *key = entry->axes->keys[i];
	const struct ki_node *v = sweep_item(entry->axes->items[i], entry->index[i]);
	const struct ki_node *spec = ki_node_get(b->axes, key->text);
	int rc;

	if (spec == NULL)
		return ki_reader_fail(&b->reader, key, "the operation has no axis \"%s\"",
				      key->text);
	if (strcmp(axis_role(spec), "variable") != 0)
		return ki_reader_fail(&b->reader, key,
				      "axis %s is %s in the operation and cannot be bound",
				      key->text, axis_role(spec));
	if (v->type != KI_NODE_INTEGER)
		return ki_reader_expected(&b->reader, v, key->text, "an integer");
	rc = case_axis_limits(b, v, spec, key->text, v->integer);
	return rc != KI_SUCCESS ? rc : case_add_axis(b, c, key, key->text, v->integer);
}

/* Axes that the plan does not bind: constants and derived ones; a variable left over is an error.
 */
static int case_other_axis(struct case_builder *b, struct ki_case *c,
			   const struct case_entry *entry, size_t i)
{
	const struct ki_node *key = b->axes->keys[i];
	const struct ki_node *spec = b->axes->items[i];
	const struct ki_node *v;
	struct ki_error inner = {0};
	int64_t value;
	int rc;

	if (ki_case_axis(&value, c, key->text))
		return KI_SUCCESS;
	if (strcmp(axis_role(spec), "constant") == 0) {
		v = ki_node_get(spec, "value");
		if (v == NULL || v->type != KI_NODE_INTEGER)
			return ki_reader_fail(&b->reader, spec,
					      "axis %s is constant and needs an integer value",
					      key->text);
		return case_add_axis(b, c, key, key->text, v->integer);
	}
	if (strcmp(axis_role(spec), "derived") != 0)
		return ki_reader_fail(&b->reader, entry->axes, "axis %s is not bound", key->text);
	v = ki_node_get(spec, "expression");
	if (v == NULL || v->type != KI_NODE_STRING)
		return ki_reader_fail(&b->reader, spec,
				      "axis %s is derived and needs an expression", key->text);
	rc = ki_expression_evaluate(&value, v->text, case_lookup, c, &inner);
	if (rc != KI_SUCCESS)
		return ki_reader_fail(&b->reader, v, "axis %s: %s", key->text, inner.text);
	rc = case_axis_limits(b, v, spec, key->text, value);
	return rc != KI_SUCCESS ? rc : case_add_axis(b, c, key, key->text, value);
}

static int case_work(struct case_builder *b, struct ki_case *c, int64_t *out, const char *text)
{
	struct ki_error inner = {0};

	if (text == NULL)
		return KI_SUCCESS;
	if (ki_expression_evaluate(out, text, case_lookup, c, &inner) != KI_SUCCESS)
		return ki_error_set(b->reader.error, KI_FAIL_INPUT, "%s: spec.work: %s",
				    b->reader.file, inner.text);
	if (*out <= 0)
		return ki_error_set(b->reader.error, KI_FAIL_INPUT,
				    "%s: spec.work: \"%s\" is %" PRId64 " for case %s, not above 0",
				    b->reader.file, text, *out, c->full);
	return KI_SUCCESS;
}

/* "heads_in=4, seq=1024, bf16" of all axes, or "seq=1024 bf16" of those that sweep. */
static void case_texts(struct ki_case *c, const struct case_entry *entry)
{
	struct ki_buffer full, label;
	size_t i;

	ki_buffer_init(&full, KI_CASE_TEXT_MAX - 1);
	ki_buffer_init(&label, KI_CASE_TEXT_MAX - 1);
	for (i = 0; i < c->n_axes; i++) {
		ki_buffer_printf(&full, "%s=%" PRId64 ", ", c->axes[i].name, c->axes[i].value);
		if (i < entry->axes->count && sweep_count(entry->axes->items[i]) > 1)
			ki_buffer_printf(&label, "%s=%" PRId64 " ", c->axes[i].name,
					 c->axes[i].value);
	}
	ki_buffer_puts(&full, ki_dtype_name(c->dtype));
	ki_buffer_puts(&label, ki_dtype_name(c->dtype));
	snprintf(c->full, sizeof c->full, "%s", full.data);
	snprintf(c->label, sizeof c->label, "%s", label.data);
	ki_buffer_fini(&full);
	ki_buffer_fini(&label);
}

static int case_arguments(struct case_builder *b, struct ki_case *c)
{
	const struct ki_operand_reader operands = {.plan = b->plan, .reader = &b->reader};
	size_t i;
	int rc = KI_SUCCESS;

	for (i = 0; rc == KI_SUCCESS && i < b->inputs->count; i++)
		rc = ki_operand_read(c, &operands, b->inputs->items[i], KI_OPERAND_INPUT);
	c->n_inputs = c->n_operands;
	for (i = 0; rc == KI_SUCCESS && i < b->outputs->count; i++)
		rc = ki_operand_read(c, &operands, b->outputs->items[i], KI_OPERAND_OUTPUT);
	return rc;
}

static int case_build(struct case_builder *b, struct ki_case *c, const struct case_entry *entry)
{
	const struct ki_node *dtype = sweep_item(entry->dtype, entry->dtype_index);
	size_t i;
	int rc = KI_SUCCESS;

	if (dtype->type != KI_NODE_STRING || !ki_dtype_from_name(&c->dtype, dtype->text))
		return ki_reader_expected(&b->reader, dtype, "dtype",
					  "one of bf16, fp16, fp32, fp64");
	for (i = 0; rc == KI_SUCCESS && i < entry->axes->count; i++)
		rc = case_bound_axis(b, c, entry, i);
	for (i = 0; rc == KI_SUCCESS && i < b->axes->count; i++)
		rc = case_other_axis(b, c, entry, i);
	if (rc == KI_SUCCESS) {
		case_texts(c, entry);
		rc = case_arguments(b, c);
	}
	if (rc == KI_SUCCESS)
		rc = case_work(b, c, &c->work_bytes, b->plan->work_bytes);
	if (rc == KI_SUCCESS)
		rc = case_work(b, c, &c->work_operations, b->plan->work_operations);
	if (rc == KI_SUCCESS)
		rc = ki_workload_document(c, b->plan, b->reader.error);
	return rc;
}

static int case_append(struct case_builder *b, const struct case_entry *entry)
{
	struct ki_case_list *list = b->list;
	struct ki_case *grown;

	if (list->count == KI_CASE_COUNT_MAX)
		return ki_reader_fail(&b->reader, entry->node, "more than %d cases",
				      KI_CASE_COUNT_MAX);
	grown = realloc(list->cases, (list->count + 1) * sizeof *grown);
	if (grown == NULL)
		return ki_error_set(b->reader.error, KI_FAIL_MEMORY, "out of memory");
	list->cases = grown;
	grown[list->count] = (struct ki_case){0};
	list->count++;
	return case_build(b, &grown[list->count - 1], entry);
}

/* The next combination, the last axis running fastest and the dtype faster still. */
static bool case_advance(struct case_entry *entry)
{
	size_t i = entry->axes->count;

	if (++entry->dtype_index < sweep_count(entry->dtype))
		return true;
	entry->dtype_index = 0;
	while (i-- > 0) {
		if (++entry->index[i] < sweep_count(entry->axes->items[i]))
			return true;
		entry->index[i] = 0;
	}
	return false;
}

static int case_entry_cases(struct case_builder *b, const struct ki_node *node)
{
	struct case_entry entry = {.node = node};
	const struct ki_field fields[] = {
		{.key = "axes",
		 .type = KI_FIELD_MAPPING,
		 .offset = offsetof(struct case_entry, axes),
		 .required = true},
		{.key = "dtype",
		 .type = KI_FIELD_ANY,
		 .offset = offsetof(struct case_entry, dtype),
		 .required = true},
	};
	size_t i;
	int rc = ki_reader_fields(&b->reader, node, "spec.cases[]", fields, 2, &entry);

	if (rc != KI_SUCCESS)
		return rc;
	if (entry.axes->count > KI_CASE_AXES_MAX)
		return ki_reader_fail(&b->reader, entry.axes, "more than %d axes",
				      KI_CASE_AXES_MAX);
	for (i = 0; i < entry.axes->count; i++)
		if (sweep_count(entry.axes->items[i]) == 0)
			return ki_reader_fail(&b->reader, entry.axes->items[i],
					      "axis %s: the list is empty",
					      entry.axes->keys[i]->text);
	if (sweep_count(entry.dtype) == 0)
		return ki_reader_fail(&b->reader, entry.dtype, "dtype: the list is empty");
	do {
		rc = case_append(b, &entry);
	} while (rc == KI_SUCCESS && case_advance(&entry));
	return rc;
}

static int case_operation(struct case_builder *b)
{
	const struct ki_node *spec = ki_node_get(b->plan->operation_node, "spec");
	const struct ki_reader *r = &b->reader;

	if (spec == NULL || spec->type != KI_NODE_MAPPING)
		return ki_reader_fail(r, b->plan->operation_node, "OperationSpec: missing spec");
	b->axes = ki_node_get(spec, "axes");
	b->inputs = ki_node_get(spec, "inputs");
	b->outputs = ki_node_get(spec, "outputs");
	if (b->axes == NULL || b->axes->type != KI_NODE_MAPPING)
		return ki_reader_fail(r, spec, "OperationSpec: spec.axes: expected a mapping");
	if (b->inputs == NULL || b->inputs->type != KI_NODE_SEQUENCE || b->inputs->count == 0)
		return ki_reader_fail(r, spec, "OperationSpec: spec.inputs: expected arguments");
	if (b->outputs == NULL || b->outputs->type != KI_NODE_SEQUENCE || b->outputs->count == 0)
		return ki_reader_fail(r, spec, "OperationSpec: spec.outputs: expected arguments");
	return KI_SUCCESS;
}

/* A generator for an input that does not exist is a misspelling. */
static int case_check_generators(const struct case_builder *b)
{
	const struct ki_case *c = &b->list->cases[0];
	size_t i, k;

	for (i = 0; i < b->plan->inputs->count; i++) {
		const struct ki_node *key = b->plan->inputs->keys[i];

		for (k = 0; k < c->n_inputs; k++)
			if (strcmp(c->operands[k].name, key->text) == 0)
				break;
		if (k == c->n_inputs)
			return ki_reader_fail(&b->reader, key,
					      "spec.inputs: the operation has no input \"%s\"",
					      key->text);
	}
	return KI_SUCCESS;
}

static int case_check_unique(const struct case_builder *b)
{
	size_t i, k;

	for (i = 0; i < b->list->count; i++)
		for (k = 0; k < i; k++)
			if (strcmp(b->list->cases[i].workload_digest.text,
				   b->list->cases[k].workload_digest.text) == 0)
				return ki_reader_fail(&b->reader, b->plan->cases,
						      "spec.cases: case %s is there twice",
						      b->list->cases[i].full);
	return KI_SUCCESS;
}

int ki_case_list_new(struct ki_case_list *out, const struct ki_plan *plan, struct ki_error *e)
{
	struct ki_case_list list = {0};
	struct case_builder b = {
		.plan = plan, .reader = {.file = plan->path, .error = e}, .list = &list};
	size_t i;
	int rc = case_operation(&b);

	for (i = 0; rc == KI_SUCCESS && i < plan->cases->count; i++)
		rc = case_entry_cases(&b, plan->cases->items[i]);
	if (rc == KI_SUCCESS && list.count == 0)
		rc = ki_reader_fail(&b.reader, plan->cases, "spec.cases: no case");
	if (rc == KI_SUCCESS)
		rc = case_check_generators(&b);
	if (rc == KI_SUCCESS)
		rc = case_check_unique(&b);
	if (rc != KI_SUCCESS) {
		ki_case_list_free(&list);
		return rc;
	}
	*out = list;
	return KI_SUCCESS;
}

void ki_case_list_free(struct ki_case_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		json_decref(list->cases[i].workload);
	free(list->cases);
	*list = (struct ki_case_list){0};
}

enum ki_case_match ki_case_matches(const struct ki_case *c, const char *axis, const char *value)
{
	char text[32];
	int64_t v;

	if (strcmp(axis, "dtype") == 0)
		return strcmp(value, ki_dtype_name(c->dtype)) == 0 ? KI_CASE_MATCH
								   : KI_CASE_NO_MATCH;
	if (!ki_case_axis(&v, c, axis))
		return KI_CASE_NO_SUCH_AXIS;
	snprintf(text, sizeof text, "%" PRId64, v);
	return strcmp(value, text) == 0 ? KI_CASE_MATCH : KI_CASE_NO_MATCH;
}
