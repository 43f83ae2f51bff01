#include "stats.h"

#include <math.h>
#include <stdlib.h>

double normal_cdf(double x) {
  return 0.5 * erfc(-x / sqrt(2.0));
}

double gamma_cdf(double x, double shape) {
  if (x <= 0.0)
    return 0.0;
  if (x > 700.0 + 2.0 * shape) /* beyond the range of the first term */
    return 1.0;
  double term = exp(shape * log(x) - x - lgamma(shape + 1.0));
  double sum = 0.0;
  for (double k = shape + 1.0; k < x || term > 1e-17 * sum; k += 1.0) {
    sum += term;
    term *= x / k;
  }
  return sum < 1.0 ? sum : 1.0;
}

double chi_square_p(double x, double freedom) {
  return 1.0 - gamma_cdf(x / 2.0, freedom / 2.0);
}

static int increasing(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double ks_p(double *u, size_t n) {
  qsort(u, n, sizeof *u, increasing);
  double size = (double)n, distance = 0.0;
  for (size_t i = 0; i < n; i++) {
    distance =
        fmax(distance, fmax((double)(i + 1) / size - u[i], u[i] - (double)i / size));
  }
  double t = (sqrt(size) + 0.12 + 0.11 / sqrt(size)) * distance;
  if (t < 0.2) /* the series below needs many terms there, and p is 1 to 12 digits */
    return 1.0;
  double p = 0.0, sign = 2.0;
  for (int k = 1; k <= 50; k++) {
    p += sign * exp(-2.0 * k * k * t * t);
    sign = -sign;
  }
  return p;
}
