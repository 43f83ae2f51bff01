#include "account/objective.h"
#include "account/sixteen.h"
#include "account/special.h"
#include "account/spherical.h"

#include <math.h>

#define FARTHEST 1e3 /* of the loss times s: beyond it the pure loss is as good */
#define STEPS 5

/* I_(nu+1)(t) / I_nu(t): steps of its continued fraction, from Amos' bound on. */
static inline double bessel_ratio(double nu, double t) {
  const double a = nu + STEPS + 0.5, b = a + 1.0;
  double r = t / (a + sqrt(b * b + t * t));
  for (int k = STEPS; k >= 1; k--)
    r = t / (2.0 * (nu + k) + t * r);
  return r;
}

/* Over t from b sinh(from) to b sinh(to), by Gauss-Legendre. */
static double integral_of_ratio(double nu, double b, double from, double to) {
  const double half = 0.5 * (to - from), middle = 0.5 * (from + to);
  double at[DPA_SIXTEEN], sum = 0.0;
  for (int i = 0; i < 8; i++) {
    at[i] = middle - half * dpa_gauss16[i].x;
    at[8 + i] = middle + half * dpa_gauss16[i].x;
  }
  dpa_exp16(at, at);
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    const double less = 1.0 / at[i], t = 0.5 * b * (at[i] - less);
    at[i] = 0.5 * b * (at[i] + less) * bessel_ratio(nu, t);
  }
  for (int i = 0; i < 8; i++)
    sum += dpa_gauss16[i].w * (at[i] + at[8 + i]);
  return half * sum;
}

/* The moment of order 1 + s is G((s + 1/2) shift) / G(shift / 2), where G(t) is the
 * mean of exp(t sin(angle)). With nu = dim / 2 - 1, and without `lean`, that is a
 * multiple of I_nu(t) / t^nu, whose log has the derivative I_(nu+1)(t) / I_nu(t); with
 * it there is the next nu's, too. */
dpa_status dpa_rdp_spherical_rough(const double *orders, size_t n, double shift,
                                   double dim, double lean, double *rdp) {
  if (!dpa_spherical_is_law(shift, dim, lean))
    return DPA_ARGUMENT;
  const double nu = 0.5 * dim - 1.0, b = nu + 1.0, own = lean * (dim - 1.0) / dim;
  const double first = 0.5 * shift, from = asinh(first / b);
  const double more = own * 2.0 * b * bessel_ratio(nu, first) / first;
  for (size_t i = 0; i < n; i++) {
    const double s = orders[i] - 1.0, last = (s + 0.5) * shift;
    if (!(s * shift < FARTHEST)) {
      rdp[i] = dpa_rdp_pure(orders[i], shift);
      continue;
    }
    const double other = own * 2.0 * b * bessel_ratio(nu, last) / last;
    rdp[i] = (integral_of_ratio(nu, b, from, asinh(last / b)) +
              log1p((other - more) / (1.0 + more))) /
             s;
  }
  return DPA_OK;
}
