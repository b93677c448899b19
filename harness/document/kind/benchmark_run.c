/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"
#include "document/kind/tables.h"

static bool has_median_or_mean(const struct ki_node *latency)
{
	return ki_node_get(latency, "median") != NULL || ki_node_get(latency, "mean") != NULL;
}

static const char *const status_choices[] = {"passed",
					     "incorrect_shape",
					     "incorrect_dtype",
					     "incorrect_numerical",
					     "compile_error",
					     "runtime_error",
					     "timeout",
					     "resource_exceeded",
					     "invalid_reference",
					     "policy_violation",
					     "suspected_reward_hack",
					     "incomplete_evidence",
					     "revoked",
					     NULL};
static const struct ki_schema status = {.type = KI_SCHEMA_STRING, .choices = status_choices};

static const struct ki_schema_member correctness_members[] = {
	{"comparator", &ki_common_token, KI_REQUIRED},
	{"maximumAbsoluteError", &ki_common_number_from_zero, KI_OPTIONAL},
	{"maximumRelativeError", &ki_common_number_from_zero, KI_OPTIONAL},
	{"matchedRatio", &ki_common_ratio, KI_OPTIONAL},
	{0},
};
static const struct ki_schema correctness = {.type = KI_SCHEMA_OBJECT,
					     .members = correctness_members};

static const struct ki_schema interval = {.type = KI_SCHEMA_LIST,
					  .items = &ki_common_duration,
					  .min_items = 2,
					  .max_items = 2,
					  .tuple = true};

static const struct ki_schema_refinement latency_refinements[] = {
	{has_median_or_mean, "a median or a mean", "neither"},
	{0},
};
static const struct ki_schema_member latency_members[] = {
	{"median", &ki_common_duration, KI_OPTIONAL},
	{"mean", &ki_common_duration, KI_OPTIONAL},
	{"p05", &ki_common_duration, KI_OPTIONAL},
	{"p95", &ki_common_duration, KI_OPTIONAL},
	{"minimum", &ki_common_duration, KI_OPTIONAL},
	{"maximum", &ki_common_duration, KI_OPTIONAL},
	{"mad", &ki_common_duration, KI_OPTIONAL},
	{"confidence95", &interval, KI_OPTIONAL},
	{0},
};
static const struct ki_schema latency = {
	.type = KI_SCHEMA_OBJECT, .members = latency_members, .refinements = latency_refinements};

static const struct ki_schema_member timing_members[] = {
	{"primaryStatistic", &ki_common_token, KI_REQUIRED},
	{"samples", &ki_common_integer_above_zero, KI_OPTIONAL},
	{"latencyNs", &latency, KI_REQUIRED},
	{"rawSamples", &ki_common_artifact, KI_OPTIONAL},
	{0},
};
static const struct ki_schema timing = {.type = KI_SCHEMA_OBJECT, .members = timing_members};

static const struct ki_schema_member measurement_members[] = {
	{"metric", &ki_common_token, KI_REQUIRED},
	{"unit", &ki_common_token, KI_REQUIRED},
	{"statistic", &ki_common_token, KI_REQUIRED},
	{"value", &ki_common_number, KI_REQUIRED},
	{"sampleCount", &ki_common_integer_above_zero, KI_OPTIONAL},
	{0},
};
static const struct ki_schema measurement = {.type = KI_SCHEMA_OBJECT,
					     .members = measurement_members};

static const struct ki_schema measurements = {.type = KI_SCHEMA_LIST, .items = &measurement};

static const struct ki_schema_member source_native_members[] = {
	{"source", &ki_common_slug, KI_REQUIRED},
	{"benchmark", &ki_common_text_200, KI_OPTIONAL},
	{"externalId", &ki_common_text_500, KI_OPTIONAL},
	{"metrics", &ki_common_numbers, KI_OPTIONAL},
	{0},
};
static const struct ki_schema source_native = {.type = KI_SCHEMA_OBJECT,
					       .members = source_native_members};

static const struct ki_schema_member harness_members[] = {
	{"repository", &ki_common_url, KI_REQUIRED},
	{"commit", &ki_common_commit, KI_REQUIRED},
	{0},
};
static const struct ki_schema harness = {.type = KI_SCHEMA_OBJECT, .members = harness_members};

static const struct ki_schema_member evidence_members[] = {
	{"logs", &ki_common_artifact, KI_OPTIONAL},
	{"rawSamples", &ki_common_artifact, KI_OPTIONAL},
	{"harness", &harness, KI_OPTIONAL},
	{0},
};
static const struct ki_schema evidence = {.type = KI_SCHEMA_OBJECT, .members = evidence_members};

static const struct ki_schema instant = {.type = KI_SCHEMA_STRING, .pattern = &ki_pattern_instant};

static const struct ki_schema_member spec_members[] = {
	{"implementationDigest", &ki_common_digest, KI_REQUIRED},
	{"workloadDigest", &ki_common_digest, KI_REQUIRED},
	{"protocolDigest", &ki_common_digest, KI_REQUIRED},
	{"environmentDigest", &ki_common_digest, KI_REQUIRED},
	{"status", &status, KI_REQUIRED},
	{"correctness", &correctness, KI_OPTIONAL},
	{"timing", &timing, KI_OPTIONAL},
	{"measurements", &measurements, KI_OPTIONAL},
	{"sourceNative", &source_native, KI_OPTIONAL},
	{"evidence", &evidence, KI_OPTIONAL},
	{"observedAt", &instant, KI_REQUIRED},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_benchmark_run = {"BenchmarkRun", &spec};
