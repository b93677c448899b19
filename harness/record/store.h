/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where results go: records and artifacts, each a file named by its digest that is written whole
 * or not at all, and an append-only index.
 *
 *   DIR/records/<64 hex>.json     a record, by the digest of its run
 *   DIR/artifacts/<64 hex>.json   raw samples and evidence, by the digest of the file's bytes
 *   DIR/index.jsonl               one line a record, in the order of the runs
 */
#ifndef KI_RECORD_STORE_H
#define KI_RECORD_STORE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "document/digest.h"

struct ki_store;

/*
 * Makes the folders and proves, before anything is measured, that files can be written in them.
 * The error says what to do.
 */
int ki_store_open(struct ki_store **out, const char *directory, struct ki_error *e) KI_MUST_CHECK;
void ki_store_close(struct ki_store *s);

/* Writes the canonical text of v and a newline; *digest is of those bytes. */
int ki_store_artifact(struct ki_digest *digest, struct ki_store *s, const json_t *v,
		      struct ki_error *e) KI_MUST_CHECK;

/* Writes a record under its run's digest, then one line about it to the index. */
int ki_store_record(struct ki_store *s, const json_t *record, const struct ki_digest *run,
		    const json_t *index_line, struct ki_error *e) KI_MUST_CHECK;

/*
 * The same of many records, each a canonical text, with one wait for the disk: they and their index
 * lines are there from ki_store_commit() on.  *existed: it was there already, and nothing is added.
 */
int ki_store_add(bool *existed, struct ki_store *s, const char *record, size_t size,
		 const struct ki_digest *run, const json_t *index_line,
		 struct ki_error *e) KI_MUST_CHECK;
int ki_store_commit(struct ki_store *s, struct ki_error *e) KI_MUST_CHECK;

#endif
