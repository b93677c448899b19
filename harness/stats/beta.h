/* SPDX-License-Identifier: Apache-2.0 */
/* The regularized incomplete beta function, from which Student's and the binomial distribution
 * follow. */
#ifndef KI_STATS_BETA_H
#define KI_STATS_BETA_H

/*
 * I_x(a, b) for a, b > 0 and x in 0..1, by the continued fraction of the NIST Digital Library of
 * Mathematical Functions, 8.17.22 (https://dlmf.nist.gov/8.17#v).  Good to about 1e-13 where the
 * result is not tiny.
 */
double ki_beta_regularized(double a, double b, double x);

#endif
