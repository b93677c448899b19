/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/region.h"

static const uint64_t sizes[] = {5000, 0, 1};

static struct ki_region made(size_t contents)
{
	struct ki_region r;

	cr_assert_eq(ki_region_new(&r, "test", sizes, 3, contents, NULL), KI_SUCCESS);
	return r;
}

Test(region, operands_of_all_contents_lie_apart)
{
	struct ki_region r = made(3);
	size_t c, i, other_c, other_i;

	for (c = 0; c < 3; c++)
		for (i = 0; i < 3; i++)
			for (other_c = 0; other_c < 3; other_c++)
				for (other_i = 0; other_i < 3; other_i++) {
					char *a = ki_region_at(&r, c, i);
					char *b = ki_region_at(&r, other_c, other_i);

					if (sizes[i] > 0 && a < b)
						cr_assert_leq(a + sizes[i], b);
					cr_assert_leq((uint64_t)(a - (char *)r.memory) + sizes[i],
						      r.bytes);
				}
	ki_region_free(&r);
}

Test(region, its_memory_is_zero)
{
	struct ki_region r = made(2);
	uint64_t i;

	for (i = 0; i < r.bytes; i++)
		cr_assert_eq(r.memory[i], 0);
	ki_region_free(&r);
}

Test(region, it_can_neither_grow_nor_shrink)
{
	struct ki_region r = made(1);

	cr_expect_neq(ftruncate(r.fd, 0), 0);
	cr_expect_neq(ftruncate(r.fd, (off_t)r.bytes * 2), 0);
	ki_region_free(&r);
}

Test(region, once_sealed_only_this_side_writes)
{
	struct ki_region r = made(1);
	void *p;

	p = mmap(NULL, r.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	cr_assert_neq(p, MAP_FAILED);
	munmap(p, r.bytes);
	if (!ki_region_seal(&r))
		cr_skip_test("this system cannot seal against later writers");
	cr_expect_eq(mmap(NULL, r.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0), MAP_FAILED);
	cr_expect_eq(pwrite(r.fd, "x", 1, 0), -1);
	p = mmap(NULL, r.bytes, PROT_READ, MAP_SHARED, r.fd, 0);
	cr_assert_neq(p, MAP_FAILED);
	cr_expect_neq(mprotect(p, r.bytes, PROT_READ | PROT_WRITE), 0);
	memset(r.memory, 7, 10);
	cr_expect_eq(((char *)p)[9], 7);
	munmap(p, r.bytes);
	ki_region_free(&r);
}

Test(region, what_no_address_space_holds_is_refused)
{
	const uint64_t huge[] = {UINT64_MAX - 10, 1};
	const uint64_t wraps[] = {(uint64_t)1 << 62, (uint64_t)1 << 62};
	struct ki_region r;
	struct ki_error e = {0};

	cr_expect_eq(ki_region_new(&r, "test", huge, 2, 1, &e), KI_FAIL_LIMIT);
	cr_expect_eq(ki_region_new(&r, "test", wraps, 2, 4, &e), KI_FAIL_LIMIT);
}
