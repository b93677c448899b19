/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>

#include "document/canonical.h"
#include "document/digest.h"
#include "document/kind/kind.h"
#include "document/yaml.h"
#include "vectors.h"

#define PROJECT                                                                                    \
	"apiVersion: kernelindex.dev/v1alpha1\nkind: SoftwareProject\n"                            \
	"metadata: {name: p}\nspec:\n"
#define OPERATION                                                                                  \
	"apiVersion: kernelindex.dev/v1alpha1\nkind: OperationSpec\n"                              \
	"metadata: {name: o}\nspec:\n"                                                             \
	"  family: f\n  semantics: {mutation: none, determinism: unspecified}\n"                   \
	"  outputs: [{name: y, scalar: {dtype: f32}}]\n"
#define ENVIRONMENT                                                                                \
	"apiVersion: kernelindex.dev/v1alpha1\nkind: ExecutionEnvironment\n"                       \
	"metadata: {name: e}\nspec:\n"                                                             \
	"  hardware: {vendor: v, product: p, architecture: a}\n"
#define HEX_64 "0000000000000000000000000000000000000000000000000000000000000000"
#define RUN                                                                                        \
	"apiVersion: kernelindex.dev/v1alpha1\nkind: BenchmarkRun\n"                               \
	"metadata: {name: r}\nspec:\n"                                                             \
	"  implementationDigest: sha256:" HEX_64 "\n"                                              \
	"  workloadDigest: sha256:" HEX_64 "\n"                                                    \
	"  protocolDigest: sha256:" HEX_64 "\n"                                                    \
	"  environmentDigest: sha256:" HEX_64 "\n"                                                 \
	"  status: passed\n  observedAt: 2026-12-01T09:00:00Z\n"
#define IMPLEMENTATION                                                                             \
	"apiVersion: kernelindex.dev/v1alpha1\nkind: ImplementationRevision\n"                     \
	"metadata: {name: i}\nspec:\n"                                                             \
	"  projectRevision: {}\n  operation: {specDigest: sha256:" HEX_64 "}\n"                    \
	"  callable: {language: c}\n  licensing: {}\n"

static json_t *read_document(const char *text, struct ki_issues *issues)
{
	struct ki_error e = {0};
	json_t *document = NULL;
	struct ki_yaml y;

	cr_assert_eq(ki_yaml_parse(&y, "d.yaml", text, strlen(text), &e), 0, "%s", e.text);
	cr_assert_eq(y.count, 1);
	cr_assert_eq(ki_kind_read(&document, issues, y.documents[0], NULL, "", &e), 0, "%s",
		     e.text);
	cr_expect_eq(document == NULL, issues->count > 0, "%s", text);
	ki_yaml_free(&y);
	return document;
}

/* What the faults of text read like, one line each: "line:column path text". */
static void expect_faults(const char *text, const char *want)
{
	struct ki_issues issues = {0};
	struct ki_buffer b;
	size_t i;

	json_decref(read_document(text, &issues));
	ki_buffer_init(&b, 1 << 16);
	for (i = 0; i < issues.count; i++)
		ki_buffer_printf(&b, "%u:%u %s %s\n", issues.list[i].line, issues.list[i].column,
				 issues.list[i].path, issues.list[i].text);
	cr_expect_str_eq(b.data, want, "%s\n-- gave\n%s-- not\n%s", text, b.data, want);
	ki_buffer_fini(&b);
	ki_issues_free(&issues);
}

/* The canonical text of the spec that text has once it is normalized. */
static void expect_spec(const char *text, const char *want)
{
	struct ki_issues issues = {0};
	json_t *document = read_document(text, &issues);
	char *spec;

	cr_assert_not_null(document, "%s", issues.count > 0 ? issues.list[0].text : "");
	spec = vectors_canonical(json_object_get(document, "spec"));
	cr_expect_not_null(strstr(spec, want), "%s\nhas no %s", spec, want);
	free(spec);
	json_decref(document);
	ki_issues_free(&issues);
}

Test(kind, all_faults_of_a_document_are_found_each_with_its_place)
{
	expect_faults("apiVersion: v2\nkind: SoftwareProject\nmetadata:\n  name: P\n"
		      "spec: {name: 5, kind: lib, more: 1}\nextra:\n",
		      "1:13 /apiVersion expected kernelindex.dev/v1alpha1, found the string "
		      "\"v2\"\n"
		      "4:9 /metadata/name expected a name, [a-z0-9][a-z0-9._-]*, found the string "
		      "\"P\"\n"
		      "5:14 /spec/name expected text, found the integer 5 (in quotes it is text)\n"
		      "5:23 /spec/kind expected one of library, individual, vendor, found the "
		      "string \"lib\"\n"
		      "5:28 /spec expected only the members name, kind, repository, homepage, "
		      "host, packages, found the unknown member \"more\"\n"
		      "6:1  expected only the members apiVersion, kind, metadata, spec, found the "
		      "unknown member \"extra\"\n");
}

Test(kind, what_is_missing_is_a_fault_of_the_mapping_that_lacks_it)
{
	expect_faults("kind: SoftwareProject\nspec: {}\n",
		      "2:7 /spec/name expected text, found nothing\n"
		      "1:1 /apiVersion expected kernelindex.dev/v1alpha1, found nothing\n"
		      "1:1 /metadata expected a mapping, found nothing\n");
}

Test(kind, without_a_kind_nothing_else_is_asked)
{
	static const char kinds[] =
		"expected one of OperationSpec, WorkloadCase, WorkloadSuite, SoftwareProject, "
		"ImplementationRevision, BenchmarkProtocol, ExecutionEnvironment, BenchmarkRun, "
		"found ";
	char want[512];

	snprintf(want, sizeof want, "1:1 /kind %snothing\n", kinds);
	expect_faults("metadata: 1\n", want);
	snprintf(want, sizeof want, "1:7 /kind %sthe string \"ServingRun\"\n", kinds);
	expect_faults("kind: ServingRun\n", want);
	expect_faults("[kind]\n", "1:1  expected a mapping, found a sequence\n");
}

Test(kind, a_document_of_another_kind_than_the_one_asked_for_is_a_fault)
{
	static const char text[] = PROJECT "  name: P\n";
	struct ki_issues issues = {0};
	struct ki_error e = {0};
	struct ki_yaml y;
	json_t *document;

	cr_assert_eq(ki_yaml_parse(&y, "d", text, strlen(text), &e), 0);
	cr_assert_eq(ki_kind_read(&document, &issues, y.documents[0], ki_kind_find("BenchmarkRun"),
				  "/run", &e),
		     0);
	cr_expect_null(document);
	cr_assert_eq(issues.count, 1);
	cr_expect_str_eq(issues.list[0].path, "/run/kind");
	cr_expect_str_eq(issues.list[0].text,
			 "expected BenchmarkRun, found the string \"SoftwareProject\"");
	cr_expect_null(ki_kind_find("Plan"));
	ki_issues_free(&issues);
	ki_yaml_free(&y);
}

Test(kind, members_of_an_object_must_fit_each_other)
{
	expect_faults(OPERATION "  axes: {n: {role: constant, type: integer}}\n"
				"  inputs: [{name: x}]\n",
		      "8:13 /spec/axes/n expected a value, as the axis is constant, found none\n"
		      "9:12 /spec/inputs/0 expected either tensor or scalar, found both or none\n");
	expect_faults(OPERATION "  axes: {n: {role: derived, type: integer}}\n"
				"  inputs: [{name: x, scalar: {dtype: i32}}]\n",
		      "8:13 /spec/axes/n expected an expression, as the axis is derived, found "
		      "none\n");
	expect_faults(RUN "  timing: {primaryStatistic: median, latencyNs: {p05: 3}}\n",
		      "11:49 /spec/timing/latencyNs expected a median or a mean, found neither\n");
}

Test(kind, how_members_fit_is_not_asked_of_an_object_that_is_malformed)
{
	expect_faults(OPERATION "  axes: {n: {role: constant, type: real}}\n"
				"  inputs: [{name: x, scalar: {dtype: i32}}]\n",
		      "8:36 /spec/axes/n/type expected integer, found the string \"real\"\n");
	expect_faults(RUN "  timing: {primaryStatistic: median, latencyNs: {p20: 3}}\n",
		      "11:50 /spec/timing/latencyNs expected only the members median, mean, p05, "
		      "p95, minimum, maximum, mad, confidence95, found the unknown member "
		      "\"p20\"\n");
	/* A text of the wrong form leaves the object well-formed. */
	expect_faults(OPERATION "  axes: {n: {role: constant, type: integer, expression: N}}\n"
				"  inputs: [{name: x, scalar: {dtype: i32}}]\n",
		      "8:57 /spec/axes/n/expression expected an expression of "
		      "[a-z0-9_+-*%/() ], found the string \"N\"\n"
		      "8:13 /spec/axes/n expected a value, as the axis is constant, found none\n");
}

Test(kind, the_key_of_a_record_has_a_form_and_its_path_is_escaped)
{
	expect_faults(PROJECT "  name: P\n  host: {kind: other, id: a/b, c/d~e: 1}\n",
		      "6:32 /spec/host expected only the members kind, id, found the unknown "
		      "member \"c/d~e\"\n");
	expect_faults(ENVIRONMENT "  software: {libraries: {a/b~c: 1}}\n",
		      "6:26 /spec/software/libraries/a~1b~0c expected a token, [a-z][a-z0-9_]*, "
		      "found the string \"a/b~c\"\n");
}

Test(kind, lengths_count_utf16_units_and_both_faults_of_a_text_are_told)
{
	struct ki_buffer b;
	size_t i;

	ki_buffer_init(&b, 1 << 16);
	ki_buffer_puts(&b, PROJECT "  name: ");
	for (i = 0; i < 100; i++)
		ki_buffer_puts(&b, "\xf0\x9f\x98\x80");
	ki_buffer_puts(&b, "\n");
	expect_spec(b.data, "\"name\"");
	ki_buffer_rewind(&b, b.size - 1);
	ki_buffer_puts(&b, "x\n");
	expect_faults(b.data, "5:9 /spec/name expected at most 200 UTF-16 units, found 201\n");
	ki_buffer_fini(&b);
	ki_buffer_init(&b, 1 << 16);
	ki_buffer_puts(&b, OPERATION "  inputs: [{name: x, scalar: {dtype: i32}}]\n"
				     "  axes: {n: {role: derived, type: integer, expression: ");
	for (i = 0; i < 201; i++)
		ki_buffer_puts(&b, "N");
	ki_buffer_puts(&b, "}}\n");
	expect_faults(b.data,
		      "9:56 /spec/axes/n/expression expected at most 200 UTF-16 units, found 201\n"
		      "9:56 /spec/axes/n/expression expected an expression of [a-z0-9_+-*%/() ], "
		      "found the string "
		      "\"NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN...\"\n");
	ki_buffer_fini(&b);
}

Test(kind, text_without_a_form_in_utf8_is_a_fault)
{
	expect_faults(PROJECT "  name: \"a\\ud800\"\n",
		      "5:9 /spec/name expected Unicode text, found a surrogate without a "
		      "partner\n");
}

Test(kind, numbers_are_finite_whole_where_asked_and_in_their_bounds)
{
	expect_faults(
		RUN "  measurements:\n"
		    "    - {metric: m, unit: u, statistic: s, value: .inf}\n"
		    "    - {metric: m, unit: u, statistic: s, value: 1, sampleCount: 0}\n"
		    "    - {metric: m, unit: u, statistic: s, value: 1, sampleCount: 1.5}\n"
		    "    - {metric: m, unit: u, statistic: s, value: 1, sampleCount: 1e16}\n"
		    "  correctness: {comparator: c, matchedRatio: 1.01}\n",
		"12:49 /spec/measurements/0/value expected a number, found the number .inf\n"
		"13:65 /spec/measurements/1/sampleCount expected more than 0, found the "
		"integer 0\n"
		"14:65 /spec/measurements/2/sampleCount expected an integer, found the number "
		"1.5\n"
		"15:65 /spec/measurements/3/sampleCount expected an integer of at most 2^53 - "
		"1, found the number 1e16\n"
		"16:46 /spec/correctness/matchedRatio expected 0 to 1, found the number "
		"1.01\n");
	expect_spec(RUN "  measurements: [{metric: m, unit: u, statistic: s, value: -0.0, "
			"sampleCount: 1e3}]\n",
		    "\"sampleCount\":1000,\"statistic\":\"s\",\"unit\":\"u\",\"value\":0}");
}

Test(kind, an_optional_member_is_not_null)
{
	expect_faults(ENVIRONMENT "  software: {}\n  settings:\n",
		      "7:12 /spec/settings expected a mapping, found null\n");
}

Test(kind, durations_become_nanoseconds)
{
	expect_spec(RUN "  timing: {primaryStatistic: median, latencyNs: {median: 0.008 ms, "
			"mean: 7, confidence95: [1us, \"2 \xc2\xb5s\"]}}\n",
		    "{\"confidence95\":[1000,2000],\"mean\":7,\"median\":8000}");
	expect_faults(RUN "  timing: {primaryStatistic: median, latencyNs: {median: 1.001 us, "
			  "mean: 1 min, p05: 0.5, confidence95: [1]}}\n",
		      "11:58 /spec/timing/latencyNs/median expected a duration of whole "
		      "nanoseconds below 2^53 in double arithmetic, found \"1.001 us\"; give the "
		      "nanoseconds as an integer\n"
		      "11:74 /spec/timing/latencyNs/mean expected a number and one of ns, us, ms, "
		      "s (\"25 ms\"), found the string \"1 min\"\n"
		      "11:86 /spec/timing/latencyNs/p05 expected an integer or a number and one of "
		      "ns, us, ms, s (\"25 ms\"), found the number 0.5\n"
		      "11:105 /spec/timing/latencyNs/confidence95 expected 2 items, found 1\n");
}

Test(kind, what_is_a_set_is_sorted_by_utf16_units_without_repeats)
{
	expect_spec(IMPLEMENTATION
		    "  support: {dtypes: [f32, bf16, f32], hardwareArchitectures: [], "
		    "productsTested: [\"\xef\xbc\xa1\", \"\xf0\x9f\x98\x80\", a, B]}\n",
		    "{\"dtypes\":[\"bf16\",\"f32\"],\"hardwareArchitectures\":[],"
		    "\"productsTested\":[\"B\",\"a\",\"\xf0\x9f\x98\x80\",\"\xef\xbc\xa1\"]}");
}

Test(kind, a_member_named_proto_is_dropped)
{
	expect_spec(ENVIRONMENT "  __proto__: 1\n  software: {libraries: {__proto__: 2, a: x}}\n",
		    "\"software\":{\"libraries\":{\"a\":\"x\"}}}");
}

Test(kind, faults_beyond_the_limit_are_counted)
{
	struct ki_issues issues = {0};
	struct ki_buffer b;
	size_t i;

	ki_buffer_init(&b, 1 << 20);
	ki_buffer_puts(&b, PROJECT "  name: P\n");
	for (i = 0; i < KI_ISSUES_MAX + 50; i++)
		ki_buffer_printf(&b, "  unknown%zu: 1\n", i);
	json_decref(read_document(b.data, &issues));
	cr_expect_eq(issues.count, KI_ISSUES_MAX);
	cr_expect_eq(ki_issues_total(&issues), KI_ISSUES_MAX + 50);
	ki_issues_free(&issues);
	ki_buffer_fini(&b);
}

Test(kind, urls_are_those_that_javascript_reads_as_https)
{
	static const char *const good[] = {
		"https://example.org",
		"HTTPS:example.org/a b",
		"https://user:pw@example.org:443/?q#f",
		"https://[2001:db8::1]/",
		"https://192.0.2.1/",
		"https://0xc0.1/",
		"https:\\\\\\\\example.org",
		"  https://example.org\\t ",
		"https://ex%61mple.org",
		"https://b\xc3\xbc"
		"cher.example/",
		"https://example.org:/",
	};
	static const char *const bad[] = {
		"",
		"http://example.org",
		"https://",
		"example.org",
		"https://ex ample.org",
		"https://example.org:70000",
		"https://example.org:x",
		"https://1.2.3.4.5",
		"https://256.256.256.256",
		"https://[::1",
		"https://[12345::]",
		"https://a%2fb",
		"https://a<b",
	};
	char text[512];
	size_t i;

	for (i = 0; i < sizeof good / sizeof good[0]; i++) {
		snprintf(text, sizeof text, PROJECT "  name: P\n  homepage: \"%s\"\n", good[i]);
		expect_spec(text, "\"homepage\"");
	}
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		snprintf(text, sizeof text,
			 "6:13 /spec/homepage expected an https URL, found the string \"%s\"\n",
			 bad[i]);
		char *want = strdup(text);

		snprintf(text, sizeof text, PROJECT "  name: P\n  homepage: \"%s\"\n", bad[i]);
		expect_faults(text, want);
		free(want);
	}
}

Test(kind, instants_are_utc_days_of_the_calendar)
{
	static const char *const bad[] = {
		"2026-12-01",         "2026-12-01T09:00:00",  "2026-12-01T09:00:00+01:00",
		"2025-02-29T09:00Z",  "2026-13-01T09:00Z",    "2026-12-01T24:00Z",
		"2026-12-01T09:60Z",  "2026-12-01T09:00:60Z", "2026-12-01T09:00:00.Z",
		"02026-12-01T09:00Z", "2026-12-01t09:00z",
	};
	static const char *const good[] = {"2024-02-29T23:59Z", "2026-12-01T09:00:59.1Z",
					   "0000-01-01T00:00:00.000000000Z"};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect_not(ki_pattern_matches(&ki_pattern_instant, bad[i]), "%s", bad[i]);
	for (i = 0; i < sizeof good / sizeof good[0]; i++)
		cr_expect(ki_pattern_matches(&ki_pattern_instant, good[i]), "%s", good[i]);
}

/* ../vectors/seed-record.json: Kernel Index's record of PyTorch on an RTX 3090. */
Test(kind, the_documents_of_the_seed_have_their_digests)
{
	static const struct {
		const char *member;
		const char *digest;
	} pinned[] = {
		{"run", "sha256:3b5c84a59072897ff201935266748b3d55531dd67bc9a0320f7ccbd411244531"},
		{"protocol",
		 "sha256:a79eaf4df66c97c6adc1fb2d09df78682155d1ea86652ae0b70199875bde7747"},
		{"environment",
		 "sha256:b12fdfab6a337672499b10212a1e986e49e4383777bd7cbb58321b09af4bf6a3"},
		{"workload",
		 "sha256:95c56ccd8ab844776371ebadf2826eae823473667906a8b56f00a458432cc14d"},
		{"operation",
		 "sha256:daed040c2d774680d72fb0502074e800085dc4a87371ae4da62b78b8db9f1935"},
		{"implementation",
		 "sha256:6d4198771fde93bb65a4b8958b54d34a4cf41b41ae68b21aa09bf478b4aa6660"},
	};
	struct ki_issues issues = {0};
	struct ki_error e = {0};
	char path[4096];
	struct ki_yaml y;
	size_t i;

	vectors_path(path, sizeof path, "tests/vectors/seed-record.json");
	cr_assert_eq(ki_yaml_read(&y, path, &e), 0, "%s", e.text);
	for (i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
		const struct ki_node *n = ki_node_get(y.documents[0], pinned[i].member);
		json_t *document = NULL;
		struct ki_digest d;

		cr_assert_not_null(n, "%s", pinned[i].member);
		cr_assert_eq(ki_kind_read(&document, &issues, n, NULL, "", &e), 0, "%s", e.text);
		cr_assert_eq(issues.count, 0, "%s", issues.count ? issues.list[0].text : "");
		cr_assert_eq(ki_digest_document(&d, document, &e), 0, "%s", e.text);
		cr_expect_str_eq(d.text, pinned[i].digest, "%s", pinned[i].member);
		json_decref(document);
	}
	ki_yaml_free(&y);
}
