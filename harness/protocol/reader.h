/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a mapping to a struct by a table of fields: unknown keys, missing keys, wrong types and
 * values out of range are errors that say file:line:column, the path, what was expected and what
 * was found.
 */
#ifndef KI_PROTOCOL_READER_H
#define KI_PROTOCOL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "document/node.h"

enum ki_field_type {
	KI_FIELD_STRING,   /* const char *, borrowed from the document */
	KI_FIELD_UNSIGNED, /* uint64_t */
	KI_FIELD_REAL,     /* double; integers too, never infinite */
	KI_FIELD_BOOLEAN,  /* bool */
	KI_FIELD_DURATION, /* uint64_t ns: "25 ms", or an integer of nanoseconds */
	KI_FIELD_MAPPING,  /* const struct ki_node * */
	KI_FIELD_SEQUENCE, /* const struct ki_node * */
	KI_FIELD_ANY       /* const struct ki_node * */
};

struct ki_field {
	const char *key;
	enum ki_field_type type;
	bool required;    /* else the struct keeps what it held */
	size_t offset;    /* in the struct that is filled */
	uint64_t minimum; /* of UNSIGNED and DURATION */
	uint64_t maximum; /* likewise; 0 means no limit */
};

struct ki_reader {
	const char *file;
	struct ki_error *error;
};

/* "file:line:column: " and the message; returns KI_FAIL_INPUT. */
int ki_reader_fail(const struct ki_reader *r, const struct ki_node *at, const char *fmt, ...)
	KI_PRINTF(3, 4);

/* "path: expected X, found Y". */
int ki_reader_expected(const struct ki_reader *r, const struct ki_node *at, const char *path,
		       const char *expected);

/* Fills out from mapping; path ("spec.timing") names it in messages. */
int ki_reader_fields(const struct ki_reader *r, const struct ki_node *mapping, const char *path,
		     const struct ki_field *fields, size_t n_fields, void *out) KI_MUST_CHECK;

#ifdef __clang_analyzer__
/* As in base/error.h. */
#define ki_reader_fail(r, at, ...) (ki_reader_fail((r), (at), __VA_ARGS__), KI_FAIL_INPUT)
#define ki_reader_expected(r, at, path, expected)                                                  \
	(ki_reader_expected((r), (at), (path), (expected)), KI_FAIL_INPUT)
#endif

#endif
