/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "document/kind/tables.h"
#include "record/record.h"

#define RECORD_PATH_MAX 256

static const struct record_member {
	const char *name;
	const struct ki_kind *kind;
	bool required;
} record_members[KI_RECORD_PARTS] = {
	[KI_RECORD_RUN] = {"run", &ki_kind_benchmark_run, true},
	[KI_RECORD_PROTOCOL] = {"protocol", &ki_kind_benchmark_protocol, true},
	[KI_RECORD_ENVIRONMENT] = {"environment", &ki_kind_execution_environment, true},
	[KI_RECORD_WORKLOAD] = {"workload", &ki_kind_workload_case, false},
	[KI_RECORD_OPERATION] = {"operation", &ki_kind_operation_spec, false},
	[KI_RECORD_IMPLEMENTATION] = {"implementation", &ki_kind_implementation_revision, false},
	[KI_RECORD_PROJECT] = {"project", &ki_kind_software_project, false},
};

/* Where one part states the digest of another. */
static const struct record_link {
	const char *at; /* a pointer below the document */
	enum ki_record_part from;
	enum ki_record_part to;
} record_links[] = {
	{"/spec/implementationDigest", KI_RECORD_RUN, KI_RECORD_IMPLEMENTATION},
	{"/spec/workloadDigest", KI_RECORD_RUN, KI_RECORD_WORKLOAD},
	{"/spec/protocolDigest", KI_RECORD_RUN, KI_RECORD_PROTOCOL},
	{"/spec/environmentDigest", KI_RECORD_RUN, KI_RECORD_ENVIRONMENT},
	{"/spec/operationSpecDigest", KI_RECORD_WORKLOAD, KI_RECORD_OPERATION},
	{"/spec/operation/specDigest", KI_RECORD_IMPLEMENTATION, KI_RECORD_OPERATION},
};

const char *ki_record_member(enum ki_record_part part)
{
	return record_members[part].name;
}

bool ki_record_is(const struct ki_node *n)
{
	return n->type == KI_NODE_MAPPING && ki_node_get(n, "kind") == NULL &&
	       ki_node_get(n, record_members[KI_RECORD_RUN].name) != NULL;
}

/* What a plain pointer ("/spec/x", no escapes) leads to, or NULL. */
static const struct ki_node *node_at(const struct ki_node *n, const char *pointer)
{
	char name[RECORD_PATH_MAX];

	while (n != NULL && *pointer == '/') {
		size_t length = strcspn(++pointer, "/");

		snprintf(name, sizeof name, "%.*s", (int)length, pointer);
		n = ki_node_get(n, name);
		pointer += length;
	}
	return n;
}

static int read_part(struct ki_identified *out, struct ki_issues *issues, const struct ki_node *n,
		     const struct record_member *m, const char *path, struct ki_error *e)
{
	const struct ki_node *part = ki_node_get(n, m->name);
	char at[RECORD_PATH_MAX];
	int rc;

	snprintf(at, sizeof at, "%s/%s", path, m->name);
	if (part == NULL) {
		if (m->required)
			ki_issues_add(issues, n, at, "expected the %s of the run, found nothing",
				      m->kind->name);
		return KI_SUCCESS;
	}
	rc = ki_kind_read(&out->document, issues, part, m->kind, at, e);
	if (rc == KI_SUCCESS && out->document != NULL)
		rc = ki_digest_document(&out->digest, out->document, e);
	return rc;
}

static void check_link(struct ki_issues *issues, const struct ki_record *record,
		       const struct ki_node *n, const struct record_link *l, const char *path)
{
	const struct ki_identified *to = &record->parts[l->to];
	const char *from = record_members[l->from].name;
	const struct ki_node *stated = node_at(ki_node_get(n, from), l->at);
	char at[RECORD_PATH_MAX];

	/* A part that is not there or not right has an issue of its own. */
	if (record->parts[l->from].document == NULL || to->document == NULL ||
	    strcmp(stated->text, to->digest.text) == 0)
		return;
	snprintf(at, sizeof at, "%s/%s%s", path, from, l->at);
	ki_issues_add(issues, stated, at, "expected %s, the digest of the %s beside it, found %s",
		      to->digest.text, record_members[l->to].name, stated->text);
}

static void check_members(struct ki_issues *issues, const struct ki_node *n, const char *path)
{
	char name[KI_NODE_EXCERPT_MAX];
	size_t i, k;

	for (i = 0; i < n->count; i++) {
		for (k = 0; k < KI_RECORD_PARTS; k++)
			if (strcmp(record_members[k].name, n->keys[i]->text) == 0)
				break;
		if (k < KI_RECORD_PARTS)
			continue;
		ki_node_excerpt(n->keys[i], name);
		ki_issues_add(issues, n->keys[i], path,
			      "expected only the members of a record, found the unknown member "
			      "\"%s\"",
			      name);
	}
}

int ki_record_read(struct ki_record *out, struct ki_issues *issues, const struct ki_node *n,
		   const char *path, struct ki_error *e)
{
	struct ki_record record = {0};
	char found[RECORD_PATH_MAX];
	int rc = KI_SUCCESS;
	size_t i;

	*out = record;
	if (n->type != KI_NODE_MAPPING) {
		ki_node_describe(n, found, sizeof found);
		ki_issues_add(issues, n, path, "expected a record, found %s", found);
		return KI_SUCCESS;
	}
	for (i = 0; i < KI_RECORD_PARTS && rc == KI_SUCCESS; i++)
		rc = read_part(&record.parts[i], issues, n, &record_members[i], path, e);
	if (rc != KI_SUCCESS) {
		ki_record_free(&record);
		return rc;
	}
	check_members(issues, n, path);
	for (i = 0; i < sizeof record_links / sizeof record_links[0]; i++)
		check_link(issues, &record, n, &record_links[i], path);
	*out = record;
	return KI_SUCCESS;
}

void ki_record_free(struct ki_record *record)
{
	size_t i;

	for (i = 0; i < KI_RECORD_PARTS; i++)
		ki_identified_free(&record->parts[i]);
}
