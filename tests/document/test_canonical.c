/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "vectors.h"

static void check_numbers(void)
{
	json_t *file = vectors_load("tests/vectors/canonical.json");
	json_t *numbers = json_object_get(file, "numbers");
	json_t *entry;
	size_t i;

	cr_assert_gt(json_array_size(numbers), 40);
	json_array_foreach(numbers, i, entry)
	{
		char text[KI_CANONICAL_NUMBER_MAX];
		uint64_t bits = strtoull(vectors_text(entry, "bits"), NULL, 16);
		double value;

		memcpy(&value, &bits, sizeof value);
		ki_canonical_number(text, value);
		cr_expect_str_eq(text, vectors_text(entry, "text"), "%s: %s, not %s",
				 vectors_text(entry, "bits"), text, vectors_text(entry, "text"));
	}
	json_decref(file);
}

Test(canonical, no_value_is_an_internal_error)
{
	struct ki_error e = {0};
	struct ki_buffer b;

	ki_buffer_init(&b, 100);
	cr_expect_eq(ki_canonical_write(&b, NULL, &e), KI_FAIL_INTERNAL);
	cr_expect_eq(b.size, 0);
	ki_buffer_fini(&b);
}

Test(canonical, a_text_that_does_not_fit_is_a_limit_error_and_leaves_what_was_there)
{
	json_t *json = json_pack("[s, s]", "0123456789", "0123456789");
	struct ki_error e = {0};
	struct ki_buffer b;

	ki_buffer_init(&b, 20);
	ki_buffer_puts(&b, "before");
	cr_expect_eq(ki_canonical_write(&b, json, &e), KI_FAIL_LIMIT);
	cr_expect_str_eq(b.data, "before");
	cr_expect_not_null(strstr(e.text, "20 bytes"), "%s", e.text);
	ki_buffer_fini(&b);
	json_decref(json);
}

Test(canonical, a_cycle_is_a_limit_error_and_not_a_crash)
{
	json_t *outer = json_array(), *inner = json_array();
	struct ki_error e = {0};
	struct ki_buffer b;

	json_array_append(outer, inner);
	json_array_append(inner, outer);
	ki_buffer_init(&b, 1 << 20);
	cr_expect_eq(ki_canonical_write(&b, outer, &e), KI_FAIL_LIMIT);
	cr_expect_eq(b.size, 0);
	ki_buffer_fini(&b);
	json_array_clear(inner);
	json_decref(inner);
	json_decref(outer);
}

Test(canonical, numbers_are_printed_as_ecmascript_does)
{
	check_numbers();
}

Test(canonical, a_decimal_comma_of_the_locale_never_shows)
{
	if (!vectors_comma_locale())
		cr_skip_test("reason: no locale with a decimal comma, and no localedef");
	cr_assert_str_eq(localeconv()->decimal_point, ",");
	check_numbers();
}

Test(canonical, an_integer_beyond_2_53_is_printed_as_the_double_it_rounds_to)
{
	static const struct {
		json_int_t value;
		const char *text;
	} table[] = {
		{9007199254740992, "9007199254740992"},
		{9007199254740993, "9007199254740992"},
		{INT64_MAX, "9223372036854776000"},
		{INT64_MIN, "-9223372036854776000"},
		{0, "0"},
		{-719872, "-719872"},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		json_t *json = json_integer(table[i].value);
		char *text = vectors_canonical(json);

		cr_expect_str_eq(text, table[i].text);
		free(text);
		json_decref(json);
	}
}

Test(canonical, values_of_every_type_have_their_text)
{
	/* The canonical text is also JSON: the input of each is any other spelling of it. */
	static const struct {
		const char *input;
		const char *text;
	} table[] = {
		{"[ ]", "[]"},
		{"{ }", "{}"},
		{"[ null , true,false ]", "[null,true,false]"},
		{"[-0.0, -0, 1.0, 1E2, 4.50]", "[0,0,1,100,4.5]"},
		{"{\"b\": {\"d\": 1, \"c\": []}, \"a\": \"\"}",
		 "{\"a\":\"\",\"b\":{\"c\":[],\"d\":1}}"},
		{"\"\\u0000\\u0008\\u0009\\u000a\\u000b\\u000c\\u000d\\u001F\\u007f\"",
		 "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\x7f\""},
		{"\"\\\"\\\\\\/\\u00e9\\u2028\\ud83d\\ude00\"",
		 "\"\\\"\\\\/\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\""},
	};
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		json_t *json = json_loads(table[i].input, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		char *text;

		cr_assert_not_null(json, "%s", table[i].input);
		text = vectors_canonical(json);
		cr_expect_str_eq(text, table[i].text, "%s: %s", table[i].input, text);
		free(text);
		json_decref(json);
	}
}

Test(canonical, keys_are_in_the_order_of_utf16_code_units)
{
	/* As UTF-8 bytes, U+E000, U+FB33 and U+FFFD come before U+1F600 and U+10FFFF. */
	static const char *const order[] = {
		"",
		"\r",
		"1",
		"10",
		"2",
		"A",
		"a",
		"aa",
		"a\xc3\xa9",
		"\xc2\x80",
		"\xc3\xb6",
		"\xe2\x82\xac",
		"\xed\x9f\xbf",
		"\xf0\x90\x80\x80",
		"\xf0\x9f\x98\x80",
		"\xf0\x9f\x98\x80z",
		"\xf4\x8f\xbf\xbf",
		"\xee\x80\x80",
		"\xef\xac\xb3",
		"\xef\xbf\xbd",
	};
	const size_t count = sizeof order / sizeof order[0];
	json_t *json = json_object(), *back;
	const char *key;
	json_t *value;
	size_t i = 0;
	char *text;

	while (i < count) {
		i++;
		json_object_set_new(json, order[(i * 7) % count], json_null());
	}
	cr_assert_eq(json_object_size(json), count);
	text = vectors_canonical(json);
	/* jansson keeps the order in which keys are read. */
	back = json_loads(text, 0, NULL);
	cr_assert_not_null(back, "%s", text);
	i = 0;
	json_object_foreach(back, key, value)
	{
		cr_expect_str_eq(key, order[i], "key %zu", i);
		i++;
	}
	cr_expect_eq(i, count);
	free(text);
	json_decref(back);
	json_decref(json);
}

Test(canonical, indented_text_has_a_line_for_each_member_and_is_the_same_value)
{
	static const struct {
		const char *json;
		const char *want;
	} table[] = {
		{"{}", "{}\n"},
		{"[]", "[]\n"},
		{"{\"b\":[1,{}],\"a\":{\"c\":[]}}",
		 "{\n  \"a\": {\n    \"c\": []\n  },\n  \"b\": [\n    1,\n    {}\n  ]\n}\n"},
		{"{\"a\":\"{[:,]}\\\"\\\\\"}", "{\n  \"a\": \"{[:,]}\\\"\\\\\"\n}\n"},
		{"[\"\\\\\",\"\\\"\"]", "[\n  \"\\\\\",\n  \"\\\"\"\n]\n"},
		{"0.1", "0.1\n"},
	};
	struct ki_error e = {0};
	struct ki_buffer b;
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		json_t *v = json_loads(table[i].json, JSON_DECODE_ANY, NULL), *again;

		ki_buffer_init(&b, 1 << 16);
		cr_assert_eq(ki_canonical_write_indented(&b, v, &e), 0, "%s", e.text);
		cr_expect_str_eq(b.data, table[i].want);
		again = json_loads(b.data, JSON_DECODE_ANY, NULL);
		cr_expect(json_equal(v, again));
		json_decref(again);
		json_decref(v);
		ki_buffer_fini(&b);
	}
}
