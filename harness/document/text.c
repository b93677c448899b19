/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "document/text.h"

/* Stand-ins are looked for from here up: 851 968 characters, more than a file of 1 MiB can use. */
#define STAND_IN_FIRST 0x40000u
#define STAND_IN_COUNT (0x110000u - STAND_IN_FIRST)

/* A control character of one byte becomes four. */
#define GROWTH 4

static bool needs_stand_in(uint32_t c)
{
	if (c < 0x20)
		return c != '\t' && c != '\n' && c != '\r';
	if (c < 0xa0)
		return c >= 0x7f;
	return c == 0x2028 || c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The surrogate that "uD83D" or "U0000D83D" at p names, or 0; *length is of that text. */
static uint32_t read_surrogate(const char *p, size_t left, size_t *length)
{
	uint32_t c = 0;
	size_t i;

	*length = left > 0 && *p == 'U' ? 9 : 5;
	if (left < *length || (*p != 'u' && *p != 'U'))
		return 0;
	for (i = 1; i < *length; i++) {
		int digit = hex_value(p[i]);

		if (digit < 0 || c > 0xfff)
			return 0;
		c = c << 4 | (uint32_t)digit;
	}
	return c >= 0xd800 && c <= 0xdfff ? c : 0;
}

struct scan {
	uint64_t used[STAND_IN_COUNT / 64]; /* characters that the text has */
	bool wanted[0x100];                 /* of the first 256 characters, those to be replaced */
	bool wanted_beyond;                 /* one of the five others is there */
	bool escapes;
	bool directives;
};

static void scan_character(struct scan *s, uint32_t c)
{
	if (c >= STAND_IN_FIRST)
		s->used[(c - STAND_IN_FIRST) / 64] |= UINT64_C(1) << (c % 64);
	if (!needs_stand_in(c))
		return;
	if (c < 0x100)
		s->wanted[c] = true;
	else
		s->wanted_beyond = true;
}

/* Whether a backslash at text[at] starts an escape: it is not itself escaped. */
static bool starts_escape(const char *text, size_t at)
{
	size_t before = at;

	while (before > 0 && text[before - 1] == '\\')
		before--;
	return (at - before) % 2 == 0;
}

static bool is_surrogate_escape(const char *text, size_t size, size_t at)
{
	size_t length;

	return text[at] == '\\' && read_surrogate(text + at + 1, size - at - 1, &length) != 0 &&
	       starts_escape(text, at);
}

static int scan_text(struct scan *s, const struct ki_text *t, const char *name, struct ki_error *e)
{
	size_t at, n, line = 1, column = 1;
	uint32_t c;

	for (at = 0; at < t->size; at += n) {
		n = ki_utf8_decode(&c, t->data + at, t->size - at);
		if (n == 0)
			return ki_error_set(e, KI_FAIL_INPUT,
					    "%.480s:%zu:%zu: byte 0x%02x is not UTF-8", name, line,
					    column, (unsigned char)t->data[at]);
		if (c == '\r' && (at + 1 == t->size || t->data[at + 1] != '\n'))
			return ki_error_set(e, KI_FAIL_INPUT,
					    "%.480s:%zu:%zu: U+000D is a carriage return without a "
					    "line feed",
					    name, line, column);
		scan_character(s, c);
		if (c == '%' && column == 1)
			s->directives = true;
		if (!s->escapes && is_surrogate_escape(t->data, t->size, at))
			s->escapes = true;
		column++;
		if (c == '\n') {
			line++;
			column = 1;
		}
	}
	return 0;
}

/* A character that the text does not have, from *next up. */
static uint32_t unused_character(const struct scan *s, uint32_t *next)
{
	while (s->used[(*next - STAND_IN_FIRST) / 64] >> (*next % 64) & 1)
		++*next;
	return (*next)++;
}

static void choose_one(struct ki_text *t, const struct scan *s, uint32_t *next, uint32_t c)
{
	t->stand_ins[t->n_stand_ins++] = (struct ki_text_stand_in){
		.character = c,
		.stand_in = unused_character(s, next),
	};
}

static void choose_stand_ins(struct ki_text *t, const struct scan *s)
{
	static const uint32_t beyond[] = {0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff};
	uint32_t next = STAND_IN_FIRST, c;

	for (c = 0; c < 0x100; c++)
		if (s->wanted[c])
			choose_one(t, s, &next, c);
	for (c = 0; s->wanted_beyond && c < sizeof beyond / sizeof beyond[0]; c++)
		choose_one(t, s, &next, beyond[c]);
	if (s->escapes)
		t->escape = unused_character(s, &next);
}

static void append_character(struct ki_buffer *b, uint32_t c)
{
	char bytes[4];

	ki_buffer_append(b, bytes, ki_utf8_encode(bytes, c));
}

static uint32_t stand_in_of(const struct ki_text *t, uint32_t c)
{
	size_t i;

	for (i = 0; i < t->n_stand_ins; i++)
		if (t->stand_ins[i].character == c)
			return t->stand_ins[i].stand_in;
	return c;
}

static void replace_characters(const struct ki_text *t, struct ki_buffer *b)
{
	size_t at, n, from = 0;
	uint32_t c = 0, other;

	for (at = 0; at < t->size; at += n) {
		n = ki_utf8_decode(&c, t->data + at, t->size - at);
		other = needs_stand_in(c) ? stand_in_of(t, c) : c;
		if (t->escape != 0 && is_surrogate_escape(t->data, t->size, at))
			other = t->escape;
		if (other == c)
			continue;
		ki_buffer_append(b, t->data + from, at - from);
		append_character(b, other);
		from = at + n;
	}
	ki_buffer_append(b, t->data + from, t->size - from);
}

/* "%YAML 2.0" is read as 1.2, with a warning; its version is as long or longer. */
static void tame_version(char *line, size_t n)
{
	size_t from = strlen("%YAML"), digits, i;

	while (from < n && (line[from] == ' ' || line[from] == '\t'))
		from++;
	digits = strspn(line + from, "0123456789");
	if (digits == 0 || line[from + digits] != '.')
		return;
	digits += 1;
	if (strspn(line + from + digits, "0123456789") == 0)
		return;
	digits += strspn(line + from + digits, "0123456789");
	if (memchr(" \t\r\n", line[from + digits], 5) == NULL)
		return;
	for (i = 0; i < digits; i++)
		line[from + i] = i < 3 ? "1.2"[i] : ' ';
}

static void tame_directive(char *line, size_t n)
{
	if (strncmp(line, "%YAML", 5) == 0 && (line[5] == ' ' || line[5] == '\t'))
		tame_version(line, n);
	else if (strncmp(line, "%TAG", 4) != 0 || (line[4] != ' ' && line[4] != '\t'))
		line[0] = '#';
}

/* Directives stand before a document: among blank lines and comments, and after "...". */
static void tame_directives(char *text)
{
	bool before = true;
	char *line, *end;

	for (line = text; *line != '\0'; line = end) {
		size_t n = strcspn(line, "\n");

		end = line + n + (line[n] == '\n' ? 1 : 0);
		if (before && *line == '%')
			tame_directive(line, n);
		else if (strncmp(line, "...", 3) == 0)
			before = true;
		else if (*line != '#' && strspn(line, " \t\r") != n)
			before = false;
	}
}

static int change_text(struct ki_text *t, const char *name, struct ki_error *e)
{
	struct ki_buffer b;

	ki_buffer_init(&b, t->size * GROWTH);
	replace_characters(t, &b);
	t->size = b.size;
	t->owned = ki_buffer_steal(&b);
	ki_buffer_fini(&b);
	if (t->owned == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%.480s: memory ran out", name);
	/* No NUL is left in it. */
	tame_directives(t->owned);
	t->data = t->owned;
	return 0;
}

int ki_text_prepare(struct ki_text *out, const char *name, const char *text, size_t size,
		    struct ki_error *e)
{
	struct ki_text t = {.data = text, .size = size};
	struct scan *s = calloc(1, sizeof *s);
	int rc;

	if (s == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%.480s: memory ran out", name);
	/* A byte order mark is not a character of line 1. */
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		t.data += 3;
		t.size -= 3;
	}
	rc = scan_text(s, &t, name, e);
	if (rc == 0)
		choose_stand_ins(&t, s);
	if (rc == 0 && (t.n_stand_ins > 0 || t.escape != 0 || s->directives))
		rc = change_text(&t, name, e);
	free(s);
	if (rc == 0)
		*out = t;
	return rc;
}

void ki_text_free(struct ki_text *t)
{
	free(t->owned);
	*t = (struct ki_text){0};
}

/* The character, or the half of one, that the escape behind its stand-in at p means. */
static size_t restore_escape(const struct ki_text *t, char *to, const char *p, size_t left)
{
	size_t n, m, stand_in;
	uint32_t c = read_surrogate(p, left, &n), low = 0;

	stand_in = ki_utf8_decode(&low, p + n, left - n);
	if (c <= 0xdbff && stand_in > 0 && low == t->escape) {
		low = read_surrogate(p + n + stand_in, left - n - stand_in, &m);
		if (low >= 0xdc00) {
			ki_utf8_encode(to, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
			return n + stand_in + m;
		}
	}
	ki_utf8_encode(to, c);
	return n;
}

static uint32_t character_behind(const struct ki_text *t, uint32_t stand_in)
{
	size_t i;

	for (i = 0; i < t->n_stand_ins; i++)
		if (t->stand_ins[i].stand_in == stand_in)
			return t->stand_ins[i].character;
	return stand_in;
}

size_t ki_text_restore(const struct ki_text *t, char *value, size_t size, bool double_quoted)
{
	size_t at = 0, to = 0, n;
	char bytes[8];
	uint32_t c;

	if (t->n_stand_ins == 0 && t->escape == 0)
		return size;
	while (at < size) {
		n = ki_utf8_decode(&c, value + at, size - at);
		if (n < 4) {
			value[to++] = value[at++];
			continue;
		}
		at += n;
		if (c != t->escape) {
			n = ki_utf8_encode(bytes, character_behind(t, c));
		} else if (!double_quoted) {
			n = ki_utf8_encode(bytes, '\\');
		} else {
			at += restore_escape(t, bytes, value + at, size - at);
			n = (unsigned char)bytes[0] >= 0xf0 ? 4 : 3;
		}
		memcpy(value + to, bytes, n);
		to += n;
	}
	value[to] = '\0';
	return to;
}
