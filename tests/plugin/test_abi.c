/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

/* Sizes, places and numbers: all of them hold, or this does not compile. */
#include "../abi_layout.c"

Test(abi, a_field_is_there_only_when_all_of_it_is)
{
	struct ki_device d = {.struct_size = offsetof(struct ki_device, cpu_threads)};

	cr_expect_not(KI_HAS(&d, struct ki_device, cpu_threads));
	cr_expect(KI_HAS(&d, struct ki_device, uuid));
	d.struct_size += 3;
	cr_expect_not(KI_HAS(&d, struct ki_device, cpu_threads));
	d.struct_size += 1;
	cr_expect(KI_HAS(&d, struct ki_device, cpu_threads));
	cr_expect_not(KI_HAS(&d, struct ki_device, reserved0));
}

Test(abi, a_later_minor_is_greater_and_a_later_major_greater_still)
{
	cr_expect_lt(KI_ABI_PACK(1, 0), KI_ABI_PACK(1, 1));
	cr_expect_lt(KI_ABI_PACK(1, 65535), KI_ABI_PACK(2, 0));
	cr_expect_eq(KI_ABI_MAJOR_OF(KI_ABI_PACK(65535, 7)), 65535);
	cr_expect_eq(KI_ABI_MINOR_OF(KI_ABI_PACK(7, 65535)), 65535);
}

Test(abi, the_names_by_which_things_are_found_never_change)
{
	cr_expect_str_eq(KI_ENTRY_SYMBOL, "ki_plugin_entry");
	cr_expect_str_eq(KI_EXT_CUDA, "ki.cuda/1");
	cr_expect_str_eq(KI_EXT_ROWS, "ki.rows/1");
}
