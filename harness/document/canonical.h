/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RFC 8785 (JSON Canonicalization Scheme) text of a JSON value.
 *
 * Keys in UTF-16 code unit order; numbers as ECMAScript prints them (shortest
 * text that reads back as the same double; integers too are printed as the
 * double they are); the escapes of RFC 8785 section 3.2.2.2.
 */
#ifndef KI_DOCUMENT_CANONICAL_H
#define KI_DOCUMENT_CANONICAL_H

#include <jansson.h>

#include "base/buffer.h"
#include "base/error.h"

/* ECMAScript's Number::toString of a finite value; at most 25 bytes and the NUL. */
#define KI_CANONICAL_NUMBER_MAX 32
void ki_canonical_number(char out[KI_CANONICAL_NUMBER_MAX], double value);

/* The order of keys, that of UTF-16 code units: as memcmp() of two texts of UTF-8. */
int ki_canonical_compare(const char *a, size_t a_size, const char *b, size_t b_size);

/* Appends the canonical text of v to out. */
int ki_canonical_write(struct ki_buffer *out, const json_t *v, struct ki_error *e) KI_MUST_CHECK;

/* The same, each member and item on a line of its own, a newline behind: for people to read. */
int ki_canonical_write_indented(struct ki_buffer *out, const json_t *v,
				struct ki_error *e) KI_MUST_CHECK;

#endif
