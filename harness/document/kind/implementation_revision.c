/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"
#include "document/kind/tables.h"

static const struct ki_schema_member project_revision_members[] = {
	{"repository", &ki_common_url, KI_OPTIONAL},
	{"commit", &ki_common_commit, KI_OPTIONAL},
	{"version", &ki_common_text_100, KI_OPTIONAL},
	{"treeDigest", &ki_common_digest, KI_OPTIONAL},
	{0},
};
static const struct ki_schema project_revision = {.type = KI_SCHEMA_OBJECT,
						  .members = project_revision_members};

static const struct ki_schema_member operation_members[] = {
	{"specDigest", &ki_common_digest, KI_REQUIRED},
	{0},
};
static const struct ki_schema operation = {.type = KI_SCHEMA_OBJECT, .members = operation_members};

static const struct ki_schema_member callable_members[] = {
	{"language", &ki_common_token, KI_REQUIRED},
	{"path", &ki_common_text_500, KI_OPTIONAL},
	{"symbol", &ki_common_text_200, KI_OPTIONAL},
	{"interface", &ki_common_token, KI_OPTIONAL},
	{0},
};
static const struct ki_schema callable = {.type = KI_SCHEMA_OBJECT, .members = callable_members};

static const struct ki_schema tokens = {
	.type = KI_SCHEMA_LIST, .items = &ki_common_token, .set = true};

static const struct ki_schema products = {
	.type = KI_SCHEMA_LIST, .items = &ki_common_text_100, .set = true};

static const struct ki_schema axes = {
	.type = KI_SCHEMA_LIST, .items = &ki_common_text_200, .set = true};

static const struct ki_schema layouts = {
	.type = KI_SCHEMA_LIST, .items = &ki_common_text_50, .set = true};

static const struct ki_schema_member support_members[] = {
	{"hardwareArchitectures", &tokens, KI_REQUIRED},
	{"productsTested", &products, KI_OPTIONAL},
	{"axes", &axes, KI_OPTIONAL},
	{"dtypes", &tokens, KI_REQUIRED},
	{"layouts", &layouts, KI_OPTIONAL},
	{0},
};
static const struct ki_schema support = {.type = KI_SCHEMA_OBJECT, .members = support_members};

static const struct ki_schema_member source_members[] = {
	{"contentDigest", &ki_common_digest, KI_REQUIRED},
	{"fileName", &ki_common_text_200, KI_OPTIONAL},
	{"sizeBytes", &ki_common_integer_above_zero, KI_OPTIONAL},
	{0},
};
static const struct ki_schema source = {.type = KI_SCHEMA_OBJECT, .members = source_members};

static const char *const install_kind_choices[] = {"git",       "pip",    "package",
						   "container", "source", NULL};
static const struct ki_schema install_kind = {.type = KI_SCHEMA_STRING,
					      .choices = install_kind_choices};

static const struct ki_schema_member install_members[] = {
	{"kind", &install_kind, KI_REQUIRED},
	{"repository", &ki_common_url, KI_OPTIONAL},
	{"commit", &ki_common_commit, KI_OPTIONAL},
	{"package", &ki_common_text_200, KI_OPTIONAL},
	{"version", &ki_common_text_100, KI_OPTIONAL},
	{"command", &ki_common_text_1000, KI_OPTIONAL},
	{0},
};
static const struct ki_schema install = {.type = KI_SCHEMA_OBJECT, .members = install_members};

static const struct ki_schema requirements = {
	.type = KI_SCHEMA_RECORD, .pattern = &ki_pattern_token, .items = &ki_common_text_200};

static const struct ki_schema_member build_variant_members[] = {
	{"name", &ki_common_name, KI_REQUIRED},
	{"install", &install, KI_REQUIRED},
	{"requirements", &requirements, KI_OPTIONAL},
	{0},
};
static const struct ki_schema build_variant = {.type = KI_SCHEMA_OBJECT,
					       .members = build_variant_members};

static const struct ki_schema build_variants = {.type = KI_SCHEMA_LIST, .items = &build_variant};

static const struct ki_schema_member evidence_members[] = {
	{"path", &ki_common_text_500, KI_REQUIRED},
	{"digest", &ki_common_digest, KI_OPTIONAL},
	{0},
};
static const struct ki_schema evidence = {.type = KI_SCHEMA_OBJECT, .members = evidence_members};

static const struct ki_schema_member licensing_members[] = {
	{"declared", &ki_common_text_200, KI_OPTIONAL},
	{"concluded", &ki_common_text_200, KI_OPTIONAL},
	{"evidence", &evidence, KI_OPTIONAL},
	{0},
};
static const struct ki_schema licensing = {.type = KI_SCHEMA_OBJECT, .members = licensing_members};

static const struct ki_schema_member spec_members[] = {
	{"projectRevision", &project_revision, KI_REQUIRED},
	{"operation", &operation, KI_REQUIRED},
	{"callable", &callable, KI_REQUIRED},
	{"support", &support, KI_REQUIRED},
	{"source", &source, KI_OPTIONAL},
	{"buildVariants", &build_variants, KI_OPTIONAL},
	{"licensing", &licensing, KI_REQUIRED},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_implementation_revision = {"ImplementationRevision", &spec};
