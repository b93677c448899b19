/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "document/canonical.h"

/* Deeper than jansson's own reader goes: only a program's mistake, such as a cycle, gets there. */
#define CANONICAL_DEPTH_MAX 4096

/* 17 digits tell every double apart (IEEE 754-2019, 5.12.2). */
#define DIGITS_MAX 17

struct decimal {
	char digits[DIGITS_MAX + 1]; /* the value is 0.DIGITS * 10^point */
	int count;
	int point;
};

/*
 * What "%.*e" printed.  Its decimal separator is the locale's, of any length, so everything
 * between the first digit and the others is skipped.
 */
static void decimal_read(struct decimal *d, const char *text)
{
	const char *exponent = strchr(text, 'e');
	const char *p;

	d->count = 0;
	for (p = text; p < exponent; p++)
		if (*p >= '0' && *p <= '9' && d->count < DIGITS_MAX)
			d->digits[d->count++] = *p;
	d->digits[d->count] = '\0';
	d->point = (int)strtol(exponent + 1, NULL, 10) + 1;
}

/* One unit more in the last place. */
static void decimal_next(struct decimal *d)
{
	int i = d->count - 1;

	while (i >= 0 && d->digits[i] == '9')
		d->digits[i--] = '0';
	if (i >= 0) {
		d->digits[i]++;
		return;
	}
	d->digits[0] = '1';
	d->point++;
}

/* Needs no decimal separator, so the locale cannot matter. */
static double decimal_value(const struct decimal *d)
{
	char text[DIGITS_MAX + 16];

	snprintf(text, sizeof text, "%se%d", d->digits, d->point - d->count);
	return strtod(text, NULL);
}

/*
 * The shortest decimal that reads back as value (> 0), and of those the nearest.
 *
 * The nearest decimal of a given length is tried first.  Below a power of two doubles are twice
 * as dense as above it, so there the nearest may fail where the next one up succeeds: 2^-44 is
 * 5.684341886080802e-14, not ...801e-14.  Up to 15 digits survive a trip through a normal double
 * (DBL_DIG), so the shortest is among "%.15g" without its zeros, 16 and 17 digits; subnormals
 * hold fewer digits and are searched from one digit up.
 */
static void decimal_shortest(struct decimal *d, double value)
{
	char text[64];
	int precision = value < DBL_MIN ? 1 : DBL_DIG;

	for (; precision <= DIGITS_MAX; precision++) {
		snprintf(text, sizeof text, "%.*e", precision - 1, value);
		decimal_read(d, text);
		if (decimal_value(d) == value || precision == DIGITS_MAX)
			break;
		decimal_next(d);
		if (decimal_value(d) == value)
			break;
	}
	while (d->count > 1 && d->digits[d->count - 1] == '0')
		d->digits[--d->count] = '\0';
}

static char *put(char *at, const char *text, int count)
{
	memcpy(at, text, (size_t)count);
	return at + count;
}

/* ECMA-262, Number::toString, steps 6 to 10, where k counts the digits and n is the point. */
static char *put_decimal(char *at, const char *digits, int k, int n)
{
	static const char zeros[] = "000000000000000000000";

	if (k <= n && n <= 21)
		return put(put(at, digits, k), zeros, n - k);
	if (0 < n && n <= 21)
		return put(put(put(at, digits, n), ".", 1), digits + n, k - n);
	if (-6 < n && n <= 0)
		return put(put(put(at, "0.", 2), zeros, -n), digits, k);
	at = put(at, digits, 1);
	if (k > 1)
		at = put(put(at, ".", 1), digits + 1, k - 1);
	/* % 1000 cuts nothing: it tells the compiler that the text fits. */
	return at + snprintf(at, sizeof "e+308", "e%c%d", n > 0 ? '+' : '-', abs(n - 1) % 1000);
}

void ki_canonical_number(char out[KI_CANONICAL_NUMBER_MAX], double value)
{
	struct decimal d = {.digits = "0", .count = 1, .point = 1};
	char *at = out;

	if (value < 0)
		at = put(at, "-", 1);
	if (value != 0)
		decimal_shortest(&d, fabs(value));
	*put_decimal(at, d.digits, d.count, d.point) = '\0';
}

/* Surrogates without a partner come as three bytes that are not UTF-8 (base/utf8.h). */
static int check_string(const char *text, size_t size, struct ki_error *e)
{
	size_t i, n;
	uint32_t c;

	for (i = 0; i < size; i += n) {
		n = (unsigned char)text[i] < 0x80 ? 1 : ki_utf8_decode(&c, text + i, size - i);
		if (n == 0)
			return ki_error_set(
				e, KI_FAIL_INPUT,
				"a string holds a surrogate without a partner, or other "
				"bytes that are not UTF-8: it has no canonical text");
	}
	return 0;
}

static int write_string(struct ki_buffer *out, const char *text, size_t size, struct ki_error *e)
{
	static const char escapes[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
	};
	size_t i, from = 0;
	int rc = check_string(text, size, e);

	if (rc != 0)
		return rc;
	ki_buffer_puts(out, "\"");
	for (i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		ki_buffer_append(out, text + from, i - from);
		from = i + 1;
		if (c >= 0x20)
			ki_buffer_printf(out, "\\%c", c);
		else if (escapes[c] != 0)
			ki_buffer_printf(out, "\\%c", escapes[c]);
		else
			ki_buffer_printf(out, "\\u%04x", c);
	}
	ki_buffer_append(out, text + from, size - from);
	ki_buffer_puts(out, "\"");
	return 0;
}

/*
 * UTF-16 order differs from the order of UTF-8 bytes in one place: a character beyond U+FFFF is
 * a pair of surrogates, U+D800 to U+DFFF, and so comes before U+E000 to U+FFFF (lead bytes 0xee
 * and 0xef).  Two strings first differ in lead bytes whenever that matters.
 */
static int utf16_rank(unsigned char c)
{
	if (c >= 0xf0)
		return c - 2;
	return c >= 0xee ? c + 16 : c;
}

int ki_canonical_compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t i = 0;

	while (i < a_size && i < b_size && a[i] == b[i])
		i++;
	if (i == a_size || i == b_size)
		return (i < a_size) - (i < b_size);
	return utf16_rank((unsigned char)a[i]) - utf16_rank((unsigned char)b[i]);
}

static int key_compare(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	return ki_canonical_compare(x, strlen(x), y, strlen(y));
}

static int write_value(struct ki_buffer *out, const json_t *v, size_t depth, struct ki_error *e);

/* jansson's reader and its json_object_set() know no NUL in a key: keys end at their NUL. */
static const char **sorted_keys(json_t *object, size_t count)
{
	const char **keys = calloc(count + 1, sizeof *keys);
	void *at = json_object_iter(object);
	size_t i;

	for (i = 0; keys != NULL && i < count; i++) {
		keys[i] = json_object_iter_key(at);
		at = json_object_iter_next(object, at);
	}
	if (keys != NULL)
		qsort(keys, count, sizeof *keys, key_compare);
	return keys;
}

static int write_object(struct ki_buffer *out, const json_t *v, size_t depth, struct ki_error *e)
{
	size_t i, count = json_object_size(v);
	const char **keys;
	int rc = 0;

	/* jansson's iterators want an object that they could change; these do not. */
	keys = sorted_keys((json_t *)v, count);
	if (keys == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "memory ran out");
	ki_buffer_puts(out, "{");
	for (i = 0; i < count && rc == 0; i++) {
		if (i > 0)
			ki_buffer_puts(out, ",");
		rc = write_string(out, keys[i], strlen(keys[i]), e);
		ki_buffer_puts(out, ":");
		if (rc == 0)
			rc = write_value(out, json_object_get(v, keys[i]), depth + 1, e);
	}
	ki_buffer_puts(out, "}");
	free(keys);
	return rc;
}

static int write_array(struct ki_buffer *out, const json_t *v, size_t depth, struct ki_error *e)
{
	size_t i, count = json_array_size(v);
	int rc = 0;

	ki_buffer_puts(out, "[");
	for (i = 0; i < count && rc == 0; i++) {
		if (i > 0)
			ki_buffer_puts(out, ",");
		rc = write_value(out, json_array_get(v, i), depth + 1, e);
	}
	ki_buffer_puts(out, "]");
	return rc;
}

static int write_number(struct ki_buffer *out, double value, struct ki_error *e)
{
	char text[KI_CANONICAL_NUMBER_MAX];

	if (!isfinite(value))
		return ki_error_set(e, KI_FAIL_INPUT, "%s has no JSON form",
				    isnan(value) ? "not-a-number" : "an infinite number");
	ki_canonical_number(text, value);
	ki_buffer_puts(out, text);
	return 0;
}

static int write_value(struct ki_buffer *out, const json_t *v, size_t depth, struct ki_error *e)
{
	if (v == NULL)
		return ki_error_set(e, KI_FAIL_INTERNAL, "no JSON value");
	if (depth > CANONICAL_DEPTH_MAX)
		return ki_error_set(e, KI_FAIL_LIMIT, "nested deeper than %d", CANONICAL_DEPTH_MAX);
	if (out->failed)
		return ki_error_set(e, KI_FAIL_LIMIT,
				    "the canonical text exceeds %zu bytes, or memory ran out",
				    out->limit);
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return write_object(out, v, depth, e);
	case JSON_ARRAY:
		return write_array(out, v, depth, e);
	case JSON_STRING:
		return write_string(out, json_string_value(v), json_string_length(v), e);
	case JSON_INTEGER:
		return write_number(out, (double)json_integer_value(v), e);
	case JSON_REAL:
		return write_number(out, json_real_value(v), e);
	case JSON_TRUE:
		ki_buffer_puts(out, "true");
		return 0;
	case JSON_FALSE:
		ki_buffer_puts(out, "false");
		return 0;
	case JSON_NULL:
		ki_buffer_puts(out, "null");
		return 0;
	}
	return ki_error_set(e, KI_FAIL_INTERNAL, "an unknown JSON type");
}

int ki_canonical_write(struct ki_buffer *out, const json_t *v, struct ki_error *e)
{
	size_t before = out->size;
	int rc = write_value(out, v, 0, e);

	if (rc == 0 && out->failed)
		rc = ki_error_set(e, KI_FAIL_LIMIT,
				  "the canonical text exceeds %zu bytes, or memory ran out",
				  out->limit);
	if (rc != 0)
		ki_buffer_rewind(out, before);
	return rc;
}

static void indent_line(struct ki_buffer *out, size_t depth)
{
	ki_buffer_printf(out, "\n%*s", (int)(2 * depth), "");
}

/* The end of the string that starts at p, behind its closing quote. */
static const char *string_end(const char *p)
{
	for (p++; *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p + 1;
}

/* text is canonical: no blanks outside of strings. */
static void indent_text(struct ki_buffer *out, const char *text)
{
	const char *p = text, *end;
	size_t depth = 0;

	for (; *p != '\0'; p = end) {
		bool opens = *p == '{' || *p == '[', closes = *p == '}' || *p == ']';

		end = *p == '"' ? string_end(p) : p + 1;
		if (closes && p[-1] != '{' && p[-1] != '[')
			indent_line(out, depth - 1);
		depth = depth + opens - closes;
		ki_buffer_append(out, p, (size_t)(end - p));
		if (*p == ':')
			ki_buffer_puts(out, " ");
		else if (*p == ',' || (opens && *end != '}' && *end != ']'))
			indent_line(out, depth);
	}
	ki_buffer_puts(out, "\n");
}

int ki_canonical_write_indented(struct ki_buffer *out, const json_t *v, struct ki_error *e)
{
	struct ki_buffer text;
	int rc;

	ki_buffer_init(&text, out->limit);
	rc = ki_canonical_write(&text, v, e);
	if (rc == KI_SUCCESS)
		indent_text(out, text.data);
	if (rc == KI_SUCCESS && out->failed)
		rc = ki_error_set(e, KI_FAIL_LIMIT, "the text exceeds %zu bytes, or memory ran out",
				  out->limit);
	ki_buffer_fini(&text);
	return rc;
}
