/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "document/node.h"

#define EXCERPT_BYTES 40

static const struct word {
	const char *text;
	enum ki_node_type type;
	bool boolean;
	double real;
} words[] = {
	{"", KI_NODE_NULL, false, 0},
	{"~", KI_NODE_NULL, false, 0},
	{"null", KI_NODE_NULL, false, 0},
	{"Null", KI_NODE_NULL, false, 0},
	{"NULL", KI_NODE_NULL, false, 0},
	{"true", KI_NODE_BOOLEAN, true, 0},
	{"True", KI_NODE_BOOLEAN, true, 0},
	{"TRUE", KI_NODE_BOOLEAN, true, 0},
	{"false", KI_NODE_BOOLEAN, false, 0},
	{"False", KI_NODE_BOOLEAN, false, 0},
	{"FALSE", KI_NODE_BOOLEAN, false, 0},
	{".inf", KI_NODE_REAL, false, INFINITY},
	{".Inf", KI_NODE_REAL, false, INFINITY},
	{".INF", KI_NODE_REAL, false, INFINITY},
	{"+.inf", KI_NODE_REAL, false, INFINITY},
	{"+.Inf", KI_NODE_REAL, false, INFINITY},
	{"+.INF", KI_NODE_REAL, false, INFINITY},
	{"-.inf", KI_NODE_REAL, false, -INFINITY},
	{"-.Inf", KI_NODE_REAL, false, -INFINITY},
	{"-.INF", KI_NODE_REAL, false, -INFINITY},
	{".nan", KI_NODE_REAL, false, NAN},
	{".NaN", KI_NODE_REAL, false, NAN},
	{".NAN", KI_NODE_REAL, false, NAN},
};

static bool resolve_word(struct ki_node *n)
{
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcmp(n->text, words[i].text) != 0)
			continue;
		n->type = words[i].type;
		n->boolean = words[i].boolean;
		n->real = words[i].real;
		return true;
	}
	return false;
}

/*
 * 0o17 and 0x1F.  What does not fit 63 bits becomes the nearest double: the leading bits, with
 * bit 0 set when a later one is, round as the whole number would.
 */
static bool resolve_prefixed(struct ki_node *n)
{
	unsigned int bits = n->text[1] == 'x' ? 4 : 3;
	const char *digits = bits == 4 ? "0123456789abcdef" : "01234567";
	const char *p = n->text + 2;
	uint64_t value = 0, lost = 0;
	int dropped = 0;

	if (n->text[0] != '0' || (n->text[1] != 'x' && n->text[1] != 'o') || *p == '\0')
		return false;
	for (; *p != '\0'; p++) {
		char c = *p >= 'A' && *p <= 'F' ? (char)(*p - 'A' + 'a') : *p;
		const char *digit = strchr(digits, c);

		if (digit == NULL)
			return false;
		if (value >> (63 - bits) == 0) {
			value = value << bits | (uint64_t)(digit - digits);
			continue;
		}
		lost |= (uint64_t)(digit - digits);
		/* ldexp() is infinite long before this. */
		dropped += dropped < 100000 ? (int)bits : 0;
	}
	n->type = dropped == 0 ? KI_NODE_INTEGER : KI_NODE_REAL;
	n->integer = dropped == 0 ? (int64_t)value : 0;
	n->real = ldexp((double)(value | (lost != 0)), dropped);
	return true;
}

static const char *skip_sign(const char *p)
{
	return *p == '+' || *p == '-' ? p + 1 : p;
}

static const char *skip_digits(const char *p)
{
	return p + strspn(p, "0123456789");
}

/* [-+]? ( [.] [0-9]+ | [0-9]+ ( [.] [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?  *whole: [-+]? [0-9]+ */
static bool is_decimal(const char *text, bool *whole)
{
	const char *start = skip_sign(text);
	const char *p = skip_digits(start);
	bool digits = p > start;

	*whole = digits && *p == '\0';
	if (*p == '.') {
		start = p + 1;
		p = skip_digits(start);
		digits = digits || p > start;
	}
	if (!digits)
		return false;
	if (*p == 'e' || *p == 'E') {
		start = skip_sign(p + 1);
		p = skip_digits(start);
		if (p == start)
			return false;
	}
	return *p == '\0';
}

/* The user's locale may have a decimal comma; the file's numbers have a point. */
static int resolve_real(struct ki_node *n, struct ki_error *e)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (c == (locale_t)0)
		return ki_error_set(e, KI_FAIL_MEMORY, "the C locale: memory ran out");
	n->type = KI_NODE_REAL;
	n->real = strtod_l(n->text, NULL, c);
	freelocale(c);
	return 0;
}

int ki_node_resolve(struct ki_node *n, struct ki_error *e)
{
	bool whole;

	n->type = KI_NODE_STRING;
	if (strlen(n->text) != n->size || resolve_word(n) || resolve_prefixed(n))
		return 0;
	if (!is_decimal(n->text, &whole))
		return 0;
	if (!whole)
		return resolve_real(n, e);
	errno = 0;
	n->integer = strtoll(n->text, NULL, 10);
	if (errno == ERANGE) {
		n->integer = 0;
		return resolve_real(n, e);
	}
	n->type = KI_NODE_INTEGER;
	n->real = (double)n->integer;
	return 0;
}

const char *ki_node_tag(const struct ki_node *n)
{
	switch (n->type) {
	case KI_NODE_NULL:
		return "null";
	case KI_NODE_BOOLEAN:
		return "bool";
	case KI_NODE_INTEGER:
		return "int";
	case KI_NODE_REAL:
		/* An integer beyond 64 bits is still written as one. */
		if (n->text[0] == '0' && (n->text[1] == 'x' || n->text[1] == 'o'))
			return "int";
		return strpbrk(n->text, ".eE") != NULL ? "float" : "int";
	default:
		return "str";
	}
}

void ki_node_excerpt(const struct ki_node *n, char out[KI_NODE_EXCERPT_MAX])
{
	size_t i, size = n->size > EXCERPT_BYTES ? ki_utf8_cut(n->text, EXCERPT_BYTES) : n->size;

	for (i = 0; i < size; i++) {
		unsigned char c = (unsigned char)n->text[i];

		out[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	for (i = 0; i + 2 < size; i++)
		if ((unsigned char)out[i] == 0xed && (unsigned char)out[i + 1] >= 0xa0)
			memset(out + i, '?', 3);
	snprintf(out + size, KI_NODE_EXCERPT_MAX - size, "%s", size < n->size ? "..." : "");
}

void ki_node_describe(const struct ki_node *n, char *out, size_t size)
{
	char text[KI_NODE_EXCERPT_MAX];

	if (n->type == KI_NODE_SEQUENCE || n->type == KI_NODE_MAPPING) {
		snprintf(out, size, n->type == KI_NODE_MAPPING ? "a mapping" : "a sequence");
		return;
	}
	if (n->type == KI_NODE_FOREIGN) {
		snprintf(out, size, "a value tagged !!%s", n->text);
		return;
	}
	ki_node_excerpt(n, text);
	if (n->type == KI_NODE_STRING)
		snprintf(out, size, "the string \"%s\"", text);
	else if (n->type == KI_NODE_INTEGER)
		snprintf(out, size, "the integer %s", text);
	else if (n->type == KI_NODE_REAL)
		snprintf(out, size, "the number %s", text);
	else if (n->type == KI_NODE_BOOLEAN)
		snprintf(out, size, "the boolean %s", text);
	else
		snprintf(out, size, "null");
}

const struct ki_node *ki_node_get(const struct ki_node *mapping, const char *key)
{
	size_t i;

	if (mapping->type != KI_NODE_MAPPING)
		return NULL;
	for (i = 0; i < mapping->count; i++)
		if (strcmp(mapping->keys[i]->text, key) == 0)
			return mapping->items[i];
	return NULL;
}

static json_t *scalar_to_json(const struct ki_node *n)
{
	switch (n->type) {
	case KI_NODE_BOOLEAN:
		return json_boolean(n->boolean);
	case KI_NODE_INTEGER:
		return json_integer(n->integer);
	case KI_NODE_REAL:
		return json_real(n->real);
	case KI_NODE_STRING:
		return json_stringn_nocheck(n->text, n->size);
	default:
		return json_null();
	}
}

static int collection_to_json(json_t **out, const struct ki_node *n, const char *file,
			      struct ki_error *e)
{
	json_t *json = n->type == KI_NODE_MAPPING ? json_object() : json_array();
	size_t i;
	int rc;

	if (json == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", file);
	for (i = 0; i < n->count; i++) {
		json_t *item = NULL;

		rc = ki_node_to_json(&item, n->items[i], file, e);
		if (rc != 0)
			goto fail;
		if (n->type == KI_NODE_MAPPING)
			rc = json_object_set_new_nocheck(json, n->keys[i]->text, item);
		else
			rc = json_array_append_new(json, item);
		if (rc != 0) {
			rc = ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", file);
			goto fail;
		}
	}
	*out = json;
	return 0;
fail:
	json_decref(json);
	return rc;
}

int ki_node_to_json(json_t **out, const struct ki_node *n, const char *file, struct ki_error *e)
{
	char what[2 * KI_NODE_EXCERPT_MAX];
	json_t *json;

	if (n->type == KI_NODE_SEQUENCE || n->type == KI_NODE_MAPPING)
		return collection_to_json(out, n, file, e);
	if (n->type == KI_NODE_FOREIGN || (n->type == KI_NODE_REAL && !isfinite(n->real))) {
		ki_node_describe(n, what, sizeof what);
		return ki_error_set(e, KI_FAIL_INPUT,
				    "%.480s:%" PRIu32 ":%" PRIu32 ": %s has no JSON form%s", file,
				    n->line, n->column, what,
				    n->type == KI_NODE_REAL ? ", as it is not finite" : "");
	}
	json = scalar_to_json(n);
	if (json == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", file);
	*out = json;
	return 0;
}
