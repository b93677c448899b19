/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/utf8.h"

Test(utf8, each_length_is_decoded)
{
	static const struct {
		const char *text;
		uint32_t code;
	} good[] = {{"A", 'A'},
		    {"\xc2\x80", 0x80},
		    {"\xdf\xbf", 0x7ff},
		    {"\xe0\xa0\x80", 0x800},
		    {"\xef\xbf\xbf", 0xffff},
		    {"\xf0\x90\x80\x80", 0x10000},
		    {"\xf4\x8f\xbf\xbf", 0x10ffff}};
	size_t i;

	for (i = 0; i < sizeof good / sizeof good[0]; i++) {
		uint32_t c = 0;
		size_t n = strlen(good[i].text);

		cr_expect_eq(ki_utf8_decode(&c, good[i].text, n), n);
		cr_expect_eq(c, good[i].code);
		if (n > 1)
			cr_expect_eq(ki_utf8_decode(&c, good[i].text, n - 1), 0);
	}
}

Test(utf8, what_is_overlong_a_surrogate_or_too_large_is_none)
{
	static const char *const bad[] = {"\x80",
					  "\xbf",
					  "\xc0\x80",
					  "\xc1\xbf",
					  "\xe0\x9f\xbf",
					  "\xed\xa0\x80",
					  "\xf0\x8f\xbf\xbf",
					  "\xf4\x90\x80\x80",
					  "\xf5\x80\x80\x80",
					  "\xff",
					  "\xe2\x82"
					  "A",
					  "\xc3"
					  "A"};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint32_t c = 7;

		cr_expect_eq(ki_utf8_decode(&c, bad[i], strlen(bad[i])), 0, "number %zu", i);
		cr_expect_eq(c, 7);
	}
}

Test(utf8, a_cut_falls_between_characters)
{
	static const char text[] = "a\xc3\xa9\xf0\x90\x80\x80z";
	static const size_t cuts[] = {0, 1, 1, 3, 3, 3, 3, 7, 8};
	size_t n;

	for (n = 0; n < sizeof cuts / sizeof cuts[0]; n++)
		cr_expect_eq(ki_utf8_cut(text, n), cuts[n], "%zu", n);
}
