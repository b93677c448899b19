/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A YAML text as libyaml can read it, and back.
 *
 * libyaml reads YAML 1.1 and no surrogates.  The characters that it refuses or takes for line
 * breaks (control characters, NEL, LS, PS, noncharacters) and the backslashes of \ud83d\ude00,
 * which is how most JSON writers spell what is beyond U+FFFF, each get a stand-in: a character
 * that the text does not have.  One for one, so lines and columns stay.  ki_text_restore() puts
 * back what was meant.  Directives that YAML 1.2 only warns of (an unknown name, another version)
 * are made harmless in the same way.
 */
#ifndef KI_DOCUMENT_TEXT_H
#define KI_DOCUMENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* U+0000 to U+0008, U+000B, U+000C, U+000E to U+001F, U+007F to U+009F, five more, and one escape.
 */
#define KI_TEXT_STAND_INS_MAX 72

struct ki_text {
	const char *
		data; /* without a byte order mark; the caller's text itself when nothing changed */
	size_t size;
	char *owned;
	size_t n_stand_ins;
	struct ki_text_stand_in {
		uint32_t character;
		uint32_t stand_in;
	} stand_ins[KI_TEXT_STAND_INS_MAX];
	uint32_t escape; /* the stand-in of a backslash that starts a surrogate; 0: none */
};

/*
 * text must outlive *out.  Bytes that are not UTF-8 and a carriage return without a line feed are
 * errors, with name:line:column in front.
 */
int ki_text_prepare(struct ki_text *out, const char *name, const char *text, size_t size,
		    struct ki_error *e) KI_MUST_CHECK;
void ki_text_free(struct ki_text *t);

/*
 * Puts back in place what stand-ins stand for and returns the size then, which is never larger.  In
 * double quotes surrogate escapes become characters; one that has no partner is left as the three
 * bytes that UTF-8 would give it, which no other text here has.
 */
size_t ki_text_restore(const struct ki_text *t, char *value, size_t size, bool double_quoted);

#endif
