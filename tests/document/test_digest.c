/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <unistd.h>

#include "document/digest.h"
#include "document/yaml.h"
#include "vectors.h"

#define OF_NOTHING "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
/* FIPS 180-4's example. */
#define OF_ABC "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

Test(digest, what_is_not_a_document_has_none)
{
	static const struct {
		const char *json;
		const char *what;
	} table[] = {
		{"[]", "mapping"},
		{"{}", "apiVersion"},
		{"{\"apiVersion\": 1, \"kind\": \"K\", \"spec\": {}}", "apiVersion"},
		{"{\"apiVersion\": \"v\", \"spec\": {}}", "kind"},
		{"{\"apiVersion\": \"v\", \"kind\": null, \"spec\": {}}", "kind"},
		{"{\"apiVersion\": \"v\", \"kind\": \"K\"}", "spec"},
		{"{\"apiVersion\": \"v\", \"kind\": \"K\", \"spec\": []}", "spec"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		json_t *json = json_loads(table[i].json, 0, NULL);
		struct ki_digest d = {.text = "untouched"};
		struct ki_error e = {0};

		cr_expect_eq(ki_digest_document(&d, json, &e), KI_FAIL_INPUT, "%s", table[i].json);
		cr_expect_not_null(strstr(e.text, table[i].what), "%s", e.text);
		cr_expect_str_eq(d.text, "untouched");
		json_decref(json);
	}
}

Test(digest, a_descriptor_that_cannot_be_read_from_its_start_is_an_error)
{
	struct ki_digest d = {.text = "untouched"};
	struct ki_error e = {0};
	uint64_t size = 7;
	int ends[2];

	cr_expect_eq(ki_digest_file(&d, &size, -1, &e), KI_FAIL_SYSTEM);
	ki_error_clear(&e);
	cr_assert_eq(pipe(ends), 0);
	cr_expect_eq(ki_digest_file(&d, &size, ends[0], &e), KI_FAIL_SYSTEM);
	cr_expect_neq(e.native, 0);
	cr_expect_str_eq(d.text, "untouched");
	cr_expect_eq(size, 7);
	close(ends[0]);
	close(ends[1]);
}

Test(digest, bytes_have_the_digests_of_the_standard)
{
	struct ki_error e = {0};
	struct ki_digest d;

	cr_assert_eq(ki_digest_bytes(&d, "", 0, &e), 0);
	cr_expect_str_eq(d.text, OF_NOTHING);
	cr_assert_eq(ki_digest_bytes(&d, "abc", 3, &e), 0);
	cr_expect_str_eq(d.text, OF_ABC);
	cr_expect_str_eq(ki_digest_hex(&d), &OF_ABC[7]);
	cr_expect_eq(strlen(ki_digest_hex(&d)), 64);
}

Test(digest, a_file_has_the_digest_of_its_bytes_wherever_its_offset_is)
{
	char path[PATH_MAX];
	static char block[100000];
	struct ki_digest of_file, of_bytes;
	struct ki_error e = {0};
	uint64_t size;
	int fd = file_make(path);
	size_t i;

	unlink(path);
	cr_assert_eq(ki_digest_file(&of_file, &size, fd, &e), 0, "%s", e.text);
	cr_expect_str_eq(of_file.text, OF_NOTHING);
	cr_expect_eq(size, 0);
	for (i = 0; i < sizeof block; i++)
		block[i] = (char)(i * 31 % 251);
	cr_assert_eq(write(fd, block, sizeof block), (ssize_t)sizeof block);
	cr_assert_eq(ki_digest_file(&of_file, &size, fd, &e), 0, "%s", e.text);
	cr_assert_eq(ki_digest_bytes(&of_bytes, block, sizeof block, &e), 0);
	cr_expect_str_eq(of_file.text, of_bytes.text);
	cr_expect_eq(size, sizeof block);
	cr_expect_eq(lseek(fd, 0, SEEK_CUR), (off_t)sizeof block, "the offset is left alone");
	cr_expect_eq(ki_digest_file(&of_file, NULL, fd, &e), 0, "size may be NULL");
	close(fd);
}

/* Compares the canonical text (if given) and the digest of a manifest with what an entry says. */
static void check_entry(const char *name, const json_t *manifest, const char *canonical,
			const char *digest)
{
	struct ki_error e = {0};
	struct ki_digest d;
	struct ki_buffer b;

	ki_buffer_init(&b, KI_DIGEST_IDENTITY_MAX);
	cr_expect_eq(ki_digest_identity(&b, manifest, &e), 0, "%s: %s", name, e.text);
	cr_expect_str_eq(b.data, canonical, "%s:\n%s\n%s", name, b.data, canonical);
	ki_buffer_fini(&b);
	cr_expect_eq(ki_digest_document(&d, manifest, &e), 0, "%s: %s", name, e.text);
	cr_expect_str_eq(d.text, digest, "%s: %s, not %s", name, d.text, digest);
}

Test(digest, pinned_documents_have_their_digests)
{
	json_t *file = vectors_load("tests/vectors/canonical.json");
	json_t *documents = json_object_get(file, "documents");
	json_t *entry;
	size_t i;

	cr_assert_gt(json_array_size(documents), 0);
	json_array_foreach(documents, i, entry)
		check_entry(vectors_text(entry, "name"), json_object_get(entry, "manifest"),
			    vectors_text(entry, "canonical"), vectors_text(entry, "digest"));
	json_decref(file);
}

Test(digest, metadata_does_not_count_and_everything_in_spec_does)
{
	json_t *a = json_pack("{s:s, s:s, s:{s:s}, s:{s:i}}", "apiVersion", "v", "kind", "K",
			      "metadata", "name", "one", "spec", "n", 1);
	json_t *b = json_deep_copy(a);
	struct ki_error e = {0};
	struct ki_digest of_a, of_b;

	json_object_set_new(json_object_get(b, "metadata"), "name", json_string("two"));
	cr_assert_eq(ki_digest_document(&of_a, a, &e), 0);
	cr_assert_eq(ki_digest_document(&of_b, b, &e), 0);
	cr_expect_str_eq(of_a.text, of_b.text);
	json_object_del(b, "metadata");
	cr_assert_eq(ki_digest_document(&of_b, b, &e), 0);
	cr_expect_str_eq(of_a.text, of_b.text);
	json_object_set_new(json_object_get(b, "spec"), "n", json_integer(2));
	cr_assert_eq(ki_digest_document(&of_b, b, &e), 0);
	cr_expect_str_neq(of_a.text, of_b.text);
	json_decref(a);
	json_decref(b);
}

static const struct left_out {
	const char *group;
	const char *name; /* NULL: see sdkDigest */
	const char *why;
} left_out[] = {
	{"yaml", NULL, "has no digest: the reader's tests cover it"},
	{"canon-unicode", "key escapes",
	 "a key with U+0000, which neither jansson nor our reader has"},
};

/*
 * sdkDigest says that a reader without Kernel Index's three normalizations (durations, sets,
 * __proto__) gets another digest, and which.  That is what this layer is: so it is compared.
 */
static const char *left_out_because(const json_t *entry)
{
	size_t i;

	for (i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
		if (strcmp(vectors_text(entry, "group"), left_out[i].group) == 0 &&
		    (left_out[i].name == NULL ||
		     strcmp(vectors_text(entry, "name"), left_out[i].name) == 0))
			return left_out[i].why;
	return NULL;
}

/*
 * The manifest of an entry, a new reference.  manifestText is what a strict JSON reader refuses
 * (integers past 64 bits): Kernel Index reads all JSON as YAML, and so does this.
 */
static json_t *manifest_of(const json_t *entry)
{
	const char *text = vectors_text(entry, "manifestText");
	struct ki_error e = {0};
	struct ki_yaml y;
	json_t *json = NULL;

	if (*text == '\0')
		return json_incref(json_object_get(entry, "manifest"));
	cr_assert_eq(ki_yaml_parse(&y, "manifestText", text, strlen(text), &e), 0, "%s", e.text);
	cr_assert_eq(ki_node_to_json(&json, y.documents[0], y.name, &e), 0, "%s", e.text);
	ki_yaml_free(&y);
	return json;
}

static void check_shared_entry(const json_t *entry)
{
	const char *name = vectors_text(entry, "name");
	const char *without = vectors_text(entry, "sdkDigest");
	json_t *manifest = manifest_of(entry);
	struct ki_error e = {0};
	struct ki_digest d;

	if (*without == '\0')
		check_entry(name, manifest, vectors_text(entry, "canonicalIdentityJson"),
			    vectors_text(entry, "digest"));
	else if (ki_digest_document(&d, manifest, &e) != 0)
		cr_expect_fail("%s: %s", name, e.text);
	else
		cr_expect_str_eq(d.text, without, "%s, not normalized: %s", name, d.text);
	json_decref(manifest);
}

Test(digest, every_shared_vector_has_its_canonical_text_and_digest)
{
	json_t *file = vectors_load(SHARED_DIGESTS);
	size_t i, checked = 0, skipped = 0;
	json_t *entry;

	json_array_foreach(file, i, entry)
	{
		const char *why = left_out_because(entry);

		if (why != NULL) {
			skipped++;
			continue;
		}
		check_shared_entry(entry);
		checked++;
	}
	cr_log_info("%zu entries checked, %zu left out\n", checked, skipped);
	cr_expect_geq(checked, 118);
	cr_expect_eq(checked + skipped, json_array_size(file));
	json_decref(file);
}
