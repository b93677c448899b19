/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_BASE_UTF8_H
#define KI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the sequence at s, of which left bytes may be read, or 0 when none is there that is
 * well-formed (Unicode 15, table 3-7).  left is at least 1. */
size_t ki_utf8_decode(uint32_t *out, const char *s, size_t left);

/* The largest length of at most n that cuts no character in two; text[n] is readable. */
size_t ki_utf8_cut(const char *text, size_t n);

#endif
