/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <math.h>

#include "stats/beta.h"
#include "stats/student.h"

#define STUDENT_HALVINGS 200

double ki_student_two_sided(double t, double df)
{
	double square = t * t;

	if (isinf(square))
		return 0;
	/* Of x and 1 - x the one that is not next to 1, where digits would be lost. */
	if (square < df)
		return 1 - ki_beta_regularized(0.5, df / 2, square / (df + square));
	return ki_beta_regularized(df / 2, 0.5, df / (df + square));
}

/* Bisection: the tail falls from 1 to 0, and nothing here is worth more speed. */
double ki_student_critical(double level, double df)
{
	double low = 0, high = 1, tail = 1 - level;
	int i;

	while (ki_student_two_sided(high, df) > tail && high < 1e150)
		high *= 2;
	for (i = 0; i < STUDENT_HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (middle <= low || middle >= high)
			break;
		if (ki_student_two_sided(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
