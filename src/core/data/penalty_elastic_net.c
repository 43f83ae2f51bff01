/* h = lambda1 |y| + lambda2 y^2 / 2. */
#include "data/penalty.h"

#include <math.h>

static double value(const double *y, size_t n, const double *parameter) {
  double size = 0.0, square = 0.0;
  for (size_t j = 0; j < n; j++) {
    size += fabs(y[j]);
    square += y[j] * y[j];
  }
  return parameter[0] * size + 0.5 * parameter[1] * square;
}

static void prox(const double *v, size_t n, double step, const double *parameter,
                 double *out) {
  const double weight = step * parameter[0];
  const double factor = 1.0 / (1.0 + step * parameter[1]);
  for (size_t j = 0; j < n; j++)
    out[j] = factor * dpa_shrink(v[j], weight);
}

const dpa_penalty dpa_penalty_elastic_net = {"elastic_net", value, prox};
