/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is an output right, judged against the noise that its storage type brings?
 *
 * For each row r of an output (its last axis), with ref the float64 oracle, eager the reference
 * that rounds where the eager implementation does, and cand the candidate:
 *
 *   noise(r) = max(rms(eager_r - ref_r), max(u / sqrt(3), pooled eager noise) * rms(ref_r))
 *   ratio(r) = rms(cand_r - ref_r) / noise(r)
 *
 * where u is ki_dtype_unit() and the pooled eager noise is rms(eager - ref) / rms(ref) over all
 * rows.  An output passes when no element's class (NaN, +inf, -inf, finite) differs from the
 * reference's, no poison survives, max ratio(r) <= row_limit and the pooled ratio
 * rms(cand - ref) / max(rms(eager - ref), u / sqrt(3) * rms(ref)) <= pool_limit.  A NaN in the
 * candidate never passes, whatever the reference holds.  Rows where the reference is all zero
 * must be zero exactly.
 *
 * Data come in tiles of rows in ascending order, so the float64 values need never exist whole.
 * The pooled noise needs every row, so only sums are kept, a few doubles a row, until the result
 * is asked for.  How the rows were cut into tiles does not change a bit of it.  A side that did
 * not get each row once, in order, does not pass.
 */
#ifndef KI_VERIFY_COMPARE_H
#define KI_VERIFY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "verify/dtype.h"

struct ki_compare_limits {
	double row;  /* of max ratio(r) */
	double pool; /* of the pooled ratio */
};

/* One output tensor's comparison: the reference's noise, and any number of candidates after it. */
struct ki_compare;

/* rows x row_length elements of type t; an output without elements is KI_FAIL_INPUT. */
int ki_compare_new(struct ki_compare **out, enum ki_dtype t, uint64_t rows, uint64_t row_length,
		   unsigned n_candidates, struct ki_error *e) KI_MUST_CHECK;
void ki_compare_free(struct ki_compare *c);

/*
 * Adds rows first_row .. first_row + n_rows - 1: ref holds n_rows x row_length doubles; eager and
 * each of the candidates n_rows x row_length elements of type t.  poison_keys[i], when
 * poison_keys is not NULL, is the key that candidate i's whole output was filled with
 * (ki_seed_poison_word of the 8-byte word's index in the whole output).  A tail shorter than a
 * word counts as one from 4 bytes up; 2 bytes are the poison's by chance too often, and are judged
 * by their value alone.  A candidate that is NULL is skipped.
 */
void ki_compare_add(struct ki_compare *c, uint64_t first_row, uint64_t n_rows, const double *ref,
		    const void *eager, const void *const *candidates, const uint64_t *poison_keys);

/*
 * What a comparison found.  Absolute and relative errors, and all sums, are over elements finite on
 * both sides.  Every number is finite: what overflows, or would be divided by zero, is DBL_MAX.
 */
struct ki_compare_result {
	bool passed;
	uint64_t elements;
	uint64_t class_mismatches; /* elements whose class differs, or that are NaN */
	uint64_t poison_words;     /* 8-byte words that still hold the poison */
	uint64_t nonzero_in_zero_rows;
	uint64_t failing_rows; /* rows with ratio(r) > limit; a zero row has no ratio */
	double row_ratio_max;
	uint64_t row_ratio_argmax;
	double pool_ratio;
	double max_absolute_error;
	double max_relative_error; /* |d| / |ref| where ref != 0 */
	double reference_rms;
	char why[160]; /* the first rule that failed, as a sentence; "" when passed */
};

/* Result of candidate i (0 ..), after all rows were added. */
void ki_compare_result(struct ki_compare_result *out, const struct ki_compare *c, unsigned i,
		       const struct ki_compare_limits *limits);

/* Result of the eager reference itself, as if it were a candidate. */
void ki_compare_reference_result(struct ki_compare_result *out, const struct ki_compare *c,
				 const struct ki_compare_limits *limits);

#endif
