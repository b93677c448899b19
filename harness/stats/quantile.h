/* SPDX-License-Identifier: Apache-2.0 */
/* Order statistics of samples in integer nanoseconds.  Pure functions. */
#ifndef KI_STATS_QUANTILE_H
#define KI_STATS_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A copy of samples in ascending order; the caller frees it.  n > 0. */
int ki_quantile_sort(uint64_t **out, const uint64_t *samples, size_t n,
		     struct ki_error *e) KI_MUST_CHECK;

/*
 * The quantile q (0 to 1) of n > 0 ascending values: Hyndman and Fan's type 7
 * ("Sample quantiles in statistical packages", The American Statistician 50
 * (1996) 361-365), which triton.testing and numpy use.  Not rounded.
 */
double ki_quantile_type7(const uint64_t *sorted, size_t n, double q);

/* The same, rounded to an integer, halves away from zero. */
uint64_t ki_quantile_type7_ns(const uint64_t *sorted, size_t n, double q);

/* Arithmetic mean, rounded to an integer, halves away from zero.  n > 0. */
uint64_t ki_quantile_mean_ns(const uint64_t *samples, size_t n);

/* Median absolute deviation from the median (both type 7), rounded as above, unscaled. */
int ki_quantile_mad_ns(uint64_t *out, const uint64_t *sorted, size_t n,
		       struct ki_error *e) KI_MUST_CHECK;

#endif
