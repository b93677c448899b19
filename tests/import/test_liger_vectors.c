/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of the kernels that are known, against what Kernel Index's importer made of them. */
#include "config.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "import/liger.h"

#define SHARED "/../shared/kernelindex/"
#define CSV_MAX ((size_t)64 << 20)

static char *shared_path(const char *relative)
{
	const char *root = getenv("KI_SRCDIR");
	char *path;

	cr_assert_not_null(root);
	cr_assert_geq(asprintf(&path, "%s" SHARED "%s", root, relative), 0);
	if (access(path, R_OK) != 0)
		cr_skip_test("reason: %s is not here", path);
	return path;
}

/* The manifest in a section of the vectors with this digest and, of several, this name. */
static const json_t *find(const json_t *vectors, const char *section, const json_t *document,
			  const char *digest)
{
	const char *name =
		json_string_value(json_object_get(json_object_get(document, "metadata"), "name"));
	const json_t *entry, *manifest;
	size_t i;

	json_array_foreach(json_object_get(vectors, section), i, entry)
	{
		manifest = json_object_get(entry, "manifest");
		if (strcmp(json_string_value(json_object_get(entry, "digest")), digest) == 0 &&
		    strcmp(json_string_value(
				   json_object_get(json_object_get(manifest, "metadata"), "name")),
			   name) == 0)
			return manifest;
	}
	return NULL;
}

static const char *digest_at(const json_t *record, const char *part, const char *key)
{
	const json_t *spec = json_object_get(json_object_get(record, part), "spec");

	return json_string_value(json_object_get(spec, key));
}

static void check_record(const json_t *vectors, const json_t *want, const struct ki_liger_row *row)
{
	static const struct {
		const char *part;
		const char *section;
		const char *from;
		const char *key;
	} parts[] = {
		{"protocol", "protocols", "run", "protocolDigest"},
		{"environment", "environments", "run", "environmentDigest"},
		{"workload", "workloads", "run", "workloadDigest"},
		{"implementation", "implementations", "run", "implementationDigest"},
		{"operation", "operations", "workload", "operationSpecDigest"},
	};
	json_t *record = json_loads(row->record, 0, NULL);
	size_t i;

	cr_expect_str_eq(row->run.text, json_string_value(json_object_get(want, "specDigest")));
	cr_expect(json_equal(json_object_get(record, "run"), json_object_get(want, "manifest")));
	for (i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const json_t *document = json_object_get(record, parts[i].part);
		const json_t *wanted = find(vectors, parts[i].section, document,
					    digest_at(record, parts[i].from, parts[i].key));

		cr_expect_not_null(wanted, "line %" JSON_INTEGER_FORMAT ": %s",
				   json_integer_value(json_object_get(want, "dataLine")),
				   parts[i].part);
		cr_expect(json_equal(document, wanted), "%s", parts[i].part);
	}
	json_decref(record);
}

Test(liger_vectors, every_row_gives_the_documents_of_kernel_index)
{
	char *csv_path = shared_path("data/liger_mta_rows.csv"), *text;
	char *path = shared_path("vectors/liger-mta-runs.json");
	json_t *vectors = json_load_file(path, 0, NULL), *runs, *want;
	struct ki_error e = {0};
	struct ki_csv_row fields;
	struct ki_liger *liger;
	struct ki_liger_row row;
	struct ki_csv csv;
	const char *why;
	size_t size, i, checked = 0;

	cr_assert_not_null(vectors);
	cr_assert_eq(ki_file_read(&text, &size, csv_path, CSV_MAX, &e), 0, "%s", e.text);
	ki_csv_init(&csv, text, size);
	cr_assert_eq(ki_csv_next(&csv, &fields, &why), KI_CSV_ROW);
	cr_assert_eq(ki_liger_new(&liger, &fields, &e), 0, "%s", e.text);
	runs = json_object_get(vectors, "runs");
	json_array_foreach(runs, i, want)
	{
		cr_assert_eq(ki_csv_next(&csv, &fields, &why), KI_CSV_ROW);
		cr_assert_eq(fields.line,
			     (size_t)json_integer_value(json_object_get(want, "dataLine")));
		cr_assert_eq(ki_liger_read(&row, liger, &fields, &e), 0, "%s", e.text);
		cr_assert_eq(row.outcome, KI_LIGER_RECORD, "%s", row.reason);
		check_record(vectors, want, &row);
		checked++;
	}
	cr_expect_eq(ki_csv_next(&csv, &fields, &why), KI_CSV_END);
	printf("# %zu of %zu rows of Liger-Kernel give the documents of Kernel Index\n", checked,
	       json_array_size(runs));
	fflush(stdout);
	cr_expect_geq(checked, 72);
	ki_liger_free(liger);
	json_decref(vectors);
	free(text);
	free(path);
	free(csv_path);
}
