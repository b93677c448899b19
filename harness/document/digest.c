/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <unistd.h>

#include "document/canonical.h"
#include "document/digest.h"

#define DIGEST_PREFIX "sha256:"
#define DIGEST_BYTES 32

_Static_assert(sizeof DIGEST_PREFIX + (size_t)2 * DIGEST_BYTES <= KI_DIGEST_MAX,
	       "a digest's text fits");

const char *ki_digest_hex(const struct ki_digest *d)
{
	return d->text + sizeof DIGEST_PREFIX - 1;
}

static void digest_print(struct ki_digest *out, const unsigned char bytes[DIGEST_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	size_t at = sizeof DIGEST_PREFIX - 1;
	int i;

	*out = (struct ki_digest){.text = DIGEST_PREFIX};
	for (i = 0; i < DIGEST_BYTES; i++) {
		out->text[at++] = digits[bytes[i] >> 4];
		out->text[at++] = digits[bytes[i] & 15];
	}
}

static int digest_refused(struct ki_error *e)
{
	return ki_error_set(e, KI_FAIL_SYSTEM, "libcrypto refused to compute SHA-256");
}

int ki_digest_bytes(struct ki_digest *out, const void *data, size_t size, struct ki_error *e)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];

	if (EVP_Digest(data, size, bytes, NULL, EVP_sha256(), NULL) != 1)
		return digest_refused(e);
	digest_print(out, bytes);
	return 0;
}

/* pread(): the descriptor's own offset is its other users' business. */
static int digest_stream(EVP_MD_CTX *context, uint64_t *total, int fd, struct ki_error *e)
{
	unsigned char chunk[32768];
	ssize_t got;

	*total = 0;
	while ((got = pread(fd, chunk, sizeof chunk, (off_t)*total)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ki_error_errno(e, errno, "reading a file for its digest");
		if (EVP_DigestUpdate(context, chunk, (size_t)got) != 1)
			return digest_refused(e);
		*total += (uint64_t)got;
	}
	return 0;
}

int ki_digest_file(struct ki_digest *out, uint64_t *size, int fd, struct ki_error *e)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint64_t total;
	int rc;

	if (context == NULL || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
		rc = digest_refused(e);
		goto out;
	}
	rc = digest_stream(context, &total, fd, e);
	if (rc != 0)
		goto out;
	if (EVP_DigestFinal_ex(context, bytes, NULL) != 1) {
		rc = digest_refused(e);
		goto out;
	}
	digest_print(out, bytes);
	if (size != NULL)
		*size = total;
out:
	EVP_MD_CTX_free(context);
	return rc;
}

static int check_identity(const json_t *document, struct ki_error *e)
{
	if (!json_is_object(document))
		return ki_error_set(e, KI_FAIL_INPUT, "a document is a mapping");
	if (!json_is_string(json_object_get(document, "apiVersion")))
		return ki_error_set(e, KI_FAIL_INPUT, "a document has a string \"apiVersion\"");
	if (!json_is_string(json_object_get(document, "kind")))
		return ki_error_set(e, KI_FAIL_INPUT, "a document has a string \"kind\"");
	if (!json_is_object(json_object_get(document, "spec")))
		return ki_error_set(e, KI_FAIL_INPUT, "a document has a mapping \"spec\"");
	return 0;
}

int ki_digest_identity(struct ki_buffer *out, const json_t *document, struct ki_error *e)
{
	/* Already in the order of their UTF-16 code units. */
	static const char *const members[] = {"apiVersion", "kind", "spec"};
	size_t i, before = out->size;
	int rc = check_identity(document, e);

	for (i = 0; i < 3 && rc == 0; i++) {
		ki_buffer_printf(out, "%s\"%s\":", i == 0 ? "{" : ",", members[i]);
		rc = ki_canonical_write(out, json_object_get(document, members[i]), e);
	}
	if (rc == 0)
		ki_buffer_puts(out, "}");
	if (rc == 0 && out->failed)
		rc = ki_error_set(e, KI_FAIL_LIMIT,
				  "the canonical text exceeds %zu bytes, or memory ran out",
				  out->limit);
	if (rc != 0)
		ki_buffer_rewind(out, before);
	return rc;
}

int ki_digest_document(struct ki_digest *out, const json_t *document, struct ki_error *e)
{
	struct ki_buffer text;
	int rc;

	ki_buffer_init(&text, KI_DIGEST_IDENTITY_MAX);
	rc = ki_digest_identity(&text, document, e);
	if (rc == 0)
		rc = ki_digest_bytes(out, text.data, text.size, e);
	ki_buffer_fini(&text);
	return rc;
}
