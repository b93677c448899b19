/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "parts.h"
#include "record/manifest.h"

static struct parts p;

static void start(void)
{
	parts_init(&p);
}

static void stop(void)
{
	parts_fini(&p);
}

TestSuite(implementation, .init = start, .fini = stop);

Test(implementation, it_is_what_the_plugin_declares_and_the_file_that_was_seen)
{
	json_t *want =
		json_pack("{s:{s:s, s:s, s:s, s:s}, s:{s:s}, s:{s:s, s:s, s:s}, s:{s:[], s:[]},"
			  " s:{s:s, s:i}, s:{s:s}}",
			  "projectRevision", "repository", "https://example.org/kernels", "commit",
			  "0123456789abcdef0123456789abcdef01234567", "treeDigest",
			  "sha256:00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
			  "version", "1.2.0", "operation", "specDigest", p.operation_digest.text,
			  "callable", "language", "cuda_cpp", "symbol",
			  "org.example.gemm#tiled-128", "interface", "ki_plugin", "support",
			  "hardwareArchitectures", "dtypes", "source", "contentDigest",
			  p.file_digest.text, "sizeBytes", 4096, "licensing", "declared", "MIT");
	const json_t *d = p.implementation.document;

	cr_expect(json_equal(parts_at(d, "spec"), want), "%s", json_dumps(d, 0));
	cr_expect_str_eq(parts_text(d, "kind"), "ImplementationRevision");
	cr_expect_str_eq(parts_text(d, "metadata.name"), "org.example.gemm-tiled-128");
	cr_expect_str_eq(parts_text(d, "metadata.title"), "A product in tiles");
	cr_expect_str_eq(parts_text(d, "metadata.labels.file_name"), "gemm.so");
	cr_expect_str_eq(parts_text(d, "metadata.labels.toolchain"), "gcc 12");
	json_decref(want);
}

static void expect_digest(bool same, const char *before, const char *what)
{
	parts_implementation(&p);
	cr_expect_eq(strcmp(before, p.implementation.digest.text) == 0, same, "%s", what);
}

Test(implementation, another_file_kernel_operation_or_version_is_another_implementation)
{
	const struct ki_digest before = p.implementation.digest;
	struct ki_error e = {0};
	struct ki_digest other;

	expect_digest(true, before.text, "nothing changed");
	cr_assert_eq(ki_digest_bytes(&other, "other", 5, &e), KI_SUCCESS);
	p.source.digest = &other;
	expect_digest(false, before.text, "the file");
	p.source.digest = &p.file_digest;
	p.source.operation = &other;
	expect_digest(false, before.text, "the operation");
	p.source.operation = &p.operation_digest;
	expect_digest(true, before.text, "as it was");
	json_object_set_new(p.kernel, "id", json_string("tiled-256"));
	expect_digest(false, before.text, "the kernel");
	json_object_set_new(p.kernel, "id", json_string("tiled-128"));
	json_object_set_new(p.plugin, "version", json_string("1.2.1"));
	expect_digest(false, before.text, "the version");
}

/* Else a copy could be run against itself as if it were something else. */
Test(implementation, a_copy_under_another_name_is_the_same)
{
	const struct ki_digest before = p.implementation.digest;

	p.source.file_name = "gemm-of-yesterday.so";
	expect_digest(true, before.text, "the file's name");
	cr_expect_str_eq(parts_text(p.implementation.document, "metadata.labels.file_name"),
			 "gemm-of-yesterday.so");
}

Test(implementation, a_claim_that_kernel_index_has_no_form_for_is_left_out)
{
	static const char *const revisions[] = {
		"0123456789abcdef0123456789abcdef01234567+dirty",
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"0123456789ABCDEF0123456789abcdef01234567",
		"main",
	};
	char license[300];
	size_t i;

	memset(license, 'L', sizeof license - 1);
	license[sizeof license - 1] = '\0';
	json_object_set_new(p.kernel, "sourceDigest", json_string("sha256:0011"));
	json_object_set_new(p.kernel, "sourceUri", json_string("http://example.org/"));
	json_object_set_new(p.kernel, "license", json_string(license));
	json_object_set_new(p.plugin, "version", json_string(license));
	for (i = 0; i < sizeof revisions / sizeof revisions[0]; i++) {
		json_object_set_new(p.kernel, "revision", json_string(revisions[i]));
		parts_implementation(&p);
		cr_expect_null(parts_at(p.implementation.document, "spec.projectRevision.commit"));
	}
	cr_expect_eq(json_object_size(parts_at(p.implementation.document, "spec.projectRevision")),
		     1);
	cr_expect_str_eq(parts_text(p.implementation.document, "spec.projectRevision.repository"),
			 "https://example.org/", "the plugin's, since the source's is not https");
	cr_expect_eq(json_object_size(parts_at(p.implementation.document, "spec.licensing")), 0);
	json_object_set_new(p.plugin, "url", json_string("ftp://example.org/"));
	parts_implementation(&p);
	cr_expect_eq(json_object_size(parts_at(p.implementation.document, "spec.projectRevision")),
		     0);
}

Test(implementation, a_plugin_that_declares_next_to_nothing_has_one_all_the_same)
{
	json_t *plugin = json_pack("{s:s, s:s}", "id", "org.example.x", "license", "MIT");
	json_t *kernel = json_pack("{s:s, s:s}", "id", "k", "language", "c");

	p.source.plugin = plugin;
	p.source.kernel = kernel;
	p.source.file_name = "\xff\xfe.so";
	parts_implementation(&p);
	cr_expect_str_eq(parts_text(p.implementation.document, "metadata.title"),
			 "org.example.x-k");
	cr_expect_str_eq(parts_text(p.implementation.document, "metadata.labels.file_name"),
			 "?\?.so");
	cr_expect_str_eq(parts_text(p.implementation.document, "spec.licensing.declared"), "MIT");
	json_decref(plugin);
	json_decref(kernel);
}

Test(implementation, ids_that_do_not_fit_together_leave_the_kernels)
{
	char id[129];

	memset(id, 'a', 128);
	id[128] = '\0';
	json_object_set_new(p.plugin, "id", json_string(id));
	json_object_set_new(p.kernel, "id", json_string(id));
	parts_implementation(&p);
	cr_expect_str_eq(parts_text(p.implementation.document, "spec.callable.symbol"), id);
	cr_expect_eq(strlen(parts_text(p.implementation.document, "metadata.name")), 200);
}

/* A worker that loaded a plugin may say anything. */
Test(implementation, without_an_id_or_a_language_there_is_none)
{
	static const char *const keys[] = {"id", "language", "language", "language"};
	static const char *const values[] = {NULL, NULL, "C++", ""};
	size_t i;

	for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		json_t *kernel = json_deep_copy(p.kernel);
		struct ki_identified d = {0};
		struct ki_error e = {0};

		if (values[i] != NULL)
			json_object_set_new(kernel, keys[i], json_string(values[i]));
		else
			json_object_del(kernel, keys[i]);
		p.source.kernel = kernel;
		cr_expect_eq(ki_document_implementation(&d, &p.source, &e), KI_FAIL_BACKEND);
		cr_expect_not_null(strstr(e.text, keys[i]), "%s", e.text);
		cr_expect_null(d.document);
		json_decref(kernel);
	}
}

/* ---------------------------------------------------------------- forms */

Test(manifest, a_url_is_https_with_a_host)
{
	static const char *const good[] = {
		"https://example.org",
		"https://a.b-c.d/x/y?z=1#w",
		"https://localhost/x",
		"https://example.org?x",
	};
	static const char *const bad[] = {
		"",
		"http://example.org",
		"https://",
		"https:///x",
		"https://example..org",
		"https://.example.org",
		"https://example.org.",
		"https://10.0.0.1/",
		"https://user@example.org/",
		"https://example.org/a b",
		"https://example.org/\xc3\xa9",
		"https://example.org/\n",
		"HTTPS://example.org",
	};
	size_t i;

	for (i = 0; i < sizeof good / sizeof good[0]; i++)
		cr_expect(ki_manifest_is_https(good[i]), "%s", good[i]);
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect_not(ki_manifest_is_https(bad[i]), "%s", bad[i]);
	cr_expect_not(ki_manifest_is_https(NULL));
}

Test(manifest, a_text_is_cut_between_characters_and_is_utf_8_always)
{
	static const struct {
		const char *text;
		size_t max;
		const char *want;
	} table[] = {
		{"plain", 200, "plain"},
		{"plain", 3, "pla"},
		{"a\xc3\xa9", 2, "a"},
		{"a\xc3\xa9", 3, "a\xc3\xa9"},
		{"\xf0\x9f\x98\x80", 3, ""},
		{"torn \xe2\x82", 200, "torn "},
		{"\xff is no text", 200, "? is no text"},
		{"\xc3\xa9 and \xff.", 200, "?\? and ?."},
		{"", 200, ""},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		json_t *s = ki_manifest_string(table[i].text, table[i].max);

		cr_expect_str_eq(json_string_value(s), table[i].want);
		json_decref(s);
	}
}

Test(manifest, a_name_is_in_kernel_indexs_alphabet)
{
	static const char *const table[][2] = {
		{"Plain", "plain"},
		{"a  b", "a-b"},
		{"(x)", "x"},
		{"._-x", "x"},
		{"a_b.c", "a_b.c"},
		{"", "unnamed"},
		{"\xc3\xa9\xc3\xa9", "unnamed"},
		{"x=1, y", "x-1-y"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		json_t *m = ki_manifest_metadata(table[i][0], "t");

		cr_expect_str_eq(parts_text(m, "name"), table[i][1]);
		json_decref(m);
	}
}
