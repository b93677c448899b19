/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a document: all of it, each with its place, not only the first. */
#ifndef KI_DOCUMENT_ISSUE_H
#define KI_DOCUMENT_ISSUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "document/node.h"

/* More of them are counted and not kept: a file can hold a hundred thousand unknown fields. */
#define KI_ISSUES_MAX 200

struct ki_issue {
	uint32_t line; /* 0: not of a file's text */
	uint32_t column;
	char *path; /* an RFC 6901 pointer; "" is the whole document */
	char *text; /* "expected X, found Y" */
};

struct ki_issues {
	struct ki_issue *list;
	size_t count;    /* of list */
	size_t capacity; /* of list */
	size_t dropped;  /* beyond KI_ISSUES_MAX */
	bool no_memory;
};

/* at may be NULL. */
void ki_issues_add(struct ki_issues *issues, const struct ki_node *at, const char *path,
		   const char *fmt, ...) KI_PRINTF(4, 5);

/* As many as there were, kept or not. */
size_t ki_issues_total(const struct ki_issues *issues);

/* The first as an error, "file:line:column: path: text", and how many more there are. */
int ki_issues_fail(const struct ki_issues *issues, const char *file, struct ki_error *e);

/* "file:line:column: path: text"; the path of a whole document is "document". */
#define KI_ISSUE_LINE_MAX 4096
void ki_issue_line(const struct ki_issue *issue, const char *file, char out[KI_ISSUE_LINE_MAX]);

void ki_issues_free(struct ki_issues *issues);

#endif
