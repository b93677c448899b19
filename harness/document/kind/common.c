/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"

#define TEXT(units)                                                                                \
	{                                                                                          \
		.type = KI_SCHEMA_STRING, .max_units = (units)                                     \
	}

const struct ki_schema ki_common_text_50 = TEXT(50);
const struct ki_schema ki_common_text_100 = TEXT(100);
const struct ki_schema ki_common_text_200 = TEXT(200);
const struct ki_schema ki_common_text_500 = TEXT(500);
const struct ki_schema ki_common_text_1000 = TEXT(1000);
const struct ki_schema ki_common_text_2000 = TEXT(2000);

const struct ki_schema ki_common_token = {.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_token};
const struct ki_schema ki_common_slug = {
	.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_slug, .max_units = 100};
const struct ki_schema ki_common_name = {
	.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_name, .max_units = 200};
const struct ki_schema ki_common_digest = {.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_digest};
const struct ki_schema ki_common_commit = {.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_commit};
const struct ki_schema ki_common_url = {
	.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_url, .max_units = 2000};

const struct ki_schema ki_common_boolean = {.type = KI_SCHEMA_BOOLEAN};
const struct ki_schema ki_common_number = {.type = KI_SCHEMA_NUMBER};
const struct ki_schema ki_common_number_from_zero = {.type = KI_SCHEMA_NUMBER,
						     .bound = KI_BOUND_FROM_ZERO};
const struct ki_schema ki_common_number_above_zero = {.type = KI_SCHEMA_NUMBER,
						      .bound = KI_BOUND_ABOVE_ZERO};
const struct ki_schema ki_common_ratio = {.type = KI_SCHEMA_NUMBER, .bound = KI_BOUND_RATIO};
const struct ki_schema ki_common_integer = {.type = KI_SCHEMA_INTEGER};
const struct ki_schema ki_common_integer_from_zero = {.type = KI_SCHEMA_INTEGER,
						      .bound = KI_BOUND_FROM_ZERO};
const struct ki_schema ki_common_integer_above_zero = {.type = KI_SCHEMA_INTEGER,
						       .bound = KI_BOUND_ABOVE_ZERO};

static const struct ki_schema duration_text = {.type = KI_SCHEMA_DURATION,
					       .pattern = &ki_pattern_duration};
const struct ki_schema ki_common_duration = {
	.type = KI_SCHEMA_EITHER, .number = &ki_common_integer_from_zero, .string = &duration_text};

static const struct ki_schema_member artifact_members[] = {
	{"uri", &ki_common_text_2000, KI_REQUIRED},
	{"digest", &ki_common_digest, KI_REQUIRED},
	{0},
};
const struct ki_schema ki_common_artifact = {.type = KI_SCHEMA_OBJECT, .members = artifact_members};

const struct ki_schema ki_common_bindings = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &ki_common_integer};
const struct ki_schema ki_common_numbers = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &ki_common_number};

static const struct ki_schema labels = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &ki_common_text_200};
static const struct ki_schema_member author_members[] = {
	{"name", &ki_common_text_200, KI_OPTIONAL},
	{"github", &ki_common_text_100, KI_OPTIONAL},
	{0},
};
static const struct ki_schema author = {.type = KI_SCHEMA_OBJECT, .members = author_members};
static const struct ki_schema authors = {.type = KI_SCHEMA_LIST, .items = &author};
static const struct ki_schema_member source_members[] = {
	{"url", &ki_common_url, KI_REQUIRED},
	{0},
};
static const struct ki_schema source = {.type = KI_SCHEMA_OBJECT, .members = source_members};
static const struct ki_schema sources = {.type = KI_SCHEMA_LIST, .items = &source};
static const struct ki_schema_member metadata_members[] = {
	{"name", &ki_common_name, KI_REQUIRED},
	{"title", &ki_common_text_200, KI_OPTIONAL},
	{"description", &ki_common_text_2000, KI_OPTIONAL},
	{"labels", &labels, KI_OPTIONAL},
	{"authors", &authors, KI_OPTIONAL},
	{"sourceRefs", &sources, KI_OPTIONAL},
	{0},
};
const struct ki_schema ki_common_metadata = {.type = KI_SCHEMA_OBJECT, .members = metadata_members};
