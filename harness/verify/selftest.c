/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "verify/selftest.h"

void ki_selftest_zeros(void *dst, enum ki_dtype t, uint64_t rows, uint64_t row_length)
{
	/* All bits zero is +0 in every type here. */
	memset(dst, 0, rows * row_length * ki_dtype_bytes(t));
}

bool ki_selftest_shifted(void *dst, const void *eager, enum ki_dtype t, uint64_t rows,
			 uint64_t row_length)
{
	const uint64_t bytes = rows * row_length * ki_dtype_bytes(t);
	const uint64_t step = (rows > 1 ? row_length : 1) * ki_dtype_bytes(t);
	const unsigned char *from = eager;
	unsigned char *to = dst;

	if (bytes == 0)
		return false;
	memcpy(to, from + (bytes - step), step);
	memcpy(to + step, from, bytes - step);
	return bytes > step;
}

bool ki_selftest_judge(char why[KI_SELFTEST_WHY_MAX], const struct ki_compare_result *eager,
		       const struct ki_compare_result *zeros,
		       const struct ki_compare_result *shifted)
{
	why[0] = '\0';
	if (!eager->passed)
		snprintf(why, KI_SELFTEST_WHY_MAX,
			 "the eager reference fails against the oracle: %s", eager->why);
	else if (zeros->passed)
		snprintf(why, KI_SELFTEST_WHY_MAX,
			 "an output of zeros would pass (pooled ratio %.3g)", zeros->pool_ratio);
	else if (shifted != NULL && shifted->passed)
		snprintf(why, KI_SELFTEST_WHY_MAX,
			 "the eager output moved by one row would pass (pooled ratio %.3g)",
			 shifted->pool_ratio);
	return why[0] == '\0';
}
