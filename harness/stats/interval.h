/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interval of a median between two order statistics, which assumes no distribution
 * (Conover, "Practical Nonparametric Statistics", 3rd ed., 3.2; the symmetric rule: as many values
 * are cut off below as above).
 */
#ifndef KI_STATS_INTERVAL_H
#define KI_STATS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer values than this no interval reaches 95 %: 1 - 2 * 0.5^n. */
#define KI_INTERVAL_VALUES_MIN 6

/* Ranks count from 1: the interval is [x(low), x(high)]. */
struct ki_interval_ranks {
	size_t low;
	size_t high;
	double coverage; /* 1 - 2 P(Binomial(n, 1/2) < low): the level at least */
};

/* The narrowest that covers the median of n independent values with probability `level`; false
 * when even the extremes do not. */
bool ki_interval_median(struct ki_interval_ranks *out, size_t n, double level);

#endif
