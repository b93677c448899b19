/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "verify/compare.h"
#include "verify/generate.h"

/* Rows longer than the block that is converted at a time, and odd, so that words straddle rows. */
#define ROWS 67
#define LENGTH 601
#define ELEMENTS (ROWS * LENGTH)

static const struct ki_compare_limits limits = {.row = 4, .pool = 2};

/* A causal softmax in bf16: row r has r + 1 positive elements and zeros behind them. */
struct softmax {
	double ref[ELEMENTS];
	uint16_t eager[ELEMENTS];
	uint16_t cand[ELEMENTS];
};

static struct softmax m;

static double round_bf16(double x)
{
	uint16_t code;

	ki_dtype_from_double(&code, &x, KI_DTYPE_BF16, 1);
	ki_dtype_to_double(&x, &code, KI_DTYPE_BF16, 1);
	return x;
}

static void softmax_make(void)
{
	const struct ki_generator g = {.kind = KI_GENERATOR_NORMAL, .seed = 11, .b = 1};
	static double eager[ELEMENTS];

	memset(&m, 0, sizeof m);
	memset(eager, 0, sizeof eager);
	ki_generate_doubles(m.ref, &g, 0, 0, ELEMENTS);
	for (unsigned r = 0; r < ROWS; r++) {
		double *ref = m.ref + r * LENGTH, *rounded = eager + r * LENGTH;
		double sum = 0, sum_rounded = 0;

		for (unsigned i = 0; i < LENGTH; i++) {
			ref[i] = i <= r ? exp(round_bf16(ref[i])) : 0;
			rounded[i] = round_bf16(ref[i]);
			sum += ref[i];
			sum_rounded += rounded[i];
		}
		for (unsigned i = 0; i <= r; i++) {
			ref[i] /= sum;
			rounded[i] /= round_bf16(sum_rounded);
		}
	}
	ki_dtype_from_double(m.eager, eager, KI_DTYPE_BF16, ELEMENTS);
	ki_dtype_from_double(m.cand, m.ref, KI_DTYPE_BF16, ELEMENTS);
}

/* One candidate, in tiles of so many rows. */
static struct ki_compare_result compare(unsigned tile_rows, const uint64_t *key)
{
	struct ki_compare_result result;
	struct ki_compare *c = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, ROWS, LENGTH, 1, &e), KI_SUCCESS, "%s",
		     e.text);
	for (unsigned r = 0; r < ROWS; r += tile_rows) {
		const size_t at = (size_t)r * LENGTH;
		const void *cand = m.cand + at;

		ki_compare_add(c, r, r + tile_rows < ROWS ? tile_rows : ROWS - r, m.ref + at,
			       m.eager + at, &cand, key);
	}
	ki_compare_result(&result, c, 0, &limits);
	ki_compare_free(c);
	return result;
}

static struct ki_compare_result compare_whole(void)
{
	return compare(ROWS, NULL);
}

/* n doubles in one row of fp64; eager is the reference itself unless given. */
static struct ki_compare_result compare_row(unsigned n, const double *ref, const double *eager,
					    const double *cand)
{
	struct ki_compare_result result;
	struct ki_compare *c = NULL;
	struct ki_error e = {0};
	const void *candidates[1] = {cand};

	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_FP64, 1, n, 1, &e), KI_SUCCESS);
	ki_compare_add(c, 0, 1, ref, eager != NULL ? eager : ref, candidates, NULL);
	ki_compare_result(&result, c, 0, &limits);
	ki_compare_free(c);
	return result;
}

Test(compare, an_output_without_elements_is_refused)
{
	struct ki_compare *c = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, 0, 4, 1, &e), KI_FAIL_INPUT);
	ki_error_clear(&e);
	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, 4, 0, 1, &e), KI_FAIL_INPUT);
	cr_assert_null(c);
}

Test(compare, sizes_that_overflow_are_refused)
{
	struct ki_compare *c = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, UINT64_C(1) << 40, UINT64_C(1) << 40, 1, &e),
		     KI_FAIL_MEMORY);
	cr_assert_null(c);
}

Test(compare, zeros_fail, .init = softmax_make)
{
	struct ki_compare_result r;

	memset(m.cand, 0, sizeof m.cand);
	r = compare_whole();
	cr_assert_not(r.passed);
	cr_assert_eq(r.failing_rows, ROWS);
	cr_assert_eq(r.max_relative_error, 1.0);
	cr_assert_neq(r.why[0], '\0');
}

Test(compare, a_scale_two_percent_off_fails, .init = softmax_make)
{
	static double scaled[ELEMENTS];
	struct ki_compare_result r;

	for (unsigned i = 0; i < ELEMENTS; i++)
		scaled[i] = m.ref[i] * 1.02;
	ki_dtype_from_double(m.cand, scaled, KI_DTYPE_BF16, ELEMENTS);
	r = compare_whole();
	cr_assert_not(r.passed);
	cr_assert_gt(r.row_ratio_max, 4);
	cr_assert_gt(r.pool_ratio, 4);
}

Test(compare, one_wrong_row_among_many_fails, .init = softmax_make)
{
	struct ki_compare_result r;

	for (unsigned i = 0; i <= 41; i++)
		m.cand[41 * LENGTH + i] ^= 0x8000;
	r = compare_whole();
	cr_assert_not(r.passed);
	cr_assert_eq(r.failing_rows, 1);
	cr_assert_eq(r.row_ratio_argmax, 41);
	cr_assert_not_null(strstr(r.why, "row 41"), "%s", r.why);
}

Test(compare, a_masked_element_that_is_not_zero_fails, .init = softmax_make)
{
	m.cand[5 * LENGTH + 6] = m.cand[5 * LENGTH + 5];
	cr_assert_not(compare_whole().passed);
}

Test(compare, a_nan_in_the_candidate_fails, .init = softmax_make)
{
	struct ki_compare_result r;

	m.cand[66 * LENGTH + 600] = 0x7fc0;
	r = compare_whole();
	cr_assert_not(r.passed);
	cr_assert_eq(r.class_mismatches, 1);
	cr_assert(isfinite(r.row_ratio_max) && isfinite(r.pool_ratio));
	cr_assert_eq(r.failing_rows, 0);
}

Test(compare, a_nan_on_both_sides_fails_still, .init = softmax_make)
{
	struct ki_compare_result r;

	m.ref[3] = NAN;
	m.eager[3] = m.cand[3] = 0x7fc0;
	r = compare_whole();
	cr_assert_not(r.passed);
	cr_assert_eq(r.class_mismatches, 1);
}

Test(compare, nothing_but_nan_fails)
{
	const double nan4[4] = {NAN, NAN, NAN, NAN};
	const double ones[4] = {1, 1, 1, 1};

	cr_assert_not(compare_row(4, nan4, nan4, nan4).passed);
	cr_assert_not(compare_row(4, nan4, nan4, ones).passed);
	cr_assert_not(compare_row(4, ones, ones, nan4).passed);
	cr_assert(compare_row(4, ones, ones, ones).passed);
}

Test(compare, limits_that_are_nan_let_nothing_pass, .init = softmax_make)
{
	const struct ki_compare_limits broken[] = {{NAN, 2}, {4, NAN}};
	struct ki_compare_result r;
	struct ki_compare *c = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, ROWS, LENGTH, 0, &e), KI_SUCCESS);
	ki_compare_add(c, 0, ROWS, m.ref, m.eager, NULL, NULL);
	for (unsigned i = 0; i < 2; i++) {
		ki_compare_reference_result(&r, c, &broken[i]);
		cr_assert_not(r.passed);
	}
	ki_compare_reference_result(&r, c, &limits);
	cr_assert(r.passed, "%s", r.why);
	ki_compare_free(c);
}

Test(compare, classes_are_compared_before_values)
{
	static const struct {
		double ref, cand;
		bool passed;
	} cases[] = {
		{INFINITY, -INFINITY, false},
		{INFINITY, DBL_MAX, false},
		{INFINITY, NAN, false},
		{1, INFINITY, false},
		{1, NAN, false},
		{-INFINITY, 1, false},
		{INFINITY, INFINITY, true},
		{-INFINITY, -INFINITY, true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double ref[9] = {1, 2, 3, 4, cases[i].ref, 5, 6, 7, 8};
		const double cand[9] = {1, 2, 3, 4, cases[i].cand, 5, 6, 7, 8};
		struct ki_compare_result r = compare_row(9, ref, NULL, cand);

		cr_assert_eq(r.passed, cases[i].passed, "case %zu: %s", i, r.why);
		cr_assert_eq(r.class_mismatches, cases[i].passed ? 0u : 1u);
		cr_assert_eq(r.max_absolute_error, 0);
		cr_assert_float_eq(r.reference_rms,
				   sqrt((isinf(cases[i].ref) ? 204.0 : 205.0) / 9.0), 1e-15);
	}
}

Test(compare, a_row_of_zeros_must_be_zero_exactly)
{
	const double zero[3] = {0, -0.0, 0};
	const double tiny[3] = {0, 0, DBL_TRUE_MIN};
	const double nan3[3] = {0, NAN, 0};
	struct ki_compare_result r = compare_row(3, zero, NULL, tiny);

	cr_assert_not(r.passed);
	cr_assert_eq(r.nonzero_in_zero_rows, 1);
	r = compare_row(3, zero, NULL, nan3);
	cr_assert_not(r.passed);
	cr_assert_eq(r.class_mismatches, 1);
	r = compare_row(3, zero, NULL, zero);
	cr_assert(r.passed, "%s", r.why);
	cr_assert_eq(r.pool_ratio, 0);
	cr_assert_eq(r.row_ratio_max, 0);
	/* A noisy eager reference is no excuse. */
	r = compare_row(3, zero, tiny, tiny);
	cr_assert_not(r.passed);
}

Test(compare, what_overflows_fails_with_finite_numbers)
{
	const double ref[2] = {DBL_MAX, 1}, far[2] = {-DBL_MAX, 1}, small[2] = {1e-310, 1};
	const double large[2] = {1e10, 1};
	const double ones[2] = {1, 1}, beyond[2] = {1e200, 1}, twos[2] = {2, 2};
	struct ki_compare_result r = compare_row(2, ref, NULL, far);

	cr_assert_not(r.passed);
	cr_assert(r.max_absolute_error == DBL_MAX && isfinite(r.row_ratio_max) &&
		  isfinite(r.pool_ratio) && isfinite(r.reference_rms));
	/* An eager error that overflows does not excuse the candidate's. */
	cr_assert_not(compare_row(2, ones, beyond, twos).passed);
	r = compare_row(2, small, NULL, large);
	cr_assert_not(r.passed);
	cr_assert_eq(r.max_relative_error, DBL_MAX);
}

Test(compare, rows_left_out_repeated_or_out_of_order_fail, .init = softmax_make)
{
	static const struct {
		unsigned first, n;
		bool skip;
	} tiles[][3] = {
		{{0, 30, false}, {30, 36, false}, {66, 0, false}}, /* the last row is missing */
		{{0, 30, false}, {31, 36, false}, {67, 0, false}},
		{{0, 30, false}, {29, 38, false}, {67, 0, false}},
		{{30, 37, false}, {0, 30, false}, {67, 0, false}},
		{{0, 30, false}, {30, 37, false}, {67, 1, false}}, /* beyond the end */
		{{0, 30, false}, {30, 7, true}, {37, 30, false}},
		{{0, 30, false}, {30, 7, false}, {37, 30, true}},
	};

	for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
		struct ki_compare_result r;
		struct ki_compare *c = NULL;
		struct ki_error e = {0};

		cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, ROWS, LENGTH, 1, &e), KI_SUCCESS);
		for (unsigned t = 0; t < 3; t++) {
			size_t at = (size_t)tiles[i][t].first * LENGTH;
			const void *cand = tiles[i][t].skip ? NULL : m.cand + at;

			ki_compare_add(c, tiles[i][t].first, tiles[i][t].n, m.ref + at,
				       m.eager + at, &cand, NULL);
		}
		ki_compare_result(&r, c, 0, &limits);
		cr_assert_not(r.passed, "sequence %zu", i);
		cr_assert_not_null(strstr(r.why, "rows were compared"), "%s", r.why);
		ki_compare_free(c);
	}
}

/* Fills the whole candidate with the poison, tail included. */
static void poison(uint64_t key)
{
	unsigned char *bytes = (unsigned char *)m.cand;

	for (size_t at = 0; at < sizeof m.cand; at += 8) {
		uint64_t word = ki_seed_poison_word(key, at / 8);

		memcpy(bytes + at, &word, sizeof m.cand - at < 8 ? sizeof m.cand - at : 8);
	}
}

Test(compare, poison_that_survives_fails_and_each_word_is_counted, .init = softmax_make)
{
	const uint64_t key = 0x5eed;
	static uint16_t good[ELEMENTS];

	memcpy(good, m.cand, sizeof good);
	for (unsigned tile = 1; tile <= ROWS; tile += 13) {
		struct ki_compare_result r;

		/* One whole word, across the boundary of rows 0 and 1: bytes 1200 to 1207. */
		poison(key);
		memcpy(m.cand, good, 1200);
		memcpy(m.cand + 604, good + 604, sizeof good - 1208);
		r = compare(tile, &key);
		cr_assert_eq(r.poison_words, 1, "tiles of %u rows: %llu", tile,
			     (unsigned long long)r.poison_words);
		cr_assert_not(r.passed);

		poison(key);
		r = compare(tile, &key);
		cr_assert_eq(r.poison_words, sizeof good / 8 + (sizeof good % 8 >= 4));
		cr_assert_not(r.passed);

		memcpy(m.cand, good, sizeof good);
		r = compare(tile, &key);
		cr_assert_eq(r.poison_words, 0);
		cr_assert(r.passed, "%s", r.why);
	}
}

Test(compare, surviving_poison_is_named_even_where_the_values_would_do)
{
	/* The reference is the poison itself, so that only the poison rule can object. */
	const uint64_t keys[1] = {77};
	const uint64_t words[2] = {ki_seed_poison_word(77, 0), ki_seed_poison_word(77, 1)};
	static const unsigned lengths[] = {2, 3, 1};
	static const uint64_t survivors[] = {1, 2, 1};

	for (unsigned i = 0; i < 3; i++) {
		float cand[4];
		double ref[4];
		const void *candidates[1] = {cand};
		struct ki_compare_result r;
		struct ki_compare *c = NULL;
		struct ki_error e = {0};

		memcpy(cand, words, sizeof cand);
		ki_dtype_to_double(ref, cand, KI_DTYPE_FP32, 4);
		cr_assert_eq(ki_compare_new(&c, KI_DTYPE_FP32, lengths[i], 1, 1, &e), KI_SUCCESS);
		for (unsigned row = 0; row < lengths[i]; row++) {
			candidates[0] = cand + row;
			ki_compare_add(c, row, 1, ref + row, cand + row, candidates, keys);
		}
		ki_compare_result(&r, c, 0, &limits);
		cr_assert_not(r.passed);
		cr_assert_eq(r.poison_words, survivors[i], "length %u: %llu", lengths[i],
			     (unsigned long long)r.poison_words);
		cr_assert_not_null(strstr(r.why, "never written"), "%s", r.why);
		ki_compare_free(c);
	}
}

Test(compare, a_tail_of_two_bytes_is_not_taken_for_poison_by_its_bits)
{
	const uint64_t keys[1] = {77};
	const uint64_t word = ki_seed_poison_word(77, 0);
	const void *candidates[1] = {&word};
	struct ki_compare_result r;
	struct ki_compare *c = NULL;
	struct ki_error e = {0};
	double ref;

	ki_dtype_to_double(&ref, &word, KI_DTYPE_BF16, 1);
	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, 1, 1, 1, &e), KI_SUCCESS);
	ki_compare_add(c, 0, 1, &ref, &word, candidates, keys);
	ki_compare_result(&r, c, 0, &limits);
	cr_assert(r.passed, "%s", r.why);
	cr_assert_eq(r.poison_words, 0);
	ki_compare_free(c);
}

Test(compare, of_rows_equally_wrong_the_first_is_named)
{
	static const double ref[4] = {0, 1, 1, 1}, wrong[4] = {0, 2, 2, 2};
	const void *candidates[1] = {wrong};
	struct ki_compare_result r;
	struct ki_compare *c = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_FP64, 4, 1, 1, &e), KI_SUCCESS);
	ki_compare_add(c, 0, 4, ref, ref, candidates, NULL);
	ki_compare_result(&r, c, 0, &limits);
	cr_assert_eq(r.row_ratio_argmax, 1);
	cr_assert_eq(r.failing_rows, 3);
	ki_compare_free(c);
}

Test(compare, honest_rounding_passes_on_a_causal_softmax, .init = softmax_make)
{
	struct ki_compare_result r = compare_whole();

	cr_assert(r.passed, "%s", r.why);
	cr_assert_str_eq(r.why, "");
	cr_assert_eq(r.elements, ELEMENTS);
	cr_assert_lt(r.row_ratio_max, 1.5);
	cr_assert_lt(r.pool_ratio, 1.0);
	cr_assert_gt(r.pool_ratio, 0.1);
	cr_assert_leq(r.max_relative_error, 0x1p-8);
	cr_assert_eq(r.class_mismatches + r.poison_words + r.nonzero_in_zero_rows + r.failing_rows,
		     0);
}

Test(compare, a_row_whose_eager_error_is_zero_has_a_floor, .init = softmax_make)
{
	/* Row 0 is exactly 1.  One rounding step off must pass where eager happens to be exact. */
	struct ki_compare_result r;

	cr_assert_eq(m.eager[0], 0x3f80);
	m.cand[0] = 0x3f7f;
	r = compare_whole();
	cr_assert(r.passed, "%s", r.why);
	cr_assert_gt(r.row_ratio_max, 1.0);
	cr_assert_eq(r.row_ratio_argmax, 0);
}

Test(compare, the_ratios_are_those_of_the_stated_rule)
{
	/* Two rows of two; by hand, with u = 2^-9: eager errors (0.1, 0) and (0, 0). */
	static const double ref[4] = {3, 4, 30, 40};
	const double eager_d[4] = {3.125, 4, 30, 40}, cand_d[4] = {3, 4.25, 30, 40.5};
	const double pooled = sqrt(0.015625 / 2525);
	const double unit = 0x1p-9 / sqrt(3);
	const double noise1 = fmax(unit, pooled) * 50;
	uint16_t eager[4], cand[4];
	const void *candidates[1] = {cand};
	struct ki_compare_result r;
	struct ki_compare *c = NULL;
	struct ki_error e = {0};

	ki_dtype_from_double(eager, eager_d, KI_DTYPE_BF16, 4);
	ki_dtype_from_double(cand, cand_d, KI_DTYPE_BF16, 4);
	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, 2, 2, 1, &e), KI_SUCCESS);
	ki_compare_add(c, 0, 2, ref, eager, candidates, NULL);
	ki_compare_result(&r, c, 0, &limits);
	cr_assert_gt(pooled, unit);
	cr_assert_float_eq(r.row_ratio_max, 0.5 / noise1, 1e-12);
	cr_assert_eq(r.row_ratio_argmax, 1);
	cr_assert_eq(r.failing_rows, 1);
	cr_assert_float_eq(r.pool_ratio, sqrt(0.0625 + 0.25) / 0.125, 1e-12);
	cr_assert_eq(r.max_absolute_error, 0.5);
	cr_assert_float_eq(r.max_relative_error, 0.0625, 1e-15);
	cr_assert_float_eq(r.reference_rms, sqrt(2525 / 4.0), 1e-12);
	ki_compare_reference_result(&r, c, &limits);
	cr_assert_eq(r.row_ratio_max, 1);
	cr_assert_eq(r.pool_ratio, 1);
	cr_assert(r.passed);
	ki_compare_free(c);
}

Test(compare, the_pooled_limit_holds_where_each_row_is_within_its_own, .init = softmax_make)
{
	static double off[ELEMENTS];
	struct ki_compare_result r;

	for (unsigned i = 0; i < ELEMENTS; i++)
		off[i] = m.ref[i] * 1.003;
	ki_dtype_from_double(m.cand, off, KI_DTYPE_BF16, ELEMENTS);
	ki_dtype_from_double(m.eager, m.ref, KI_DTYPE_BF16, ELEMENTS);
	r = compare_whole();
	cr_assert_not(r.passed);
	cr_assert_eq(r.failing_rows, 0);
	cr_assert_leq(r.row_ratio_max, 4);
	cr_assert_gt(r.pool_ratio, 2);
	cr_assert_not_null(strstr(r.why, "whole output"), "%s", r.why);
}

Test(compare, tiles_of_any_size_give_the_same_bits, .init = softmax_make)
{
	static const unsigned tiles[] = {1, 2, 3, 7, 10, 66};
	struct ki_compare_result whole, tiled;
	const uint64_t key = 5;

	m.cand[40 * LENGTH + 3] = 0x7f80; /* also where a block is not all finite */
	m.ref[12 * LENGTH + 2] = INFINITY;
	memset(m.ref + 20 * LENGTH, 0, LENGTH * sizeof m.ref[0]);
	whole = compare(ROWS, &key);
	cr_assert_eq(whole.class_mismatches, 2);
	cr_assert_eq(whole.nonzero_in_zero_rows, 21);
	for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
		tiled = compare(tiles[i], &key);
		cr_assert_eq(tiled.class_mismatches, whole.class_mismatches);
		cr_assert_eq(tiled.nonzero_in_zero_rows, whole.nonzero_in_zero_rows);
		cr_assert_eq(tiled.row_ratio_argmax, whole.row_ratio_argmax);
		cr_assert_eq(tiled.failing_rows, whole.failing_rows);
		cr_assert(memcmp(&tiled.row_ratio_max, &whole.row_ratio_max, 8) == 0);
		cr_assert(memcmp(&tiled.pool_ratio, &whole.pool_ratio, 8) == 0);
		cr_assert(memcmp(&tiled.max_absolute_error, &whole.max_absolute_error, 8) == 0);
		cr_assert(memcmp(&tiled.max_relative_error, &whole.max_relative_error, 8) == 0);
		cr_assert(memcmp(&tiled.reference_rms, &whole.reference_rms, 8) == 0);
		cr_assert_str_eq(tiled.why, whole.why);
	}
}

Test(compare, candidates_do_not_disturb_each_other, .init = softmax_make)
{
	static uint16_t zeros[ELEMENTS];
	const void *candidates[3] = {zeros, m.cand, NULL};
	struct ki_compare_result r, alone = compare_whole();
	struct ki_compare *c = NULL;
	struct ki_error e = {0};

	cr_assert_eq(ki_compare_new(&c, KI_DTYPE_BF16, ROWS, LENGTH, 3, &e), KI_SUCCESS);
	ki_compare_add(c, 0, ROWS, m.ref, m.eager, candidates, NULL);
	ki_compare_result(&r, c, 0, &limits);
	cr_assert_not(r.passed);
	ki_compare_result(&r, c, 1, &limits);
	cr_assert(r.passed, "%s", r.why);
	cr_assert_eq(r.row_ratio_max, alone.row_ratio_max);
	cr_assert_eq(r.pool_ratio, alone.pool_ratio);
	ki_compare_result(&r, c, 2, &limits);
	cr_assert_not(r.passed, "a candidate that was never given passed");
	ki_compare_free(c);
}
