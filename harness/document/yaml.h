/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of YAML documents, by the YAML 1.2 core schema over libyaml's events, as Kernel Index
 * reads its manifests (yaml 2.9 for JavaScript, default options): what that refuses is refused
 * here, and what it accepts gives the same values.  Known differences: a key that is a collection
 * or holds U+0000, a key in brackets of more than 1024 characters as it is written, an anchor's
 * name of other characters than [A-Za-z0-9_-], and a carriage return without a line feed are errors
 * here.
 *
 * JSON is read as YAML.  A tag that is unknown, or does not fit its value, only makes a scalar a
 * string.  Duplicate keys, too many uses of aliases (document/anchor.h) or aliases that repeat more
 * than KI_YAML_REPEATED_MAX bytes, nesting beyond KI_YAML_DEPTH_MAX and files beyond
 * KI_YAML_BYTES_MAX are errors.  Every error about what the text says has file:line:column in
 * front.
 */
#ifndef KI_DOCUMENT_YAML_H
#define KI_DOCUMENT_YAML_H

#include <stddef.h>

#include "base/error.h"
#include "document/node.h"

#define KI_YAML_BYTES_MAX (1u << 20)
#define KI_YAML_DEPTH_MAX 200
#define KI_YAML_REPEATED_MAX (4u << 20)

struct ki_yaml {
	char *name; /* of the file, for messages */
	size_t count;
	struct ki_node **documents;
	struct ki_node *nodes; /* all of them, for ki_yaml_free() */
};

/* Reads size bytes of text; name is what messages call it.  On failure *out is untouched. */
int ki_yaml_parse(struct ki_yaml *out, const char *name, const char *text, size_t size,
		  struct ki_error *e) KI_MUST_CHECK;

/* The same of a file; "-" is standard input. */
int ki_yaml_read(struct ki_yaml *out, const char *path, struct ki_error *e) KI_MUST_CHECK;

void ki_yaml_free(struct ki_yaml *y);

#endif
