/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"
#include "document/kind/tables.h"

static const struct ki_schema_member harness_members[] = {
	{"name", &ki_common_text_200, KI_REQUIRED},
	{"version", &ki_common_text_100, KI_OPTIONAL},
	{"repository", &ki_common_url, KI_OPTIONAL},
	{"commit", &ki_common_commit, KI_OPTIONAL},
	{0},
};
static const struct ki_schema harness = {.type = KI_SCHEMA_OBJECT, .members = harness_members};

static const struct ki_schema_member measurement_members[] = {
	{"timer", &ki_common_token, KI_REQUIRED},
	{"synchronization", &ki_common_token, KI_OPTIONAL},
	{"compileIncluded", &ki_common_boolean, KI_OPTIONAL},
	{"setupIncluded", &ki_common_boolean, KI_OPTIONAL},
	{"warmupIterations", &ki_common_integer_from_zero, KI_OPTIONAL},
	{"warmupDuration", &ki_common_duration, KI_OPTIONAL},
	{"measuredIterations", &ki_common_integer_above_zero, KI_OPTIONAL},
	{"samples", &ki_common_integer_above_zero, KI_OPTIONAL},
	{"inputRegeneration", &ki_common_token, KI_OPTIONAL},
	{"outlierPolicy", &ki_common_text_500, KI_OPTIONAL},
	{"primaryStatistic", &ki_common_token, KI_REQUIRED},
	{0},
};
static const struct ki_schema measurement = {.type = KI_SCHEMA_OBJECT,
					     .members = measurement_members};

static const struct ki_schema_member correctness_members[] = {
	{"reference", &ki_common_text_500, KI_REQUIRED},
	{"comparator", &ki_common_token, KI_REQUIRED},
	{0},
};
static const struct ki_schema correctness = {.type = KI_SCHEMA_OBJECT,
					     .members = correctness_members};

static const struct ki_schema_member device_policy_members[] = {
	{"clocksLocked", &ki_common_boolean, KI_OPTIONAL},
	{"powerLimitWatts", &ki_common_number_above_zero, KI_OPTIONAL},
	{"persistenceMode", &ki_common_boolean, KI_OPTIONAL},
	{0},
};
static const struct ki_schema device_policy = {.type = KI_SCHEMA_OBJECT,
					       .members = device_policy_members};

static const struct ki_schema_member comparability_members[] = {
	{"family", &ki_common_token, KI_REQUIRED},
	{"notes", &ki_common_text_1000, KI_OPTIONAL},
	{0},
};
static const struct ki_schema comparability = {.type = KI_SCHEMA_OBJECT,
					       .members = comparability_members};

static const struct ki_schema_member spec_members[] = {
	{"harness", &harness, KI_REQUIRED},
	{"measurement", &measurement, KI_REQUIRED},
	{"correctness", &correctness, KI_OPTIONAL},
	{"devicePolicy", &device_policy, KI_OPTIONAL},
	{"comparability", &comparability, KI_OPTIONAL},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_benchmark_protocol = {"BenchmarkProtocol", &spec};
