/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel Index's own answers (../shared/kernelindex, made by running its code) against ours:
 * what it accepts, with the digest it gives, and what it rejects, at the place it names.
 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "document/digest.h"
#include "document/kind/kind.h"
#include "document/yaml.h"
#include "vectors.h"

#define SHARED "../shared/kernelindex/vectors/"
#define POINTERS_MAX 4096
#define FILE_MAX ((1u << 20) + 1)

/* A comment of TAP: Criterion shows none of its own logs there. */
#define report(...)                                                                                \
	do {                                                                                       \
		fprintf(stderr, "# " __VA_ARGS__);                                                 \
		fflush(stderr);                                                                    \
	} while (0)

/* Where we differ, on purpose. */
static const struct exception {
	const char *name;
	const char *why;
} exceptions[] = {
	{"key escapes", "a key with U+0000, which no jansson before 2.14 can hold, is an error"},
	{"lone surrogate in a value", "we say at which path it is, Kernel Index does not"},
	{"lone surrogate in a key", "we say at which path it is, Kernel Index does not"},
};

static bool is_exception(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
		if (strcmp(exceptions[i].name, name) == 0) {
			report("left out: %s: %s\n", name, exceptions[i].why);
			return true;
		}
	return false;
}

/* Reads text as one document.  False: it is not YAML, or more than one. */
static bool read_text(json_t **out, struct ki_issues *issues, const char *text, size_t size)
{
	struct ki_error e = {0};
	struct ki_yaml y;

	*out = NULL;
	if (ki_yaml_parse(&y, "vector", text, size, &e) != 0)
		return false;
	cr_expect_leq(y.count, 1);
	cr_expect_eq(ki_kind_read(out, issues, y.count > 0 ? y.documents[0] : NULL, NULL, "", &e),
		     0, "%s", e.text);
	ki_yaml_free(&y);
	return true;
}

/* The text of an entry, for free(). */
static char *entry_text(const json_t *entry)
{
	static const char *const members[] = {"yamlText", "text", "manifestText"};
	const json_t *manifest = json_object_get(entry, "manifest");
	size_t i;

	for (i = 0; i < sizeof members / sizeof members[0]; i++)
		if (json_object_get(entry, members[i]) != NULL)
			return strdup(vectors_text(entry, members[i]));
	return manifest != NULL ? json_dumps(manifest, 0) : NULL;
}

/* The one entry that says how its text is made. */
static char *generated_text(const json_t *entry)
{
	const char *start = vectors_text(json_object_get(entry, "generator"), "text");
	size_t n = strlen(start);
	char *text = malloc(FILE_MAX + 1);

	cr_assert_not_null(text);
	memcpy(text, start, n);
	text[n] = '#';
	memset(text + n + 1, 'x', FILE_MAX - n - 1);
	text[FILE_MAX] = '\0';
	return text;
}

static void check_accepted(const json_t *entry)
{
	const char *name = vectors_text(entry, "name");
	const char *want = vectors_text(entry, "canonicalIdentityJson");
	struct ki_issues issues = {0};
	struct ki_error e = {0};
	struct ki_digest d = {.text = ""};
	struct ki_buffer b;
	char *text = entry_text(entry);
	json_t *document;

	cr_assert(read_text(&document, &issues, text, strlen(text)), "%s: not YAML", name);
	if (document == NULL) {
		cr_expect_fail("%s: rejected: %s: %s", name, issues.list[0].path,
			       issues.list[0].text);
	} else {
		ki_buffer_init(&b, KI_DIGEST_IDENTITY_MAX);
		cr_expect_eq(ki_digest_identity(&b, document, &e), 0, "%s: %s", name, e.text);
		cr_expect_str_eq(b.data, want, "%s:\n%s\n%s", name, b.data, want);
		cr_expect_eq(ki_digest_document(&d, document, &e), 0, "%s: %s", name, e.text);
		cr_expect_str_eq(d.text, vectors_text(entry, "digest"), "%s", name);
		ki_buffer_fini(&b);
	}
	json_decref(document);
	ki_issues_free(&issues);
	free(text);
}

Test(vectors, what_kernel_index_accepts_has_its_canonical_text_and_digest)
{
	json_t *file = vectors_load(SHARED "digests.json"), *entry;
	size_t i, checked = 0, left_out = 0;

	json_array_foreach(file, i, entry)
	{
		if (json_object_get(entry, "digest") == NULL)
			continue;
		if (is_exception(vectors_text(entry, "name"))) {
			left_out++;
			continue;
		}
		check_accepted(entry);
		checked++;
	}
	report("%zu of %zu documents have the digest of Kernel Index\n", checked,
	       checked + left_out);
	cr_expect_geq(checked, 118);
	json_decref(file);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Joins the paths, sorted and each once. */
static void join(char out[POINTERS_MAX], const char **paths, size_t count)
{
	size_t i, used = 0;

	qsort(paths, count, sizeof *paths, compare_lines);
	out[0] = '\0';
	for (i = 0; i < count; i++)
		if (i == 0 || strcmp(paths[i - 1], paths[i]) != 0)
			used += (size_t)snprintf(out + used, POINTERS_MAX - used, "[%s]", paths[i]);
}

static void wanted_paths(char out[POINTERS_MAX], const json_t *entry)
{
	const json_t *issues = json_object_get(entry, "issues"), *issue;
	const char *paths[64];
	size_t i;

	json_array_foreach(issues, i, issue)
	{
		cr_assert_lt(i, sizeof paths / sizeof paths[0]);
		paths[i] = vectors_text(issue, "pointer");
	}
	join(out, paths, json_array_size(issues));
}

static void found_paths(char out[POINTERS_MAX], const struct ki_issues *issues)
{
	const char *paths[KI_ISSUES_MAX];
	size_t i;

	for (i = 0; i < issues->count; i++)
		paths[i] = issues->list[i].path;
	join(out, paths, issues->count);
}

static void check_rejected(const json_t *entry)
{
	const char *name = vectors_text(entry, "name"), *layer = vectors_text(entry, "layer");
	char *text = entry_text(entry);
	char want[POINTERS_MAX], found[POINTERS_MAX];
	struct ki_issues issues = {0};
	json_t *document;
	bool readable;

	if (text == NULL)
		text = generated_text(entry);
	readable = read_text(&document, &issues, text, strlen(text));
	cr_expect_null(document, "%s: accepted", name);
	cr_expect_eq(readable, strcmp(layer, "schema") == 0, "%s: layer %s", name, layer);
	wanted_paths(want, entry);
	found_paths(found, &issues);
	if (readable)
		cr_expect_str_eq(found, want, "%s: at %s, not %s", name, found, want);
	else
		cr_expect_str_eq(want, "[]", "%s", name);
	json_decref(document);
	ki_issues_free(&issues);
	free(text);
}

Test(vectors, what_kernel_index_rejects_is_rejected_at_the_same_paths)
{
	json_t *file = vectors_load(SHARED "invalid.json"), *entry;
	size_t i, checked = 0;

	json_array_foreach(file, i, entry)
	{
		if (is_exception(vectors_text(entry, "name")))
			continue;
		check_rejected(entry);
		checked++;
	}
	report("%zu of %zu invalid inputs are rejected at the paths of Kernel Index\n", checked,
	       json_array_size(file));
	cr_expect_geq(checked, 182);
	json_decref(file);
}

/* The nanoseconds of a run whose median is v, or -1. */
static json_int_t median_ns(const json_t *v)
{
	json_t *run = json_pack(
		"{s:s, s:s, s:{s:s}, s:{s:s, s:s, s:s, s:s, s:s, s:{s:s, s:{s:O}}, s:s}}",
		"apiVersion", KI_API_VERSION, "kind", "BenchmarkRun", "metadata", "name", "vector",
		"spec", "implementationDigest", "", "workloadDigest", "", "protocolDigest", "",
		"environmentDigest", "", "status", "passed", "timing", "primaryStatistic", "median",
		"latencyNs", "median", v, "observedAt", "2026-08-01T12:00:00.000Z");
	const char *digest = "sha256:"
			     "0000000000000000000000000000000000000000000000000000000000000000";
	json_t *spec = json_object_get(run, "spec"), *document, *timing;
	struct ki_issues issues = {0};
	json_int_t ns = -1;
	const char *key;
	json_t *value;
	char *text;

	json_object_foreach(spec, key, value)
	{
		if (strstr(key, "Digest") != NULL)
			json_string_set(value, digest);
	}
	text = json_dumps(run, JSON_ENSURE_ASCII);
	cr_assert(read_text(&document, &issues, text, strlen(text)));
	cr_expect_eq(document == NULL, issues.count > 0);
	timing = json_object_get(json_object_get(document, "spec"), "timing");
	if (document != NULL)
		ns = json_integer_value(
			json_object_get(json_object_get(timing, "latencyNs"), "median"));
	json_decref(document);
	json_decref(run);
	ki_issues_free(&issues);
	free(text);
	return ns;
}

Test(vectors, durations_are_normalized_and_refused_as_kernel_index_does)
{
	json_t *file = vectors_load(SHARED "durations.json"), *entry;
	json_t *refused = json_object_get(json_object_get(file, "rejectedThreeDecimalMicroseconds"),
					  "values");
	size_t i, rejected = 0;

	json_array_foreach(json_object_get(file, "cases"), i, entry)
	{
		json_t *want = json_object_get(entry, "ns"),
		       *input = json_object_get(entry, "input");
		char *shown = json_dumps(input, JSON_ENCODE_ANY);

		cr_expect_eq(median_ns(input), want != NULL ? json_integer_value(want) : -1, "%s",
			     shown);
		free(shown);
	}
	/* Of all three-decimal microseconds, just these. */
	for (i = 1; i < 10000; i++) {
		char text[32];
		json_t *input;

		snprintf(text, sizeof text, "%zu.%03zu us", i / 1000, i % 1000);
		input = json_string(text);
		if (median_ns(input) < 0) {
			entry = json_array_get(refused, rejected++);
			cr_expect_str_eq(json_string_value(entry), text);
		}
		json_decref(input);
	}
	report("%zu durations, and %zu refused microseconds, as Kernel Index\n",
	       json_array_size(json_object_get(file, "cases")), rejected);
	cr_expect_eq(rejected, json_array_size(refused));
	json_decref(file);
}

static void check_key(const json_t *entry)
{
	static const char *const parts[][2] = {
		{"operation", "operationDigest"},  {"workload", "workloadDigest"},
		{"protocol", "protocolKey"},       {"environment", "environmentKey"},
		{"correctness", "correctnessKey"}, {"metric", "metricKey"},
	};
	const char *name = vectors_text(entry, "name");
	json_t *o = json_pack("{s:O}", "correctness", json_object_get(entry, "correctness"));
	struct ki_error e = {0};
	struct ki_digest d;
	char *text = vectors_canonical(o);
	size_t i;

	cr_expect_str_eq(text, vectors_text(entry, "correctnessJson"), "%s", name);
	cr_assert_eq(ki_digest_bytes(&d, text, strlen(text), &e), 0);
	cr_expect_str_eq(d.text, vectors_text(entry, "correctnessKey"), "%s", name);
	free(text);
	json_object_set_new(o, "v", json_integer(1));
	for (i = 0; i < sizeof parts / sizeof parts[0]; i++)
		json_object_set(o, parts[i][0], json_object_get(entry, parts[i][1]));
	text = vectors_canonical(o);
	cr_expect_str_eq(text, vectors_text(entry, "canonicalJson"), "%s", name);
	cr_assert_eq(ki_digest_bytes(&d, text, strlen(text), &e), 0);
	cr_expect_str_eq(d.text, vectors_text(entry, "comparisonKey"), "%s", name);
	free(text);
	json_decref(o);
}

Test(vectors, a_cohort_has_the_key_of_kernel_index)
{
	json_t *file = vectors_load(SHARED "comparison.json"), *entry;
	size_t i;

	json_array_foreach(file, i, entry) check_key(entry);
	report("%zu cohort keys are those of Kernel Index\n", json_array_size(file));
	cr_expect_geq(json_array_size(file), 38);
	json_decref(file);
}

/* How our YAML reader differs from Kernel Index's, on purpose. */
static const struct difference {
	const char *name;
	const char *got; /* as read_entry() says it */
	const char *why;
} differences[] = {
	{"sequence as key", NULL, "such a key is a mistake"},
	{"map as key", NULL, "such a key is a mistake"},
	{"empty text", "(0 documents)", "a stream of no documents"},
	{"two documents", "(2 documents)", "a stream of two documents"},
};

static const struct difference *difference_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof differences / sizeof differences[0]; i++)
		if (strcmp(differences[i].name, name) == 0)
			return &differences[i];
	return NULL;
}

/* What JSON cannot say of the value of "a": "Infinity", "-Infinity", "-0", "\u0000", "\ud800". */
static const char *non_json(const json_t *entry)
{
	return vectors_text(json_array_get(json_object_get(entry, "nonJson"), 0), "value");
}

/* What Kernel Index makes of the entry, as canonical JSON for free(), or NULL if it refuses. */
static char *wanted(const json_t *entry)
{
	json_t *json = json_object_get(entry, "parsedJson");

	if (strcmp(non_json(entry), "\\ud800") == 0)
		return strdup("(no canonical text)");
	if (strcmp(non_json(entry), "\\u0000") == 0)
		return strdup("{\"a\":\"\\u0000\"}");
	if (strstr(non_json(entry), "Infinity") != NULL)
		return strdup(non_json(entry));
	if (json == NULL)
		json = json_object_get(entry, "manifest");
	return json != NULL ? vectors_canonical(json) : NULL;
}

/* The same of our reader, which may also find "(2 documents)". */
static char *read_entry(const json_t *entry)
{
	const json_t *text = json_object_get(entry, "yamlText");
	const struct ki_node *a;
	struct ki_error e = {0};
	struct ki_yaml y;
	json_t *json = NULL;
	char *got = NULL;

	if (ki_yaml_parse(&y, "f.yaml", json_string_value(text), json_string_length(text), &e) != 0)
		return NULL;
	if (y.count == 1 && ki_node_to_json(&json, y.documents[0], y.name, &e) == 0) {
		struct ki_buffer b;

		ki_buffer_init(&b, KI_DIGEST_IDENTITY_MAX);
		got = ki_canonical_write(&b, json, &e) == 0 ? ki_buffer_steal(&b)
							    : strdup("(no canonical text)");
		ki_buffer_fini(&b);
		json_decref(json);
	} else if (y.count == 1) {
		a = ki_node_get(y.documents[0], "a");
		cr_expect(a != NULL && isinf(a->real), "%s", e.text);
		got = strdup(a != NULL && a->real < 0 ? "-Infinity" : "Infinity");
	}
	if (y.count != 1 && asprintf(&got, "(%zu documents)", y.count) < 0)
		got = NULL;
	ki_yaml_free(&y);
	return got;
}

static bool same(const char *a, const char *b)
{
	return a != NULL && b != NULL ? strcmp(a, b) == 0 : a == b;
}

#define SHOWN(text) ((text) != NULL ? (text) : "(refused)")

static void check_yaml_entry(const json_t *entry, size_t *differ)
{
	const char *name = vectors_text(entry, "name");
	const struct difference *d = difference_of(name);
	char *want = wanted(entry);
	char *got = read_entry(entry);

	if (d == NULL) {
		cr_expect(same(got, want), "%s: %s, not %s", name, SHOWN(got), SHOWN(want));
	} else {
		(*differ)++;
		report("left out: %s: %s, not %s: %s\n", name, SHOWN(got), SHOWN(want), d->why);
		cr_expect(same(got, d->got), "%s: %s, not %s", name, SHOWN(got), SHOWN(d->got));
	}
	free(want);
	free(got);
}

Test(vectors, a_yaml_text_is_read_as_kernel_index_reads_it)
{
	json_t *file = vectors_load(SHARED "digests.json");
	size_t i, checked = 0, differ = 0;
	json_t *entry;

	json_array_foreach(file, i, entry)
	{
		if (json_object_get(entry, "yamlText") == NULL)
			continue;
		check_yaml_entry(entry, &differ);
		checked++;
	}
	report("%zu of %zu YAML texts are read as by Kernel Index\n", checked - differ, checked);
	cr_expect_geq(checked, 118);
	cr_expect_eq(differ, sizeof differences / sizeof differences[0]);
	json_decref(file);
}
