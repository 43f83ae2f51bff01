/* h = lambda |y|. */
#include "data/penalty.h"

#include <math.h>

static double value(const double *y, size_t n, const double *parameter) {
  double sum = 0.0;
  for (size_t j = 0; j < n; j++)
    sum += fabs(y[j]);
  return parameter[0] * sum;
}

static void prox(const double *v, size_t n, double step, const double *parameter,
                 double *out) {
  const double weight = step * parameter[0];
  for (size_t j = 0; j < n; j++)
    out[j] = dpa_shrink(v[j], weight);
}

const dpa_penalty dpa_penalty_l1 = {"l1", value, prox};
