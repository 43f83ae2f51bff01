#include "account/objective.h"

#include "account/logistic.h"
#include "account/special.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440
#define TWO_OVER_ROOT_PI 1.12837916709551257390
#define NEARLY (1.0 - 0x1p-30)
#define LITTLE 0x1p-5 /* up to this five terms of series have all digits */
#define CELLS 6       /* in which a slope is asked for a turn */

/* sinh(x) / x for x^2 = z <= 2^-10. */
static double sinh_ratio(double z) {
  return 1.0 + z / 6.0 * (1.0 + z / 20.0 * (1.0 + z / 42.0));
}

/* log((p^a (1 - p)^(1 - a) + (1 - p)^a p^(1 - a))) / (a - 1), p = 1 / (1 +
 * exp(-epsilon)): the moment less one is 2 sinh(a e / 2) sinh((a - 1) e / 2) / cosh(e /
 * 2), of which series are enough where it is little. */
double dpa_rdp_pure(double order, double epsilon) {
  const double s = order - 1.0, u = 0.5 * order * epsilon, v = 0.5 * s * epsilon;
  if (!(u <= LITTLE))
    return dpa_log1p_exp(dpa_pure_excess(order, epsilon)) / s;
  const double square = 0.25 * epsilon * epsilon;
  const double cosh =
      1.0 + square / 2.0 * (1.0 + square / 12.0 * (1.0 + square / 30.0));
  const double per_s = u * epsilon * sinh_ratio(u * u) * sinh_ratio(v * v) / cosh;
  const double t = s * per_s; /* and log(1 + t) / s: */
  return per_s * (1.0 - t * (1.0 / 2.0 - t * (1.0 / 3.0 - t * (0.25 - t * 0.2))));
}

double dpa_pure_excess(double order, double epsilon) {
  const double s = order - 1.0;
  if (epsilon == 0.0)
    return -INFINITY;
  return s * epsilon + log(-expm1(-order * epsilon)) + log(-expm1(-s * epsilon)) -
         log1p(exp(-epsilon));
}

double dpa_objective_pure(double shift, double kappa, int tied) {
  return tied ? dpa_logistic_pure(shift, kappa) : shift + log1p(kappa);
}

/* (1 + s) log(1 + kappa) - log(1 + (1 + t) kappa) */
static double first_jacobian(double s, double t, double kappa) {
  return s * log1p(kappa) - log1p(t * kappa / (1.0 + kappa));
}

/* The bounds are theorems of the vignette "Privacy accounting". With s = order - 1, for
 * every t in [0, s] with t kappa < 1 (Theorem 2): */
static double theorem2(double s, double t, double shift, double kappa) {
  /* and log(2 Phi): each over s, so that at orders near 1 nothing of the order of 1 may
   * cancel */
  const double first = first_jacobian(s, t, kappa);
  const double second = fmax(0.0, -s * log1p(kappa) - log1p(-t * kappa));
  const double turned = log1p(erf((s - t) * shift * SQRT_HALF));
  return (1.0 + s) * 0.5 * shift * shift + (turned + first + second) / s;
}

double dpa_objective_bound_a(double order, double shift, double kappa) {
  return theorem2(order - 1.0, 0.0, shift, kappa);
}

double dpa_objective_bound_b(double order, double shift, double kappa) {
  const double s = order - 1.0;
  if (!(s * kappa < 1.0))
    return INFINITY;
  /* t = s: what is left of the Jacobians is log((1 + kappa) / ((1 + order kappa)
   * (1 - s kappa))), and the product is 1 + kappa - s order kappa^2 */
  return order * 0.5 * shift * shift -
         log1p(-s * order * kappa * kappa / (1.0 + kappa)) / s;
}

/* s times the derivative of theorem2() in t, where `second` counts. */
static double slope2(double s, double t, double shift, double kappa) {
  const double at = (s - t) * shift * SQRT_HALF;
  const double turned =
      SQRT_HALF * shift * TWO_OVER_ROOT_PI * exp(-at * at) / (1.0 + erf(at));
  const double bend = kappa * kappa * (1.0 + 2.0 * t);
  return bend / ((1.0 - t * kappa) * (1.0 + kappa + t * kappa)) - turned;
}

/* From where on `second` counts: a little before it, where rounding could put it beyond
 * 1 / kappa. */
static double turning(double s, double kappa) {
  return kappa > 0.0 ? fmin(s, fmin(-expm1(-s * log1p(kappa)), NEARLY) / kappa) : s;
}

/* What Theorem 2 is not below, whatever t: without log(2 Phi) it is least there. */
static double theorem2_floor(double s, double shift, double kappa) {
  return (1.0 + s) * 0.5 * shift * shift +
         first_jacobian(s, turning(s, kappa), kappa) / s;
}

/* The least of Theorem 2 over t. It falls as long as `second` is 0; from there on, and
 * up to t = s, which is bound B, it may turn where its slope says so. Any t is valid,
 * so the search need not be exact. */
static double least_over_t(double s, double shift, double kappa) {
  const double from = turning(s, kappa);
  const double cell = ((s * kappa < 1.0 ? s : 1.0 / kappa) - from) / CELLS;
  double best = theorem2(s, from, shift, kappa);
  int fell = slope2(s, from, shift, kappa) < 0.0;
  for (int k = 1; k <= CELLS; k++) {
    double lo = from + (k - 1) * cell, hi = lo + cell;
    /* at 1 / kappa it rises without end */
    const int falls =
        (k < CELLS || s * kappa < 1.0) && slope2(s, hi, shift, kappa) < 0.0;
    if (fell && !falls) {
      for (int half = 0; half < 16; half++) {
        const double t = 0.5 * (lo + hi);
        if (slope2(s, t, shift, kappa) < 0.0)
          lo = t;
        else
          hi = t;
      }
      best = fmin(best, theorem2(s, lo, shift, kappa));
    }
    fell = falls;
  }
  return best;
}

double dpa_objective_bound(double order, double shift, double kappa, int tied) {
  /* to the last bit as Theorem 3's, which else would seem to be above it */
  const double s = order - 1.0, plain = 0.5 * order * (shift * shift);
  double best = INFINITY;
  if (tied && s * kappa < 1.0)
    best = dpa_logistic_bound(s, shift, kappa);
  /* none of the others is below the plain Gaussian mechanism */
  if (best <= plain || best <= theorem2_floor(s, shift, kappa))
    return best;
  const double ends = fmin(dpa_objective_bound_a(order, shift, kappa),
                           dpa_objective_bound_b(order, shift, kappa));
  best = fmin(best, ends);
  return best <= plain ? best : fmin(best, least_over_t(s, shift, kappa));
}

dpa_status dpa_rdp_objective_gaussian(const double *orders, size_t n, double shift,
                                      double kappa, int tied, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0))
    return DPA_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0))
      return DPA_ARGUMENT;
    rdp[i] = dpa_objective_bound(orders[i], shift, kappa, tied);
  }
  return DPA_OK;
}
