#include "account/objective.h"
#include "account/spherical.h"

#include <math.h>

#define FARTHEST 1e3 /* of the loss times s: beyond it the pure loss is as good */
#define STEPS 8      /* up from a nu */
#define LARGE 500.0  /* that is not as large */

/* With Q_nu = I_(nu+1)(t) / (t I_nu(t)), I the modified Bessel function: the first of
 * them, the product of those below the top, and the root that Amos' bound has there. */
typedef struct ratios {
  double t, first, product, w;
} ratios;

/* The continued fraction, with Amos' bound on what is beyond the top. */
static ratios ratios_at(double nu, int steps, double t) {
  const double top = nu + steps, b = top + 2.5, w = sqrt(b * b + t * t);
  const double a = top + 1.5 + w;
  double ratio = a / (2.0 * (top + 1.0) * a + t * t), product = 1.0;
  for (int k = steps; k >= 1; k--) {
    ratio = 1.0 / (2.0 * (nu + k) + t * t * ratio);
    product *= ratio;
  }
  return (ratios){t, ratio, product, w};
}

/* The integral of t Q_top from one t to another, which is that of w (a + w) / (w^2 + B
 * w
 * + C), whose denominator has two roots. */
static double integral(double top, const ratios *from, const ratios *to) {
  const double a = top + 1.5, B = 2.0 * (top + 1.0);
  const double C = B * a - (a + 1.0) * (a + 1.0), half = sqrt(2.0 * top + 4.25);
  const double one = half - 0.5 * B, other = -half - 0.5 * B;
  const double way = (to->t - from->t) * (to->t + from->t) / (to->w + from->w);
  const double at_one = ((a - B) * one - C) * log1p(way / (from->w - one));
  const double at_other = ((a - B) * other - C) * log1p(way / (from->w - other));
  return way + (at_one - at_other) / (2.0 * half);
}

/* The moment of order 1 + s is G((s + 1/2) shift) / G(shift / 2), where G(t) is the
 * mean of exp(t sin(angle)). With nu = dim / 2 - 1, and without `lean`, that is a
 * multiple of I_nu(t) / t^nu, whose log has the derivative t Q_nu, and of which that of
 * the next nu is Q_nu times as much; with `lean` there is the next nu's, too. */
dpa_status dpa_rdp_spherical_rough(const double *orders, size_t n, double shift,
                                   double dim, double lean, double *rdp) {
  if (!dpa_spherical_is_law(shift, dim, lean))
    return DPA_ARGUMENT;
  const double nu = 0.5 * dim - 1.0, own = lean * (dim - 1.0);
  const int steps = nu < LARGE ? STEPS : 0;
  const ratios from = ratios_at(nu, steps, 0.5 * shift);
  for (size_t i = 0; i < n; i++) {
    const double s = orders[i] - 1.0;
    if (!(s * shift < FARTHEST)) {
      rdp[i] = dpa_rdp_pure(orders[i], shift);
      continue;
    }
    const ratios to = ratios_at(nu, steps, (s + 0.5) * shift);
    const double leant = (1.0 + own * to.first) / (1.0 + own * from.first);
    rdp[i] =
        (integral(nu + steps, &from, &to) + log(leant * from.product / to.product)) / s;
  }
  return DPA_OK;
}
