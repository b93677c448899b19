/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Kernel Index documents that are made here have in common: a name, texts within the
 * schema's limits, and a digest.
 *
 * The schema counts UTF-16 units; bytes of UTF-8 are never fewer, so a limit that is kept in bytes
 * is kept.
 */
#ifndef KI_RECORD_MANIFEST_H
#define KI_RECORD_MANIFEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "record/document.h"

#define KI_MANIFEST_NAME_MAX 200
#define KI_MANIFEST_TITLE_MAX 200
#define KI_MANIFEST_DESCRIPTION_MAX 2000
#define KI_MANIFEST_LABEL_MAX 200
/* The largest integer of the schema, 2^53 - 1: beyond it doubles skip integers. */
#define KI_MANIFEST_INTEGER_MAX 9007199254740991

/*
 * A new string of at most max bytes (max <= KI_MANIFEST_DESCRIPTION_MAX), cut between characters; a
 * last character that is torn already goes too.  What then is not UTF-8 gets a question mark for
 * every byte that is not ASCII.
 */
json_t *ki_manifest_string(const char *text, size_t max);

/*
 * Sets object[key].  A text that is NULL, empty, not UTF-8 or longer than max bytes is left out:
 * half of a version or a digest is another version or digest.
 */
void ki_manifest_set(json_t *object, const char *key, const char *text, size_t max);

/* A URL that Kernel Index takes: https, a host name, nothing that would have to be escaped. */
bool ki_manifest_is_https(const char *text);

/* {"name", "title"}: the name is made from name_from, in Kernel Index's alphabet. */
json_t *ki_manifest_metadata(const char *name_from, const char *title);

/* Takes metadata and spec, which may be NULL for want of memory. */
int ki_manifest_new(struct ki_identified *out, const char *kind, json_t *metadata, json_t *spec,
		    struct ki_error *e) KI_MUST_CHECK;

#endif
