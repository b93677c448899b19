/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "document/pattern.h"
#include "document/url.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define HEX DIGITS "abcdef"
#define SAFE_INTEGER_MAX 9007199254740991.0 /* 2^53 - 1 */

static bool all_of(const char *text, size_t size, const char *set)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (text[i] == '\0' || strchr(set, text[i]) == NULL)
			return false;
	return true;
}

static bool is_token(const char *text, size_t size)
{
	return size > 0 && all_of(text, 1, LOWER) && all_of(text, size, LOWER DIGITS "_");
}

static bool is_slug(const char *text, size_t size)
{
	return size > 0 && text[0] != '-' && all_of(text, size, LOWER DIGITS "-");
}

static bool is_name(const char *text, size_t size)
{
	return size > 0 && all_of(text, 1, LOWER DIGITS) && all_of(text, size, LOWER DIGITS "._-");
}

static bool is_digest(const char *text, size_t size)
{
	return size == 7 + 64 && memcmp(text, "sha256:", 7) == 0 && all_of(text + 7, 64, HEX);
}

static bool is_commit(const char *text, size_t size)
{
	return size == 40 && all_of(text, 40, HEX);
}

static bool is_expression(const char *text, size_t size)
{
	return size > 0 && all_of(text, size, LOWER DIGITS "_+-*%/() ");
}

/* Two or four digits at p. */
static int number_at(const char *p, size_t digits)
{
	int value = 0;

	if (!all_of(p, digits, DIGITS))
		return -1;
	while (digits-- > 0)
		value = value * 10 + (*p++ - '0');
	return value;
}

static bool is_date(const char *p)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year = number_at(p, 4), month = number_at(p + 5, 2), day = number_at(p + 8, 2);
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	if (year < 0 || p[4] != '-' || p[7] != '-' || month < 1 || month > 12 || day < 1)
		return false;
	return day <= days[month - 1] + (month == 2 && leap);
}

/* yyyy-mm-ddThh:mm, then :ss and a fraction or not, then Z. */
static bool is_instant(const char *text, size_t size)
{
	const char *p = text + 16, *end = text + size;

	if (size < 17 || !is_date(text) || text[10] != 'T' || text[13] != ':' || end[-1] != 'Z')
		return false;
	if (number_at(text + 11, 2) < 0 || number_at(text + 11, 2) > 23 ||
	    number_at(text + 14, 2) < 0 || number_at(text + 14, 2) > 59)
		return false;
	if (p + 1 == end)
		return true;
	if (end - p < 4 || *p != ':' || number_at(p + 1, 2) < 0 || number_at(p + 1, 2) > 59)
		return false;
	p += 3;
	if (p + 1 == end)
		return true;
	return *p == '.' && end - p > 2 && all_of(p + 1, (size_t)(end - p) - 2, DIGITS);
}

/* What JavaScript's \s matches, and how long it is; 0: none. */
static size_t space_length(const char *text, size_t left)
{
	uint32_t c;
	size_t n = left > 0 ? ki_utf8_decode(&c, text, left) : 0;

	if (n == 0)
		return 0;
	if (c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0x1680 || c == 0x2028 ||
	    c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff)
		return n;
	return c >= 0x2000 && c <= 0x200a ? n : 0;
}

static size_t digits_length(const char *text, size_t left)
{
	size_t n = 0;

	while (n < left && text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

/* The length of the number that text starts with, and the unit behind it; 0: not a duration. */
static size_t duration_parts(double *unit, const char *text, size_t size)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	size_t number = digits_length(text, size), at, fraction, i;

	if (number == 0)
		return 0;
	if (number < size && text[number] == '.') {
		fraction = digits_length(text + number + 1, size - number - 1);
		if (fraction == 0)
			return 0;
		number += 1 + fraction;
	}
	at = number + space_length(text + number, size - number);
	for (i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (size - at != strlen(units[i].name) ||
		    memcmp(text + at, units[i].name, size - at) != 0)
			continue;
		*unit = units[i].ns;
		return number;
	}
	return 0;
}

static bool is_duration(const char *text, size_t size)
{
	double unit;

	return duration_parts(&unit, text, size) > 0;
}

bool ki_pattern_duration_ns(uint64_t *out, const char *text, size_t size)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double unit, ns;
	char *number;
	size_t n = duration_parts(&unit, text, size);
	bool whole = false;

	number = n > 0 ? strndup(text, n) : NULL;
	if (number != NULL && c != (locale_t)0) {
		ns = strtod_l(number, NULL, c) * unit;
		whole = ns <= SAFE_INTEGER_MAX && floor(ns) == ns;
		if (whole)
			*out = (uint64_t)ns;
	}
	free(number);
	if (c != (locale_t)0)
		freelocale(c);
	return whole;
}

const struct ki_pattern ki_pattern_token = {is_token, "a token, [a-z][a-z0-9_]*"};
const struct ki_pattern ki_pattern_slug = {is_slug, "a slug, [a-z0-9][a-z0-9-]*"};
const struct ki_pattern ki_pattern_name = {is_name, "a name, [a-z0-9][a-z0-9._-]*"};
const struct ki_pattern ki_pattern_digest = {is_digest, "\"sha256:\" and 64 lower-case digits"};
const struct ki_pattern ki_pattern_commit = {is_commit, "a full commit, 40 lower-case digits"};
const struct ki_pattern ki_pattern_expression = {is_expression,
						 "an expression of [a-z0-9_+-*%/() ]"};
const struct ki_pattern ki_pattern_instant = {
	is_instant, "an instant in UTC, such as 2026-08-01T12:00:00.000Z"};
const struct ki_pattern ki_pattern_url = {ki_url_is_https, "an https URL"};
const struct ki_pattern ki_pattern_duration = {is_duration,
					       "a number and one of ns, us, ms, s (\"25 ms\")"};

bool ki_pattern_matches(const struct ki_pattern *p, const char *text)
{
	return text != NULL && p->matches(text, strlen(text));
}
