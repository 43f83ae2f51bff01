/* L = log(1 + exp(-y a)). */
#include "data/loss.h"

#include <math.h>

static dpa_loss_constants constants(double width) {
  (void)width;
  /* sup |L'''| = sup |p (1 - p) (1 - 2 p)| is at p = 1/2 +- 1/(2 sqrt 3) */
  const dpa_loss_constants c = {1.0, 0.25, 1.0 / (6.0 * sqrt(3.0)), 1, 1, 1};
  return c;
}

static void value(const double *a, const double *y, size_t n, double width,
                  double *out) {
  (void)width;
  for (size_t k = 0; k < n; k++) {
    const double m = y[k] * a[k];
    out[k] = fmax(-m, 0.0) + log1p(exp(-fabs(m)));
  }
}

static void derivative(const double *a, const double *y, size_t n, double width,
                       double *d1, double *d2) {
  (void)width;
  if (!d2) { /* no branch on the margin's sign; an infinite exp gives the right 0 */
    for (size_t k = 0; k < n; k++)
      d1[k] = -y[k] / (1.0 + exp(y[k] * a[k]));
    return;
  }
  for (size_t k = 0; k < n; k++) {
    const double m = y[k] * a[k];
    const double e = exp(-fabs(m)); /* never overflows */
    const double small = e / (1.0 + e), big = 1.0 / (1.0 + e);
    d1[k] = -y[k] * (m > 0.0 ? small : big);
    d2[k] = small * big;
  }
}

const dpa_loss dpa_loss_logistic = {"logistic", 0.0, constants, value, derivative};
