/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

Test(error, the_first_failure_is_the_one_that_is_kept)
{
	struct ki_error e = {0};

	cr_expect_eq(ki_error_set(&e, KI_FAIL_INPUT, "first %d", 1), KI_FAIL_INPUT);
	cr_expect_eq(ki_error_set(&e, KI_FAIL_MEMORY, "second"), KI_FAIL_MEMORY);
	cr_expect_eq(ki_error_errno(&e, ENOENT, "third"), KI_FAIL_SYSTEM);
	cr_expect_eq(e.code, KI_FAIL_INPUT);
	cr_expect_eq(e.native, 0);
	cr_expect_str_eq(e.text, "first 1");
}

Test(error, nobody_need_listen)
{
	cr_expect_eq(ki_error_set(NULL, KI_FAIL_LIMIT, "x"), KI_FAIL_LIMIT);
	cr_expect_eq(ki_error_errno(NULL, EIO, "x"), KI_FAIL_SYSTEM);
	ki_error_prefix(NULL, "x");
}

Test(error, a_text_beyond_the_maximum_is_cut_and_terminated)
{
	struct ki_error e = {0};
	char text[2 * KI_ERROR_TEXT_MAX];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	ki_error_set(&e, KI_FAIL_INPUT, "%s", text);
	cr_expect_eq(strlen(e.text), KI_ERROR_TEXT_MAX - 1);
	ki_error_prefix(&e, "%s", text);
	cr_expect_lt(strlen(e.text), KI_ERROR_TEXT_MAX);
	ki_error_clear(&e);
	ki_error_errno(&e, ENOENT, "%s", text);
	cr_expect_not_null(strstr(e.text, "x: No such file"), "the reason is never cut off");
}

Test(error, an_errno_is_kept_and_told)
{
	struct ki_error e = {0};

	cr_expect_eq(ki_error_errno(&e, ENOENT, "%s", "/a"), KI_FAIL_SYSTEM);
	cr_expect_eq(e.native, ENOENT);
	cr_expect_str_eq(e.text, "/a: No such file or directory");
}

Test(error, those_who_know_more_put_it_in_front)
{
	struct ki_error e = {0};

	ki_error_prefix(&e, "nothing is wrong");
	cr_expect_str_eq(e.text, "");
	ki_error_set(&e, KI_FAIL_INPUT, "cause");
	ki_error_prefix(&e, "step %d", 2);
	ki_error_prefix(&e, "task");
	cr_expect_str_eq(e.text, "task: step 2: cause");
	cr_expect_eq(e.code, KI_FAIL_INPUT);
}

Test(error, after_clearing_an_error_can_be_set_again)
{
	struct ki_error e = {0};

	ki_error_errno(&e, EIO, "old");
	ki_error_clear(&e);
	cr_expect(e.code == KI_SUCCESS && e.native == 0 && e.text[0] == '\0');
	ki_error_set(&e, KI_FAIL_TIMEOUT, "new");
	cr_expect_str_eq(e.text, "new");
}
