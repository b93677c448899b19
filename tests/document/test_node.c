/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>

#include "document/yaml.h"
#include "vectors.h"

static struct ki_node resolved(const char *text, size_t size)
{
	struct ki_node n = {.text = (char *)(uintptr_t)text, .size = size};
	struct ki_error e = {0};

	cr_assert_eq(ki_node_resolve(&n, &e), 0, "%s: %s", text, e.text);
	return n;
}

Test(node, what_only_resembles_a_number_or_a_word_is_a_string)
{
	static const char *const table[] = {
		"no",         "yes",   "on",       "off",   "y",     "n",        "tRUE",
		"nULL",       "nil",   "~~",       "none",  "NaN",   "nan",      "inf",
		".iNF",       "+.nan", "0O17",     "0X1F",  "0o18",  "0o",       "0x",
		"0xG",        "-0x1",  "+0o7",     "0b11",  "1_000", "1,000",    "1 000",
		"+",          "-",     ".",        "+.",    ".e3",   "e3",       "1e",
		"1e+",        "1e3.5", "1.2.3",    "--1",   "1-",    "0x1.8p1",  "12:30:45",
		"2026-08-01", "1f",    "infinity", "0x1F ", " 1",    "\xd9\xa1",
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_eq(resolved(table[i], strlen(table[i])).type, KI_NODE_STRING, "%s",
			     table[i]);
	cr_expect_eq(resolved("5\0", 2).type, KI_NODE_STRING, "with a NUL behind");
}

Test(node, words_are_null_and_booleans)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
	static const char *const booleans[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
	size_t i;

	for (i = 0; i < 5; i++)
		cr_expect_eq(resolved(nulls[i], strlen(nulls[i])).type, KI_NODE_NULL);
	for (i = 0; i < 6; i++) {
		struct ki_node n = resolved(booleans[i], strlen(booleans[i]));

		cr_expect_eq(n.type, KI_NODE_BOOLEAN);
		cr_expect_eq(n.boolean, i < 3, "%s", booleans[i]);
	}
}

Test(node, integers_are_read_in_three_bases)
{
	static const struct {
		const char *text;
		int64_t value;
	} table[] = {
		{"0", 0},
		{"-0", 0},
		{"+12", 12},
		{"-12", -12},
		{"010", 10},
		{"08", 8},
		{"0777", 777},
		{"0o17", 15},
		{"0x1F", 31},
		{"0xaBc", 0xabc},
		{"9007199254740993", 9007199254740993},
		{"9223372036854775807", INT64_MAX},
		{"-9223372036854775808", INT64_MIN},
		{"0x7fffffffffffffff", INT64_MAX},
		{"0o777777777777777777777", INT64_MAX},
		{"0000000000000000000000000000000000000001", 1},
		{"0x0000000000000000000000000000000000000001", 1},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct ki_node n = resolved(table[i].text, strlen(table[i].text));

		cr_expect_eq(n.type, KI_NODE_INTEGER, "%s", table[i].text);
		cr_expect_eq(n.integer, table[i].value, "%s", table[i].text);
		cr_expect_eq(n.real, (double)table[i].value, "%s", table[i].text);
	}
}

static void check_reals(void)
{
	static const struct {
		const char *text;
		double value;
	} table[] = {
		{".5", 0.5},
		{"5.", 5},
		{"+1.5", 1.5},
		{"-.5e1", -5},
		{"1e3", 1000},
		{"1.e3", 1000},
		{"1E+3", 1000},
		{"2e-3", 0.002},
		{"09.5", 9.5},
		{"0.1e-400", 0},
		{"1e400", INFINITY},
		{"-1e400", -INFINITY},
		{".inf", INFINITY},
		{"+.Inf", INFINITY},
		{"-.INF", -INFINITY},
		{"9223372036854775808", 0x1p63},
		{"-9223372036854775809", -0x1p63},
		{"123456789012345678901234567890", 123456789012345678901234567890.0},
		{"0x8000000000000000", 0x1p63},
		{"0x10000000000000800", 0x1p64}, /* half way: to the even one */
		{"0x10000000000000801", 0x1.0000000000001p64},
		{"0x10000000000000800000000000000000000000001", 0x1.0000000000001p160},
		{"0o1000000000000000000000", 0x1p63},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct ki_node n = resolved(table[i].text, strlen(table[i].text));

		cr_expect_eq(n.type, KI_NODE_REAL, "%s", table[i].text);
		cr_expect_eq(n.real, table[i].value, "%s: %a", table[i].text, n.real);
	}
	cr_expect(isnan(resolved(".nan", 4).real) && isnan(resolved(".NaN", 4).real));
}

Test(node, reals_are_read)
{
	check_reals();
}

Test(node, reals_have_a_point_whatever_the_locale)
{
	if (!vectors_comma_locale())
		cr_skip_test("reason: no locale with a decimal comma, and no localedef");
	cr_assert_eq(strtod("1,5", NULL), 1.5);
	check_reals();
}

Test(node, a_hexadecimal_integer_of_any_length_is_read)
{
	static char text[100000];

	memset(text, 'f', sizeof text - 1);
	text[0] = '0';
	text[1] = 'x';
	cr_expect(isinf(resolved(text, sizeof text - 1).real));
}

Test(node, a_number_without_a_json_form_is_told_with_its_place)
{
	static const struct {
		const char *text;
		const char *message;
	} table[] = {
		{"a: .inf\n", "f.yaml:1:4: the number .inf has no JSON form, as it is not finite"},
		{"a:\n- - 1\n  - -1e999\n",
		 "f.yaml:3:5: the number -1e999 has no JSON form, as it is not finite"},
		{".nan\n", "f.yaml:1:1: the number .nan has no JSON form, as it is not finite"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		json_t *json = (json_t *)1;
		struct ki_error e = {0};
		struct ki_yaml y;

		cr_assert_eq(ki_yaml_parse(&y, "f.yaml", table[i].text, strlen(table[i].text), &e),
			     0);
		cr_expect_eq(ki_node_to_json(&json, y.documents[0], y.name, &e), KI_FAIL_INPUT);
		cr_expect_str_eq(e.text, table[i].message);
		cr_expect_eq(json, (json_t *)1, "*out is untouched by a failure");
		ki_yaml_free(&y);
	}
}

Test(node, what_aliases_share_is_separate_in_json)
{
	static const char text[] = "a: &x {b: [1, 2.5, true, ~, \"s\\0t\"]}\nc: *x\n";
	struct ki_error e = {0};
	struct ki_yaml y;
	json_t *json, *want;

	cr_assert_eq(ki_yaml_parse(&y, "f.yaml", text, sizeof text - 1, &e), 0, "%s", e.text);
	cr_assert_eq(ki_node_to_json(&json, y.documents[0], y.name, &e), 0, "%s", e.text);
	ki_yaml_free(&y);
	want = json_pack("{s:[i, f, b, n, s%]}", "b", 1, 2.5, 1, "s\0t", (size_t)3);
	cr_expect(json_equal(json_object_get(json, "a"), want));
	json_object_clear(json_object_get(json, "a"));
	cr_expect(json_equal(json_object_get(json, "c"), want));
	json_decref(want);
	json_decref(json);
}

Test(node, a_missing_key_and_a_node_without_keys_give_nothing)
{
	static const char text[] = "{a: [a, b], c: }\n";
	struct ki_error e = {0};
	struct ki_yaml y;

	cr_assert_eq(ki_yaml_parse(&y, "f.yaml", text, sizeof text - 1, &e), 0, "%s", e.text);
	cr_expect_null(ki_node_get(y.documents[0], "b"));
	cr_expect_null(ki_node_get(ki_node_get(y.documents[0], "a"), "a"));
	cr_expect_eq(ki_node_get(y.documents[0], "c")->type, KI_NODE_NULL);
	ki_yaml_free(&y);
}

Test(node, descriptions_fit_one_line_of_a_message)
{
	static const struct {
		const char *text;
		const char *description;
	} table[] = {
		{"{}", "a mapping"},
		{"[]", "a sequence"},
		{"no", "the string \"no\""},
		{"0x1F", "the integer 0x1F"},
		{"1e3", "the number 1e3"},
		{"True", "the boolean True"},
		{"~", "null"},
		{"\"a\\nb\\e[1m\\x7f\"", "the string \"a?b?[1m?\""},
		{"0123456789012345678901234567890123456789x",
		 "the string \"0123456789012345678901234567890123456789...\""},
		/* The cut would fall into the third byte of the euro sign. */
		{"01234567890123456789012345678901234567\xe2\x82\xacx",
		 "the string \"01234567890123456789012345678901234567...\""},
	};
	struct ki_error e = {0};
	char what[128], cut[8];
	struct ki_yaml y;
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		cr_assert_eq(ki_yaml_parse(&y, "f.yaml", table[i].text, strlen(table[i].text), &e),
			     0, "%s", e.text);
		ki_node_describe(y.documents[0], what, sizeof what);
		cr_expect_str_eq(what, table[i].description, "%s", what);
		ki_node_describe(y.documents[0], cut, sizeof cut);
		cr_expect_eq(strncmp(cut, what, sizeof cut - 1), 0, "%s", cut);
		ki_yaml_free(&y);
	}
}
