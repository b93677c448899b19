/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/utf8.h"
#include "document/canonical.h"
#include "document/yaml.h"

#define CORE_TAG "tag:yaml.org,2002:"

struct list {
	struct ki_node **data;
	size_t count;
	size_t capacity;
};

struct anchor {
	char *name;
	struct ki_node *node;
	bool open; /* its collection has not ended: an alias to it would be a cycle */
};

struct reader {
	yaml_parser_t parser;
	struct ki_yaml yaml; /* what has been read so far */
	const char *text;
	size_t size;
	size_t cursor_bytes;      /* of the text, where the last place asked for is ... */
	size_t cursor_characters; /* ... counted as libyaml counts */
	struct anchor *anchors;
	size_t anchor_count;
	size_t anchor_capacity;
	size_t depth;    /* open collections */
	size_t aliases;  /* uses so far */
	size_t repeated; /* bytes that those stand for */
	struct ki_error *e;
};

typedef int read_fn(struct reader *r, struct ki_node **out, const yaml_event_t *ev);
static read_fn read_value;

KI_PRINTF(4, 5)
static int fail_at(struct reader *r, size_t line, size_t column, const char *fmt, ...)
{
	char what[KI_ERROR_TEXT_MAX / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return ki_error_set(r->e, KI_FAIL_INPUT, "%.480s:%zu:%zu: %s", r->yaml.name, line, column,
			    what);
}

#define fail(r, ev, ...)                                                                           \
	fail_at(r, (ev)->start_mark.line + 1, (ev)->start_mark.column + 1, __VA_ARGS__)

static int fail_memory(struct reader *r)
{
	return ki_error_set(r->e, KI_FAIL_MEMORY, "%.480s: memory ran out", r->yaml.name);
}

/* data with room for one more item behind count; NULL when memory ran out (data then still is). */
static void *grown(void *data, size_t *capacity, size_t count, size_t item_bytes)
{
	size_t want = *capacity == 0 ? 4 : *capacity * 2;
	void *bigger;

	if (count < *capacity)
		return data;
	bigger = reallocarray(data, want, item_bytes);
	if (bigger != NULL)
		*capacity = want;
	return bigger;
}

static bool list_add(struct list *l, struct ki_node *n)
{
	struct ki_node **data = grown(l->data, &l->capacity, l->count, sizeof(struct ki_node *));

	if (data == NULL)
		return false;
	l->data = data;
	l->data[l->count++] = n;
	return true;
}

/* c-printable of YAML 1.2.2, 5.1. */
static bool is_printable(uint32_t c)
{
	if (c < 0xa0)
		return (c >= 0x20 && c <= 0x7e) || c == '\t' || c == '\n' || c == '\r' || c == 0x85;
	return c != 0xfffe && c != 0xffff;
}

static const char *what_is_wrong_with(uint32_t c, bool before_line_feed)
{
	if (!is_printable(c))
		return "may not be in YAML; in double quotes it can be written as an escape";
	if (c == 0x85 || c == 0x2028 || c == 0x2029)
		return "ends a line in YAML 1.1 and not in 1.2; in double quotes it can be "
		       "written as an escape";
	if (c == '\r' && !before_line_feed)
		return "is a carriage return without a line feed";
	return NULL;
}

static int check_characters(struct reader *r)
{
	const unsigned char *s = (const unsigned char *)r->text;
	size_t at, n, line = 1, column = 1;
	const char *wrong;
	uint32_t c;

	for (at = 0; at < r->size; at += n) {
		n = ki_utf8_decode(&c, r->text + at, r->size - at);
		if (n == 0)
			return fail_at(r, line, column, "byte 0x%02x is not UTF-8", s[at]);
		wrong = what_is_wrong_with(c, at + 1 < r->size && s[at + 1] == '\n');
		if (wrong != NULL)
			return fail_at(r, line, column, "U+%04" PRIX32 " %s", c, wrong);
		column++;
		if (c == '\n') {
			line++;
			column = 1;
		}
	}
	return 0;
}

/* libyaml's own complaint, as one line. */
static int fail_parser(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	size_t line = p->problem_mark.line + 1;
	size_t from = p->context_mark.line + 1;

	if (p->error == YAML_MEMORY_ERROR)
		return fail_memory(r);
	if (p->context == NULL)
		return fail_at(r, line, p->problem_mark.column + 1, "%s", p->problem);
	if (from == line)
		return fail_at(r, line, p->problem_mark.column + 1, "%s (%s)", p->problem,
			       p->context);
	return fail_at(r, line, p->problem_mark.column + 1, "%s (%s from line %zu)", p->problem,
		       p->context, from);
}

static int next_event(struct reader *r, yaml_event_t *ev)
{
	return yaml_parser_parse(&r->parser, ev) ? 0 : fail_parser(r);
}

static struct ki_node *new_node(struct reader *r, const yaml_event_t *ev)
{
	struct ki_node *n = calloc(1, sizeof *n);

	if (n == NULL)
		return NULL;
	n->line = (uint32_t)(ev->start_mark.line + 1);
	n->column = (uint32_t)(ev->start_mark.column + 1);
	n->next = r->yaml.nodes;
	r->yaml.nodes = n;
	return n;
}

static struct ki_node *new_scalar(struct reader *r, const yaml_event_t *ev, const char *text,
				  size_t size)
{
	struct ki_node *n = new_node(r, ev);

	if (n == NULL)
		return NULL;
	n->type = KI_NODE_STRING;
	n->text = malloc(size + 1);
	if (n->text == NULL)
		return NULL;
	memcpy(n->text, text, size);
	n->text[size] = '\0';
	n->size = size;
	return n;
}

static int anchor_add(struct reader *r, const yaml_char_t *name, struct ki_node *node)
{
	struct anchor *anchors;
	char *copy;

	if (name == NULL)
		return 0;
	anchors = grown(r->anchors, &r->anchor_capacity, r->anchor_count, sizeof *anchors);
	if (anchors == NULL)
		return fail_memory(r);
	r->anchors = anchors;
	copy = strdup((const char *)name);
	if (copy == NULL)
		return fail_memory(r);
	r->anchors[r->anchor_count++] = (struct anchor){.name = copy, .node = node};
	return 0;
}

/* Anchors end with their document. */
static void anchors_clear(struct reader *r)
{
	while (r->anchor_count > 0)
		free(r->anchors[--r->anchor_count].name);
}

struct extent {
	size_t bytes;  /* of text, and one for each value */
	size_t height; /* collections, one in another */
};

/* Stops early, with bytes beyond the maximum: a few lines of aliases can stand for 9^9 values. */
static void measure(struct extent *x, const struct ki_node *n, size_t depth)
{
	size_t i;

	x->bytes += 1 + n->size;
	if (n->type != KI_NODE_SEQUENCE && n->type != KI_NODE_MAPPING)
		return;
	if (depth + 1 > x->height)
		x->height = depth + 1;
	for (i = 0; i < n->count && x->bytes <= KI_YAML_BYTES_MAX; i++) {
		x->bytes += n->type == KI_NODE_MAPPING ? n->keys[i]->size : 0;
		measure(x, n->items[i], depth + 1);
	}
}

static int read_alias(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	const char *name = (const char *)ev->data.alias.anchor;
	struct extent x = {.bytes = r->repeated};
	const struct anchor *a = NULL;
	size_t i;

	for (i = r->anchor_count; i > 0 && a == NULL; i--)
		if (strcmp(r->anchors[i - 1].name, name) == 0)
			a = &r->anchors[i - 1];
	if (a == NULL)
		return fail(r, ev, "alias *%.64s has no anchor before it", name);
	if (a->open)
		return fail(r, ev, "alias *%.64s is inside of what it stands for", name);
	if (++r->aliases > KI_YAML_ALIAS_MAX)
		return fail(r, ev, "more than %d uses of aliases", KI_YAML_ALIAS_MAX);
	measure(&x, a->node, 0);
	r->repeated = x.bytes;
	if (x.bytes > KI_YAML_BYTES_MAX)
		return fail(r, ev, "aliases stand for more than %u bytes", KI_YAML_BYTES_MAX);
	if (r->depth + x.height > KI_YAML_DEPTH_MAX)
		return fail(r, ev, "nested deeper than %d", KI_YAML_DEPTH_MAX);
	*out = a->node;
	return 0;
}

static const struct core_tag {
	const char *name;
	enum ki_node_type type;
} core_tags[] = {
	{"null", KI_NODE_NULL},   {"bool", KI_NODE_BOOLEAN}, {"int", KI_NODE_INTEGER},
	{"float", KI_NODE_REAL},  {"str", KI_NODE_STRING},   {"seq", KI_NODE_SEQUENCE},
	{"map", KI_NODE_MAPPING},
};

/* Types of YAML 1.1 that readers may turn into something that JSON does not have. */
static const char *const foreign_tags[] = {"binary", "merge", "omap", "pairs", "set", "timestamp"};

/* *out is NULL for no tag and for one that means nothing here. */
static int find_tag(struct reader *r, const struct core_tag **out, const yaml_char_t *tag,
		    const yaml_event_t *ev)
{
	const size_t prefix = sizeof CORE_TAG - 1;
	const char *name;
	size_t i;

	*out = NULL;
	if (tag == NULL || strncmp((const char *)tag, CORE_TAG, prefix) != 0)
		return 0;
	name = (const char *)tag + prefix;
	for (i = 0; i < sizeof core_tags / sizeof core_tags[0]; i++)
		if (strcmp(name, core_tags[i].name) == 0)
			*out = &core_tags[i];
	for (i = 0; i < sizeof foreign_tags / sizeof foreign_tags[0]; i++)
		if (strcmp(name, foreign_tags[i]) == 0)
			return fail(r, ev, "a value tagged !!%s has no JSON form", name);
	return 0;
}

static int fail_tag(struct reader *r, const struct core_tag *tag, const struct ki_node *n,
		    const yaml_event_t *ev)
{
	char what[2 * KI_NODE_EXCERPT_MAX];

	ki_node_describe(n, what, sizeof what);
	return fail(r, ev, "tag !!%s does not fit %s", tag->name, what);
}

static int apply_tag(struct reader *r, const struct core_tag *tag, struct ki_node *n,
		     const yaml_event_t *ev)
{
	int rc = 0;

	if (tag->type == KI_NODE_STRING)
		return 0;
	if (tag->type != KI_NODE_SEQUENCE && tag->type != KI_NODE_MAPPING)
		rc = ki_node_resolve(n, r->e);
	if (rc == 0 && tag->type == KI_NODE_REAL && n->type == KI_NODE_INTEGER)
		n->type = KI_NODE_REAL;
	if (rc == 0 && n->type != tag->type)
		rc = fail_tag(r, tag, n, ev);
	return rc;
}

/* The text at a mark, which libyaml counts in characters.  Places are asked for in order. */
static const char *text_at(struct reader *r, const yaml_mark_t *mark)
{
	if (mark->index < r->cursor_characters)
		r->cursor_bytes = r->cursor_characters = 0;
	while (r->cursor_characters < mark->index && r->cursor_bytes < r->size) {
		r->cursor_bytes++;
		while (r->cursor_bytes < r->size && (r->text[r->cursor_bytes] & 0xc0) == 0x80)
			r->cursor_bytes++;
		r->cursor_characters++;
	}
	return r->text + r->cursor_bytes;
}

/*
 * "! 5" is the string "5", but libyaml drops a tag that is a lone "!" in front of a plain scalar,
 * which itself cannot start with "!" or "&".
 */
static bool has_lone_tag(struct reader *r, const yaml_event_t *ev)
{
	const char *end = r->text + r->size;
	const char *p;

	if (ev->start_mark.index == ev->end_mark.index)
		return false;
	p = text_at(r, &ev->start_mark);
	if (p < end && *p == '&') {
		while (p < end && strchr(" \t\r\n", *p) == NULL)
			p++;
		while (p < end && strchr(" \t\r\n", *p) != NULL)
			p++;
	}
	return p < end && *p == '!';
}

static int read_scalar(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	const char *text = (const char *)ev->data.scalar.value;
	const struct core_tag *tag;
	struct ki_node *n;
	bool plain;
	int rc;

	rc = find_tag(r, &tag, ev->data.scalar.tag, ev);
	if (rc != 0)
		return rc;
	n = new_scalar(r, ev, text, ev->data.scalar.length);
	if (n == NULL)
		return fail_memory(r);
	plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && ev->data.scalar.tag == NULL;
	if (tag != NULL)
		rc = apply_tag(r, tag, n, ev);
	else if (plain && !has_lone_tag(r, ev))
		rc = ki_node_resolve(n, r->e);
	if (rc == 0)
		rc = anchor_add(r, ev->data.scalar.anchor, n);
	if (rc == 0)
		*out = n;
	return rc;
}

/* Adds the next value to l, or clears *more when it is the end of the collection. */
static int read_item(struct reader *r, struct list *l, read_fn *read, yaml_event_type_t end,
		     bool *more)
{
	struct ki_node *n = NULL;
	yaml_event_t ev;
	int rc;

	rc = next_event(r, &ev);
	if (rc != 0)
		return rc;
	*more = ev.type != end;
	if (*more)
		rc = read(r, &n, &ev);
	if (n != NULL && !list_add(l, n))
		rc = fail_memory(r);
	yaml_event_delete(&ev);
	return rc;
}

/* What a number is called as a key: Kernel Index's keys are JavaScript's property names. */
static void print_number_key(char out[KI_CANONICAL_NUMBER_MAX], double value)
{
	if (isfinite(value))
		ki_canonical_number(out, value);
	else
		snprintf(out, KI_CANONICAL_NUMBER_MAX, "%s",
			 isnan(value) ? "NaN"
			 : value < 0  ? "-Infinity"
				      : "Infinity");
}

static int read_key(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	char number[KI_CANONICAL_NUMBER_MAX];
	const char *text = number;
	struct ki_node *n = NULL;
	size_t size;
	int rc = read_value(r, &n, ev);

	if (n == NULL) /* only a success sets it */
		return rc;
	if (n->type == KI_NODE_SEQUENCE || n->type == KI_NODE_MAPPING)
		return fail(r, ev, "a key must be a scalar, and this one is a %s",
			    n->type == KI_NODE_MAPPING ? "mapping" : "sequence");
	if (n->type == KI_NODE_STRING)
		text = n->text;
	else if (n->type == KI_NODE_INTEGER || n->type == KI_NODE_REAL)
		print_number_key(number, n->real);
	else if (n->type == KI_NODE_BOOLEAN)
		text = n->boolean ? "true" : "false";
	else
		text = "";
	size = strlen(text);
	if (n->type == KI_NODE_STRING && size != n->size)
		return fail(r, ev, "a key cannot contain U+0000");
	/* A node of its own: what an alias stands for was written in another place. */
	n = new_scalar(r, ev, text, size);
	if (n == NULL)
		return fail_memory(r);
	*out = n;
	return 0;
}

static int compare_places(const struct ki_node *x, const struct ki_node *y)
{
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

static int compare_keys(const void *a, const void *b)
{
	const struct ki_node *x = *(struct ki_node *const *)a;
	const struct ki_node *y = *(struct ki_node *const *)b;
	int order = strcmp(x->text, y->text);

	return order != 0 ? order : compare_places(x, y);
}

/* Sorting, as a file may hold a mapping of 300 000 keys; of many duplicates, the topmost is told.
 */
static int check_keys(struct reader *r, const struct ki_node *mapping)
{
	const struct ki_node *first = NULL, *again = NULL;
	char text[KI_NODE_EXCERPT_MAX];
	struct ki_node **keys;
	size_t i;

	if (mapping->count < 2 || mapping->keys == NULL)
		return 0;
	keys = reallocarray(NULL, mapping->count, sizeof(struct ki_node *));
	if (keys == NULL)
		return fail_memory(r);
	memcpy(keys, mapping->keys, mapping->count * sizeof(struct ki_node *));
	qsort(keys, mapping->count, sizeof(struct ki_node *), compare_keys);
	for (i = 1; i < mapping->count; i++) {
		if (strcmp(keys[i - 1]->text, keys[i]->text) != 0)
			continue;
		if (again != NULL && compare_places(again, keys[i]) < 0)
			continue;
		first = keys[i - 1];
		again = keys[i];
	}
	free(keys);
	if (again == NULL)
		return 0;
	ki_node_excerpt(again, text);
	return fail_at(r, again->line, again->column, "duplicate key '%s', first at line %" PRIu32,
		       text, first->line);
}

static int read_sequence(struct reader *r, struct ki_node *n)
{
	struct list items = {0};
	bool more = true;
	int rc = 0;

	while (rc == 0 && more)
		rc = read_item(r, &items, read_value, YAML_SEQUENCE_END_EVENT, &more);
	n->items = items.data;
	n->count = items.count;
	return rc;
}

static int read_mapping(struct reader *r, struct ki_node *n)
{
	struct list keys = {0}, items = {0};
	bool more = true;
	int rc = 0;

	while (rc == 0 && more) {
		rc = read_item(r, &keys, read_key, YAML_MAPPING_END_EVENT, &more);
		if (rc == 0 && more)
			rc = read_item(r, &items, read_value, YAML_NO_EVENT, &more);
	}
	n->keys = keys.data;
	n->items = items.data;
	n->count = items.count;
	return rc == 0 ? check_keys(r, n) : rc;
}

static int read_collection(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	bool mapping = ev->type == YAML_MAPPING_START_EVENT;
	size_t anchor = r->anchor_count;
	const struct core_tag *tag;
	struct ki_node *n;
	int rc;

	if (r->depth >= KI_YAML_DEPTH_MAX)
		return fail(r, ev, "nested deeper than %d", KI_YAML_DEPTH_MAX);
	n = new_node(r, ev);
	if (n == NULL)
		return fail_memory(r);
	n->type = mapping ? KI_NODE_MAPPING : KI_NODE_SEQUENCE;
	rc = find_tag(r, &tag, mapping ? ev->data.mapping_start.tag : ev->data.sequence_start.tag,
		      ev);
	if (rc == 0 && tag != NULL && tag->type != n->type)
		rc = fail_tag(r, tag, n, ev);
	if (rc == 0)
		rc = anchor_add(
			r, mapping ? ev->data.mapping_start.anchor : ev->data.sequence_start.anchor,
			n);
	if (rc != 0)
		return rc;
	if (r->anchor_count > anchor)
		r->anchors[anchor].open = true;
	r->depth++;
	rc = mapping ? read_mapping(r, n) : read_sequence(r, n);
	r->depth--;
	/* anchor_add() put it there; anchors inside of it came behind. */
	if (r->anchor_count > anchor)
		r->anchors[anchor].open = false;
	if (rc == 0)
		*out = n;
	return rc;
}

static int read_value(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_ALIAS_EVENT:
		return read_alias(r, out, ev);
	case YAML_SCALAR_EVENT:
		return read_scalar(r, out, ev);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return read_collection(r, out, ev);
	default:
		return fail(r, ev, "a value is missing");
	}
}

static int read_stream(struct reader *r, struct list *documents)
{
	yaml_event_type_t type = YAML_NO_EVENT;
	int rc = 0;

	while (rc == 0 && type != YAML_STREAM_END_EVENT) {
		yaml_event_t ev;
		bool more;

		rc = next_event(r, &ev);
		if (rc != 0)
			break;
		type = ev.type;
		yaml_event_delete(&ev);
		if (type != YAML_DOCUMENT_START_EVENT)
			continue;
		anchors_clear(r);
		rc = read_item(r, documents, read_value, YAML_NO_EVENT, &more);
	}
	return rc;
}

static int read_text(struct reader *r)
{
	struct list documents = {0};
	int rc = check_characters(r);

	if (rc != 0)
		return rc;
	if (!yaml_parser_initialize(&r->parser))
		return fail_memory(r);
	yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text, r->size);
	rc = read_stream(r, &documents);
	r->yaml.documents = documents.data;
	r->yaml.count = documents.count;
	anchors_clear(r);
	free(r->anchors);
	yaml_parser_delete(&r->parser);
	return rc;
}

int ki_yaml_parse(struct ki_yaml *out, const char *name, const char *text, size_t size,
		  struct ki_error *e)
{
	struct reader r = {.text = text, .size = size, .e = e};
	int rc;

	if (size > KI_YAML_BYTES_MAX)
		return ki_error_set(e, KI_FAIL_INPUT, "%s: larger than %u bytes", name,
				    KI_YAML_BYTES_MAX);
	r.yaml.name = strdup(name);
	if (r.yaml.name == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", name);
	/* A byte order mark is not a character of line 1. */
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		r.text += 3;
		r.size -= 3;
	}
	rc = read_text(&r);
	if (rc == 0)
		*out = r.yaml;
	else
		ki_yaml_free(&r.yaml);
	return rc;
}

int ki_yaml_read(struct ki_yaml *out, const char *path, struct ki_error *e)
{
	char *text;
	size_t size;
	int rc = ki_file_read(&text, &size, path, KI_YAML_BYTES_MAX, e);

	/* Whatever the system's reason, it is the user's file that is wrong. */
	if (rc == KI_FAIL_SYSTEM || rc == KI_FAIL_LIMIT) {
		if (e != NULL)
			e->code = KI_FAIL_INPUT;
		return KI_FAIL_INPUT;
	}
	if (rc != 0)
		return rc;
	rc = ki_yaml_parse(out, path, text, size, e);
	free(text);
	return rc;
}

void ki_yaml_free(struct ki_yaml *y)
{
	while (y->nodes != NULL) {
		struct ki_node *n = y->nodes;

		y->nodes = n->next;
		free(n->text);
		free(n->items);
		free(n->keys);
		free(n);
	}
	free(y->documents);
	free(y->name);
	*y = (struct ki_yaml){0};
}
