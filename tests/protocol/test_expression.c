/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "protocol/expression.h"

static bool lookup(int64_t *out, const char *name, void *context)
{
	(void)context;
	if (strcmp(name, "seq") != 0)
		return false;
	*out = 1024;
	return true;
}

Test(expression, arithmetic_follows_precedence_and_rounds_toward_zero)
{
	static const struct {
		const char *text;
		int64_t want;
	} good[] = {
		{"1", 1},
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"10 - 4 - 3", 3},
		{"7 / 2", 3},
		{"-7 / 2", -3},
		{"7 % 4", 3},
		{"seq * (seq + 1) / 2", 524800},
		{"--5", 5},
		{"2 * -3", -6},
		{" ( ( seq ) ) ", 1024},
	};
	size_t i;

	for (i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct ki_error e = {0};
		int64_t v = 0;

		cr_expect_eq(ki_expression_evaluate(&v, good[i].text, lookup, NULL, &e), KI_SUCCESS,
			     "%s: %s", good[i].text, e.text);
		cr_expect_eq(v, good[i].want, "%s is %lld", good[i].text, (long long)v);
	}
}

Test(expression, nonsense_overflow_and_division_by_zero_are_refused)
{
	static const char *const bad[] = {
		"",
		"+++ (",
		"1 +",
		"(1",
		"1)",
		"1 2",
		"seq seq",
		"batch",
		"1 / 0",
		"1 % (2 - 2)",
		"9223372036854775808",
		"9223372036854775807 + 1",
		"seq * seq * seq * seq * seq * seq * seq",
		"1 & 2",
		"SEQ",
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ki_error e = {0};
		int64_t v = 42;

		cr_expect_eq(ki_expression_evaluate(&v, bad[i], lookup, NULL, &e), KI_FAIL_INPUT,
			     "\"%s\" was accepted", bad[i]);
		cr_expect_eq(v, 42, "\"%s\" touched the result", bad[i]);
		cr_expect(e.text[0] != '\0');
	}
}

Test(expression, nesting_is_bounded)
{
	char deep[4096];
	struct ki_error e = {0};
	int64_t v;

	memset(deep, '(', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	cr_expect_eq(ki_expression_evaluate(&v, deep, lookup, NULL, &e), KI_FAIL_INPUT);
	cr_expect(strstr(e.text, "too deep") != NULL, "%s", e.text);
}
