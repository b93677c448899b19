/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "document/canonical.h"
#include "document/schema.h"

#define SAFE_INTEGER_MAX 9007199254740991.0 /* 2^53 - 1 */
#define SCHEMA_PATH_MAX ((size_t)4 << 20)
#define SCHEMA_EXPECTED_MAX 1024
#define SCHEMA_FOUND_MAX 160
#define DROPPED_MEMBER "__proto__"

struct schema_reader {
	struct ki_issues *issues;
	struct ki_buffer path;
	bool no_memory;
	/*
	 * Issues that leave a value without a shape, so that refinements around it are not asked.
	 * A text of the wrong form or a number out of bounds is not one.
	 */
	size_t malformed;
};

static json_t *read_value(struct schema_reader *r, const struct ki_schema *s,
			  const struct ki_node *n);

static size_t path_push(struct schema_reader *r, const char *key, size_t size)
{
	size_t before = r->path.size, i;

	ki_buffer_puts(&r->path, "/");
	for (i = 0; i < size; i++) {
		if (key[i] == '~')
			ki_buffer_puts(&r->path, "~0");
		else if (key[i] == '/')
			ki_buffer_puts(&r->path, "~1");
		else
			ki_buffer_append(&r->path, key + i, 1);
	}
	return before;
}

static size_t path_push_index(struct schema_reader *r, size_t index)
{
	size_t before = r->path.size;

	ki_buffer_printf(&r->path, "/%zu", index);
	return before;
}

static json_t *kept(struct schema_reader *r, json_t *v)
{
	if (v == NULL)
		r->no_memory = true;
	return v;
}

static void list_names(char *out, size_t size, const char *first, const char *const *names)
{
	size_t used = (size_t)snprintf(out, size, "%s", first), i;

	for (i = 0; names[i] != NULL && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "",
					 names[i]);
}

/* What a value of s is, for "expected ...". */
static void describe(const struct ki_schema *s, char out[SCHEMA_EXPECTED_MAX])
{
	static const char *const plain[] = {
		[KI_SCHEMA_STRING] = "text",        [KI_SCHEMA_NUMBER] = "a number",
		[KI_SCHEMA_INTEGER] = "an integer", [KI_SCHEMA_BOOLEAN] = "true or false",
		[KI_SCHEMA_LIST] = "a list",        [KI_SCHEMA_RECORD] = "a mapping",
		[KI_SCHEMA_OBJECT] = "a mapping",
	};
	char number[SCHEMA_EXPECTED_MAX / 4], string[SCHEMA_EXPECTED_MAX / 2];

	if (s->type == KI_SCHEMA_EITHER) {
		describe(s->number, out);
		snprintf(number, sizeof number, "%.200s", out);
		describe(s->string, out);
		snprintf(string, sizeof string, "%.500s", out);
		snprintf(out, SCHEMA_EXPECTED_MAX, "%s or %s", number, string);
	} else if (s->choices != NULL && s->choices[1] != NULL) {
		list_names(out, SCHEMA_EXPECTED_MAX, "one of ", s->choices);
	} else if (s->choices != NULL) {
		snprintf(out, SCHEMA_EXPECTED_MAX, "%s", s->choices[0]);
	} else if (s->pattern != NULL && s->type != KI_SCHEMA_RECORD) {
		snprintf(out, SCHEMA_EXPECTED_MAX, "%s", s->pattern->expected);
	} else {
		snprintf(out, SCHEMA_EXPECTED_MAX, "%s", plain[s->type]);
	}
}

/* A plain scalar that was meant as text: the most frequent mistake of all. */
static bool wants_quotes(const struct ki_schema *s, const struct ki_node *n)
{
	return s->type == KI_SCHEMA_STRING && s->choices == NULL &&
	       (n->type == KI_NODE_INTEGER || n->type == KI_NODE_REAL ||
		n->type == KI_NODE_BOOLEAN);
}

static json_t *wrong_type(struct schema_reader *r, const struct ki_schema *s,
			  const struct ki_node *n)
{
	char expected[SCHEMA_EXPECTED_MAX], found[SCHEMA_FOUND_MAX];

	describe(s, expected);
	ki_node_describe(n, found, sizeof found);
	ki_issues_add(r->issues, n, r->path.data, "expected %s, found %s%s", expected, found,
		      wants_quotes(s, n) ? " (in quotes it is text)" : "");
	r->malformed++;
	return NULL;
}

static bool has_lone_surrogate(const struct ki_node *n)
{
	uint32_t c;
	size_t i, length;

	for (i = 0; i < n->size; i += length) {
		length = ki_utf8_decode(&c, n->text + i, n->size - i);
		if (length == 0)
			return true;
	}
	return false;
}

/*
 * Length and form of a text, which may both be wrong.  A surrogate without a partner has no UTF-8
 * and so no digest: Kernel Index finds that last, and does not say where.
 */
static bool check_text(struct schema_reader *r, const struct ki_schema *s, const struct ki_node *n)
{
	char found[SCHEMA_FOUND_MAX];
	size_t units = ki_utf8_units(n->text, n->size), before = ki_issues_total(r->issues);

	if (s->max_units > 0 && units > s->max_units)
		ki_issues_add(r->issues, n, r->path.data,
			      "expected at most %zu UTF-16 units, found %zu", s->max_units, units);
	ki_node_describe(n, found, sizeof found);
	if (s->pattern != NULL && !s->pattern->matches(n->text, n->size))
		ki_issues_add(r->issues, n, r->path.data, "expected %s, found %s",
			      s->pattern->expected, found);
	if (has_lone_surrogate(n))
		ki_issues_add(r->issues, n, r->path.data,
			      "expected Unicode text, found a surrogate without a partner");
	return ki_issues_total(r->issues) == before;
}

static json_t *read_string(struct schema_reader *r, const struct ki_schema *s,
			   const struct ki_node *n)
{
	size_t i = 0;

	if (n->type != KI_NODE_STRING)
		return wrong_type(r, s, n);
	while (s->choices != NULL && s->choices[i] != NULL &&
	       (strlen(s->choices[i]) != n->size || memcmp(s->choices[i], n->text, n->size) != 0))
		i++;
	if (s->choices != NULL && s->choices[i] == NULL)
		return wrong_type(r, s, n);
	if (!check_text(r, s, n))
		return NULL;
	return kept(r, json_stringn(n->text, n->size));
}

static json_t *read_duration(struct schema_reader *r, const struct ki_schema *s,
			     const struct ki_node *n)
{
	uint64_t ns;

	if (n->type != KI_NODE_STRING)
		return wrong_type(r, s, n);
	if (!check_text(r, s, n))
		return NULL;
	if (!ki_pattern_duration_ns(&ns, n->text, n->size)) {
		ki_issues_add(r->issues, n, r->path.data,
			      "expected a duration of whole nanoseconds below 2^53 in double "
			      "arithmetic, found \"%s\"; give the nanoseconds as an integer",
			      n->text);
		return NULL;
	}
	return kept(r, json_integer((json_int_t)ns));
}

/* Whether a number is where the schema wants it; if not, that is an issue. */
static bool check_bound(struct schema_reader *r, const struct ki_schema *s, const struct ki_node *n)
{
	static const struct {
		double from, to;
		bool open;
		const char *expected;
	} bounds[] = {
		[KI_BOUND_NONE] = {-HUGE_VAL, HUGE_VAL, false, ""},
		[KI_BOUND_FROM_ZERO] = {0, HUGE_VAL, false, "0 or more"},
		[KI_BOUND_ABOVE_ZERO] = {0, HUGE_VAL, true, "more than 0"},
		[KI_BOUND_RATIO] = {0, 1, false, "0 to 1"},
	};
	double v = n->real, from = bounds[s->bound].from;
	char found[SCHEMA_FOUND_MAX];
	const char *expected = NULL;

	if (v < from || v > bounds[s->bound].to || (bounds[s->bound].open && v == from))
		expected = bounds[s->bound].expected;
	else if (s->type == KI_SCHEMA_INTEGER && fabs(v) > SAFE_INTEGER_MAX)
		expected = "an integer of at most 2^53 - 1";
	if (expected == NULL)
		return true;
	ki_node_describe(n, found, sizeof found);
	ki_issues_add(r->issues, n, r->path.data, "expected %s, found %s", expected, found);
	return false;
}

static json_t *read_number(struct schema_reader *r, const struct ki_schema *s,
			   const struct ki_node *n)
{
	if ((n->type != KI_NODE_INTEGER && n->type != KI_NODE_REAL) || !isfinite(n->real))
		return wrong_type(r, s, n);
	if (s->type == KI_SCHEMA_INTEGER && floor(n->real) != n->real)
		return wrong_type(r, s, n);
	if (!check_bound(r, s, n))
		return NULL;
	if (n->type == KI_NODE_INTEGER)
		return kept(r, json_integer(n->integer));
	if (fabs(n->real) <= SAFE_INTEGER_MAX && floor(n->real) == n->real)
		return kept(r, json_integer((json_int_t)n->real));
	return kept(r, json_real(n->real));
}

static json_t *read_boolean(struct schema_reader *r, const struct ki_schema *s,
			    const struct ki_node *n)
{
	return n->type != KI_NODE_BOOLEAN ? wrong_type(r, s, n) : json_boolean(n->boolean);
}

static json_t *read_either(struct schema_reader *r, const struct ki_schema *s,
			   const struct ki_node *n)
{
	bool number = n->type == KI_NODE_INTEGER ||
		      (n->type == KI_NODE_REAL && isfinite(n->real) && floor(n->real) == n->real);

	if (number)
		return read_value(r, s->number, n);
	return n->type == KI_NODE_STRING ? read_value(r, s->string, n) : wrong_type(r, s, n);
}

struct schema_text {
	const char *text;
	size_t size;
};

static int compare_texts(const void *a, const void *b)
{
	const struct schema_text *x = a, *y = b;

	return ki_canonical_compare(x->text, x->size, y->text, y->size);
}

/* Takes over list, which holds strings alone. */
static json_t *sorted_set(struct schema_reader *r, json_t *list)
{
	size_t count = json_array_size(list), i;
	struct schema_text *texts = calloc(count + 1, sizeof *texts);
	json_t *set = json_array();

	if (texts == NULL)
		r->no_memory = true;
	for (i = 0; texts != NULL && i < count; i++) {
		const json_t *item = json_array_get(list, i);

		texts[i] = (struct schema_text){json_string_value(item), json_string_length(item)};
	}
	if (texts != NULL)
		qsort(texts, count, sizeof *texts, compare_texts);
	for (i = 0; texts != NULL && i < count; i++)
		if ((i == 0 || compare_texts(&texts[i - 1], &texts[i]) != 0) &&
		    json_array_append_new(set, json_stringn(texts[i].text, texts[i].size)) != 0)
			r->no_memory = true;
	free(texts);
	json_decref(list);
	return kept(r, set);
}

/* The count of a list; false: what the items are does not matter any more. */
static bool check_count(struct schema_reader *r, const struct ki_schema *s, const struct ki_node *n)
{
	if (n->count >= s->min_items && (s->max_items == 0 || n->count <= s->max_items))
		return true;
	if (s->min_items == s->max_items)
		ki_issues_add(r->issues, n, r->path.data, "expected %zu items, found %zu",
			      s->min_items, n->count);
	else
		ki_issues_add(r->issues, n, r->path.data, "expected at %s %zu item%s, found %zu",
			      n->count < s->min_items ? "least" : "most",
			      n->count < s->min_items ? s->min_items : s->max_items,
			      s->min_items == 1 ? "" : "s", n->count);
	if (s->tuple)
		r->malformed++;
	return !s->tuple;
}

static json_t *read_list(struct schema_reader *r, const struct ki_schema *s,
			 const struct ki_node *n)
{
	size_t before = ki_issues_total(r->issues), i;
	json_t *list, *item;

	if (n->type != KI_NODE_SEQUENCE)
		return wrong_type(r, s, n);
	if (!check_count(r, s, n))
		return NULL;
	list = kept(r, json_array());
	for (i = 0; i < n->count && !r->no_memory; i++) {
		size_t path = path_push_index(r, i);

		item = read_value(r, s->items, n->items[i]);
		if (item != NULL && json_array_append_new(list, item) != 0)
			r->no_memory = true;
		ki_buffer_rewind(&r->path, path);
	}
	if (ki_issues_total(r->issues) != before || r->no_memory) {
		json_decref(list);
		return NULL;
	}
	return s->set ? sorted_set(r, list) : list;
}

static bool is_dropped(const struct ki_node *key)
{
	return strcmp(key->text, DROPPED_MEMBER) == 0 && key->size == strlen(DROPPED_MEMBER);
}

static void set_member(struct schema_reader *r, json_t *object, const struct ki_node *key,
		       json_t *value)
{
	if (value != NULL && json_object_set_new(object, key->text, value) != 0)
		r->no_memory = true;
}

static json_t *finish_object(struct schema_reader *r, json_t *object, size_t issues_before)
{
	if (ki_issues_total(r->issues) == issues_before && !r->no_memory)
		return object;
	json_decref(object);
	return NULL;
}

/* A key's form; when it is wrong, what stands under it is not asked. */
static bool check_key(struct schema_reader *r, const struct ki_schema *s, const struct ki_node *key)
{
	const struct ki_schema text = {
		.type = KI_SCHEMA_STRING, .pattern = s->pattern, .max_units = s->max_units};
	bool good = check_text(r, &text, key);

	if (!good)
		r->malformed++;
	return good;
}

static json_t *read_record(struct schema_reader *r, const struct ki_schema *s,
			   const struct ki_node *n)
{
	size_t before = ki_issues_total(r->issues), i;
	json_t *object;

	if (n->type != KI_NODE_MAPPING)
		return wrong_type(r, s, n);
	object = kept(r, json_object());
	for (i = 0; i < n->count && !r->no_memory; i++) {
		const struct ki_node *key = n->keys[i];
		size_t path;

		if (is_dropped(key))
			continue;
		path = path_push(r, key->text, key->size);
		if (check_key(r, s, key))
			set_member(r, object, key, read_value(r, s->items, n->items[i]));
		ki_buffer_rewind(&r->path, path);
	}
	return finish_object(r, object, before);
}

static const struct ki_schema_member *find_member(const struct ki_schema *s,
						  const struct ki_node *key)
{
	const struct ki_schema_member *m;

	for (m = s->members; m->name != NULL; m++)
		if (strlen(m->name) == key->size && memcmp(m->name, key->text, key->size) == 0)
			return m;
	return NULL;
}

static void unknown_member(struct schema_reader *r, const struct ki_schema *s,
			   const struct ki_node *key)
{
	char names[SCHEMA_EXPECTED_MAX], found[KI_NODE_EXCERPT_MAX];
	const struct ki_schema_member *m;
	size_t used = 0;

	names[0] = '\0';
	for (m = s->members; m->name != NULL && used < sizeof names; m++)
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
					 used > 0 ? ", " : "", m->name);
	ki_node_excerpt(key, found);
	ki_issues_add(r->issues, key, r->path.data,
		      "expected only the members %s, found the unknown member \"%s\"", names,
		      found);
	r->malformed++;
}

static void check_missing(struct schema_reader *r, const struct ki_schema *s,
			  const struct ki_node *n)
{
	char expected[SCHEMA_EXPECTED_MAX];
	const struct ki_schema_member *m;

	for (m = s->members; m->name != NULL; m++) {
		size_t path;

		if (m->presence != KI_REQUIRED || ki_node_get(n, m->name) != NULL)
			continue;
		path = path_push(r, m->name, strlen(m->name));
		describe(m->schema, expected);
		ki_issues_add(r->issues, n, r->path.data, "expected %s, found nothing", expected);
		r->malformed++;
		ki_buffer_rewind(&r->path, path);
	}
}

static void check_refinements(struct schema_reader *r, const struct ki_schema *s,
			      const struct ki_node *n)
{
	const struct ki_schema_refinement *f;

	for (f = s->refinements; f != NULL && f->holds != NULL; f++)
		if (!f->holds(n))
			ki_issues_add(r->issues, n, r->path.data, "expected %s, found %s",
				      f->expected, f->found);
}

static json_t *read_object(struct schema_reader *r, const struct ki_schema *s,
			   const struct ki_node *n)
{
	size_t before = ki_issues_total(r->issues), malformed = r->malformed, i;
	json_t *object;

	if (n->type != KI_NODE_MAPPING)
		return wrong_type(r, s, n);
	object = kept(r, json_object());
	for (i = 0; i < n->count && !r->no_memory; i++) {
		const struct ki_node *key = n->keys[i];
		const struct ki_schema_member *m = find_member(s, key);
		size_t path;

		if (m == NULL && !is_dropped(key))
			unknown_member(r, s, key);
		if (m == NULL)
			continue;
		path = path_push(r, key->text, key->size);
		set_member(r, object, key, read_value(r, m->schema, n->items[i]));
		ki_buffer_rewind(&r->path, path);
	}
	check_missing(r, s, n);
	if (r->malformed == malformed)
		check_refinements(r, s, n);
	return finish_object(r, object, before);
}

static json_t *read_value(struct schema_reader *r, const struct ki_schema *s,
			  const struct ki_node *n)
{
	static json_t *(*const readers[])(struct schema_reader *, const struct ki_schema *,
					  const struct ki_node *) = {
		[KI_SCHEMA_STRING] = read_string,     [KI_SCHEMA_NUMBER] = read_number,
		[KI_SCHEMA_INTEGER] = read_number,    [KI_SCHEMA_BOOLEAN] = read_boolean,
		[KI_SCHEMA_DURATION] = read_duration, [KI_SCHEMA_EITHER] = read_either,
		[KI_SCHEMA_LIST] = read_list,         [KI_SCHEMA_RECORD] = read_record,
		[KI_SCHEMA_OBJECT] = read_object,
	};

	return readers[s->type](r, s, n);
}

int ki_schema_read(json_t **out, struct ki_issues *issues, const struct ki_schema *schema,
		   const struct ki_node *n, const char *path, struct ki_error *e)
{
	struct schema_reader r = {.issues = issues};
	json_t *v;
	bool failed;

	ki_buffer_init(&r.path, SCHEMA_PATH_MAX);
	ki_buffer_puts(&r.path, path);
	v = read_value(&r, schema, n);
	failed = r.no_memory || issues->no_memory || r.path.failed;
	ki_buffer_fini(&r.path);
	if (failed) {
		json_decref(v);
		return ki_error_set(e, KI_FAIL_MEMORY, "no memory to check a document");
	}
	*out = v;
	return KI_SUCCESS;
}
