/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>

#include "protocol/duration.h"

Test(duration, texts_become_exact_nanoseconds)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{"25 ms", 25000000},
		{"25ms", 25000000},
		{"1.5 s", 1500000000},
		{"10 min", 600000000000u},
		{"0.001 us", 1},
		{"7 ns", 7},
		{"0 s", 0},
		{"1 h", 3600000000000u},
	};
	size_t i;

	for (i = 0; i < sizeof good / sizeof good[0]; i++) {
		uint64_t ns = 1;

		cr_expect(ki_duration_parse(&ns, good[i].text), "%s", good[i].text);
		cr_expect_eq(ns, good[i].ns, "%s is %llu", good[i].text, (unsigned long long)ns);
	}
}

Test(duration, what_is_no_duration_is_refused)
{
	static const char *const bad[] = {"",
					  "5",
					  "ms",
					  "1.2.3 s",
					  "-1 s",
					  "1 sec",
					  "1 s ",
					  "0.5 ns",
					  "1e3 s",
					  " 1 s",
					  "99999999999999999 h",
					  "0.00000000001 s",
					  "2502000 h"};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		uint64_t ns = 1;

		cr_expect_not(ki_duration_parse(&ns, bad[i]), "\"%s\" was accepted", bad[i]);
		cr_expect_eq(ns, 1);
	}
}

Test(duration, a_person_reads_four_digits_and_a_unit)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} shown[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1.000 us"},
		{719872, "719.9 us"},
		{12345678, "12.35 ms"},
		{1500000000, "1.500 s"},
		{98765432109, "98.77 s"},
		{999949, "999.9 us"},
		{999951, "1.000 ms"},
		{9999600, "10.00 ms"},
	};
	size_t i;

	for (i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		char text[KI_DURATION_TEXT_MAX];

		ki_duration_text(text, shown[i].ns);
		cr_expect_str_eq(text, shown[i].text);
	}
}
