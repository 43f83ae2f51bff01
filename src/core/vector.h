/* Inner products and norms of short vectors, summed in order. */
#ifndef DPA_VECTOR_H
#define DPA_VECTOR_H

#include <float.h>
#include <math.h>
#include <stddef.h>

static inline double dpa_dot(const double *x, const double *y, size_t d) {
  double sum = 0.0;
  for (size_t j = 0; j < d; j++)
    sum += x[j] * y[j];
  return sum;
}

static inline double dpa_norm(const double *x, size_t d) {
  return sqrt(dpa_dot(x, x, d));
}

/* The same, finite for finite numbers: where squares leave the range of doubles it is
 * measured in units of the largest, and at most the largest double. */
static inline double dpa_far_norm(const double *x, size_t d) {
  const double norm = dpa_norm(x, d);
  if (isfinite(norm))
    return norm;
  double biggest = 0.0, sum = 0.0;
  for (size_t j = 0; j < d; j++)
    biggest = fmax(biggest, fabs(x[j]));
  for (size_t j = 0; j < d; j++)
    sum += (x[j] / biggest) * (x[j] / biggest);
  return fmin(biggest * sqrt(sum), DBL_MAX);
}

#endif
