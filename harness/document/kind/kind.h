/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of Kernel Index documents (kernelindex.dev/v1alpha1), a table each, and the reading of
 * one: what it accepts, normalizes and rejects is what packages/schema of Kernel Index does (commit
 * e6c5a71), and an issue's path is the one that it gives.
 *
 * A new kind is a file with its table, and a line in ki_kinds.
 */
#ifndef KI_DOCUMENT_KIND_KIND_H
#define KI_DOCUMENT_KIND_KIND_H

#include <jansson.h>

#include "base/error.h"
#include "document/issue.h"
#include "document/node.h"
#include "document/schema.h"

#define KI_API_VERSION "kernelindex.dev/v1alpha1"

struct ki_kind {
	const char *name;
	const struct ki_schema *spec;
};

/* All of them, NULL behind. */
extern const struct ki_kind *const ki_kinds[];

/* NULL: there is none of that name. */
const struct ki_kind *ki_kind_find(const char *name);

/*
 * Reads a document of any kind, or of expected alone when that is not NULL.  n is NULL for an empty
 * one.  Issues and *out are as ki_schema_read() leaves them; path is the document's own, "" for one
 * that is a file.
 */
int ki_kind_read(json_t **out, struct ki_issues *issues, const struct ki_node *n,
		 const struct ki_kind *expected, const char *path,
		 struct ki_error *e) KI_MUST_CHECK;

#endif
