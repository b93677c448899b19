/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "document/yaml.h"
#include "record/bundle.h"
#include "record/publication.h"

static void read_seed(struct ki_record *out)
{
	const char *root = getenv("KI_SRCDIR");
	struct ki_issues issues = {0};
	struct ki_error e = {0};
	struct ki_yaml y;
	char path[4096];

	cr_assert_not_null(root, "KI_SRCDIR names the source root");
	snprintf(path, sizeof path, "%s/tests/vectors/seed-record.json", root);
	cr_assert_eq(ki_yaml_read(&y, path, &e), 0, "%s", e.text);
	cr_assert_eq(ki_record_read(out, &issues, y.documents[0], "", &e), 0, "%s", e.text);
	cr_assert_eq(issues.count, 0);
	ki_yaml_free(&y);
}

static json_t *spec_of(const struct ki_record *r, enum ki_record_part part)
{
	return json_object_get(r->parts[part].document, "spec");
}

static json_t *run_of(const struct ki_record *r)
{
	return spec_of(r, KI_RECORD_RUN);
}

/* A change of one record, and what publication then says. */
static void expect_fault(void (*change)(struct ki_record *), const char *path, const char *what)
{
	struct ki_issues issues = {0};
	struct ki_record r;

	read_seed(&r);
	change(&r);
	ki_publication_check(&issues, &r);
	cr_assert_eq(issues.count, path != NULL ? 1 : 0, "%s: %zu", what, issues.count);
	if (path != NULL) {
		cr_expect_str_eq(issues.list[0].path, path);
		cr_expect_not_null(strstr(issues.list[0].text, what), "%s", issues.list[0].text);
	}
	ki_issues_free(&issues);
	ki_record_free(&r);
}

static void change_nothing(struct ki_record *r)
{
	(void)r;
}

static void drop_workload(struct ki_record *r)
{
	ki_identified_free(&r->parts[KI_RECORD_WORKLOAD]);
}

static void drop_values(struct ki_record *r)
{
	json_object_del(run_of(r), "timing");
	json_object_del(run_of(r), "measurements");
}

static void drop_values_of_failed(struct ki_record *r)
{
	drop_values(r);
	json_object_set_new(run_of(r), "status", json_string("timeout"));
}

static void drop_timing(struct ki_record *r)
{
	json_object_del(run_of(r), "timing");
}

static void negative_measurement(struct ki_record *r)
{
	drop_timing(r);
	json_object_set_new(json_array_get(json_object_get(run_of(r), "measurements"), 0), "value",
			    json_real(-0.5));
}

static void negative_second(struct ki_record *r)
{
	json_object_set_new(json_array_get(json_object_get(run_of(r), "measurements"), 1), "value",
			    json_real(-0.5));
}

static void many_samples(struct ki_record *r)
{
	json_object_set_new(json_object_get(run_of(r), "timing"), "samples",
			    json_integer(2147483648));
}

static void many_of_a_measurement(struct ki_record *r)
{
	json_object_set_new(json_array_get(json_object_get(run_of(r), "measurements"), 1),
			    "sampleCount", json_integer(2147483648));
}

static void year_0(struct ki_record *r)
{
	json_object_set_new(run_of(r), "observedAt", json_string("0000-01-01T00:00:00Z"));
}

static void nul_in_metadata(struct ki_record *r)
{
	json_object_set_new(json_object_get(r->parts[KI_RECORD_PROTOCOL].document, "metadata"),
			    "title", json_stringn("a\0b", 3));
}

Test(bundle, a_record_is_fit_for_publication_or_is_told_why_not)
{
	expect_fault(change_nothing, NULL, "");
	expect_fault(drop_workload, "/workload", "found nothing");
	expect_fault(drop_values, "/run/spec", "expected a timing or a measurement");
	expect_fault(drop_values_of_failed, NULL, "a failed run has no value");
	expect_fault(drop_timing, NULL, "the first measurement is one");
	expect_fault(negative_measurement, "/run/spec/measurements/0/value", "found -0.5");
	expect_fault(negative_second, NULL, "it is not primary");
	expect_fault(many_samples, "/run/spec/timing/samples", "at most 2147483647");
	expect_fault(many_of_a_measurement, "/run/spec/measurements/1/sampleCount",
		     "at most 2147483647");
	expect_fault(year_0, "/run/spec/observedAt", "from 0001");
	expect_fault(nul_in_metadata, "/protocol/metadata/title", "U+0000");
}

/* ---------------------------------------------------------------- bundles */

static struct ki_bundle bundle;
static struct ki_issues issues;

static void start(void)
{
	struct ki_error e = {0};

	issues = (struct ki_issues){0};
	cr_assert_eq(ki_bundle_init(&bundle, &e), 0);
}

static void stop(void)
{
	ki_bundle_free(&bundle);
	ki_issues_free(&issues);
}

TestSuite(bundle, .init = start, .fini = stop);

/* A SoftwareProject of that name and repository (NULL: none). */
static void add_project(const char *name, const char *repository)
{
	struct ki_identified p = {
		.document =
			json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:s*}}", "apiVersion",
				  "kernelindex.dev/v1alpha1", "kind", "SoftwareProject", "metadata",
				  "name", name, "spec", "name", name, "repository", repository),
	};
	struct ki_error e = {0};

	cr_assert_eq(ki_digest_document(&p.digest, p.document, &e), 0, "%s", e.text);
	cr_assert_eq(ki_bundle_project(&bundle, &issues, &p, "", &e), 0, "%s", e.text);
	ki_identified_free(&p);
}

/* Adds the seed's record, without its own project, of an implementation in repository. */
static void add_record(const char *repository)
{
	struct ki_error e = {0};
	struct ki_record r;

	read_seed(&r);
	ki_identified_free(&r.parts[KI_RECORD_PROJECT]);
	if (repository != NULL)
		json_object_set_new(
			json_object_get(spec_of(&r, KI_RECORD_IMPLEMENTATION), "projectRevision"),
			"repository", json_string(repository));
	cr_assert_eq(ki_bundle_record(&bundle, &issues, &r, &e), 0, "%s", e.text);
	ki_record_free(&r);
}

static void expect_issue(const char *path, const char *what)
{
	cr_assert_eq(issues.count, 1);
	cr_expect_str_eq(issues.list[0].path, path);
	cr_expect_not_null(strstr(issues.list[0].text, what), "%s", issues.list[0].text);
}

static const char *project_slug(size_t i)
{
	return json_string_value(
		json_object_get(json_array_get(bundle.implementations, i), "projectSlug"));
}

Test(bundle, the_documents_of_records_stand_in_their_sections_once_each)
{
	struct ki_error e = {0};
	struct ki_record r;
	json_t *submission;
	int i;

	read_seed(&r);
	for (i = 0; i < 2; i++)
		cr_assert_eq(ki_bundle_record(&bundle, &issues, &r, &e), 0, "%s", e.text);
	cr_assert_eq(issues.count, 0, "%s", issues.count ? issues.list[0].text : "");
	cr_assert_eq(ki_bundle_json(&submission, &bundle, &e), 0);
	cr_expect_eq(json_object_size(submission), 5);
	cr_expect(json_equal(json_array_get(json_object_get(submission, "projects"), 0),
			     r.parts[KI_RECORD_PROJECT].document));
	cr_expect(json_equal(json_array_get(json_object_get(submission, "operations"), 0),
			     r.parts[KI_RECORD_OPERATION].document));
	cr_expect(json_equal(json_array_get(json_object_get(submission, "workloads"), 0),
			     r.parts[KI_RECORD_WORKLOAD].document));
	cr_expect_str_eq(project_slug(0), "pytorch");
	cr_expect_eq(json_array_size(bundle.projects), 1);
	cr_expect_eq(json_array_size(bundle.operations), 1);
	cr_expect_eq(json_array_size(bundle.workloads), 1);
	cr_expect_eq(json_array_size(bundle.implementations), 1);
	cr_expect_eq(json_array_size(bundle.runs), 1);
	cr_expect_eq(json_object_size(json_array_get(bundle.runs, 0)), 3);
	json_decref(submission);
	ki_record_free(&r);
}

Test(bundle, an_implementation_belongs_to_the_project_of_its_repository)
{
	add_project("one", "https://example.org/one");
	add_project("Two Of Them", "https://example.org/two.git");
	add_record("https://example.org/two/");
	cr_assert_eq(issues.count, 0, "%s", issues.count ? issues.list[0].text : "");
	cr_expect_str_eq(project_slug(0), "two-of-them");
}

Test(bundle, without_a_repository_it_belongs_to_the_only_project)
{
	add_project("one", NULL);
	add_record(NULL);
	cr_assert_eq(issues.count, 0, "%s", issues.count ? issues.list[0].text : "");
	cr_expect_str_eq(project_slug(0), "one");
}

Test(bundle, which_of_two_projects_is_not_guessed)
{
	add_project("one", "https://example.org/one");
	add_project("two", "https://example.org/two");
	add_record(NULL);
	expect_issue("/implementation/spec/projectRevision", "which of 2 projects");
	cr_expect_eq(json_array_size(bundle.runs), 0);
}

Test(bundle, a_project_that_is_missing_is_asked_for)
{
	add_record(NULL);
	expect_issue("/implementation/spec/projectRevision", "--project FILE");
}

Test(bundle, the_project_of_another_repository_will_not_do)
{
	add_project("one", "https://example.org/one");
	add_record("https://example.org/oneself");
	expect_issue("/implementation/spec/projectRevision/repository", "--project FILE");
}

Test(bundle, a_name_stands_for_one_project)
{
	add_project("one", "https://example.org/one");
	add_project("One", "https://example.org/other");
	expect_issue("/metadata/name", "found \"one\"");
	cr_expect_eq(json_array_size(bundle.projects), 1);
}

Test(bundle, a_name_stands_for_one_operation)
{
	struct ki_error e = {0};
	struct ki_record r;

	add_project("one", NULL);
	add_record(NULL);
	read_seed(&r);
	ki_identified_free(&r.parts[KI_RECORD_PROJECT]);
	json_object_set_new(json_object_get(spec_of(&r, KI_RECORD_OPERATION), "semantics"),
			    "expression", json_string("y = x"));
	cr_assert_eq(ki_digest_document(&r.parts[KI_RECORD_OPERATION].digest,
					r.parts[KI_RECORD_OPERATION].document, &e),
		     0);
	cr_assert_eq(ki_bundle_record(&bundle, &issues, &r, &e), 0, "%s", e.text);
	expect_issue("/operation/metadata/name", "can stand for one document alone");
	cr_expect_eq(json_array_size(bundle.runs), 1);
	ki_record_free(&r);
}
