/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/table.h"

static char *print(const struct ki_table_row *rows, size_t n, bool utf8)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_not_null(out);
	ki_table_print(out, rows, n, utf8);
	fclose(out);
	return text;
}

static struct ki_table_row passed(const char *label, const char *backend, uint64_t median)
{
	return (struct ki_table_row){.case_label = label,
				     .backend = backend,
				     .verdict = KI_VERDICT_PASSED,
				     .has_latency = true,
				     .summary = {.median = median,
						 .p20 = median - median / 100,
						 .p80 = median + median / 100,
						 .control_median = 80},
				     .work_bytes = 1000000,
				     .copy_rate = 10e9};
}

/* The text of line i, from 0, in a buffer of the caller's. */
static const char *line_of(char out[512], const char *text, int i)
{
	for (; i > 0; i--) {
		text = strchr(text, '\n');
		cr_assert_not_null(text);
		text++;
	}
	snprintf(out, 512, "%.*s", (int)strcspn(text, "\n"), text);
	return out;
}

Test(table, shows_the_numbers_of_two_backends_of_a_case)
{
	struct ki_table_row rows[] = {passed("seq=32", "eager", 2000000),
				      passed("seq=32", "fused", 1000000)};
	char line[512], *text;

	rows[0].is_baseline = true;
	rows[0].ratio = 1;
	rows[1].ratio = 2;
	text = print(rows, 2, false);
	cr_assert_str_eq(
		line_of(line, text, 0),
		"case    backend  status    median            p20-p80  control   GB/s  of copy"
		"  vs eager");
	cr_assert_str_eq(
		line_of(line, text, 1),
		"seq=32  eager    passed  2.000 ms     1.980-2.020 ms    80 ns  0.500   5.00 %"
		"  baseline");
	free(text);
}

Test(table, names_a_case_once_and_the_next_case_again)
{
	const struct ki_table_row rows[] = {passed("seq=32", "a", 1000),
					    passed("seq=32", "b", 1000),
					    passed("seq=64", "a", 1000)};
	char line[512], *text = print(rows, 3, false);

	cr_assert(strncmp(line_of(line, text, 1), "seq=32", 6) == 0);
	cr_assert(strncmp(line_of(line, text, 2), "      ", 6) == 0);
	cr_assert(strncmp(line_of(line, text, 3), "seq=64", 6) == 0);
	free(text);
}

Test(table, a_failed_row_has_a_status_and_a_reason_but_no_number)
{
	struct ki_table_row rows[] = {passed("seq=32", "a", 1000), passed("seq=32", "b", 123456)};
	char line[512], *text;

	rows[1].verdict = KI_VERDICT_RUNTIME_ERROR;
	rows[1].has_latency = false;
	rows[1].reason = "launch: ended by signal 11";
	text = print(rows, 2, false);
	cr_assert_null(strstr(text, "123.5"));
	cr_assert_str_eq(line_of(line, text, 4),
			 "seq=32, b: runtime_error: launch: ended by signal 11");
	free(text);
}

Test(table, columns_that_nobody_fills_are_left_out)
{
	struct ki_table_row row = passed("seq=32", "only", 1000);
	char *text;

	row.work_bytes = 0;
	row.is_baseline = true;
	row.ratio = 1;
	text = print(&row, 1, false);
	cr_assert_null(strstr(text, "GB/s"));
	cr_assert_null(strstr(text, "of copy"));
	cr_assert_null(strstr(text, "vs "));
	cr_assert_not_null(strstr(text, "median"));
	free(text);
}

Test(table, no_line_ends_in_blanks)
{
	struct ki_table_row rows[] = {passed("seq=32", "a", 1000), passed("seq=32", "b", 2000)};
	char *text;

	rows[1].has_latency = false;
	rows[1].verdict = KI_VERDICT_TIMEOUT;
	text = print(rows, 2, true);
	cr_assert_null(strstr(text, " \n"));
	free(text);
}

Test(table, control_characters_of_a_reason_do_not_reach_the_terminal)
{
	struct ki_table_row row = passed("seq=32", "a", 1000);
	char *text;

	row.has_latency = false;
	row.verdict = KI_VERDICT_RUNTIME_ERROR;
	row.reason = "first\n\033[2Jsecond \xc2\x9b third";
	text = print(&row, 1, true);
	cr_assert_null(strchr(text, '\033'));
	cr_assert_null(strstr(text, "\xc2\x9b"));
	cr_assert_not_null(strstr(text, "first??[2Jsecond ? third\n"));
	free(text);
}

Test(table, beyond_ascii_only_where_the_locale_has_it)
{
	const struct ki_table_row rows[] = {passed("seq=32", "caf\xc3\xa9", 1000),
					    passed("seq=32", "b", 1000)};
	char *plain = print(rows, 2, false), *utf8 = print(rows, 2, true);
	const char *c;

	for (c = plain; *c != '\0'; c++)
		cr_assert((unsigned char)*c < 0x80);
	cr_assert_not_null(strstr(plain, "caf? "));
	cr_assert_not_null(strstr(utf8, "caf\xc3\xa9 "));
	free(plain);
	free(utf8);
}

Test(table, a_label_beyond_ascii_keeps_the_columns_aligned)
{
	const struct ki_table_row rows[] = {passed("seq=32", "caf\xc3\xa9", 1000),
					    passed("seq=32", "cafe", 1000)};
	char a[512], b[512], *text = print(rows, 2, true);

	line_of(a, text, 1);
	line_of(b, text, 2);
	/* One byte further, no more: the second byte of the accented letter. */
	cr_assert_eq(strstr(a, "passed") - a, strstr(b, "passed") - b + 1);
	free(text);
}

Test(table, a_median_of_zero_gives_no_bandwidth)
{
	struct ki_table_row row = passed("seq=32", "a", 0);
	char *text = print(&row, 1, false);

	cr_assert_null(strstr(text, "inf"));
	cr_assert_null(strstr(text, "nan"));
	free(text);
}
