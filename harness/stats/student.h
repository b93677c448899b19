/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t distribution ("The probable error of a mean", Biometrika 6 (1908) 1-25). */
#ifndef KI_STATS_STUDENT_H
#define KI_STATS_STUDENT_H

/*
 * The probability of a value as far from 0 as t or farther, on either side; df > 0 degrees of
 * freedom, a fraction too.  I_x(df/2, 1/2) at x = df / (df + t^2).
 */
double ki_student_two_sided(double t, double df);

/* The t > 0 that a share `level` (0 < level < 1) of the distribution lies within: 2.5706 for 0.95
 * and 5 degrees of freedom. */
double ki_student_critical(double level, double df);

#endif
