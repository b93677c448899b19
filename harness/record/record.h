/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record read back from its file (document.h says how one is made): every document checked by its
 * kind, and every digest that one of them states compared with the document that it names.
 *
 * What Kernel Index calls a record is run, protocol and environment; the other parts may be absent,
 * and their documents are then NULL.
 */
#ifndef KI_RECORD_RECORD_H
#define KI_RECORD_RECORD_H

#include <stdbool.h>

#include "base/error.h"
#include "document/issue.h"
#include "document/node.h"
#include "record/document.h"

enum ki_record_part {
	KI_RECORD_RUN,
	KI_RECORD_PROTOCOL,
	KI_RECORD_ENVIRONMENT,
	KI_RECORD_WORKLOAD,
	KI_RECORD_OPERATION,
	KI_RECORD_IMPLEMENTATION,
	KI_RECORD_PROJECT,
	KI_RECORD_PARTS
};

struct ki_record {
	struct ki_identified parts[KI_RECORD_PARTS];
};

/* The member of a record that holds a part: "run". */
const char *ki_record_member(enum ki_record_part part);

/* Whether a document is meant to be a record. */
bool ki_record_is(const struct ki_node *n);

/*
 * Every fault is an issue, below path ("" for a file's document).  Parts without one are set in
 * *out whatever happened to the others; ki_record_free() frees them.
 */
int ki_record_read(struct ki_record *out, struct ki_issues *issues, const struct ki_node *n,
		   const char *path, struct ki_error *e) KI_MUST_CHECK;

void ki_record_free(struct ki_record *record);

#endif
