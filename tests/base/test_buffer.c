/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

Test(buffer, an_append_past_the_limit_fails_and_drops_the_append_whole)
{
	struct ki_buffer b;

	ki_buffer_init(&b, 5);
	ki_buffer_puts(&b, "abc");
	ki_buffer_puts(&b, "def");
	cr_expect(b.failed);
	cr_expect_str_eq(b.data, "abc");
	cr_expect_eq(b.size, 3);
	ki_buffer_puts(&b, "d");
	cr_expect_null(ki_buffer_steal(&b), "a failed buffer has no text to give");
	ki_buffer_fini(&b);
}

Test(buffer, a_format_past_the_limit_fails_too)
{
	struct ki_buffer b;

	ki_buffer_init(&b, 4);
	ki_buffer_printf(&b, "%d", 12345);
	cr_expect(b.failed);
	cr_expect_str_eq(b.data, "");
	ki_buffer_fini(&b);
}

Test(buffer, a_size_near_the_largest_does_not_wrap)
{
	struct ki_buffer b;

	ki_buffer_init(&b, 100);
	ki_buffer_puts(&b, "x");
	ki_buffer_append(&b, "y", SIZE_MAX);
	cr_expect(b.failed);
	cr_expect_str_eq(b.data, "x");
	ki_buffer_fini(&b);
}

Test(buffer, exactly_the_limit_fits)
{
	struct ki_buffer b;

	ki_buffer_init(&b, 5);
	ki_buffer_printf(&b, "%s", "abc");
	ki_buffer_append(&b, "de", 2);
	cr_expect_not(b.failed);
	cr_expect_str_eq(b.data, "abcde");
	ki_buffer_fini(&b);
}

Test(buffer, bytes_with_nuls_are_kept_and_a_nul_follows)
{
	struct ki_buffer b;
	char *text;
	int i;

	ki_buffer_init(&b, 100000);
	for (i = 0; i < 10000; i++)
		ki_buffer_append(&b, "a\0b", 3);
	cr_assert_eq(b.size, 30000);
	cr_expect_eq(memcmp(b.data + 29997, "a\0b", 4), 0);
	text = ki_buffer_steal(&b);
	cr_expect_eq(text[29999], 'b');
	cr_expect_eq(b.size, 0);
	cr_expect_str_eq(b.data, "");
	free(text);
	ki_buffer_fini(&b);
}

Test(buffer, an_empty_buffer_has_the_empty_text)
{
	struct ki_buffer b;
	char *text;

	ki_buffer_init(&b, 5);
	cr_expect_str_eq(b.data, "");
	ki_buffer_append(&b, NULL, 0);
	cr_expect_eq(b.size, 0);
	text = ki_buffer_steal(&b);
	cr_expect_str_eq(text, "");
	free(text);
	ki_buffer_fini(&b);
}

Test(buffer, what_was_appended_last_can_be_taken_back)
{
	struct ki_buffer b;

	ki_buffer_init(&b, 100);
	ki_buffer_rewind(&b, 0);
	cr_expect_str_eq(b.data, "");
	ki_buffer_puts(&b, "keep");
	ki_buffer_puts(&b, " and drop");
	ki_buffer_rewind(&b, 4);
	cr_expect_str_eq(b.data, "keep");
	cr_expect_eq(b.size, 4);
	ki_buffer_rewind(&b, 50);
	cr_expect_str_eq(b.data, "keep");
	ki_buffer_fini(&b);
}
