/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "document/slug.h"
#include "record/bundle.h"
#include "record/publication.h"

#define BUNDLE_KEY_MAX (64 + KI_SLUG_MAX + KI_DIGEST_MAX)

int ki_bundle_init(struct ki_bundle *b, struct ki_error *e)
{
	*b = (struct ki_bundle){
		.projects = json_array(),
		.operations = json_array(),
		.workloads = json_array(),
		.implementations = json_array(),
		.runs = json_array(),
		.slugs = json_object(),
		.listed = json_object(),
	};
	if (b->projects != NULL && b->operations != NULL && b->workloads != NULL &&
	    b->implementations != NULL && b->runs != NULL && b->slugs != NULL && b->listed != NULL)
		return KI_SUCCESS;
	ki_bundle_free(b);
	return ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
}

void ki_bundle_free(struct ki_bundle *b)
{
	json_decref(b->projects);
	json_decref(b->operations);
	json_decref(b->workloads);
	json_decref(b->implementations);
	json_decref(b->runs);
	json_decref(b->slugs);
	json_decref(b->listed);
	*b = (struct ki_bundle){0};
}

static const char *text_at(const json_t *document, const char *section, const char *key)
{
	return json_string_value(json_object_get(json_object_get(document, section), key));
}

static void slug_of(char out[KI_SLUG_MAX], const struct ki_identified *d)
{
	ki_slug(out, text_at(d->document, "metadata", "name"));
}

/* Whether d is not in its list yet; from now on it is. */
static bool is_new(struct ki_bundle *b, const struct ki_identified *d, struct ki_error *e)
{
	char slug[KI_SLUG_MAX], key[BUNDLE_KEY_MAX];

	slug_of(slug, d);
	snprintf(key, sizeof key, "%s %s %s",
		 json_string_value(json_object_get(d->document, "kind")), slug, d->digest.text);
	if (json_object_get(b->listed, key) != NULL)
		return false;
	if (json_object_set_new(b->listed, key, json_true()) != 0)
		ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	return true;
}

static int append(json_t *list, json_t *v, struct ki_error *e)
{
	return json_array_append_new(list, v) == 0
		       ? KI_SUCCESS
		       : ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
}

/* A slug of a project or an operation stands for one digest. */
static bool check_slug(struct ki_bundle *b, struct ki_issues *issues, const struct ki_identified *d,
		       const char *path)
{
	char slug[KI_SLUG_MAX], key[BUNDLE_KEY_MAX], at[BUNDLE_KEY_MAX];
	const char *other;

	slug_of(slug, d);
	snprintf(key, sizeof key, "%s %s", json_string_value(json_object_get(d->document, "kind")),
		 slug);
	snprintf(at, sizeof at, "%.100s/metadata/name", path);
	other = json_string_value(json_object_get(b->slugs, key));
	if (slug[0] == '\0')
		ki_issues_add(issues, NULL, at, "expected a name with a letter or a digit");
	else if (other != NULL && strcmp(other, d->digest.text) != 0)
		ki_issues_add(
			issues, NULL, at,
			"expected a name of its own, found \"%s\", which %s has in this bundle "
			"and which can stand for one document alone",
			slug, other);
	else if (json_object_set_new(b->slugs, key, json_string(d->digest.text)) == 0)
		return true;
	return false;
}

int ki_bundle_project(struct ki_bundle *b, struct ki_issues *issues,
		      const struct ki_identified *project, const char *path, struct ki_error *e)
{
	if (!check_slug(b, issues, project, path) || !is_new(b, project, e))
		return KI_SUCCESS;
	return append(b->projects, json_incref(project->document), e);
}

/* ---------------------------------------------------------------- the project of an implementation
 */

static size_t without_suffix(const char *url, size_t n)
{
	while (n > 0 && url[n - 1] == '/')
		n--;
	return n > 4 && memcmp(url + n - 4, ".git", 4) == 0 ? n - 4 : n;
}

/* As hosts take them: with or without ".git" or a slash at the end. */
static bool same_repository(const char *a, const char *b)
{
	size_t n = without_suffix(a, strlen(a));

	return n == without_suffix(b, strlen(b)) && strncmp(a, b, n) == 0;
}

static const json_t *find_project(const struct ki_bundle *b, const char *repository)
{
	const json_t *p;
	size_t i;

	if (repository == NULL)
		return json_array_size(b->projects) == 1 ? json_array_get(b->projects, 0) : NULL;
	json_array_foreach(b->projects, i, p)
	{
		const char *url = text_at(p, "spec", "repository");

		if (url != NULL && same_repository(url, repository))
			return p;
	}
	return NULL;
}

/* *out is the slug of its project; an issue if there is none. */
static bool project_slug(char out[KI_SLUG_MAX], const struct ki_bundle *b, struct ki_issues *issues,
			 const struct ki_record *record)
{
	const json_t *own = record->parts[KI_RECORD_PROJECT].document;
	const json_t *revision = json_object_get(
		json_object_get(record->parts[KI_RECORD_IMPLEMENTATION].document, "spec"),
		"projectRevision");
	const char *repository = json_string_value(json_object_get(revision, "repository"));
	const json_t *p = own != NULL ? own : find_project(b, repository);

	if (p != NULL) {
		ki_slug(out, text_at(p, "metadata", "name"));
		return true;
	}
	if (repository != NULL)
		ki_issues_add(issues, NULL, "/implementation/spec/projectRevision/repository",
			      "expected the repository of a project of this bundle, found %s; give "
			      "its SoftwareProject with --project FILE",
			      repository);
	else
		ki_issues_add(issues, NULL, "/implementation/spec/projectRevision",
			      "expected a repository that tells which of %zu projects it is, found "
			      "none%s",
			      json_array_size(b->projects),
			      json_array_size(b->projects) == 0
				      ? "; give a SoftwareProject with --project FILE"
				      : "");
	return false;
}

/* ---------------------------------------------------------------- records */

static int add_documents(struct ki_bundle *b, const struct ki_record *r, const char *project,
			 struct ki_error *e)
{
	const struct ki_identified *p = r->parts;
	int rc = KI_SUCCESS;

	if (is_new(b, &p[KI_RECORD_OPERATION], e))
		rc = append(b->operations, json_incref(p[KI_RECORD_OPERATION].document), e);
	if (rc == KI_SUCCESS && is_new(b, &p[KI_RECORD_WORKLOAD], e))
		rc = append(b->workloads, json_incref(p[KI_RECORD_WORKLOAD].document), e);
	if (rc == KI_SUCCESS && is_new(b, &p[KI_RECORD_IMPLEMENTATION], e))
		rc = append(b->implementations,
			    json_pack("{s:s, s:O}", "projectSlug", project, "manifest",
				      p[KI_RECORD_IMPLEMENTATION].document),
			    e);
	if (rc == KI_SUCCESS && is_new(b, &p[KI_RECORD_RUN], e))
		rc = append(b->runs,
			    json_pack("{s:O, s:O, s:O}", "run", p[KI_RECORD_RUN].document,
				      "protocol", p[KI_RECORD_PROTOCOL].document, "environment",
				      p[KI_RECORD_ENVIRONMENT].document),
			    e);
	return rc;
}

int ki_bundle_record(struct ki_bundle *b, struct ki_issues *issues, const struct ki_record *record,
		     struct ki_error *e)
{
	const struct ki_identified *own = &record->parts[KI_RECORD_PROJECT];
	size_t before = ki_issues_total(issues);
	char project[KI_SLUG_MAX];
	int rc = KI_SUCCESS;

	ki_publication_check(issues, record);
	if (ki_issues_total(issues) != before)
		return KI_SUCCESS;
	if (!check_slug(b, issues, &record->parts[KI_RECORD_OPERATION], "/operation") ||
	    !project_slug(project, b, issues, record))
		return KI_SUCCESS;
	if (own->document != NULL)
		rc = ki_bundle_project(b, issues, own, "/project", e);
	if (rc != KI_SUCCESS || ki_issues_total(issues) != before)
		return rc;
	return add_documents(b, record, project, e);
}

int ki_bundle_json(json_t **out, const struct ki_bundle *b, struct ki_error *e)
{
	*out = json_pack("{s:O, s:O, s:O, s:O, s:O}", "projects", b->projects, "operations",
			 b->operations, "workloads", b->workloads, "implementations",
			 b->implementations, "runs", b->runs);
	return *out != NULL ? KI_SUCCESS : ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
}
