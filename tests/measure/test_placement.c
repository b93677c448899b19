/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>

#include "measure/placement.h"

#define SLAB ((uint64_t)8 << 20)

static const struct ki_placement_buffer wanted[] = {
	{.bytes = 1000001, .align = 256}, {.bytes = 1, .align = 256},
	{.bytes = 4096, .align = 4096},   {.bytes = 300000, .align = 1024},
	{.bytes = 0, .align = 256},
};
enum { N = sizeof wanted / sizeof wanted[0] };

static void draw(struct ki_placement_buffer *b, uint64_t slab, uint64_t seed)
{
	struct ki_error e = {0};
	size_t i;

	for (i = 0; i < N; i++)
		b[i] = wanted[i];
	cr_assert_eq(ki_placement_draw(b, N, slab, seed, &e), KI_SUCCESS, "%s", e.text);
}

Test(placement, buffers_are_aligned_apart_by_their_guards_and_inside_the_slab)
{
	struct ki_placement_buffer b[N];
	uint64_t seed;
	size_t i;

	for (seed = 0; seed < 2000; seed++) {
		uint64_t end = 0;

		draw(b, SLAB, seed);
		for (i = 0; i < N; i++) {
			cr_assert_eq(b[i].offset % b[i].align, 0);
			cr_assert(b[i].offset >= end + KI_PLACEMENT_GUARD_BYTES);
			end = b[i].offset + ((b[i].bytes + 7) & ~7ull) + KI_PLACEMENT_GUARD_BYTES;
		}
		cr_assert(end <= SLAB);
	}
}

Test(placement, the_least_slab_is_enough_for_any_seed)
{
	struct ki_placement_buffer b[N];
	struct ki_error e = {0};
	uint64_t least, seed;

	for (seed = 0; seed < N; seed++)
		b[seed] = wanted[seed];
	cr_assert_eq(ki_placement_least(&least, b, N, &e), KI_SUCCESS);
	for (seed = 0; seed < 100; seed++) {
		draw(b, least, seed);
		cr_assert(b[N - 1].offset + KI_PLACEMENT_GUARD_BYTES <= least);
	}
	cr_expect_eq(ki_placement_draw(b, N, least - 1, 0, &e), KI_FAIL_INTERNAL);
}

Test(placement, seeds_spread_a_buffer_over_the_whole_slack)
{
	struct ki_placement_buffer b[N];
	uint64_t low = UINT64_MAX, high = 0, seed;

	for (seed = 0; seed < 500; seed++) {
		draw(b, SLAB, seed);
		low = b[2].offset < low ? b[2].offset : low;
		high = b[2].offset > high ? b[2].offset : high;
	}
	cr_expect(high - low > SLAB / 2, "%llu to %llu", (unsigned long long)low,
		  (unsigned long long)high);
}

Test(placement, sizes_that_overflow_are_refused)
{
	const struct ki_placement_buffer b[2] = {{.bytes = UINT64_MAX - 100, .align = 256},
						 {.bytes = 1000, .align = 256}};
	struct ki_error e = {0};
	uint64_t least;

	cr_expect_eq(ki_placement_least(&least, b, 2, &e), KI_FAIL_LIMIT);
}
