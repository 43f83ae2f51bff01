/* With r = a - y and width h: L = r^2 / 2 for |r| <= h, else h |r| - h^2 / 2. */
#include "data/loss.h"

#include <math.h>

static dpa_loss_constants constants(double width) {
  const dpa_loss_constants c = {width, 1.0, INFINITY, 0, 0, 0};
  return c;
}

static void value(const double *a, const double *y, size_t n, double width,
                  double *out) {
  for (size_t k = 0; k < n; k++) {
    const double r = fabs(a[k] - y[k]);
    out[k] = r <= width ? 0.5 * r * r : width * (r - 0.5 * width);
  }
}

static void derivative(const double *a, const double *y, size_t n, double width,
                       double *d1, double *d2) {
  for (size_t k = 0; k < n; k++) {
    const double r = a[k] - y[k];
    d1[k] = r > width ? width : r < -width ? -width : r;
    if (d2)
      d2[k] = fabs(r) <= width ? 1.0 : 0.0;
  }
}

const dpa_loss dpa_loss_huber = {"huber", 1.0, constants, value, derivative};
