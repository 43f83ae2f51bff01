/* The hinge of a support vector machine, smoothed over a width h (Chapelle 2007). With
 * m = y a: L = 0 for m > 1 + h, 1 - m for m < 1 - h, else (1 + h - m)^2 / (4 h). */
#include "data/loss.h"

#include <math.h>

static dpa_loss_constants constants(double width) {
  const dpa_loss_constants c = {1.0, 0.5 / width, INFINITY, 0, 0, 1};
  return c;
}

static void value(const double *a, const double *y, size_t n, double width,
                  double *out) {
  for (size_t k = 0; k < n; k++) {
    const double gap = 1.0 + width - y[k] * a[k];
    out[k] = gap <= 0.0          ? 0.0
             : gap > 2.0 * width ? gap - width
                                 : gap * gap / (4.0 * width);
  }
}

static void derivative(const double *a, const double *y, size_t n, double width,
                       double *d1, double *d2) {
  for (size_t k = 0; k < n; k++) {
    const double gap = 1.0 + width - y[k] * a[k];
    const int curved = gap > 0.0 && gap <= 2.0 * width;
    d1[k] = gap <= 0.0 ? 0.0 : -y[k] * (curved ? gap / (2.0 * width) : 1.0);
    if (d2)
      d2[k] = curved ? 0.5 / width : 0.0;
  }
}

const dpa_loss dpa_loss_hinge = {"hinge", 0.5, constants, value, derivative};
