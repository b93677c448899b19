/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>

#include "stats/beta.h"

#define BETA_EPSILON 1e-15
#define BETA_TINY 1e-300
/* The fraction needs of the order of the root of max(a, b) terms. */
#define BETA_TERMS_MAX 100000

/* DLMF 8.17.22's coefficients; the odd ones are negative. */
static double beta_coefficient(int term, double a, double b, double x)
{
	const int half = term / 2;
	double m = half;

	if (term % 2 == 0)
		return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
	return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

static double beta_nonzero(double v)
{
	return fabs(v) < BETA_TINY ? BETA_TINY : v;
}

/*
 * 1/(1 + d1/(1 + d2/(1 + ...))), by the modified Lentz algorithm (Thompson and Barnett, "Coulomb
 * and Bessel functions of complex arguments and order", J. Comput. Phys. 64 (1986) 490-509).
 */
static double beta_fraction(double a, double b, double x)
{
	double f = 1, c = 1, d = 0;
	int term;

	for (term = 1; term < BETA_TERMS_MAX; term++) {
		double coefficient = beta_coefficient(term, a, b, x), step;

		d = 1 / beta_nonzero(1 + coefficient * d);
		c = beta_nonzero(1 + coefficient / c);
		step = c * d;
		f *= step;
		if (fabs(step - 1) < BETA_EPSILON)
			break;
	}
	return 1 / f;
}

double ki_beta_regularized(double a, double b, double x)
{
	double front;

	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	/* The fraction converges quickly on this side of the mean only; 8.17.4 is the mirror. */
	if (x > (a + 1) / (a + b + 2))
		return 1 - ki_beta_regularized(b, a, 1 - x);
	front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
	return exp(front) / a * beta_fraction(a, b, x);
}
