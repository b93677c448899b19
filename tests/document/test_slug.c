/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "document/slug.h"

Test(slug, it_is_lower_case_with_a_hyphen_for_every_run_of_others)
{
	static const char *const table[][2] = {
		{"My  Kernels_2", "my-kernels-2"},
		{"--a--", "a"},
		{"a/b.c", "a-b-c"},
		{"\xc3\xa4 b", "b"},
		{"...", ""},
		{"", ""},
	};
	char out[KI_SLUG_MAX];
	size_t i;

	for (i = 0; i < sizeof table / sizeof table[0]; i++) {
		ki_slug(out, table[i][0]);
		cr_expect_str_eq(out, table[i][1], "%s: %s", table[i][0], out);
	}
}

Test(slug, it_is_cut_at_100_after_its_ends_were_trimmed)
{
	char text[256], out[KI_SLUG_MAX];

	memset(text, 'x', sizeof text);
	text[99] = '-';
	text[150] = '\0';
	ki_slug(out, text);
	cr_expect_eq(strlen(out), 100);
	cr_expect_eq(out[99], '-', "a hyphen that the cut left stays");
	text[100] = '\0';
	ki_slug(out, text);
	cr_expect_eq(strlen(out), 99, "one at the end goes");
}
