/* Records row by row: how long they are, and one of them. */
#include "data/records.h"

#include "data/entries.h"
#include "data/kernels.h"
#include "data/shorten.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- norms ----------------------------------------------------------------------- */

static double norm_of(const dpa_records *r, size_t k) {
  dpa_row_room room;
  const dpa_row row = dpa_row_of(r, k, &room);
  const double norm =
      dpa_length_value(dpa_length_of(row.x, row.count, row.stride, r->d));
  return norm * dpa_scale_of(r, k) * (1.0 + 0x1p-52);
}

double dpa_records_longest(const dpa_records *r) {
  double most = r->longest;
  DPA_COUNT(r->work, read, most == 0.0 && !r->norm ? r->n : 0);
  for (size_t k = 0; r->longest == 0.0 && k < r->n; k++)
    most = fmax(most, r->norm ? r->norm[k] : norm_of(r, k));
  return most;
}

void dpa_records_norms(const dpa_records *r, double *norm) {
  DPA_COUNT(r->work, read, r->norm ? 0 : r->n);
  for (size_t k = 0; k < r->n; k++)
    norm[k] = r->norm ? r->norm[k] : norm_of(r, k);
}

/* Sums of squares first, down the columns as they lie; rows whose sum cannot be trusted
 * one by one. */
static double measure_rows(const dpa_records *r, double factor, double bound,
                           double *scale, double *norm) {
  const size_t n = r->n, d = r->d;
  double longest = 0.0;
  dpa_row_room room;
  if (norm)
    memset(norm, 0, n * sizeof *norm);
  if (norm && r->dense && r->lead)
    dpa_columns_squares(r->dense, n, r->lead, d, norm);
  for (size_t k = 0; k < n; k++) {
    dpa_length length = dpa_length_from(norm ? norm[k] : 0.0, d);
    if (length.root < 0.0) {
      const dpa_row row = dpa_row_of(r, k, &room);
      length = dpa_length_of(row.x, row.count, row.stride, d);
    }
    length.unit *= factor;
    const double kept = dpa_shortening(length, d, bound);
    double left = dpa_length_value(length);
    if (kept < 1.0)
      left = fmin(length.root * (length.unit * kept) * (1.0 + 0x1p-50), bound);
    scale[k] = kept * factor;
    longest = left > longest ? left : longest;
    if (norm)
      norm[k] = left;
  }
  return longest;
}

#define MEASURED 2048   /* rows that are measured at a time */
#define FILED (1 << 16) /* rows of a file that a thread takes: they may be read */

double dpa_measure(const dpa_records *r, double factor, double bound, int threads,
                   double *scale, double *norm) {
  (void)threads;
  DPA_COUNT(r->work, read, r->n);
  const int64_t n = (int64_t)r->n, span = r->pager ? FILED : MEASURED;
  double longest = 0.0;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)                         \
    reduction(max                                                                      \
              : longest) if (threads > 1 && n > span)
#endif
  for (int64_t first = 0; first < n; first += span) {
    const int64_t end = n - first < span ? n : first + span;
    dpa_blocks blocks = dpa_blocks_of(r, (size_t)first, (size_t)end, MEASURED);
    dpa_records rows;
    for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
      const double most =
          measure_rows(&rows, factor, bound, scale + at, norm ? norm + at : NULL);
      longest = most > longest ? most : longest;
      dpa_passed(&rows);
    }
  }
  return longest;
}

/* A row's entries come in the order of the columns, as in a sum along the row. */
void dpa_measure_columns(size_t n, size_t d, const int *p, const int *i,
                         const double *x, double bound, double *scale, double *unit) {
  const size_t stored = (size_t)p[d];
  int far = 0;
  memset(scale, 0, n * sizeof *scale);
  for (size_t s = 0; s < stored; s++)
    scale[i[s]] += x[s] * x[s];
  for (size_t k = 0; k < n; k++) {
    unit[k] = dpa_length_from(scale[k], d).root < 0.0 ? 0.0 : -1.0;
    if (unit[k] == 0.0) {
      far = 1;
      scale[k] = 0.0;
    }
  }
  for (size_t s = 0; far && s < stored; s++)
    if (unit[i[s]] >= 0.0)
      unit[i[s]] = fmax(unit[i[s]], fabs(x[s]));
  for (size_t s = 0; far && s < stored; s++)
    if (unit[i[s]] > 0.0) {
      const double share = x[s] / unit[i[s]];
      scale[i[s]] += share * share;
    }
  for (size_t k = 0; k < n; k++)
    scale[k] = dpa_shortening(unit[k] < 0.0 ? dpa_length_from(scale[k], d)
                                            : dpa_length_in(unit[k], scale[k], d),
                              d, bound);
}

/* ---- one row --------------------------------------------------------------------- */

void dpa_records_copy(const dpa_records *r, size_t k, double *out) {
  dpa_row_room room;
  const dpa_row row = dpa_row_of(r, k, &room);
  const double scale = dpa_scale_of(r, k);
  DPA_COUNT(r->work, read, 1);
  if (!dpa_is_dense(r))
    memset(out, 0, r->d * sizeof *out);
  for (size_t j = 0; j < row.count; j++)
    out[dpa_feature(&row, j)] = scale * row.x[j * row.stride];
}

DPA_INLINE double sparse_dot(const dpa_row *row, const int *col, const uint16_t *narrow,
                             const double *f) {
  double sum = 0.0;
  for (size_t at = 0; at < row->count; at++)
    sum += row->x[at] * f[DPA_COLUMN(at)];
  return sum;
}

/* As dpa_rows_times() sums. */
static double dense_dot(const dpa_row *row, const double *f) {
  const size_t count = row->count, stride = row->stride;
  const double *x = row->x;
  double part[4] = {0.0, 0.0, 0.0, 0.0};
  size_t j = 0;
  for (; j + 4 <= count; j += 4)
    for (size_t lane = 0; lane < 4; lane++)
      part[lane] += x[(j + lane) * stride] * f[j + lane];
  double sum = (part[0] + part[1]) + (part[2] + part[3]);
  for (; j < count; j++)
    sum += x[j * stride] * f[j];
  return sum;
}

double dpa_records_dot(const dpa_records *r, size_t k, const double *f) {
  dpa_row_room room;
  const dpa_row row = dpa_row_of(r, k, &room);
  DPA_COUNT(r->work, times, 1);
  return dpa_scale_of(r, k) *
         (dpa_is_dense(r) ? dense_dot(&row, f) : DPA_EITHER_WIDTH(sparse_dot, &row, f));
}

DPA_INLINE void add_sparse(const dpa_row *row, const int *col, const uint16_t *narrow,
                           double weight, double *g) {
  for (size_t at = 0; at < row->count; at++)
    g[DPA_COLUMN(at)] += weight * row->x[at];
}

void dpa_records_add_row(const dpa_records *r, size_t k, double w, double *g) {
  dpa_row_room room;
  const dpa_row row = dpa_row_of(r, k, &room);
  const double weight = w * dpa_scale_of(r, k);
  DPA_COUNT(r->work, back, 1);
  if (!dpa_is_dense(r)) {
    DPA_EITHER_WIDTH(add_sparse, &row, weight, g);
    return;
  }
  for (size_t j = 0; j < row.count; j++)
    g[j] += weight * row.x[j * row.stride];
}

void dpa_records_gather(const dpa_records *r, size_t k, const int *at, size_t count,
                        double *out) {
  dpa_row_room room;
  const dpa_row row = dpa_row_of(r, k, &room);
  const double scale = dpa_scale_of(r, k);
  size_t j = 0;
  DPA_COUNT(r->work, read, 1);
  if (dpa_is_dense(r)) {
    for (size_t a = 0; a < count; a++)
      out[a] = scale * row.x[(size_t)at[a] * row.stride];
    return;
  }
  for (size_t a = 0; a < count; a++) {
    const size_t feature = (size_t)at[a];
    while (j < row.count && dpa_feature(&row, j) < feature)
      j++;
    out[a] = j < row.count && dpa_feature(&row, j) == feature ? scale * row.x[j] : 0.0;
  }
}
