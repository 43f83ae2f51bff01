/* h = 0 on [lower, upper], infinite elsewhere. */
#include "data/penalty.h"

#include <math.h>

static double value(const double *y, size_t n, const double *parameter) {
  for (size_t j = 0; j < n; j++)
    if (!(y[j] >= parameter[0] && y[j] <= parameter[1]))
      return INFINITY;
  return 0.0;
}

static void prox(const double *v, size_t n, double step, const double *parameter,
                 double *out) {
  (void)step;
  for (size_t j = 0; j < n; j++)
    out[j] = v[j] < parameter[0]   ? parameter[0]
             : v[j] > parameter[1] ? parameter[1]
                                   : v[j];
}

const dpa_penalty dpa_penalty_box = {"box", value, prox};
