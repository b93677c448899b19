/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>

#include "stats/series.h"

#define SERIES_SHARE_MIN 0.1
#define SERIES_PART_MIN 3

bool ki_series_lag1(double *out, const uint64_t *samples, size_t n)
{
	double origin = n > 0 ? (double)samples[0] : 0; /* so that equal samples leave exactly 0 */
	double mean = 0, squares = 0, products = 0, last = 0;
	size_t i;

	for (i = 0; i < n; i++)
		mean += ((double)samples[i] - origin) / (double)n;
	for (i = 0; i < n; i++) {
		double deviation = (double)samples[i] - origin - mean;

		squares += deviation * deviation;
		products += i > 0 ? deviation * last : 0;
		last = deviation;
	}
	if (n < 3 || !(squares > 0))
		return false;
	*out = products / squares;
	return true;
}

uint64_t ki_series_tick_ns(const uint64_t *sorted, size_t n)
{
	uint64_t tick = 0;
	size_t i;

	for (i = 1; i < n; i++) {
		uint64_t step = sorted[i] - sorted[i - 1];

		if (step > 0 && (tick == 0 || step < tick))
			tick = step;
	}
	return tick;
}

struct series_part {
	double n;
	double sum; /* of deviations from the first sample, so that squares stay small */
	double squares;
};

static void part_move(struct series_part *p, double v, double sign)
{
	p->n += sign;
	p->sum += sign * v;
	p->squares += sign * v * v;
}

static double part_mean(const struct series_part *p)
{
	return p->n > 0 ? p->sum / p->n : 0;
}

static double part_variance(const struct series_part *p)
{
	double mean = part_mean(p);

	return p->n > 0 ? fmax(0, p->squares / p->n - mean * mean) : 0;
}

/* Between the parts, up to a constant factor. */
static double part_between(const struct series_part *low, const struct series_part *high)
{
	double apart = part_mean(high) - part_mean(low);

	return low->n * high->n * apart * apart;
}

void ki_series_modes(struct ki_series_modes *out, const uint64_t *sorted, size_t n)
{
	double origin = n > 0 ? (double)sorted[0] : 0, best = -1, share, spread, apart;
	double tick = (double)ki_series_tick_ns(sorted, n) / 2;
	struct series_part low = {0}, high = {0}, best_low = {0}, best_high = {0};
	size_t i;

	*out = (struct ki_series_modes){0};
	for (i = 0; i < n; i++)
		part_move(&high, (double)sorted[i] - origin, 1);
	for (i = 0; i + 1 < n; i++) {
		part_move(&low, (double)sorted[i] - origin, 1);
		part_move(&high, (double)sorted[i] - origin, -1);
		if (sorted[i] != sorted[i + 1] && part_between(&low, &high) > best) {
			best = part_between(&low, &high);
			best_low = low;
			best_high = high;
		}
	}
	share = best_high.n / (n > 0 ? (double)n : 1);
	if (best_low.n < SERIES_PART_MIN || best_high.n < SERIES_PART_MIN ||
	    share < SERIES_SHARE_MIN || share > 1 - SERIES_SHARE_MIN)
		return;
	apart = part_mean(&best_high) - part_mean(&best_low);
	spread = fmax(part_variance(&best_low), tick * tick) +
		 fmax(part_variance(&best_high), tick * tick);
	if (sqrt(2) * apart < (4 + 60 / (double)n) * sqrt(spread))
		return;
	*out = (struct ki_series_modes){.two = true,
					.low_ns = origin + part_mean(&best_low),
					.high_ns = origin + part_mean(&best_high),
					.high_share = share,
					.separation = sqrt(2) * apart / sqrt(spread)};
}
