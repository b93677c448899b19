/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KI_BASE_UTF8_H
#define KI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * The length of the sequence that text starts with, of which left bytes (1 or more) may be read, or
 * 0 when there is none that is well-formed (Unicode 15, table 3-7).
 */
size_t ki_utf8_decode(uint32_t *out, const char *text, size_t left);

/*
 * Writes c (at most U+10FFFF) and returns its length.  A surrogate gets the three bytes that the
 * scheme gives it, which ki_utf8_decode() then refuses.
 */
size_t ki_utf8_encode(char out[4], uint32_t c);

/*
 * UTF-16 code units of text, which is what JavaScript's lengths count; a surrogate that was
 * written by ki_utf8_encode() is one.
 */
size_t ki_utf8_units(const char *text, size_t size);

/* The largest length of at most n that cuts no character in two; text[n] is readable. */
size_t ki_utf8_cut(const char *text, size_t n);

#endif
