/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>

#include "document/anchor.h"
#include "document/digest.h"
#include "document/yaml.h"
#include "vectors.h"

static int parse(struct ki_yaml *out, const char *text, struct ki_error *e)
{
	ki_error_clear(e);
	return ki_yaml_parse(out, "f.yaml", text, strlen(text), e);
}

static struct ki_yaml must_parse(const char *text)
{
	struct ki_error e = {0};
	struct ki_yaml y = {0};

	cr_assert_eq(parse(&y, text, &e), 0, "%s: %s", text, e.text);
	return y;
}

static void expect_refused(const char *text, const char *message)
{
	struct ki_yaml y = {.name = (char *)1, .count = 7};
	struct ki_error e = {0};

	cr_expect_eq(parse(&y, text, &e), KI_FAIL_INPUT, "accepted: %s", text);
	cr_expect_str_eq(e.text, message, "%s:\n%s\n%s", text, e.text, message);
	cr_expect(y.name == (char *)1 && y.count == 7, "*out is untouched by a failure");
}

/* The only document of text, as canonical JSON; for free(). */
static char *canonical_of(const char *text, size_t size)
{
	struct ki_error e = {0};
	struct ki_yaml y;
	json_t *json;
	char *canonical;

	cr_assert_eq(ki_yaml_parse(&y, "f.yaml", text, size, &e), 0, "%s: %s", text, e.text);
	cr_assert_eq(y.count, 1, "%s: %zu documents", text, y.count);
	cr_assert_eq(ki_node_to_json(&json, y.documents[0], y.name, &e), 0, "%s", e.text);
	ki_yaml_free(&y);
	canonical = vectors_canonical(json);
	json_decref(json);
	return canonical;
}

static void expect_json(const char *text, const char *want)
{
	char *got = canonical_of(text, strlen(text));

	cr_expect_str_eq(got, want, "%s: %s, not %s", text, got, want);
	free(got);
}

Test(yaml, what_is_wrong_is_told_with_its_place)
{
	static const struct {
		const char *text;
		const char *message;
	} table[] = {
		{"a: 1\nseq: 2\n  \nseq: 3\n", "f.yaml:4:1: duplicate key 'seq', first at line 2"},
		{"x:\n  seq: 1\n  b:\n  seq: 2\n",
		 "f.yaml:4:3: duplicate key 'seq', first at line 2"},
		{"{z: 1, a: 1, z: 2, a: 2}", "f.yaml:1:14: duplicate key 'z', first at line 1"},
		{"{a: 1, a: 2, a: 3}", "f.yaml:1:8: duplicate key 'a', first at line 1"},
		{"{\"n\\u0061me\": 1, name: 2}",
		 "f.yaml:1:18: duplicate key 'name', first at line 1"},
		{"1: a\n0x1: b\n", "f.yaml:2:1: duplicate key '1', first at line 1"},
		{"~: a\nnull: b\n", "f.yaml:2:1: duplicate key '', first at line 1"},
		{"\xef\xbb\xbf"
		 "a: 1\na: 2\n",
		 "f.yaml:2:1: duplicate key 'a', first at line 1"},
		{"? [1]\n: 2\n", "f.yaml:1:3: a key must be a scalar, and this one is a sequence"},
		{"? {a: 1}\n: 2\n",
		 "f.yaml:1:3: a key must be a scalar, and this one is a mapping"},
		{"\"a\\0b\": 1\n", "f.yaml:1:1: a key cannot contain U+0000"},
		{"a: *b\n", "f.yaml:1:4: alias *b has no anchor before it"},
		{"--- &a 1\n--- *a\n", "f.yaml:2:5: alias *a has no anchor before it"},
		{"a: &a [1, *a]\n", "f.yaml:1:11: alias *a is inside of what it stands for"},
		{"&a {b: {c: *a}}\n", "f.yaml:1:12: alias *a is inside of what it stands for"},
		{"? !!binary aGk=\n: 2\n",
		 "f.yaml:1:3: a key must be a scalar, and this one is a value that JSON does not "
		 "have"},
		{"a: 'x\n", "f.yaml:2:1: found unexpected end of stream (while scanning a quoted "
			    "scalar from line 1)"},
		{"a: [1,\nb: 2\n", "f.yaml:3:1: did not find expected ',' or ']' (while parsing a "
				   "flow sequence from line 1)"},
		{"a: \"\\q\"\n",
		 "f.yaml:1:5: found unknown escape character (while parsing a quoted scalar)"},
		{"a: \"it\\'s\"\n",
		 "f.yaml:1:7: found unknown escape character (while parsing a quoted scalar)"},
		{"a: \"x\ny\"\n",
		 "f.yaml:2:1: this line must be indented by 1 or more spaces, as it "
		 "belongs to a value that starts at line 1"},
		{"- b: 'x\n\n   y'\n- c: 'x\n  y'\n",
		 "f.yaml:5:3: this line must be indented by 3 or more spaces, as it belongs to a "
		 "value that starts at line 4"},
		{"a: [\n1,\n2\n]\n",
		 "f.yaml:2:1: this line must be indented by 1 or more spaces, as "
		 "it belongs to a value that starts at line 1"},
		{"a:\n- {b: [\n  1\n]}\n",
		 "f.yaml:4:1: this line must be indented by 1 or more "
		 "spaces, as it belongs to a value that starts at line 2"},
		{"a: [1,\n\t2]\n",
		 "f.yaml:2:1: this line must be indented by 1 or more spaces, as it "
		 "belongs to a value that starts at line 1"},
		{"%YAML x\n--- a\n", "f.yaml:1:7: did not find expected version number (while "
				     "scanning a %YAML directive)"},
		{"a: b\xff\n", "f.yaml:1:5: byte 0xff is not UTF-8"},
		{"\xc3\xa9: b\xc3\n", "f.yaml:1:5: byte 0xc3 is not UTF-8"},
		{"a: \xed\xa0\x80\n", "f.yaml:1:4: byte 0xed is not UTF-8"},
		{"a: \xc0\xaf\n", "f.yaml:1:4: byte 0xc0 is not UTF-8"},
		{"a: \xf4\x90\x80\x80\n", "f.yaml:1:4: byte 0xf4 is not UTF-8"},
		{"a: \xe2\x82", "f.yaml:1:4: byte 0xe2 is not UTF-8"},
		{"a: b\rc: d\n", "f.yaml:1:5: U+000D is a carriage return without a line feed"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		expect_refused(table[i].text, table[i].message);
}

Test(yaml, nothing_is_read_beyond_the_limit_of_bytes)
{
	const size_t size = KI_YAML_BYTES_MAX + 1;
	struct ki_error e = {0};
	struct ki_yaml y;
	char *text = malloc(size);

	memset(text, '#', size);
	cr_expect_eq(ki_yaml_parse(&y, "f.yaml", text, size, &e), KI_FAIL_INPUT);
	cr_expect_str_eq(e.text, "f.yaml: larger than 1048576 bytes");
	ki_error_clear(&e);
	cr_assert_eq(ki_yaml_parse(&y, "f.yaml", text, size - 1, &e), 0, "%s", e.text);
	cr_expect_eq(y.count, 0, "a comment is no document");
	ki_yaml_free(&y);
	free(text);
}

Test(yaml, nesting_ends_at_the_limit)
{
	char text[2 * KI_YAML_DEPTH_MAX + 8] = "";
	struct ki_yaml y;

	memset(text, '[', KI_YAML_DEPTH_MAX + 1);
	memset(text + KI_YAML_DEPTH_MAX + 1, ']', KI_YAML_DEPTH_MAX + 1);
	expect_refused(text, "f.yaml:1:201: nested deeper than 200");
	text[2 * KI_YAML_DEPTH_MAX + 1] = '\0';
	y = must_parse(text + 1);
	ki_yaml_free(&y);
}

static char *aliases(const char *head, const char *item, int count)
{
	struct ki_buffer b;

	ki_buffer_init(&b, 1 << 20);
	ki_buffer_puts(&b, head);
	while (count-- > 0)
		ki_buffer_puts(&b, item);
	ki_buffer_puts(&b, "]\n");
	return ki_buffer_steal(&b);
}

Test(yaml, aliases_end_at_the_limit)
{
	char *text = aliases("- &a x\n- [", "*a, ", KI_ANCHOR_PRODUCT_MAX);
	struct ki_yaml y;

	expect_refused(text, "f.yaml:2:400: too many uses of aliases: *a makes more than 99");
	free(text);
	text = aliases("- &a x\n- [", "*a, ", KI_ANCHOR_PRODUCT_MAX - 1);
	y = must_parse(text);
	cr_expect_eq(y.documents[0]->items[1]->count, KI_ANCHOR_PRODUCT_MAX - 1);
	cr_expect_eq(y.documents[0]->items[1]->items[98], y.documents[0]->items[0]);
	ki_yaml_free(&y);
	free(text);
}

Test(yaml, aliases_cannot_make_a_small_file_large_or_deep)
{
	struct ki_buffer b;
	int i;

	/* 72 uses of aliases that stand for 9^9 values. */
	expect_refused("a: &a [x,x,x,x,x,x,x,x,x]\n"
		       "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
		       "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
		       "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
		       "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
		       "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
		       "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n"
		       "h: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n"
		       "i: &i [*h,*h,*h,*h,*h,*h,*h,*h,*h]\n",
		       "f.yaml:4:8: too many uses of aliases: *c makes more than 99");
	ki_buffer_init(&b, 10000);
	ki_buffer_puts(&b, "a0: &a0 [[[[]]]]\n");
	for (i = 1; i < 60; i++)
		ki_buffer_printf(&b, "a%d: &a%d [[[[*a%d]]]]\n", i, i, i - 1);
	expect_refused(b.data, "f.yaml:50:15: nested deeper than 200");
	ki_buffer_fini(&b);
	ki_buffer_init(&b, 200000);
	ki_buffer_puts(&b, "a: &a ");
	for (i = 0; i < 50000; i++)
		ki_buffer_puts(&b, "x");
	ki_buffer_puts(&b, "\nb: [");
	for (i = 0; i < 98; i++)
		ki_buffer_puts(&b, "*a, ");
	ki_buffer_puts(&b, "]\n");
	expect_refused(b.data, "f.yaml:2:337: aliases stand for more than 4194304 bytes");
	ki_buffer_fini(&b);
}

/* What Kernel Index's reader counts: see document/anchor.h. */
Test(yaml, uses_of_aliases_multiply_with_those_inside_of_what_they_stand_for)
{
	char *text = aliases("- &a x\n- &b [*a]\n- [", "*b, ", 50);
	struct ki_yaml y;

	expect_refused(text, "f.yaml:3:200: too many uses of aliases: *b makes more than 99");
	free(text);
	text = aliases("- &a x\n- &b [*a]\n- [", "*b, ", 49);
	y = must_parse(text);
	ki_yaml_free(&y);
	free(text);
	text = aliases("- &a []\n- [", "*a, ", 1000);
	y = must_parse(text);
	ki_yaml_free(&y);
	free(text);
}

Test(yaml, a_file_that_cannot_be_read_is_wrong_input_and_named)
{
	struct ki_error e = {0};
	struct ki_yaml y;

	cr_expect_eq(ki_yaml_read(&y, "/nonexistent/f.yaml", &e), KI_FAIL_INPUT);
	cr_expect_eq(e.code, KI_FAIL_INPUT);
	cr_expect_str_eq(e.text, "/nonexistent/f.yaml: No such file or directory");
	ki_error_clear(&e);
	cr_expect_eq(ki_yaml_read(&y, "/", &e), KI_FAIL_INPUT);
	cr_expect_str_eq(e.text, "/: Is a directory");
	ki_error_clear(&e);
	cr_expect_eq(ki_yaml_read(&y, "/dev/zero", &e), KI_FAIL_INPUT);
	cr_expect_str_eq(e.text, "/dev/zero: larger than 1048576 bytes");
	cr_expect_eq(ki_yaml_read(&y, "/", NULL), KI_FAIL_INPUT);
}

Test(yaml, a_file_is_read_and_named)
{
	char path[PATH_MAX];
	struct ki_error e = {0};
	struct ki_yaml y;
	int fd = file_make(path);

	cr_assert_eq(write(fd, "a: 1\n", 5), 5);
	close(fd);
	cr_assert_eq(ki_yaml_read(&y, path, &e), 0, "%s", e.text);
	unlink(path);
	cr_expect_str_eq(y.name, path);
	cr_expect_eq(ki_node_get(y.documents[0], "a")->integer, 1);
	ki_yaml_free(&y);
	cr_expect_eq(y.count, 0);
}

Test(yaml, a_tag_decides_what_a_scalar_is)
{
	static const char *const table[][2] = {
		{"!!str 5", "\"5\""},
		{"!!str", "\"\""},
		{"!!int \"5\"", "5"},
		{"!!float 5", "\"5\""},
		{"!!int x", "\"x\""},
		{"!!int 1.5", "\"1.5\""},
		{"!!int 99999999999999999999", "100000000000000000000"},
		{"!!float 0x10000000000000000", "\"0x10000000000000000\""},
		{"!!bool yes", "\"yes\""},
		{"!!null 0", "\"0\""},
		{"!!map 1", "\"1\""},
		{"!!str [1]", "[1]"},
		{"!!map [1]", "[1]"},
		{"!!set [1]", "[1]"},
		{"!!set 1", "\"1\""},
		{"!!float '1e3'", "1000"},
		{"!!bool \"true\"", "true"},
		{"!!null \"\"", "null"},
		{"! 5", "\"5\""},
		{"&a ! 5", "\"5\""},
		{"&a\n  ! 5", "\"5\""},
		{"!", "\"\""},
		{"!x 5", "\"5\""},
		{"!!other 5", "\"5\""},
		{"&a 5", "5"},
		{"\"5\"", "\"5\""},
		{"'~'", "\"~\""},
		{"|\n  5", "\"5\""},
		{"!!seq [1]", "[1]"},
		{"!!map {b: 1}", "{\"b\":1}"},
		{"!x [1]", "[1]"},
	};
	char text[64], want[64];
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		/* A character of two bytes: libyaml's places count characters. */
		snprintf(text, sizeof text, "\xc3\xa9: %s", table[i][0]);
		snprintf(want, sizeof want, "{\"\xc3\xa9\":%s}", table[i][1]);
		expect_json(text, want);
	}
}

Test(yaml, a_key_is_called_as_javascript_calls_it)
{
	static const char *const table[][2] = {
		{"0x1F: a", "{\"31\":\"a\"}"},
		{"010: a", "{\"10\":\"a\"}"},
		{"1e3: a", "{\"1000\":\"a\"}"},
		{"1.50: a", "{\"1.5\":\"a\"}"},
		{"-0: a", "{\"0\":\"a\"}"},
		{".inf: a", "{\"Infinity\":\"a\"}"},
		{"-.INF: a", "{\"-Infinity\":\"a\"}"},
		{".nan: a", "{\"NaN\":\"a\"}"},
		{"True: a", "{\"true\":\"a\"}"},
		{"FALSE: a", "{\"false\":\"a\"}"},
		{"~: a", "{\"\":\"a\"}"},
		{"9007199254740993: a", "{\"9007199254740992\":\"a\"}"},
		{"no: a", "{\"no\":\"a\"}"},
		{"<<: a", "{\"<<\":\"a\"}"},
		{"\"0x1F\": a", "{\"0x1F\":\"a\"}"},
		{"!!str 0x1F: a", "{\"0x1F\":\"a\"}"},
		{"{a, b}", "{\"a\":null,\"b\":null}"},
		{"- &k 7\n- *k : x", "[7,{\"7\":\"x\"}]"},
		{"1: a\n\"1\": b", "{\"1\":\"b\"}"},
		{"\"1\": a\nx: y\n1: b\n.1e1: c", NULL},
		{"- &k a\n- {a: 1, *k : 2, b: 3}", "[\"a\",{\"a\":2,\"b\":3}]"},
		{".nan: a\n.NaN: b", "{\"NaN\":\"b\"}"},
		{"~: a\n'': b\nc: d", "{\"\":\"b\",\"c\":\"d\"}"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		if (table[i][1] != NULL)
			expect_json(table[i][0], table[i][1]);
	expect_refused(table[19][0], "f.yaml:4:1: duplicate key '1', first at line 3");
}

Test(yaml, surrogate_escapes_are_the_characters_that_json_writers_mean)
{
	static const char *const table[][2] = {
		{"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
		{"\"\\uD83D\\uDE00x\\uD83D\\uDE01\"", "\"\xf0\x9f\x98\x80x\xf0\x9f\x98\x81\""},
		{"\"\\U0000d83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
		{"\"\\\\ud83d\\\\ude00\"", "\"\\\\ud83d\\\\ude00\""},
		{"\"\\\\\\ud83d\\ude00\"", "\"\\\\\xf0\x9f\x98\x80\""},
		{"'\\ud83d\\ude00'", "\"\\\\ud83d\\\\ude00\""},
		{"\\ud83d\\ude00", "\"\\\\ud83d\\\\ude00\""},
		{"{\"\\ud83d\\ude00\": 1}", "{\"\xf0\x9f\x98\x80\":1}"},
		/* The first characters that could stand in for others. */
		{"\"\\ud83d\\ude00\xf1\x80\x80\x80\xf1\x80\x80\x81\"",
		 "\"\xf0\x9f\x98\x80\xf1\x80\x80\x80\xf1\x80\x80\x81\""},
	};
	static const char *const alone[] = {"\"\\ud83d\"", "\"\\ude00\\ud83d\"",
					    "\"\\ud83dx\\ude00\"", "{\"\\udfff\": 1}"};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		expect_json(table[i][0], table[i][1]);
	for (i = 0; i < sizeof alone / sizeof alone[0]; i++) {
		struct ki_yaml y = must_parse(alone[i]);
		struct ki_error e = {0};
		struct ki_buffer b;
		json_t *json;

		cr_assert_eq(ki_node_to_json(&json, y.documents[0], y.name, &e), 0, "%s", e.text);
		ki_buffer_init(&b, 100);
		cr_expect_eq(ki_canonical_write(&b, json, &e), KI_FAIL_INPUT, "%s", alone[i]);
		ki_buffer_fini(&b);
		json_decref(json);
		ki_yaml_free(&y);
	}
}

Test(yaml, characters_that_end_lines_only_in_yaml_1_1_and_controls_are_what_they_are)
{
	expect_json("a: x\xe2\x80\xa8y\xc2\x85z\x7f\n", "{\"a\":\"x\xe2\x80\xa8y\xc2\x85z\x7f\"}");
	expect_json("# \xe2\x80\xa9 b: c\na: \"\x01\xef\xbb\xbf\"\n",
		    "{\"a\":\"\\u0001\xef\xbb\xbf\"}");
	expect_json("a: |\n  x\xc2\x85y\n", "{\"a\":\"x\xc2\x85y\\n\"}");
	expect_refused("\xe2\x80\xa8: 1\na: 2\na: 3\n",
		       "f.yaml:3:1: duplicate key 'a', first at line 2");
}

Test(yaml, directives_that_yaml_1_2_only_warns_of_are_passed_over)
{
	expect_json("%YAML 2.0\n---\na: yes\n", "{\"a\":\"yes\"}");
	expect_json("%YAML 1.1 # old\n---\na: yes\n", "{\"a\":\"yes\"}");
	expect_json("# c\n\n%YAML 10.20\n%OTHER x\n%TAG ! tag:x,2000:\n---\na: !y 1\n",
		    "{\"a\":\"1\"}");
	expect_json("a: |\n  x\n  %YAML 2.0\n", "{\"a\":\"x\\n%YAML 2.0\\n\"}");
}

Test(yaml, brackets_and_quotes_may_go_on_where_yaml_lets_them)
{
	expect_json("a: [\n 1,\n\n# c\n 2\n]\n", "{\"a\":[1,2]}");
	expect_json("a:\n- [\n  1\n  ]\n", "{\"a\":[[1]]}");
	expect_json("a:\n  - {\n      b: 'x\n\n      y'\n    }\n", "{\"a\":[{\"b\":\"x\\ny\"}]}");
	expect_json("{\n\"a\": \"x\ny\",\n\t\"b\": 1\n}\n", "{\"a\":\"x y\",\"b\":1}");
	expect_json("\"x\ny\"\n", "\"x y\"");
	expect_json("a: &x\n- 'b\n c'\n", "{\"a\":[\"b c\"]}");
}

Test(yaml, a_value_that_json_does_not_have_is_known_as_such)
{
	struct ki_yaml y = must_parse("a: !!set {b, c}\nd: !!timestamp 2026-08-01\n");
	const struct ki_node *a = ki_node_get(y.documents[0], "a");
	struct ki_error e = {0};
	char what[100];
	json_t *json;

	cr_assert_eq(a->type, KI_NODE_FOREIGN);
	ki_node_describe(a, what, sizeof what);
	cr_expect_str_eq(what, "a value tagged !!set");
	cr_expect_eq(ki_node_to_json(&json, y.documents[0], y.name, &e), KI_FAIL_INPUT);
	cr_expect_str_eq(e.text, "f.yaml:1:4: a value tagged !!set has no JSON form");
	ki_yaml_free(&y);
}

Test(yaml, every_value_knows_its_place_and_its_text)
{
	struct ki_yaml y =
		must_parse("# x\na: [1, \xc3\xa9, &x 0x10]\nb:\n  c: |\n    t\n  *x : ~\n");
	const struct ki_node *root = y.documents[0];
	const struct ki_node *a = ki_node_get(root, "a");
	const struct ki_node *b = ki_node_get(root, "b");

	cr_assert(a != NULL && b != NULL);
	cr_expect(root->line == 2 && root->column == 1 && root->type == KI_NODE_MAPPING);
	cr_expect(a->line == 2 && a->column == 4 && a->count == 3);
	cr_expect(a->items[1]->line == 2 && a->items[1]->column == 8);
	cr_expect(a->items[2]->line == 2 && a->items[2]->column == 11, "columns count characters");
	cr_expect_str_eq(a->items[2]->text, "0x10");
	cr_expect(a->items[2]->integer == 16 && a->items[2]->real == 16.0);
	cr_expect(b->line == 4 && b->column == 3 && b->count == 2);
	cr_expect_str_eq(b->keys[1]->text, "16");
	cr_expect(b->keys[1]->line == 6 && b->keys[1]->column == 3,
		  "an alias as a key is where it is used");
	cr_expect_eq(b->keys[1]->type, KI_NODE_STRING);
	cr_expect_str_eq(b->items[0]->text, "t\n");
	cr_expect_eq(b->items[0]->size, 2);
	ki_yaml_free(&y);
}

Test(yaml, a_stream_has_its_documents_in_order)
{
	struct ki_yaml y = must_parse("a: &x 1\n---\n- &x 2\n- *x\n...\n---\n...\n--- last\n");

	cr_assert_eq(y.count, 4);
	cr_expect_eq(y.documents[0]->type, KI_NODE_MAPPING);
	cr_expect_eq(y.documents[1]->items[1]->integer, 2);
	cr_expect_eq(y.documents[2]->type, KI_NODE_NULL);
	cr_expect_str_eq(y.documents[3]->text, "last");
	cr_expect_eq(y.documents[3]->line, 8);
	ki_yaml_free(&y);
	y = must_parse("");
	cr_expect_eq(y.count, 0);
	ki_yaml_free(&y);
}

Test(yaml, a_redefined_anchor_stands_for_the_last)
{
	expect_json("a: &x 1\nb: &x 2\nc: *x\n", "{\"a\":1,\"b\":2,\"c\":2}");
	expect_json("- &x [&x 1, *x]\n- *x\n", "[[1,1],1]");
}
