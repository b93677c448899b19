/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "protocol/duration.h"
#include "protocol/reader.h"

#define READER_TEXT_MAX 512

int(ki_reader_fail)(const struct ki_reader *r, const struct ki_node *at, const char *fmt, ...)
{
	char text[READER_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return ki_error_set(r->error, KI_FAIL_INPUT, "%s:%u:%u: %s", r->file, at->line, at->column,
			    text);
}

int(ki_reader_expected)(const struct ki_reader *r, const struct ki_node *at, const char *path,
			const char *expected)
{
	char found[128];

	ki_node_describe(at, found, sizeof found);
	return ki_reader_fail(r, at, "%s: expected %s, found %s", path, expected, found);
}

static int reader_unknown_key(const struct ki_reader *r, const struct ki_node *key,
			      const char *path, const struct ki_field *fields, size_t n)
{
	struct ki_buffer known;
	size_t i;
	int rc;

	ki_buffer_init(&known, READER_TEXT_MAX);
	for (i = 0; i < n; i++)
		ki_buffer_printf(&known, "%s%s", i ? ", " : "", fields[i].key);
	rc = ki_reader_fail(r, key, "%s: unknown key \"%s\"; known are %s", path, key->text,
			    known.data);
	ki_buffer_fini(&known);
	return rc;
}

static int reader_whole(const struct ki_reader *r, const struct ki_node *v, const char *path,
			const struct ki_field *f, uint64_t number)
{
	if (number < f->minimum)
		return ki_reader_fail(r, v, "%s: %s is below the minimum of %llu", path, v->text,
				      (unsigned long long)f->minimum);
	if (f->maximum != 0 && number > f->maximum)
		return ki_reader_fail(r, v, "%s: %s is above the maximum of %llu", path, v->text,
				      (unsigned long long)f->maximum);
	return KI_SUCCESS;
}

static int reader_duration(const struct ki_reader *r, const struct ki_node *v, const char *path,
			   uint64_t *out)
{
	if (v->type == KI_NODE_INTEGER && v->integer >= 0) {
		*out = (uint64_t)v->integer;
		return KI_SUCCESS;
	}
	if (v->type == KI_NODE_STRING && ki_duration_parse(out, v->text))
		return KI_SUCCESS;
	return ki_reader_expected(r, v, path, "a duration such as \"25 ms\"");
}

static int reader_number(const struct ki_reader *r, const struct ki_node *v, const char *path,
			 const struct ki_field *f, void *slot)
{
	uint64_t number = 0;
	int rc = KI_SUCCESS;

	if (f->type == KI_FIELD_DURATION)
		rc = reader_duration(r, v, path, &number);
	else if (v->type != KI_NODE_INTEGER || v->integer < 0)
		rc = ki_reader_expected(r, v, path, "an integer that is not negative");
	else
		number = (uint64_t)v->integer;
	if (rc == KI_SUCCESS)
		rc = reader_whole(r, v, path, f, number);
	if (rc == KI_SUCCESS)
		memcpy(slot, &number, sizeof number);
	return rc;
}

static int reader_real(const struct ki_reader *r, const struct ki_node *v, const char *path,
		       void *slot)
{
	if ((v->type != KI_NODE_INTEGER && v->type != KI_NODE_REAL) || !isfinite(v->real))
		return ki_reader_expected(r, v, path, "a number");
	memcpy(slot, &v->real, sizeof v->real);
	return KI_SUCCESS;
}

static int reader_node(const struct ki_reader *r, const struct ki_node *v, const char *path,
		       enum ki_field_type type, void *slot)
{
	if (type == KI_FIELD_MAPPING && v->type != KI_NODE_MAPPING)
		return ki_reader_expected(r, v, path, "a mapping");
	if (type == KI_FIELD_SEQUENCE && v->type != KI_NODE_SEQUENCE)
		return ki_reader_expected(r, v, path, "a sequence");
	*(const struct ki_node **)slot = v;
	return KI_SUCCESS;
}

static int reader_value(const struct ki_reader *r, const struct ki_node *v, const char *path,
			const struct ki_field *f, void *slot)
{
	switch (f->type) {
	case KI_FIELD_STRING:
		if (v->type != KI_NODE_STRING || strlen(v->text) != v->size)
			return ki_reader_expected(r, v, path, "a string");
		memcpy(slot, &v->text, sizeof v->text);
		return KI_SUCCESS;
	case KI_FIELD_BOOLEAN:
		if (v->type != KI_NODE_BOOLEAN)
			return ki_reader_expected(r, v, path, "true or false");
		memcpy(slot, &v->boolean, sizeof v->boolean);
		return KI_SUCCESS;
	case KI_FIELD_REAL:
		return reader_real(r, v, path, slot);
	case KI_FIELD_UNSIGNED:
	case KI_FIELD_DURATION:
		return reader_number(r, v, path, f, slot);
	default:
		return reader_node(r, v, path, f->type, slot);
	}
}

static const struct ki_field *reader_field(const struct ki_field *fields, size_t n, const char *key)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(fields[i].key, key) == 0)
			return &fields[i];
	return NULL;
}

int ki_reader_fields(const struct ki_reader *r, const struct ki_node *mapping, const char *path,
		     const struct ki_field *fields, size_t n_fields, void *out)
{
	char inner[READER_TEXT_MAX];
	size_t i;

	if (mapping->type != KI_NODE_MAPPING)
		return ki_reader_expected(r, mapping, path, "a mapping");
	for (i = 0; i < mapping->count; i++) {
		const struct ki_field *f = reader_field(fields, n_fields, mapping->keys[i]->text);
		int rc;

		if (f == NULL)
			return reader_unknown_key(r, mapping->keys[i], path, fields, n_fields);
		snprintf(inner, sizeof inner, "%s.%s", path, f->key);
		rc = reader_value(r, mapping->items[i], inner, f, (char *)out + f->offset);
		if (rc != KI_SUCCESS)
			return rc;
	}
	for (i = 0; i < n_fields; i++)
		if (fields[i].required && ki_node_get(mapping, fields[i].key) == NULL)
			return ki_reader_fail(r, mapping, "%s: missing key \"%s\"", path,
					      fields[i].key);
	return KI_SUCCESS;
}
