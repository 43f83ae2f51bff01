#include "data/records.h"

#include "blas.h"
#include "data/rows.h"
#include "data/shorten.h"

#include <math.h>
#include <string.h>

#define BLOCK 1024 /* weights that are scaled at a time */

dpa_records dpa_records_part(const dpa_records *records, size_t first, size_t count) {
  dpa_records part = *records;
  part.n = count;
  part.y += first;
  if (part.dense)
    part.dense += part.lead ? first : first * part.d;
  else
    part.row += first;
  if (part.scale)
    part.scale += first;
  if (part.norm)
    part.norm += first;
  if (part.weight)
    part.weight += first;
  if (part.offset)
    part.offset += first;
  return part;
}

size_t dpa_records_stored(const dpa_records *records) {
  return records->dense ? records->n * records->d
                        : (size_t)(records->row[records->n] - records->row[0]);
}

/* Where the entries of row k begin, and how far apart they are. */
static const double *entries(const dpa_records *r, size_t k, size_t *count,
                             size_t *stride) {
  *stride = r->dense && r->lead ? r->lead : 1;
  *count = r->dense ? r->d : (size_t)(r->row[k + 1] - r->row[k]);
  return r->dense ? r->dense + (r->lead ? k : k * r->d) : r->val + r->row[k];
}

static double scale_of(const dpa_records *records, size_t k) {
  return records->scale ? records->scale[k] : 1.0;
}

/* ---- passes ---------------------------------------------------------------------- */

/* g += A'w with A column-major. */
static void column_add(const dpa_records *r, const double *w, double *g) {
  const double one = 1.0;
  const int inc = 1, n = (int)r->n, d = (int)r->d, lead = (int)r->lead;
  F77_CALL(dgemv)
  ("T", &n, &d, &one, r->dense, &lead, w, &inc, &one, g, &inc FCONE);
}

/* Margins of column-major rows: each the sum of its row's products in their order and
 * nothing else, wherever the row lies. A library's product may sum the last rows of a
 * block in another way, so that a margin would tell where its row is, and whether one
 * before it is there. */
static void column_margin(const dpa_records *r, const double *f, double *out) {
  for (size_t first = 0; first < r->n; first += BLOCK) {
    const size_t m = r->n - first < BLOCK ? r->n - first : BLOCK;
    const double *x = r->dense + first;
    double *sum = out + first;
    size_t j = 0;
    memset(sum, 0, m * sizeof *sum);
    for (; j + 4 <= r->d; j += 4, x += 4 * r->lead) {
      const double *a = x, *b = a + r->lead, *c = b + r->lead, *e = c + r->lead;
      const double fa = f[j], fb = f[j + 1], fc = f[j + 2], fe = f[j + 3];
      for (size_t k = 0; k < m; k++)
        sum[k] = sum[k] + a[k] * fa + b[k] * fb + c[k] * fc + e[k] * fe;
    }
    for (; j < r->d; j++, x += r->lead)
      for (size_t k = 0; k < m; k++)
        sum[k] += x[k] * f[j];
  }
}

void dpa_records_margin(const dpa_records *r, const double *f, double *out) {
  if (r->n == 0)
    return;
  if (r->dense && r->lead)
    column_margin(r, f, out);
  else if (r->dense)
    dpa_rows_times(r->dense, r->n, r->d, f, out);
  else
    for (size_t k = 0; k < r->n; k++) {
      double sum = 0.0;
      for (int j = r->row[k]; j < r->row[k + 1]; j++)
        sum += r->val[j] * f[r->col[j]];
      out[k] = sum;
    }
  if (r->scale)
    for (size_t k = 0; k < r->n; k++)
      out[k] *= r->scale[k];
}

/* As it says in the header, with the factors of the rows in w. */
static void add_rows(const dpa_records *r, const double *w, double *g) {
  if (r->dense) {
    if (r->lead)
      column_add(r, w, g);
    else
      dpa_rows_add(r->dense, r->n, r->d, w, g);
    return;
  }
  for (size_t k = 0; k < r->n; k++) {
    const double wk = w[k];
    for (int j = r->row[k]; j < r->row[k + 1]; j++)
      g[r->col[j]] += wk * r->val[j];
  }
}

void dpa_records_add_gradient(const dpa_records *r, const double *w, double *g) {
  if (r->n == 0)
    return;
  if (!r->scale) {
    add_rows(r, w, g);
    return;
  }
  double scaled[BLOCK];
  for (size_t first = 0; first < r->n; first += BLOCK) {
    const size_t m = r->n - first < BLOCK ? r->n - first : BLOCK;
    const dpa_records part = dpa_records_part(r, first, m);
    for (size_t k = 0; k < m; k++)
      scaled[k] = w[first + k] * part.scale[k];
    add_rows(&part, scaled, g);
  }
}

static void dense_hessian(const dpa_records *r, const double *w, double *H,
                          double *block) {
  const size_t d = r->d, n = r->n;
  for (size_t start = 0; start < n; start += DPA_HESSIAN_BLOCK) {
    const size_t m = n - start < DPA_HESSIAN_BLOCK ? n - start : DPA_HESSIAN_BLOCK;
    for (size_t k = 0; k < m; k++) {
      size_t count, stride;
      const double root = sqrt(w[start + k]) * scale_of(r, start + k);
      const double *x = entries(r, start + k, &count, &stride);
      for (size_t j = 0; j < d; j++)
        block[k * d + j] = root * x[j * stride];
    }
    dpa_rows_square(block, m, d, H);
  }
}

void dpa_records_add_hessian(const dpa_records *r, const double *w, double *H,
                             double *block) {
  if (r->dense) {
    dense_hessian(r, w, H, block);
    return;
  }
  for (size_t k = 0; k < r->n; k++) {
    const double scale = scale_of(r, k), weight = w[k] * scale * scale;
    if (weight == 0.0)
      continue;
    for (int a = r->row[k]; a < r->row[k + 1]; a++) {
      double *column = H + (size_t)r->col[a] * r->d;
      const double wx = weight * r->val[a];
      for (int b = a; b < r->row[k + 1]; b++)
        column[r->col[b]] += wx * r->val[b];
    }
  }
}

void dpa_records_add_diagonal(const dpa_records *r, const double *w, double *h) {
  for (size_t k = 0; k < r->n; k++) {
    size_t count, stride;
    const double *x = entries(r, k, &count, &stride);
    const double scale = scale_of(r, k), weight = w[k] * scale * scale;
    const int *col = r->dense ? NULL : r->col + r->row[k];
    for (size_t j = 0; j < count; j++)
      h[col ? (size_t)col[j] : j] += weight * x[j * stride] * x[j * stride];
  }
}

/* ---- norms ----------------------------------------------------------------------- */

static double norm_of(const dpa_records *r, size_t k) {
  size_t count, stride;
  const double *x = entries(r, k, &count, &stride);
  const double norm = dpa_length_value(dpa_length_of(x, count, stride, r->d));
  return norm * scale_of(r, k) * (1.0 + 0x1p-52);
}

double dpa_records_longest(const dpa_records *r) {
  double most = 0.0;
  for (size_t k = 0; k < r->n; k++)
    most = fmax(most, r->norm ? r->norm[k] : norm_of(r, k));
  return most;
}

void dpa_records_norms(const dpa_records *r, double *norm) {
  for (size_t k = 0; k < r->n; k++)
    norm[k] = r->norm ? r->norm[k] : norm_of(r, k);
}

/* Sums of squares first, down the columns as they lie; rows whose sum cannot be trusted
 * one by one. */
void dpa_measure(const dpa_records *r, double bound, double *scale, double *norm) {
  const size_t n = r->n, d = r->d;
  memset(norm, 0, n * sizeof *norm);
  if (r->dense && r->lead)
    for (size_t j = 0; j < d; j++) {
      const double *column = r->dense + j * r->lead;
      for (size_t k = 0; k < n; k++)
        norm[k] += column[k] * column[k];
    }
  for (size_t k = 0; k < n; k++) {
    dpa_length length = dpa_length_from(norm[k], d);
    if (length.root < 0.0) {
      size_t count, stride;
      const double *x = entries(r, k, &count, &stride);
      length = dpa_length_of(x, count, stride, d);
    }
    scale[k] = dpa_shortening(length, d, bound);
    norm[k] = scale[k] < 1.0 ? length.root * (length.unit * scale[k])
                             : dpa_length_value(length);
    if (scale[k] < 1.0)
      norm[k] = fmin(norm[k] * (1.0 + 0x1p-50), bound);
  }
}

/* ---- one row --------------------------------------------------------------------- */

void dpa_records_copy(const dpa_records *r, size_t k, double *out) {
  size_t count, stride;
  const double scale = scale_of(r, k), *x = entries(r, k, &count, &stride);
  if (r->dense) {
    for (size_t j = 0; j < count; j++)
      out[j] = scale * x[j * stride];
    return;
  }
  const int *col = r->col + r->row[k];
  memset(out, 0, r->d * sizeof *out);
  for (size_t j = 0; j < count; j++)
    out[col[j]] = scale * x[j];
}

double dpa_records_dot(const dpa_records *r, size_t k, const double *f) {
  size_t count, stride;
  const double *x = entries(r, k, &count, &stride);
  double sum = 0.0;
  if (r->dense) {
    for (size_t j = 0; j < count; j++)
      sum += x[j * stride] * f[j];
  } else {
    const int *col = r->col + r->row[k];
    for (size_t j = 0; j < count; j++)
      sum += x[j] * f[col[j]];
  }
  return scale_of(r, k) * sum;
}

void dpa_records_add_row(const dpa_records *r, size_t k, double w, double *g) {
  size_t count, stride;
  const double weight = w * scale_of(r, k), *x = entries(r, k, &count, &stride);
  const int *col = r->dense ? NULL : r->col + r->row[k];
  for (size_t j = 0; j < count; j++)
    g[col ? (size_t)col[j] : j] += weight * x[j * stride];
}

void dpa_records_gather(const dpa_records *r, size_t k, const int *at, size_t count,
                        double *out) {
  size_t stored, stride, j = 0;
  const double scale = scale_of(r, k), *x = entries(r, k, &stored, &stride);
  if (r->dense) {
    for (size_t a = 0; a < count; a++)
      out[a] = scale * x[(size_t)at[a] * stride];
    return;
  }
  const int *col = r->col + r->row[k];
  for (size_t a = 0; a < count; a++) {
    while (j < stored && col[j] < at[a])
      j++;
    out[a] = j < stored && col[j] == at[a] ? scale * x[j] : 0.0;
  }
}

/* ---- packing --------------------------------------------------------------------- */

/* Shortened by d entries' rounding, whatever is stored: both layouts get one factor. */
static void shorten_row(double *x, size_t count, size_t d, double bound) {
  const double factor = dpa_shortening(dpa_length_of(x, count, 1, d), d, bound);
  if (factor < 1.0)
    for (size_t j = 0; j < count; j++)
      x[j] *= factor;
}

void dpa_pack_sparse(size_t n, size_t d, const int *p, const int *i, const double *x,
                     const size_t *place, double bound, int *row, int *col,
                     double *val) {
  memset(row, 0, (n + 1) * sizeof *row);
  for (int s = 0; s < p[d]; s++)
    row[place[i[s]] + 1]++;
  for (size_t k = 0; k < n; k++)
    row[k + 1] += row[k];
  /* row[k] serves as the write position of row k and ends at the start of row k + 1 */
  for (size_t j = 0; j < d; j++)
    for (int s = p[j]; s < p[j + 1]; s++) {
      const int at = row[place[i[s]]]++;
      col[at] = (int)j;
      val[at] = x[s];
    }
  memmove(row + 1, row, n * sizeof *row);
  row[0] = 0;
  for (size_t k = 0; k < n; k++)
    shorten_row(val + row[k], (size_t)(row[k + 1] - row[k]), d, bound);
}

void dpa_pack_dense(size_t n, size_t d, const double *x, const size_t *place,
                    double bound, double *dense) {
  for (size_t k = 0; k < n; k++) {
    double *record = dense + place[k] * d;
    for (size_t j = 0; j < d; j++)
      record[j] = x[j * n + k];
    shorten_row(record, d, d, bound);
  }
}
