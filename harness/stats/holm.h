/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holm's step-down adjustment of p-values, so that over a whole suite the chance of any false
 * verdict stays at the level of one ("A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6 (1979) 65-70).
 */
#ifndef KI_STATS_HOLM_H
#define KI_STATS_HOLM_H

#include <stddef.h>

#include "base/error.h"

/* out[i]: p[i] adjusted, never below p[i], 1 at most; the two may be the same array. */
int ki_holm_adjust(double *out, const double *p, size_t n, struct ki_error *e) KI_MUST_CHECK;

#endif
