/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 names of bytes and of Kernel Index documents.
 *
 * A document's digest is taken over the RFC 8785 text of {apiVersion, kind,
 * spec}: metadata never counts (Kernel Index, apps/web/src/server/identity/digest.ts).
 */
#ifndef KI_DOCUMENT_DIGEST_H
#define KI_DOCUMENT_DIGEST_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/* "sha256:" + 64 hexadecimal digits + NUL. */
#define KI_DIGEST_MAX 72
struct ki_digest {
	char text[KI_DIGEST_MAX];
};

/* The 64 hexadecimal digits alone. */
const char *ki_digest_hex(const struct ki_digest *d);

int ki_digest_bytes(struct ki_digest *out, const void *data, size_t size,
		    struct ki_error *e) KI_MUST_CHECK;

/* Of everything that can be read from fd, from offset 0; *size (may be NULL) is how much that was.
 */
int ki_digest_file(struct ki_digest *out, uint64_t *size, int fd, struct ki_error *e) KI_MUST_CHECK;

/* The largest canonical text that a document's digest is taken over. */
#define KI_DIGEST_IDENTITY_MAX (64u << 20)

/* Appends the canonical text of a document's {apiVersion, kind, spec}: what the digest is of. */
int ki_digest_identity(struct ki_buffer *out, const json_t *document,
		       struct ki_error *e) KI_MUST_CHECK;

/* Of a Kernel Index document (an object with apiVersion, kind and spec). */
int ki_digest_document(struct ki_digest *out, const json_t *document,
		       struct ki_error *e) KI_MUST_CHECK;

#endif
