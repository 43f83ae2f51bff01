/* h = lambda y^2 / 2. */
#include "data/penalty.h"

static double value(const double *y, size_t n, const double *parameter) {
  double sum = 0.0;
  for (size_t j = 0; j < n; j++)
    sum += y[j] * y[j];
  return 0.5 * parameter[0] * sum;
}

static void prox(const double *v, size_t n, double step, const double *parameter,
                 double *out) {
  const double factor = 1.0 / (1.0 + step * parameter[0]);
  for (size_t j = 0; j < n; j++)
    out[j] = factor * v[j];
}

const dpa_penalty dpa_penalty_l2 = {"l2", value, prox};
