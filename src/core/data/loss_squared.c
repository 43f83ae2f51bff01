/* L = (a - y)^2 / 2: not Lipschitz, so private only where residuals are clipped. */
#include "data/loss.h"

#include <math.h>

static dpa_loss_constants constants(double width) {
  (void)width;
  const dpa_loss_constants c = {INFINITY, 1.0, 0.0, 1, 0, 0};
  return c;
}

static void value(const double *a, const double *y, size_t n, double width,
                  double *out) {
  (void)width;
  for (size_t k = 0; k < n; k++)
    out[k] = 0.5 * (a[k] - y[k]) * (a[k] - y[k]);
}

static void derivative(const double *a, const double *y, size_t n, double width,
                       double *d1, double *d2) {
  (void)width;
  for (size_t k = 0; k < n; k++) {
    d1[k] = a[k] - y[k];
    if (d2)
      d2[k] = 1.0;
  }
}

const dpa_loss dpa_loss_squared = {"squared", 0.0, constants, value, derivative};
