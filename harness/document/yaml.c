/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/array.h"
#include "base/file.h"
#include "document/anchor.h"
#include "document/key.h"
#include "document/text.h"
#include "document/yaml.h"

#define CORE_TAG "tag:yaml.org,2002:"

struct list {
	struct ki_node **data;
	size_t count;
	size_t capacity;
};

struct reader {
	yaml_parser_t parser;
	struct ki_yaml yaml;      /* what has been read so far */
	struct ki_text text;      /* what libyaml reads */
	size_t cursor_bytes;      /* of the text, where the last place asked for is ... */
	size_t cursor_characters; /* ... counted as libyaml counts */
	size_t *lines;            /* where each line of the text starts, in bytes */
	size_t line_count;
	struct ki_anchors anchors;
	size_t depth;      /* open collections */
	size_t flow_depth; /* those in brackets */
	size_t least;      /* spaces before every further line of a value here */
	size_t scalars;    /* so far */
	size_t repeated;   /* bytes that aliases so far stand for */
	yaml_mark_t end;   /* of the collection that ended last */
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

static bool list_add(struct list *l, struct ki_node *n)
{
	struct ki_node **data =
		ki_array_grow(l->data, &l->capacity, l->count, sizeof(struct ki_node *));

	if (data == NULL)
		return false;
	l->data = data;
	l->data[l->count++] = n;
	return true;
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

static int add_anchor(struct reader *r, const yaml_char_t *name, struct ki_node *node)
{
	if (name != NULL && !ki_anchors_add(&r->anchors, (const char *)name, node))
		return fail_memory(r);
	return 0;
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
	for (i = 0; i < n->count && x->bytes <= KI_YAML_REPEATED_MAX; i++) {
		x->bytes += n->type == KI_NODE_MAPPING ? n->keys[i]->size : 0;
		measure(x, n->items[i], depth + 1);
	}
}

static int read_alias(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	const char *name = (const char *)ev->data.alias.anchor;
	struct ki_anchor *a = ki_anchors_find(&r->anchors, name);
	struct extent x = {.bytes = r->repeated};
	bool allowed;

	if (a == NULL)
		return fail(r, ev, "alias *%.64s has no anchor before it", name);
	if (a->open)
		return fail(r, ev, "alias *%.64s is inside of what it stands for", name);
	if (!ki_anchors_use(&allowed, &r->anchors, a))
		return fail_memory(r);
	if (!allowed)
		return fail(r, ev, "too many uses of aliases: *%.64s makes more than %d", name,
			    KI_ANCHOR_PRODUCT_MAX - 1);
	measure(&x, a->node, 0);
	r->repeated = x.bytes;
	if (x.bytes > KI_YAML_REPEATED_MAX)
		return fail(r, ev, "aliases stand for more than %u bytes", KI_YAML_REPEATED_MAX);
	if (r->depth + x.height > KI_YAML_DEPTH_MAX)
		return fail(r, ev, "nested deeper than %d", KI_YAML_DEPTH_MAX);
	*out = a->node;
	return 0;
}

/* The name of a tag of YAML's own, or NULL. */
static const char *core_tag(const yaml_char_t *tag)
{
	const size_t prefix = sizeof CORE_TAG - 1;

	if (tag == NULL || strncmp((const char *)tag, CORE_TAG, prefix) != 0)
		return NULL;
	return (const char *)tag + prefix;
}

/* Whether tag makes a value of this kind something that JSON does not have. */
static bool is_foreign(const char *tag, enum ki_node_type type)
{
	static const struct {
		const char *name;
		enum ki_node_type type;
	} foreign[] = {
		{"set", KI_NODE_MAPPING},    {"omap", KI_NODE_SEQUENCE},
		{"pairs", KI_NODE_SEQUENCE}, {"binary", KI_NODE_STRING},
		{"merge", KI_NODE_STRING},   {"timestamp", KI_NODE_STRING},
	};
	size_t i;

	for (i = 0; tag != NULL && i < sizeof foreign / sizeof foreign[0]; i++)
		if (type == foreign[i].type && strcmp(tag, foreign[i].name) == 0)
			return true;
	return false;
}

/* What n is when a tag names its type: a value of that type if its text is one, else a string. */
static int resolve_tagged(struct reader *r, const char *tag, struct ki_node *n)
{
	int rc = ki_node_resolve(n, r->e);

	if (rc == 0 && strcmp(tag, ki_node_tag(n)) != 0)
		n->type = KI_NODE_STRING;
	return rc;
}

static int make_foreign(struct reader *r, struct ki_node *n, const char *tag)
{
	free(n->text);
	n->text = strdup(tag);
	if (n->text == NULL)
		return fail_memory(r);
	n->size = strlen(tag);
	n->type = KI_NODE_FOREIGN;
	return 0;
}

/* The text at a mark, which libyaml counts in characters.  Places are asked for in order. */
static const char *text_at(struct reader *r, const yaml_mark_t *mark)
{
	if (mark->index < r->cursor_characters)
		r->cursor_bytes = r->cursor_characters = 0;
	while (r->cursor_characters < mark->index && r->cursor_bytes < r->text.size) {
		r->cursor_bytes++;
		while (r->cursor_bytes < r->text.size &&
		       (r->text.data[r->cursor_bytes] & 0xc0) == 0x80)
			r->cursor_bytes++;
		r->cursor_characters++;
	}
	return r->text.data + r->cursor_bytes;
}

/*
 * "! 5" is the string "5", but libyaml drops a tag that is a lone "!" in front of a plain scalar,
 * which itself cannot start with "!" or "&".
 */
static bool has_lone_tag(struct reader *r, const yaml_event_t *ev)
{
	const char *end = r->text.data + r->text.size;
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

static size_t indent_of(const struct reader *r, size_t line)
{
	size_t at = r->lines[line];

	while (at < r->text.size && r->text.data[at] == ' ')
		at++;
	return at - r->lines[line];
}

/*
 * libyaml does not ask the further lines of quoted and bracketed values to be indented; YAML does.
 * In brackets comments may stand anywhere, and the last bracket as far left as the block is.
 */
static int check_indent(struct reader *r, const yaml_mark_t *start, const yaml_mark_t *end,
			bool brackets)
{
	size_t line;

	for (line = start->line + 1; line <= end->line && line < r->line_count; line++) {
		size_t indent = indent_of(r, line);
		const char *p = r->text.data + r->lines[line] + indent;
		bool last = line == end->line && indent + 1 == end->column;

		if (indent >= r->least || p == r->text.data + r->text.size || *p == '\n' ||
		    *p == '\r')
			continue;
		if (brackets && (*p == '#' || (last && indent + 1 == r->least)))
			continue;
		return fail_at(
			r, line + 1, indent + 1,
			"this line must be indented by %zu or more spaces, as it belongs to a "
			"value that starts at line %zu",
			r->least, start->line + 1);
	}
	return 0;
}

static int read_scalar(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	const char *text = (const char *)ev->data.scalar.value;
	const char *tag = core_tag(ev->data.scalar.tag);
	yaml_scalar_style_t style = ev->data.scalar.style;
	struct ki_node *n;
	int rc = 0;

	if (style == YAML_DOUBLE_QUOTED_SCALAR_STYLE || style == YAML_SINGLE_QUOTED_SCALAR_STYLE)
		rc = check_indent(r, &ev->start_mark, &ev->end_mark, false);
	if (rc != 0)
		return rc;
	r->scalars++;
	n = new_scalar(r, ev, text, ev->data.scalar.length);
	if (n == NULL)
		return fail_memory(r);
	n->size = ki_text_restore(&r->text, n->text, n->size,
				  style == YAML_DOUBLE_QUOTED_SCALAR_STYLE);
	if (is_foreign(tag, KI_NODE_STRING))
		rc = make_foreign(r, n, tag);
	else if (tag != NULL)
		rc = resolve_tagged(r, tag, n);
	else if (style == YAML_PLAIN_SCALAR_STYLE && ev->data.scalar.tag == NULL &&
		 !has_lone_tag(r, ev))
		rc = ki_node_resolve(n, r->e);
	if (rc == 0)
		rc = add_anchor(r, ev->data.scalar.anchor, n);
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
	else
		r->end = ev.end_mark;
	if (n != NULL && !list_add(l, n))
		rc = fail_memory(r);
	yaml_event_delete(&ev);
	return rc;
}

/* *out is the key's name: a node of its own, as what an alias stands for stands elsewhere. */
static int read_key(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	char buffer[KI_CANONICAL_NUMBER_MAX];
	struct ki_node *n = NULL, *name;
	const char *text;
	size_t size;
	int rc = read_value(r, &n, ev);

	if (n == NULL) /* only a success sets it */
		return rc;
	if (n->type == KI_NODE_SEQUENCE || n->type == KI_NODE_MAPPING || n->type == KI_NODE_FOREIGN)
		return fail(r, ev, "a key must be a scalar, and this one is a %s",
			    n->type == KI_NODE_MAPPING    ? "mapping"
			    : n->type == KI_NODE_SEQUENCE ? "sequence"
							  : "value that JSON does not have");
	text = ki_key_text(&size, n, buffer);
	if (strlen(text) != size)
		return fail(r, ev, "a key cannot contain U+0000");
	name = new_scalar(r, ev, text, size);
	if (name == NULL)
		return fail_memory(r);
	/* Until the mapping is whole, what the key was is kept where only numbers are. */
	name->integer = (int64_t)ki_key_type(n, ev->type == YAML_ALIAS_EVENT);
	*out = name;
	return 0;
}

/* Sorting, as a file may hold a mapping of 300 000 keys; of many duplicates, the topmost is told.
 */
static int settle_keys(struct reader *r, struct ki_node *mapping)
{
	const struct ki_key *first, *again;
	char text[KI_NODE_EXCERPT_MAX];
	struct ki_key *keys;
	int rc = 0;
	size_t i;

	if (mapping->count < 2 || mapping->keys == NULL)
		return 0;
	keys = reallocarray(NULL, mapping->count, sizeof *keys);
	if (keys == NULL)
		return fail_memory(r);
	for (i = 0; i < mapping->count; i++) {
		keys[i] = (struct ki_key){
			.name = mapping->keys[i],
			.type = (enum ki_key_type)mapping->keys[i]->integer,
			.at = i,
		};
		mapping->keys[i]->integer = 0;
	}
	if (ki_keys_find_duplicate(&first, &again, keys, mapping->count)) {
		ki_node_excerpt(again->name, text);
		rc = fail_at(r, again->name->line, again->name->column,
			     "duplicate key '%s', first at line %" PRIu32, text, first->name->line);
	} else {
		ki_keys_collapse(mapping, keys, mapping->count);
	}
	free(keys);
	return rc;
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
	return rc == 0 ? settle_keys(r, n) : rc;
}

/* The column, from 0, that the entries of a block collection have. */
static size_t block_column(const struct reader *r, const yaml_event_t *ev)
{
	size_t column = ev->end_mark.column;
	size_t at = ev->end_mark.line < r->line_count ? r->lines[ev->end_mark.line] + column
						      : r->text.size;

	if (ev->type == YAML_MAPPING_START_EVENT)
		return column;
	/* A sequence as far left as its key: libyaml's mark is behind the hyphen. */
	return at < r->text.size && r->text.data[at] == '-' ? column : column - (column > 0);
}

static int read_items(struct reader *r, struct ki_node *n, const yaml_event_t *ev)
{
	bool flow = n->type == KI_NODE_MAPPING
			    ? ev->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
			    : ev->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	size_t least = r->least;
	int rc;

	if (!flow)
		r->least = block_column(r, ev) + 1;
	r->flow_depth += flow;
	rc = n->type == KI_NODE_MAPPING ? read_mapping(r, n) : read_sequence(r, n);
	r->flow_depth -= flow;
	if (rc == 0 && flow && r->flow_depth == 0)
		rc = check_indent(r, &ev->start_mark, &r->end, true);
	r->least = least;
	return rc;
}

static int read_collection(struct reader *r, struct ki_node **out, const yaml_event_t *ev)
{
	bool mapping = ev->type == YAML_MAPPING_START_EVENT;
	const yaml_char_t *anchor =
		mapping ? ev->data.mapping_start.anchor : ev->data.sequence_start.anchor;
	const char *tag =
		core_tag(mapping ? ev->data.mapping_start.tag : ev->data.sequence_start.tag);
	size_t i = r->anchors.count, scalars = r->scalars;
	struct ki_node *n;
	int rc;

	if (r->depth >= KI_YAML_DEPTH_MAX)
		return fail(r, ev, "nested deeper than %d", KI_YAML_DEPTH_MAX);
	n = new_node(r, ev);
	if (n == NULL)
		return fail_memory(r);
	n->type = mapping ? KI_NODE_MAPPING : KI_NODE_SEQUENCE;
	rc = add_anchor(r, anchor, n);
	if (rc != 0)
		return rc;
	r->depth++;
	rc = read_items(r, n, ev);
	r->depth--;
	if (anchor != NULL)
		ki_anchors_close(&r->anchors, i, r->scalars > scalars);
	if (rc == 0 && is_foreign(tag, n->type))
		rc = make_foreign(r, n, tag);
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
		ki_anchors_clear(&r->anchors);
		rc = read_item(r, documents, read_value, YAML_NO_EVENT, &more);
	}
	return rc;
}

static int find_lines(struct reader *r)
{
	const char *p, *end = r->text.data + r->text.size;
	size_t capacity = 0, start = 0;

	for (p = r->text.data;; p++) {
		size_t *lines;

		lines = ki_array_grow(r->lines, &capacity, r->line_count, sizeof *lines);
		if (lines == NULL)
			return fail_memory(r);
		r->lines = lines;
		r->lines[r->line_count++] = start;
		p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
		if (p == NULL)
			return 0;
		start = (size_t)(p + 1 - r->text.data);
	}
}

static int read_text(struct reader *r)
{
	struct list documents = {0};
	int rc = find_lines(r);

	if (rc != 0)
		return rc;
	if (!yaml_parser_initialize(&r->parser))
		return fail_memory(r);
	yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text.data, r->text.size);
	rc = read_stream(r, &documents);
	r->yaml.documents = documents.data;
	r->yaml.count = documents.count;
	yaml_parser_delete(&r->parser);
	return rc;
}

int ki_yaml_parse(struct ki_yaml *out, const char *name, const char *text, size_t size,
		  struct ki_error *e)
{
	struct reader r = {.e = e};
	int rc;

	if (size > KI_YAML_BYTES_MAX)
		return ki_error_set(e, KI_FAIL_INPUT, "%s: larger than %u bytes", name,
				    KI_YAML_BYTES_MAX);
	r.yaml.name = strdup(name);
	if (r.yaml.name == NULL)
		return ki_error_set(e, KI_FAIL_MEMORY, "%s: memory ran out", name);
	rc = ki_text_prepare(&r.text, name, text, size, e);
	if (rc == 0)
		rc = read_text(&r);
	ki_anchors_clear(&r.anchors);
	ki_text_free(&r.text);
	free(r.lines);
	if (rc == 0)
		*out = r.yaml;
	else
		ki_yaml_free(&r.yaml);
	return rc;
}

int ki_yaml_read(struct ki_yaml *out, const char *path, struct ki_error *e)
{
	bool standard = strcmp(path, "-") == 0;
	char *text;
	size_t size;
	int rc = ki_file_read(&text, &size, standard ? "/dev/stdin" : path, KI_YAML_BYTES_MAX, e);

	/* Whatever the system's reason, it is the user's file that is wrong. */
	if (rc == KI_FAIL_SYSTEM || rc == KI_FAIL_LIMIT) {
		if (e != NULL)
			e->code = KI_FAIL_INPUT;
		return KI_FAIL_INPUT;
	}
	if (rc != 0)
		return rc;
	rc = ki_yaml_parse(out, standard ? "<stdin>" : path, text, size, e);
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
