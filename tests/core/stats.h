/* Distribution functions and goodness of fit, for the tests of random draws. */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>

double normal_cdf(double x);

/* Regularised lower incomplete gamma function P(shape, x). */
double gamma_cdf(double x, double shape);

/* Probability that a chi-square variable exceeds x. */
double chi_square_p(double x, double freedom);

/* Two-sided Kolmogorov-Smirnov p-value of n values that are uniform on (0, 1) under the
 * hypothesis (asymptotic, with Stephens' correction). Sorts them. */
double ks_p(double *u, size_t n);

#endif
