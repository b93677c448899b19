/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "import/csv.h"

/* "1: a|b" for a row, "2! why" for a torn one. */
static void expect_rows(const char *text, size_t size, const char *want)
{
	struct ki_csv_row row;
	const char *why;
	struct ki_csv csv;
	struct ki_buffer b;
	enum ki_csv_status status;
	char *copy = malloc(size + 1);
	size_t i;

	cr_assert_not_null(copy);
	memcpy(copy, text, size);
	ki_buffer_init(&b, 1 << 16);
	ki_csv_init(&csv, copy, size);
	while ((status = ki_csv_next(&csv, &row, &why)) != KI_CSV_END) {
		ki_buffer_printf(&b, "%zu%s", row.line, status == KI_CSV_TORN ? "! " : ": ");
		if (status == KI_CSV_TORN)
			ki_buffer_puts(&b, why);
		for (i = 0; status == KI_CSV_ROW && i < row.count; i++)
			ki_buffer_printf(&b, "%s%s", i > 0 ? "|" : "", row.fields[i]);
		ki_buffer_puts(&b, "\n");
	}
	cr_expect_str_eq(b.data, want, "%s\n%s, not\n%s", text, b.data, want);
	ki_buffer_fini(&b);
	free(copy);
}

#define EXPECT(text, want) expect_rows(text, sizeof(text) - 1, want)

Test(csv, rows_are_lines_of_fields_between_commas)
{
	EXPECT("", "");
	EXPECT("a", "1: a\n");
	EXPECT("a,b\nc,,\n", "1: a|b\n2: c||\n");
	EXPECT("a,b\r\nc,d\r\n", "1: a|b\n2: c|d\n");
	EXPECT("\xef\xbb\xbf"
	       "a,b\n",
	       "1: a|b\n");
	EXPECT(" a , b \n", "1:  a | b \n");
}

Test(csv, empty_lines_are_no_rows_but_are_counted)
{
	EXPECT("a\n\n\r\nb\n", "1: a\n4: b\n");
}

Test(csv, a_quoted_field_holds_commas_and_doubled_quotes)
{
	EXPECT("\"a,b\",c\n", "1: a,b|c\n");
	EXPECT("\"{\"\"B\"\": 2}\",x\n", "1: {\"B\": 2}|x\n");
	EXPECT("\"\",\"\"\"\"\n", "1: |\"\n");
	EXPECT("x,\"last\"", "1: x|last\n");
}

Test(csv, a_torn_row_costs_no_other)
{
	EXPECT("a,\"b\nc,d\n", "1! a quoted field is not closed on its line\n2: c|d\n");
	EXPECT("a,\"b\"x,c\nd\n", "1! something stands behind a closing quote\n2: d\n");
	EXPECT("a,b\"c\",d\ne\n",
	       "1! a quote stands inside of a field that has none around it\n2: e\n");
	EXPECT("a\xff,b\nc\n", "1! it is not UTF-8 text\n2: c\n");
	EXPECT("a\0b,c\nd\n", "1! it is not UTF-8 text\n2: d\n");
	EXPECT("\"", "1! a quoted field is not closed on its line\n");
}

Test(csv, a_row_of_too_many_fields_is_torn)
{
	struct ki_buffer b;
	size_t i;

	ki_buffer_init(&b, 1 << 16);
	for (i = 0; i < KI_CSV_FIELDS_MAX; i++)
		ki_buffer_puts(&b, "x,");
	ki_buffer_puts(&b, "x\ny\n");
	expect_rows(b.data, b.size, "1! it has too many fields\n2: y\n");
	ki_buffer_fini(&b);
}
