/* Inner products and norms of short vectors, summed in order. */
#ifndef DPA_VECTOR_H
#define DPA_VECTOR_H

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

#endif
