/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "document/kind/common.h"
#include "document/kind/tables.h"

static const char *const project_kind_choices[] = {"library", "individual", "vendor", NULL};
static const struct ki_schema project_kind = {.type = KI_SCHEMA_STRING,
					      .choices = project_kind_choices};

static const char *const host_kind_choices[] = {"github", "huggingface", "gitlab", "other", NULL};
static const struct ki_schema host_kind = {.type = KI_SCHEMA_STRING, .choices = host_kind_choices};

static const struct ki_schema_member host_members[] = {
	{"kind", &host_kind, KI_REQUIRED},
	{"id", &ki_common_text_200, KI_REQUIRED},
	{0},
};
static const struct ki_schema host = {.type = KI_SCHEMA_OBJECT, .members = host_members};

static const struct ki_schema_member package_members[] = {
	{"ecosystem", &ki_common_token, KI_REQUIRED},
	{"name", &ki_common_text_200, KI_REQUIRED},
	{0},
};
static const struct ki_schema package = {.type = KI_SCHEMA_OBJECT, .members = package_members};

static const struct ki_schema packages = {.type = KI_SCHEMA_LIST, .items = &package};

static const struct ki_schema_member spec_members[] = {
	{"name", &ki_common_text_200, KI_REQUIRED},
	{"kind", &project_kind, KI_OPTIONAL},
	{"repository", &ki_common_url, KI_OPTIONAL},
	{"homepage", &ki_common_url, KI_OPTIONAL},
	{"host", &host, KI_OPTIONAL},
	{"packages", &packages, KI_OPTIONAL},
	{0},
};
static const struct ki_schema spec = {.type = KI_SCHEMA_OBJECT, .members = spec_members};

const struct ki_kind ki_kind_software_project = {"SoftwareProject", &spec};
