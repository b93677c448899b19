/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict schemas as tables, and the one function that reads a YAML value by them.
 *
 * The rules are those of Kernel Index's Zod schemas: nothing is coerced, unknown members are
 * errors, lengths count UTF-16 code units, a record's keys have a form too, members named
 * __proto__ are dropped.  What is read comes out normalized: durations as integer nanoseconds,
 * set-like lists sorted in UTF-16 order without repeats.
 */
#ifndef KI_DOCUMENT_SCHEMA_H
#define KI_DOCUMENT_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "document/issue.h"
#include "document/node.h"
#include "document/pattern.h"

enum ki_schema_type {
	KI_SCHEMA_STRING,
	KI_SCHEMA_NUMBER,  /* finite */
	KI_SCHEMA_INTEGER, /* of at most 2^53 - 1, either side of zero; 1e3 is one */
	KI_SCHEMA_BOOLEAN,
	KI_SCHEMA_DURATION, /* a string; read as its nanoseconds */
	KI_SCHEMA_EITHER,   /* what looks like a number by one schema, what does not by another */
	KI_SCHEMA_LIST,
	KI_SCHEMA_RECORD, /* a mapping of any keys of one form to values of one schema */
	KI_SCHEMA_OBJECT  /* a mapping of named members */
};

enum ki_schema_bound { KI_BOUND_NONE, KI_BOUND_FROM_ZERO, KI_BOUND_ABOVE_ZERO, KI_BOUND_RATIO };

enum ki_presence { KI_OPTIONAL, KI_REQUIRED };

struct ki_schema;

struct ki_schema_member {
	const char *name;
	const struct ki_schema *schema;
	enum ki_presence presence;
};

/*
 * What members of an object must be to each other.  Not asked of an object that holds, at any
 * depth, a value of another type, an unknown member or a missing one.
 */
struct ki_schema_refinement {
	bool (*holds)(const struct ki_node *object);
	const char *expected;
	const char *found;
};

struct ki_schema {
	enum ki_schema_type type;

	const struct ki_pattern *pattern; /* STRING and DURATION, and keys of a RECORD; NULL: any */
	size_t max_units;                 /* of the same, in UTF-16; 0: no limit */
	const char *const *choices;       /* STRING: the only ones, NULL behind; NULL: any */

	enum ki_schema_bound bound; /* NUMBER and INTEGER */

	const struct ki_schema *items; /* of a LIST, the values of a RECORD */
	size_t min_items;              /* LIST */
	size_t max_items;              /* 0: no limit */
	bool tuple;                    /* with another count, what the items are is not asked */
	bool set;                      /* order and repeats do not count; items are strings */

	const struct ki_schema *number; /* EITHER */
	const struct ki_schema *string;

	const struct ki_schema_member *members;         /* OBJECT; a NULL name behind */
	const struct ki_schema_refinement *refinements; /* a NULL function behind; or NULL */
};

/*
 * Reads n.  path is the pointer of n itself, "" or "/spec".  Every fault is added to issues; *out,
 * a new reference, is set when there was none, else NULL.  An error is only what is not the
 * document's fault (memory).
 */
int ki_schema_read(json_t **out, struct ki_issues *issues, const struct ki_schema *schema,
		   const struct ki_node *n, const char *path, struct ki_error *e) KI_MUST_CHECK;

#endif
