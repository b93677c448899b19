/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <string.h>

#include "measure/schedule.h"

Test(schedule, every_backend_gets_exactly_its_segments_for_any_number_of_backends)
{
	uint32_t n, segments;

	for (n = 1; n <= 9; n++)
		for (segments = 2; segments <= 8; segments += 2) {
			struct ki_schedule s;
			uint32_t seen[9][8] = {{0}};
			struct ki_error e = {0};
			size_t i;

			cr_assert_eq(ki_schedule_new(&s, n, segments, 7, &e), KI_SUCCESS);
			cr_assert_eq(s.n_slots, (size_t)n * segments);
			for (i = 0; i < s.n_slots; i++)
				seen[s.slots[i].backend][s.slots[i].segment]++;
			for (i = 0; i < (size_t)n * segments; i++)
				cr_expect_eq(seen[i / segments][i % segments], 1);
			ki_schedule_free(&s);
		}
}

Test(schedule, each_block_is_a_permutation_and_its_mirror)
{
	struct ki_schedule s;
	struct ki_error e = {0};
	uint32_t n = 5;
	size_t block, i;

	cr_assert_eq(ki_schedule_new(&s, n, 6, 123, &e), KI_SUCCESS);
	for (block = 0; block < 3; block++)
		for (i = 0; i < n; i++)
			cr_expect_eq(s.slots[block * 2 * n + i].backend,
				     s.slots[block * 2 * n + 2 * n - 1 - i].backend);
	ki_schedule_free(&s);
}

Test(schedule, both_orientations_of_two_backends_occur)
{
	size_t first_is_0 = 0;
	uint64_t seed;

	for (seed = 0; seed < 400; seed++) {
		struct ki_schedule s;
		struct ki_error e = {0};

		cr_assert_eq(ki_schedule_new(&s, 2, 2, seed, &e), KI_SUCCESS);
		first_is_0 += s.slots[0].backend == 0;
		ki_schedule_free(&s);
	}
	/* A fair coin: 5 standard deviations are 50. */
	cr_expect(first_is_0 > 150 && first_is_0 < 250, "%zu of 400", first_is_0);
}

Test(schedule, a_seed_gives_the_same_schedule_and_no_placement_twice)
{
	struct ki_schedule a, b;
	struct ki_error e = {0};
	size_t i, k;

	cr_assert_eq(ki_schedule_new(&a, 3, 8, 99, &e), KI_SUCCESS);
	cr_assert_eq(ki_schedule_new(&b, 3, 8, 99, &e), KI_SUCCESS);
	cr_expect_eq(memcmp(a.slots, b.slots, a.n_slots * sizeof *a.slots), 0);
	for (i = 0; i < a.n_slots; i++)
		for (k = 0; k < i; k++)
			cr_expect_neq(a.slots[i].placement, a.slots[k].placement);
	ki_schedule_free(&a);
	ki_schedule_free(&b);
}

Test(schedule, an_odd_number_of_segments_has_no_mirror_and_is_refused)
{
	struct ki_schedule s;
	struct ki_error e = {0};

	cr_expect_eq(ki_schedule_new(&s, 2, 3, 1, &e), KI_FAIL_INTERNAL);
}

Test(schedule, samples_are_split_evenly_and_no_segment_has_fewer_than_three)
{
	static const uint64_t totals[] = {1, 3, 11, 12, 13, 20, 101, 1000};
	size_t i;

	for (i = 0; i < sizeof totals / sizeof totals[0]; i++) {
		uint64_t sum = 0;
		uint32_t k;

		for (k = 0; k < 4; k++) {
			uint64_t n = ki_schedule_samples(totals[i], 4, k);

			cr_expect(n >= 3);
			sum += n;
		}
		cr_expect(sum >= totals[i] && (totals[i] < 12 || sum == totals[i]), "%llu: %llu",
			  (unsigned long long)totals[i], (unsigned long long)sum);
	}
}
