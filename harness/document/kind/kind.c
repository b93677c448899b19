/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "document/kind/common.h"
#include "document/kind/kind.h"
#include "document/kind/tables.h"

#define KIND_PATH_MAX 256
#define KIND_TEXT_MAX 512

const struct ki_kind *const ki_kinds[] = {
	&ki_kind_operation_spec,
	&ki_kind_workload_case,
	&ki_kind_workload_suite,
	&ki_kind_software_project,
	&ki_kind_implementation_revision,
	&ki_kind_benchmark_protocol,
	&ki_kind_execution_environment,
	&ki_kind_benchmark_run,
	NULL,
};

const struct ki_kind *ki_kind_find(const char *name)
{
	const struct ki_kind *const *k;

	for (k = ki_kinds; *k != NULL; k++)
		if (strcmp((*k)->name, name) == 0)
			return *k;
	return NULL;
}

static void expected_kinds(char *out, size_t size, const struct ki_kind *expected)
{
	const struct ki_kind *const *k;
	size_t used;

	if (expected != NULL) {
		snprintf(out, size, "%s", expected->name);
		return;
	}
	used = (size_t)snprintf(out, size, "one of");
	for (k = ki_kinds; *k != NULL && used < size; k++)
		used += (size_t)snprintf(out + used, size - used, "%s %s", k == ki_kinds ? "" : ",",
					 (*k)->name);
}

/* Which kind a document says it is.  NULL: none of those wanted, which is an issue. */
static const struct ki_kind *read_kind(struct ki_issues *issues, const struct ki_node *n,
				       const struct ki_kind *expected, const char *path)
{
	const struct ki_node *name = ki_node_get(n, "kind");
	const struct ki_kind *kind = NULL;
	char wanted[KIND_TEXT_MAX], found[KIND_TEXT_MAX] = "nothing", at[KIND_PATH_MAX];

	if (name != NULL && name->type == KI_NODE_STRING && strlen(name->text) == name->size)
		kind = ki_kind_find(name->text);
	if (kind != NULL && (expected == NULL || expected == kind))
		return kind;
	expected_kinds(wanted, sizeof wanted, expected);
	if (name != NULL)
		ki_node_describe(name, found, sizeof found);
	snprintf(at, sizeof at, "%s/kind", path);
	ki_issues_add(issues, name != NULL ? name : n, at, "expected %s, found %s", wanted, found);
	return NULL;
}

int ki_kind_read(json_t **out, struct ki_issues *issues, const struct ki_node *n,
		 const struct ki_kind *expected, const char *path, struct ki_error *e)
{
	static const char *const versions[] = {KI_API_VERSION, NULL};
	static const struct ki_schema version = {.type = KI_SCHEMA_STRING, .choices = versions};
	static const struct ki_schema text = {.type = KI_SCHEMA_STRING};
	const struct ki_kind *kind = expected != NULL ? expected : ki_kinds[0];
	struct ki_schema_member members[] = {
		{"apiVersion", &version, KI_REQUIRED},
		{"kind", &text, KI_REQUIRED},
		{"metadata", &ki_common_metadata, KI_REQUIRED},
		{"spec", NULL, KI_REQUIRED},
		{0},
	};
	const struct ki_schema envelope = {.type = KI_SCHEMA_OBJECT, .members = members};

	*out = NULL;
	if (n == NULL) {
		ki_issues_add(issues, NULL, path, "expected a document, found nothing");
		return KI_SUCCESS;
	}
	if (n->type == KI_NODE_MAPPING)
		kind = read_kind(issues, n, expected, path);
	if (kind == NULL)
		return KI_SUCCESS;
	members[3].schema = kind->spec;
	return ki_schema_read(out, issues, &envelope, n, path, e);
}
