/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can this case tell right from wrong?
 *
 * A tolerance that lets an output of zeros pass, or one row in another's place, says nothing about
 * a candidate that it lets pass.  So before any candidate is judged, two wrong outputs are made
 * from the eager reference's and compared as candidates are: both must fail, and the eager output
 * itself must pass.  Otherwise the case is `invalid_reference`, which no candidate is blamed for.
 */
#ifndef KI_VERIFY_SELFTEST_H
#define KI_VERIFY_SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "verify/compare.h"
#include "verify/dtype.h"

/* rows x row_length zeros of type t. */
void ki_selftest_zeros(void *dst, enum ki_dtype t, uint64_t rows, uint64_t row_length);

/*
 * The eager output moved down by one row: row r holds row r - 1, row 0 the last.  One row alone is
 * moved by one element instead.  false, and dst is a plain copy, when there is one element only:
 * it can be moved nowhere.  dst and eager do not overlap.
 */
bool ki_selftest_shifted(void *dst, const void *eager, enum ki_dtype t, uint64_t rows,
			 uint64_t row_length);

#define KI_SELFTEST_WHY_MAX 256

/*
 * Whether the case can tell right from wrong, given how the eager output, the zeros and the shifted
 * output compared; shifted is NULL when ki_selftest_shifted() said false.  why becomes the reason
 * against it as a sentence, or "".
 */
bool ki_selftest_judge(char why[KI_SELFTEST_WHY_MAX], const struct ki_compare_result *eager,
		       const struct ki_compare_result *zeros,
		       const struct ki_compare_result *shifted);

#endif
