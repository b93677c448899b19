/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a YAML document says, with the place of each value.
 *
 * Scalars are already resolved by the YAML 1.2 core schema, so `no` is a
 * string, `1e3` a number and 010 the integer 10.  A tree belongs to the
 * ki_yaml that it was read into and is read-only.
 */
#ifndef KI_DOCUMENT_NODE_H
#define KI_DOCUMENT_NODE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum ki_node_type {
	KI_NODE_NULL,
	KI_NODE_BOOLEAN,
	KI_NODE_INTEGER,
	KI_NODE_REAL, /* also an integer beyond 64 bits; may be infinite or NaN */
	KI_NODE_STRING,
	KI_NODE_SEQUENCE,
	KI_NODE_MAPPING,
	KI_NODE_FOREIGN /* tagged as something that JSON does not have: !!set, !!binary, ... */
};

struct ki_node {
	enum ki_node_type type;
	uint32_t line;   /* from 1 */
	uint32_t column; /* from 1, in characters */
	bool boolean;
	int64_t integer;
	double real; /* set for KI_NODE_INTEGER too */
	/*
	 * A scalar as it is written (a string: its value), with a NUL; of a foreign one its tag's
	 * name; else NULL.  May hold U+0000, and surrogates without a partner in the three bytes of
	 * ki_utf8_encode().
	 */
	char *text;
	size_t size;            /* of text */
	size_t count;           /* items of a sequence, or pairs of a mapping */
	struct ki_node **items; /* values, in the order of the file */
	struct ki_node **keys;  /* of a mapping: strings, all different; else NULL */
	struct ki_node *next;   /* of the same ki_yaml, which owns them all */
};

/*
 * Sets type and value of a scalar from its text, as the core schema (YAML 1.2.2, 10.3.2) does for
 * a plain one: a string unless it looks like null, a boolean or a number.
 */
int ki_node_resolve(struct ki_node *n, struct ki_error *e) KI_MUST_CHECK;

/* The name of the core schema's tag that a resolved scalar has: "null", "bool", "int", "float",
 * "str".
 */
const char *ki_node_tag(const struct ki_node *n);

/* The start of a scalar's text, fit for one line of a message. */
#define KI_NODE_EXCERPT_MAX 64
void ki_node_excerpt(const struct ki_node *n, char out[KI_NODE_EXCERPT_MAX]);

/* "a mapping", "the string \"no\"", "the integer 3": for messages; cut to size. */
void ki_node_describe(const struct ki_node *n, char *out, size_t size);

/* The value of key in a mapping, or NULL. */
const struct ki_node *ki_node_get(const struct ki_node *mapping, const char *key);

/*
 * *out is a new reference.  Infinities, NaN and foreign values have no JSON form and are an error,
 * with the place.  A surrogate without a partner stays; it is the canonical text that has no form
 * for it.
 */
int ki_node_to_json(json_t **out, const struct ki_node *n, const char *file,
		    struct ki_error *e) KI_MUST_CHECK;

#endif
