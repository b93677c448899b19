/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"
#include "document/kind/tables.h"

static const struct ki_schema_member hardware_members[] = {
	{"vendor", &ki_common_token, KI_REQUIRED},
	{"product", &ki_common_text_200, KI_REQUIRED},
	{"architecture", &ki_common_token, KI_REQUIRED},
	{"formFactor", &ki_common_text_100, KI_OPTIONAL},
	{"memoryBytes", &ki_common_integer_above_zero, KI_OPTIONAL},
	{"count", &ki_common_integer_above_zero, KI_OPTIONAL},
	{"interconnect", &ki_common_text_200, KI_OPTIONAL},
	{0},
};
static const struct ki_schema hardware = {.type = KI_SCHEMA_OBJECT, .members = hardware_members};

static const struct ki_schema_member framework_members[] = {
	{"name", &ki_common_token, KI_REQUIRED},
	{"version", &ki_common_text_100, KI_REQUIRED},
	{0},
};
static const struct ki_schema framework = {.type = KI_SCHEMA_OBJECT, .members = framework_members};

static const struct ki_schema libraries = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &ki_common_text_100};

static const struct ki_schema_member software_members[] = {
	{"operatingSystem", &ki_common_text_200, KI_OPTIONAL},
	{"kernel", &ki_common_text_200, KI_OPTIONAL},
	{"driver", &ki_common_text_100, KI_OPTIONAL},
	{"cudaToolkit", &ki_common_text_100, KI_OPTIONAL},
	{"compiler", &ki_common_text_200, KI_OPTIONAL},
	{"framework", &framework, KI_OPTIONAL},
	{"libraries", &libraries, KI_OPTIONAL},
	{0},
};
static const struct ki_schema software = {.type = KI_SCHEMA_OBJECT, .members = software_members};

static const struct ki_schema variables = {
	.type = KI_SCHEMA_RECORD, .max_units = 200, .items = &ki_common_text_500};

static const struct ki_schema_member settings_members[] = {
	{"clocksLocked", &ki_common_boolean, KI_OPTIONAL},
	{"powerLimitWatts", &ki_common_number_above_zero, KI_OPTIONAL},
	{"persistenceMode", &ki_common_boolean, KI_OPTIONAL},
	{"eccEnabled", &ki_common_boolean, KI_OPTIONAL},
	{"environmentVariables", &variables, KI_OPTIONAL},
	{0},
};
static const struct ki_schema settings = {.type = KI_SCHEMA_OBJECT, .members = settings_members};

static const struct ki_schema_member spec_members[] = {
	{"hardware", &hardware, KI_REQUIRED},
	{"software", &software, KI_REQUIRED},
	{"settings", &settings, KI_OPTIONAL},
	{"imageDigest", &ki_common_digest, KI_OPTIONAL},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_execution_environment = {"ExecutionEnvironment", &spec};
