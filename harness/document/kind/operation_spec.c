/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "document/kind/common.h"
#include "document/kind/tables.h"

static bool is_role(const struct ki_node *axis, const char *role)
{
	const struct ki_node *n = ki_node_get(axis, "role");

	return n != NULL && n->type == KI_NODE_STRING && strcmp(n->text, role) == 0;
}

static bool constant_has_value(const struct ki_node *axis)
{
	return !is_role(axis, "constant") || ki_node_get(axis, "value") != NULL;
}

static bool derived_has_expression(const struct ki_node *axis)
{
	return !is_role(axis, "derived") || ki_node_get(axis, "expression") != NULL;
}

static bool is_one_of_both(const struct ki_node *argument)
{
	return (ki_node_get(argument, "tensor") != NULL) !=
	       (ki_node_get(argument, "scalar") != NULL);
}

static const char *const role_choices[] = {"variable", "constant", "derived", NULL};
static const struct ki_schema role = {.type = KI_SCHEMA_STRING, .choices = role_choices};

static const char *const axis_type_choices[] = {"integer", NULL};
static const struct ki_schema axis_type = {.type = KI_SCHEMA_STRING, .choices = axis_type_choices};

static const struct ki_schema expression = {
	.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_expression, .max_units = 200};

static const struct ki_schema_refinement axis_refinements[] = {
	{constant_has_value, "a value, as the axis is constant", "none"},
	{derived_has_expression, "an expression, as the axis is derived", "none"},
	{0},
};
static const struct ki_schema_member axis_members[] = {
	{"role", &role, KI_REQUIRED},
	{"type", &axis_type, KI_REQUIRED},
	{"value", &ki_common_integer, KI_OPTIONAL},
	{"minimum", &ki_common_integer, KI_OPTIONAL},
	{"maximum", &ki_common_integer, KI_OPTIONAL},
	{"expression", &expression, KI_OPTIONAL},
	{0},
};
static const struct ki_schema axis = {
	.type = KI_SCHEMA_OBJECT, .members = axis_members, .refinements = axis_refinements};

static const struct ki_schema axes = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &axis};

static const struct ki_schema dimension = {.type = KI_SCHEMA_EITHER,
					   .number = &ki_common_integer_from_zero,
					   .string = &ki_common_token};

static const struct ki_schema shape = {.type = KI_SCHEMA_LIST, .items = &dimension, .min_items = 1};

static const char *const layout_choices[] = {"row_major", "col_major", "contiguous", "strided",
					     NULL};
static const struct ki_schema layout = {.type = KI_SCHEMA_STRING, .choices = layout_choices};

static const struct ki_schema_member tensor_members[] = {
	{"shape", &shape, KI_REQUIRED},
	{"dtype", &ki_common_token, KI_REQUIRED},
	{"layout", &layout, KI_OPTIONAL},
	{0},
};
static const struct ki_schema tensor = {.type = KI_SCHEMA_OBJECT, .members = tensor_members};

static const struct ki_schema_member scalar_members[] = {
	{"dtype", &ki_common_token, KI_REQUIRED},
	{0},
};
static const struct ki_schema scalar = {.type = KI_SCHEMA_OBJECT, .members = scalar_members};

static const struct ki_schema_refinement argument_refinements[] = {
	{is_one_of_both, "either tensor or scalar", "both or none"},
	{0},
};
static const struct ki_schema_member argument_members[] = {
	{"name", &ki_common_token, KI_REQUIRED},
	{"tensor", &tensor, KI_OPTIONAL},
	{"scalar", &scalar, KI_OPTIONAL},
	{0},
};
static const struct ki_schema argument = {
	.type = KI_SCHEMA_OBJECT, .members = argument_members, .refinements = argument_refinements};

static const struct ki_schema arguments = {
	.type = KI_SCHEMA_LIST, .items = &argument, .min_items = 1};

static const char *const mutation_choices[] = {"none", "in_place", "destination", NULL};
static const struct ki_schema mutation = {.type = KI_SCHEMA_STRING, .choices = mutation_choices};

static const char *const determinism_choices[] = {"deterministic", "nondeterministic",
						  "unspecified", NULL};
static const struct ki_schema determinism = {.type = KI_SCHEMA_STRING,
					     .choices = determinism_choices};

static const struct ki_schema_member semantics_members[] = {
	{"expression", &ki_common_text_2000, KI_OPTIONAL},
	{"mutation", &mutation, KI_REQUIRED},
	{"determinism", &determinism, KI_REQUIRED},
	{0},
};
static const struct ki_schema semantics = {.type = KI_SCHEMA_OBJECT, .members = semantics_members};

static const struct ki_schema_member reference_members[] = {
	{"language", &ki_common_token, KI_REQUIRED},
	{"artifact", &ki_common_artifact, KI_OPTIONAL},
	{0},
};
static const struct ki_schema reference = {.type = KI_SCHEMA_OBJECT, .members = reference_members};

static const struct ki_schema_member spec_members[] = {
	{"family", &ki_common_slug, KI_REQUIRED},
	{"axes", &axes, KI_REQUIRED},
	{"inputs", &arguments, KI_REQUIRED},
	{"outputs", &arguments, KI_REQUIRED},
	{"semantics", &semantics, KI_REQUIRED},
	{"reference", &reference, KI_OPTIONAL},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_operation_spec = {"OperationSpec", &spec};
