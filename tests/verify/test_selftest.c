/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "verify/generate.h"
#include "verify/selftest.h"

#define ROWS 6
#define LENGTH 10
#define ELEMENTS (ROWS * LENGTH)

static const struct ki_compare_limits limits = {.row = 4, .pool = 2};

/* The verdict on a case with this float64 reference and this eager output. */
static bool judge(char why[KI_SELFTEST_WHY_MAX], const double *ref, const float *eager,
		  uint64_t rows, uint64_t row_length)
{
	struct ki_compare_result results[3];
	struct ki_compare *c = NULL;
	struct ki_error e = {0};
	float zeros[ELEMENTS], shifted[ELEMENTS];
	const void *candidates[2] = {zeros, shifted};
	bool movable;

	ki_selftest_zeros(zeros, KI_DTYPE_FP32, rows, row_length);
	movable = ki_selftest_shifted(shifted, eager, KI_DTYPE_FP32, rows, row_length);
	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_FP32, rows, row_length, 2, &e), KI_SUCCESS);
	ki_compare_add(c, 0, rows, ref, eager, candidates, NULL);
	ki_compare_reference_result(&results[0], c, &limits);
	ki_compare_result(&results[1], c, 0, &limits);
	ki_compare_result(&results[2], c, 1, &limits);
	ki_compare_free(c);
	return ki_selftest_judge(why, &results[0], &results[1], movable ? &results[2] : NULL);
}

/* Each of these must be found invalid, for the reason given. */
Test(selftest, a_case_that_cannot_tell_right_from_wrong_is_invalid)
{
	static const struct {
		const char *name;
		double ref[4];
		float eager[4];
		uint64_t rows, row_length;
		const char *why;
	} cases[] = {
		{"NaN in the eager output", {1, 2, 3, 4}, {1, NAN, 3, 4}, 2, 2, "eager reference"},
		{"NaN on both sides", {1, NAN, 3, 4}, {1, NAN, 3, 4}, 2, 2, "eager reference"},
		{"eager overflows", {1, 2, 3, 4}, {1, INFINITY, 3, 4}, 2, 2, "eager reference"},
		{"not zero where it must be",
		 {0, 0, 3, 4},
		 {0, 1e-30f, 3, 4},
		 2,
		 2,
		 "eager reference"},
		{"all zero", {0, 0, 0, 0}, {0, 0, 0, 0}, 2, 2, "zeros would pass"},
		{"eager is all noise", {1, 2, 3, 4}, {9, -7, 0, 3}, 2, 2, "zeros would pass"},
		{"rows all alike", {5, 6, 5, 6}, {5, 6, 5, 6}, 2, 2, "moved by one row"},
		{"one row of one value", {5, 5, 5, 5}, {5, 5, 5, 5}, 1, 4, "moved by one row"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char why[KI_SELFTEST_WHY_MAX] = "";

		cr_assert_not(judge(why, cases[i].ref, cases[i].eager, cases[i].rows,
				    cases[i].row_length),
			      "%s", cases[i].name);
		cr_assert_not_null(strstr(why, cases[i].why), "%s: %s", cases[i].name, why);
	}
}

Test(selftest, an_ordinary_case_is_valid)
{
	const struct ki_generator g = {.kind = KI_GENERATOR_NORMAL, .seed = 4, .b = 1};
	static const uint64_t shapes[][2] = {{ROWS, LENGTH}, {1, ELEMENTS}, {ELEMENTS, 1}, {1, 1}};
	double ref[ELEMENTS];
	float eager[ELEMENTS];

	ki_generate_doubles(ref, &g, 0, 0, ELEMENTS);
	ki_dtype_from_double(eager, ref, KI_DTYPE_FP32, ELEMENTS);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		char why[KI_SELFTEST_WHY_MAX] = "x";

		cr_assert(judge(why, ref, eager, shapes[i][0], shapes[i][1]), "shape %zu: %s", i,
			  why);
		cr_assert_str_eq(why, "");
	}
}

Test(selftest, zeros_are_zero_to_the_last_element_and_no_further)
{
	for (unsigned t = 0; t < KI_DTYPE_COUNT; t++) {
		const size_t bytes = 6 * ki_dtype_bytes((enum ki_dtype)t);
		unsigned char data[6 * 8 + 1];

		memset(data, 0xa5, sizeof data);
		ki_selftest_zeros(data, (enum ki_dtype)t, 2, 3);
		for (size_t i = 0; i < sizeof data; i++)
			cr_assert_eq(data[i], i < bytes ? 0 : 0xa5);
	}
}

Test(selftest, rows_move_down_and_the_last_becomes_the_first)
{
	static const struct {
		uint64_t rows, row_length;
		uint16_t expected[6];
		bool moved;
	} cases[] = {
		{3, 2, {5, 6, 1, 2, 3, 4}, true},  {2, 3, {4, 5, 6, 1, 2, 3}, true},
		{6, 1, {6, 1, 2, 3, 4, 5}, true},  {1, 6, {6, 1, 2, 3, 4, 5}, true},
		{1, 1, {1, 0, 0, 0, 0, 0}, false},
	};
	static const uint16_t eager[6] = {1, 2, 3, 4, 5, 6};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint16_t shifted[6] = {0};

		cr_assert_eq(ki_selftest_shifted(shifted, eager, KI_DTYPE_BF16, cases[i].rows,
						 cases[i].row_length),
			     cases[i].moved);
		cr_assert(memcmp(shifted, cases[i].expected, sizeof shifted) == 0, "case %zu", i);
	}
}
