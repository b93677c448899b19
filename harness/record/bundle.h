/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A submission to Kernel Index: the documents of several records, each once, under the slugs by
 * which they find each other (bundleFromSubmission in apps/web/src/server/catalog/submissions.ts).
 */
#ifndef KI_RECORD_BUNDLE_H
#define KI_RECORD_BUNDLE_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "document/issue.h"
#include "record/record.h"

struct ki_bundle {
	json_t *projects; /* lists of documents, or of entries of them */
	json_t *operations;
	json_t *workloads;
	json_t *implementations;
	json_t *runs;
	json_t *slugs;  /* "kind slug" to the digest that has it */
	json_t *listed; /* "kind slug digest" of what is in one of the lists */
};

int ki_bundle_init(struct ki_bundle *b, struct ki_error *e) KI_MUST_CHECK;
void ki_bundle_free(struct ki_bundle *b);

/* A project that implementations may belong to; path is where messages say it stands. */
int ki_bundle_project(struct ki_bundle *b, struct ki_issues *issues,
		      const struct ki_identified *project, const char *path,
		      struct ki_error *e) KI_MUST_CHECK;

/*
 * Adds a record's documents, when it is fit for publication and its implementation has a project:
 * the record's own, else the one of the implementation's repository, else the only one.
 */
int ki_bundle_record(struct ki_bundle *b, struct ki_issues *issues, const struct ki_record *record,
		     struct ki_error *e) KI_MUST_CHECK;

/* The submission; a new reference. */
int ki_bundle_json(json_t **out, const struct ki_bundle *b, struct ki_error *e) KI_MUST_CHECK;

#endif
