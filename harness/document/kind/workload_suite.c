/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"
#include "document/kind/tables.h"

static const struct ki_schema_member workload_members[] = {
	{"externalId", &ki_common_text_200, KI_REQUIRED},
	{"axes", &ki_common_bindings, KI_REQUIRED},
	{0},
};
static const struct ki_schema workload = {.type = KI_SCHEMA_OBJECT, .members = workload_members};

static const struct ki_schema cases = {.type = KI_SCHEMA_LIST, .items = &workload, .min_items = 1};

static const struct ki_schema_member correctness_members[] = {
	{"comparator", &ki_common_token, KI_REQUIRED},
	{"description", &ki_common_text_500, KI_OPTIONAL},
	{0},
};
static const struct ki_schema correctness = {.type = KI_SCHEMA_OBJECT,
					     .members = correctness_members};

static const struct ki_schema_member aggregation_members[] = {
	{"metric", &ki_common_token, KI_REQUIRED},
	{"statistic", &ki_common_token, KI_REQUIRED},
	{0},
};
static const struct ki_schema aggregation = {.type = KI_SCHEMA_OBJECT,
					     .members = aggregation_members};

static const struct ki_schema_member spec_members[] = {
	{"operationSpecDigest", &ki_common_digest, KI_REQUIRED},
	{"cases", &cases, KI_REQUIRED},
	{"correctness", &correctness, KI_REQUIRED},
	{"aggregation", &aggregation, KI_REQUIRED},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_workload_suite = {"WorkloadSuite", &spec};
