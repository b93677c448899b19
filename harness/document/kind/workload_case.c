/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"
#include "document/kind/tables.h"

static const struct ki_schema shape = {
	.type = KI_SCHEMA_LIST, .items = &ki_common_integer_from_zero, .min_items = 1};

static const struct ki_schema strides = {.type = KI_SCHEMA_LIST, .items = &ki_common_integer};

static const struct ki_schema_member data_members[] = {
	{"generator", &ki_common_token, KI_REQUIRED},
	{"seed", &ki_common_integer_from_zero, KI_OPTIONAL},
	{"parameters", &ki_common_numbers, KI_OPTIONAL},
	{"artifact", &ki_common_artifact, KI_OPTIONAL},
	{0},
};
static const struct ki_schema data = {.type = KI_SCHEMA_OBJECT, .members = data_members};

static const struct ki_schema_member tensor_members[] = {
	{"shape", &shape, KI_REQUIRED},
	{"dtype", &ki_common_token, KI_REQUIRED},
	{"strides", &strides, KI_OPTIONAL},
	{"alignmentBytes", &ki_common_integer_above_zero, KI_OPTIONAL},
	{"data", &data, KI_OPTIONAL},
	{0},
};
static const struct ki_schema tensor = {.type = KI_SCHEMA_OBJECT, .members = tensor_members};

static const struct ki_schema tensors = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &tensor};

static const struct ki_schema_member scalar_members[] = {
	{"dtype", &ki_common_token, KI_REQUIRED},
	{"value", &ki_common_number, KI_REQUIRED},
	{0},
};
static const struct ki_schema scalar = {.type = KI_SCHEMA_OBJECT, .members = scalar_members};

static const struct ki_schema scalars = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &scalar};

static const char *const policy_choices[] = {"reject", "exact_match", "ignore", NULL};
static const struct ki_schema policy = {.type = KI_SCHEMA_STRING, .choices = policy_choices};

static const struct ki_schema_member correctness_members[] = {
	{"comparator", &ki_common_token, KI_REQUIRED},
	{"maxAbsoluteError", &ki_common_number_from_zero, KI_OPTIONAL},
	{"maxRelativeError", &ki_common_number_from_zero, KI_OPTIONAL},
	{"requiredMatchedRatio", &ki_common_ratio, KI_OPTIONAL},
	{"nanPolicy", &policy, KI_OPTIONAL},
	{"infinityPolicy", &policy, KI_OPTIONAL},
	{0},
};
static const struct ki_schema correctness = {.type = KI_SCHEMA_OBJECT,
					     .members = correctness_members};

static const struct ki_schema_member spec_members[] = {
	{"operationSpecDigest", &ki_common_digest, KI_REQUIRED},
	{"axes", &ki_common_bindings, KI_REQUIRED},
	{"tensors", &tensors, KI_REQUIRED},
	{"scalars", &scalars, KI_OPTIONAL},
	{"correctness", &correctness, KI_REQUIRED},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_workload_case = {"WorkloadCase", &spec};
