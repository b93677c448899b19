/* SPDX-License-Identifier: Apache-2.0 */
/* What a series of samples shows beyond its quantiles: memory, ticks, modes.  Pure functions. */
#ifndef KI_STATS_SERIES_H
#define KI_STATS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Lag-1 autocorrelation of n samples in time order, the sum of products of neighbours' deviations
 * from the mean over the sum of squares (Box and Jenkins, "Time Series Analysis", 2.1.5).  False
 * when there is none: fewer than three samples, or all of them equal.  An interval that assumes
 * independence is too narrow when this is far above 0.
 */
bool ki_series_lag1(double *out, const uint64_t *samples, size_t n);

/* The least difference between two ascending values that differ, the step of the timer as far as
 * these values show it; 0 when all are equal. */
uint64_t ki_series_tick_ns(const uint64_t *sorted, size_t n);

/* Samples that are two things: split where the variance between the parts is greatest. */
struct ki_series_modes {
	bool two;      /* the parts are apart; what follows is set only then */
	double low_ns; /* means of the parts */
	double high_ns;
	double high_share; /* of the samples, in the upper part */
	double separation; /* Ashman's D */
};

/*
 * The split is Otsu's ("A threshold selection method from gray-level histograms", IEEE Trans. SMC 9
 * (1979) 62-66), what is apart is told by D = sqrt(2) |m1 - m2| / sqrt(s1^2 + s2^2) (Ashman, Bird
 * and Zepf, "Detecting bimodality in astronomical datasets", AJ 108 (1994) 2348).  The same split
 * of a normal distribution has D = 2.65 and of a uniform one 3.46; two parts need
 * 4 + 60 / n (few samples scatter), with a tenth of the samples and three of them in each.  A
 * deviation counts as half a tick at least, so that neighbouring ticks are no modes.
 */
void ki_series_modes(struct ki_series_modes *out, const uint64_t *sorted, size_t n);

#endif
