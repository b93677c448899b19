/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of text that Kernel Index's schemas ask for (packages/schema, commit e6c5a71).
 *
 * Text is UTF-8 of any content, NUL included.
 */
#ifndef KI_DOCUMENT_PATTERN_H
#define KI_DOCUMENT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ki_pattern {
	bool (*matches)(const char *text, size_t size);
	const char *expected; /* "a token, [a-z][a-z0-9_]*" */
};

extern const struct ki_pattern ki_pattern_token;
extern const struct ki_pattern ki_pattern_slug;
extern const struct ki_pattern ki_pattern_name;
extern const struct ki_pattern ki_pattern_digest;
extern const struct ki_pattern ki_pattern_commit;
extern const struct ki_pattern ki_pattern_expression; /* of a derived axis */
extern const struct ki_pattern ki_pattern_instant;    /* ISO 8601, UTC, seconds optional */
extern const struct ki_pattern ki_pattern_url;        /* that new URL() reads as https: */
extern const struct ki_pattern ki_pattern_duration;   /* "8 us", "0.008 ms" */

/* The same of a C string, which may be NULL. */
bool ki_pattern_matches(const struct ki_pattern *p, const char *text);

/*
 * What a text of ki_pattern_duration says, in nanoseconds.  False when it is not an integer below
 * 2^53 in double arithmetic, number times unit, which is how Kernel Index computes it: "1.001 us"
 * is not.
 */
bool ki_pattern_duration_ns(uint64_t *out, const char *text, size_t size);

#endif
