#include "data/affine.h"

void dpa_affine(const double *A, const double *b, const double *u, size_t d,
                const int *at, size_t count, double *out) {
  for (size_t k = 0; k < count; k++)
    out[k] = 0.0;
  for (size_t j = 0; j < d; j++) { /* down the columns, as they lie */
    const double *column = A + j * d;
    for (size_t k = 0; k < count; k++)
      out[k] += column[at[k] - 1] * u[j];
  }
  for (size_t k = 0; k < count; k++)
    out[k] += b[at[k] - 1];
}
