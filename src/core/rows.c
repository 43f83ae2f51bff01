#include "rows.h"

#include "blas.h"

#include <math.h>
#include <string.h>

void dpa_rows_measure(const dpa_rows *rows, double bound, double *scale,
                      double *square) {
  const size_t n = rows->n;
  memset(square, 0, n * sizeof *square);
  if (rows->dense) {
    for (size_t j = 0; j < rows->d; j++) {
      const double *column = rows->dense + j * n;
      for (size_t i = 0; i < n; i++)
        square[i] += column[i] * column[i];
    }
  } else {
    for (size_t i = 0; i < n; i++)
      for (int k = rows->row[i]; k < rows->row[i + 1]; k++)
        square[i] += rows->val[k] * rows->val[k];
  }
  /* the sum of d squares is off by at most d ulp, its root by half of that */
  const double shy = 1.0 - ((double)rows->d + 8.0) * 0x1p-53;
  for (size_t i = 0; i < n; i++) {
    const double norm = sqrt(square[i]);
    scale[i] = norm > bound * shy ? bound / norm * shy : 1.0;
    square[i] = scale[i] > 0.0 ? square[i] * scale[i] * scale[i] : 0.0;
  }
}

void dpa_rows_copy(const dpa_rows *rows, size_t i, double *out) {
  const double scale = rows->scale[i];
  if (rows->dense) {
    for (size_t j = 0; j < rows->d; j++)
      out[j] = scale * rows->dense[j * rows->n + i];
    return;
  }
  memset(out, 0, rows->d * sizeof *out);
  for (int k = rows->row[i]; k < rows->row[i + 1]; k++)
    out[rows->col[k]] = scale * rows->val[k];
}

void dpa_rows_margin(const dpa_rows *rows, size_t first, size_t count, const double *f,
                     double *out) {
  if (count == 0)
    return;
  if (rows->dense) {
    const double one = 1.0, zero = 0.0;
    const int n = (int)rows->n, m = (int)count, d = (int)rows->d, inc = 1;
    F77_CALL(dgemv)
    ("N", &m, &d, &one, rows->dense + first, &n, f, &inc, &zero, out, &inc FCONE);
  } else {
    for (size_t k = 0; k < count; k++) {
      double sum = 0.0;
      for (int j = rows->row[first + k]; j < rows->row[first + k + 1]; j++)
        sum += rows->val[j] * f[rows->col[j]];
      out[k] = sum;
    }
  }
  for (size_t k = 0; k < count; k++)
    out[k] *= rows->scale[first + k];
}

void dpa_rows_add(const dpa_rows *rows, size_t first, size_t count, double *w,
                  double *g) {
  if (count == 0)
    return;
  for (size_t k = 0; k < count; k++)
    w[k] *= rows->scale[first + k];
  if (rows->dense) {
    const double one = 1.0;
    const int n = (int)rows->n, m = (int)count, d = (int)rows->d, inc = 1;
    F77_CALL(dgemv)
    ("T", &m, &d, &one, rows->dense + first, &n, w, &inc, &one, g, &inc FCONE);
    return;
  }
  for (size_t k = 0; k < count; k++)
    for (int j = rows->row[first + k]; j < rows->row[first + k + 1]; j++)
      g[rows->col[j]] += w[k] * rows->val[j];
}
