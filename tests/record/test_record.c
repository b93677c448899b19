/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "document/yaml.h"
#include "record/record.h"

/* The seed's record with the first occurrence of from replaced; for free(). */
static char *seed_with(const char *from, const char *to)
{
	const char *root = getenv("KI_SRCDIR");
	struct ki_error e = {0};
	char path[4096], *text, *at, *changed;
	size_t size;

	cr_assert_not_null(root, "KI_SRCDIR names the source root");
	snprintf(path, sizeof path, "%s/tests/vectors/seed-record.json", root);
	cr_assert_eq(ki_file_read(&text, &size, path, 1 << 20, &e), 0, "%s", e.text);
	if (from == NULL)
		return text;
	at = strstr(text, from);
	cr_assert_not_null(at, "%s", from);
	cr_assert_geq(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)),
		      0);
	free(text);
	return changed;
}

static void read_record(struct ki_record *out, struct ki_issues *issues, char *text)
{
	struct ki_error e = {0};
	struct ki_yaml y;

	cr_assert_eq(ki_yaml_parse(&y, "record.json", text, strlen(text), &e), 0, "%s", e.text);
	cr_assert(ki_record_is(y.documents[0]));
	cr_assert_eq(ki_record_read(out, issues, y.documents[0], "", &e), 0, "%s", e.text);
	ki_yaml_free(&y);
	free(text);
}

static void expect_fault(char *text, const char *path, const char *what)
{
	struct ki_issues issues = {0};
	struct ki_record record;

	read_record(&record, &issues, text);
	cr_assert_eq(issues.count, 1, "%s: %zu", path, issues.count);
	cr_expect_str_eq(issues.list[0].path, path);
	cr_expect_not_null(strstr(issues.list[0].text, what), "%s", issues.list[0].text);
	cr_expect_gt(issues.list[0].line, 0);
	ki_issues_free(&issues);
	ki_record_free(&record);
}

Test(record, a_whole_record_is_read_with_the_digest_of_each_document)
{
	struct ki_issues issues = {0};
	struct ki_record record;
	size_t i;

	read_record(&record, &issues, seed_with(NULL, NULL));
	cr_expect_eq(issues.count, 0, "%s", issues.count ? issues.list[0].text : "");
	for (i = 0; i < KI_RECORD_PARTS; i++)
		cr_expect_not_null(record.parts[i].document, "%s", ki_record_member(i));
	cr_expect_str_eq(record.parts[KI_RECORD_RUN].digest.text,
			 "sha256:"
			 "3b5c84a59072897ff201935266748b3d55531dd67bc9a0320f7ccbd411244531");
	ki_issues_free(&issues);
	ki_record_free(&record);
}

Test(record, a_document_that_is_not_the_one_measured_is_found_by_its_digest)
{
	expect_fault(seed_with("NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 4090"),
		     "/run/spec/environmentDigest", "the digest of the environment beside it");
	expect_fault(seed_with("\"timer\": \"cuda_events\"", "\"timer\": \"monotonic\""),
		     "/run/spec/protocolDigest", "the digest of the protocol beside it");
	expect_fault(seed_with("\"comparator\": \"not_asserted\"", "\"comparator\": \"allclose\""),
		     "/run/spec/workloadDigest", "the digest of the workload beside it");
}

Test(record, an_operation_is_the_one_of_the_workload_and_of_the_implementation)
{
	struct ki_issues issues = {0};
	struct ki_record record;

	read_record(&record, &issues,
		    seed_with("\"determinism\": \"unspecified\"",
			      "\"determinism\": \"deterministic\""));
	cr_assert_eq(issues.count, 2);
	cr_expect_str_eq(issues.list[0].path, "/workload/spec/operationSpecDigest");
	cr_expect_str_eq(issues.list[1].path, "/implementation/spec/operation/specDigest");
	ki_issues_free(&issues);
	ki_record_free(&record);
}

Test(record, a_member_of_the_wrong_kind_or_name_is_a_fault)
{
	expect_fault(seed_with("\"kind\": \"OperationSpec\"", "\"kind\": \"WorkloadCase\""),
		     "/operation/kind", "expected OperationSpec");
	expect_fault(seed_with("\"project\": {", "\"projekt\": {"), "", "projekt");
}

Test(record, without_its_protocol_a_run_is_no_record)
{
	struct ki_issues issues = {0};
	struct ki_record record;

	read_record(&record, &issues, strdup("run: 1\n"));
	cr_assert_eq(issues.count, 3);
	cr_expect_str_eq(issues.list[0].path, "/run");
	cr_expect_str_eq(issues.list[1].path, "/protocol");
	cr_expect_str_eq(issues.list[2].path, "/environment");
	ki_issues_free(&issues);
	ki_record_free(&record);
}
