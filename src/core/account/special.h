/* Special functions and integrals of the accountants, accurate in the tails. */
#ifndef DPA_ACCOUNT_SPECIAL_H
#define DPA_ACCOUNT_SPECIAL_H

#include <stddef.h>

/* Mills' ratio m(x) = Phi(-x) / phi(x) and minus its slope, 1 - x m(x) > 0, both to
 * nearly full relative precision for x >= -37. */
double dpa_mills(double x);
double dpa_mills_slope(double x);

/* m(x) - m(x + mu), x >= 0 or mu <= 1. */
double dpa_mills_drop(double x, double mu);

/* The next number with so many binary digits, as `rounded` (floor or ceil) says. */
double dpa_to_digits(double x, int digits, double (*rounded)(double));

/* log(exp(a) + exp(b)); an argument may be -Inf. */
double dpa_log_add(double a, double b);

/* log |exp(u) - 1|. */
double dpa_log_abs_expm1(double u);

/* log(1 + exp(x)). */
double dpa_log1p_exp(double x);

/* log((1 - q) + q exp(u)), the log density ratio of a mixture, 0 < q <= 1; and its
 * inverse in u, -Inf below the range. */
double dpa_log_mix(double q, double u);
double dpa_inverse_mix(double q, double l);

/* Gauss-Legendre: the nodes with abscissa >= 0 on [-1, 1], n even (or its centre
 * first). */
typedef struct dpa_quadrature {
  double x, w;
} dpa_quadrature;

extern const dpa_quadrature dpa_gauss3[2], dpa_gauss8[4], dpa_gauss16[8];

/* A positive integrand in log space. `bound` is an upper bound of `value` on [a, b];
 * `panel` says how long a panel inside [a, b] may be for 16 Gauss-Legendre nodes. */
typedef struct dpa_integrand {
  double (*value)(const void *self, double z);
  double (*bound)(const void *self, double a, double b);
  double (*panel)(const void *self, double a, double b);
  const void *self;
} dpa_integrand;

/* log of the integral over [lo, hi]: intervals are halved until they are short enough
 * for Gauss-Legendre or bounded away below `top`, the log of the integrand at some
 * point near its largest. What is left out is below 1e-17 of the result. NaN when that
 * takes more than a few million panels. */
double dpa_log_integral(const dpa_integrand *f, double lo, double hi, double top);

#endif
