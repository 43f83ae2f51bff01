#include "dataset.h"

#include "blas.h"

#include <math.h>
#include <string.h>

void dpa_dataset_margin(const dpa_dataset *data, const double *f, double *out) {
  if (data->n == 0)
    return;
  if (data->dense) {
    const double one = 1.0, zero = 0.0;
    const int d = (int)data->d, n = (int)data->n, inc = 1;
    F77_CALL(dgemv)
    ("T", &d, &n, &one, data->dense, &d, f, &inc, &zero, out, &inc FCONE);
    return;
  }
  const size_t *row = data->row;
  for (size_t k = 0; k < data->n; k++) {
    double sum = 0.0;
    for (size_t j = row[k]; j < row[k + 1]; j++)
      sum += data->val[j] * f[data->col[j]];
    out[k] = sum;
  }
}

void dpa_dataset_add_gradient(const dpa_dataset *data, const double *w, double *g) {
  if (data->n == 0)
    return;
  if (data->dense) {
    const double one = 1.0;
    const int d = (int)data->d, n = (int)data->n, inc = 1;
    F77_CALL(dgemv)
    ("N", &d, &n, &one, data->dense, &d, w, &inc, &one, g, &inc FCONE);
    return;
  }
  const size_t *row = data->row;
  for (size_t k = 0; k < data->n; k++) {
    const double wk = w[k];
    for (size_t j = row[k]; j < row[k + 1]; j++)
      g[data->col[j]] += wk * data->val[j];
  }
}

void dpa_dataset_add_hessian(const dpa_dataset *data, const double *w, double *H,
                             double *block) {
  const size_t d = data->d, n = data->n;
  if (data->dense) {
    const double one = 1.0;
    const int di = (int)d;
    for (size_t start = 0; start < n; start += DPA_HESSIAN_BLOCK) {
      const size_t m = n - start < DPA_HESSIAN_BLOCK ? n - start : DPA_HESSIAN_BLOCK;
      for (size_t k = 0; k < m; k++) {
        const double root = sqrt(w[start + k]);
        const double *x = data->dense + (start + k) * d;
        for (size_t j = 0; j < d; j++)
          block[k * d + j] = root * x[j];
      }
      const int mi = (int)m;
      F77_CALL(dsyrk)
      ("L", "N", &di, &mi, &one, block, &di, &one, H, &di FCONE FCONE);
    }
    return;
  }
  const size_t *row = data->row;
  for (size_t k = 0; k < n; k++) {
    if (w[k] == 0.0)
      continue;
    for (size_t a = row[k]; a < row[k + 1]; a++) {
      double *column = H + (size_t)data->col[a] * d;
      const double wx = w[k] * data->val[a];
      for (size_t b = a; b < row[k + 1]; b++)
        column[data->col[b]] += wx * data->val[b];
    }
  }
}

void dpa_dataset_add_diagonal(const dpa_dataset *data, const double *w, double *h) {
  for (size_t k = 0; k < data->n; k++) {
    if (data->dense) {
      const double *x = data->dense + k * data->d;
      for (size_t j = 0; j < data->d; j++)
        h[j] += w[k] * x[j] * x[j];
    } else {
      for (size_t j = data->row[k]; j < data->row[k + 1]; j++)
        h[data->col[j]] += w[k] * data->val[j] * data->val[j];
    }
  }
}

double dpa_dataset_longest(const dpa_dataset *data) {
  double most = 0.0;
  for (size_t k = 0; k < data->n; k++) {
    double sum = 0.0;
    const size_t end = data->dense ? data->d : data->row[k + 1] - data->row[k];
    const double *x = data->dense ? data->dense + k * data->d : data->val + data->row[k];
    for (size_t j = 0; j < end; j++)
      sum += x[j] * x[j];
    most = fmax(most, sum);
  }
  return sqrt(most) * (1.0 + 0x1p-40);
}

/* Shorten x to norm `bound`. Rounding may leave the norm an ulp too long, and the
 * guarantee rests on it: shrink until it is not. */
static void shorten(double *x, size_t length, double bound) {
  double biggest = 0.0;
  for (size_t j = 0; j < length; j++)
    biggest = fmax(biggest, fabs(x[j]));
  if (biggest == 0.0)
    return;
  for (int tries = 0; tries < 8; tries++) {
    double sum = 0.0;
    for (size_t j = 0; j < length; j++)
      sum += (x[j] / biggest) * (x[j] / biggest);
    const double norm = biggest * sqrt(sum);
    if (norm <= bound)
      return;
    /* norm overflows when the row is near the end of the doubles */
    const double ratio = isinf(norm) ? bound / sqrt(sum) / biggest : bound / norm;
    const double factor = ratio * (tries == 0 ? 1.0 : 1.0 - 0x1p-52);
    for (size_t j = 0; j < length; j++)
      x[j] *= factor;
    biggest *= factor;
  }
}

void dpa_pack_sparse(size_t n, size_t d, const int *p, const int *i, const double *x,
                     const size_t *place, double bound, size_t *row, int *col,
                     double *val) {
  memset(row, 0, (n + 1) * sizeof *row);
  for (size_t j = 0; j < (size_t)p[d]; j++)
    row[place[i[j]] + 1]++;
  for (size_t k = 0; k < n; k++)
    row[k + 1] += row[k];
  /* row[k] serves as the write position of row k and ends at the start of row k + 1 */
  for (size_t j = 0; j < d; j++) {
    for (int s = p[j]; s < p[j + 1]; s++) {
      const size_t at = row[place[i[s]]]++;
      col[at] = (int)j;
      val[at] = x[s];
    }
  }
  memmove(row + 1, row, n * sizeof *row);
  row[0] = 0;
  for (size_t k = 0; k < n; k++)
    shorten(val + row[k], row[k + 1] - row[k], bound);
}

void dpa_pack_dense(size_t n, size_t d, const double *x, const size_t *place,
                    double bound, double *dense) {
  for (size_t k = 0; k < n; k++) {
    double *record = dense + place[k] * d;
    for (size_t j = 0; j < d; j++)
      record[j] = x[j * n + k];
    shorten(record, d, bound);
  }
}
