#include "data/pack.h"

#include "data/shorten.h"
#include "data/whole.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define AT_ONCE 8 /* dense rows that are packed together: a cache line of a column */
/* Bytes of a page. New memory is written to in order first, by each thread its part:
 * the system clears a page when it is first touched, and slowly when threads touch them
 * here and there. */
#define PAGE 4096

static size_t place_of(const int *place, size_t k) {
  return place ? (size_t)place[k] : k;
}

/* By d entries' rounding, whatever is stored: all layouts get one factor. */
static double factor_of(const double *x, size_t count, size_t d, double bound) {
  if (isinf(bound))
    return 1.0;
  return fmin(dpa_shortening(dpa_length_of(x, count, 1, d), d, bound), 1.0);
}

static void shorten_row(double *x, size_t count, size_t d, double bound) {
  const double factor = factor_of(x, count, d, bound);
  if (factor < 1.0)
    for (size_t j = 0; j < count; j++)
      x[j] *= factor;
}

static void put_column(size_t j, int at, int *col, uint16_t *narrow) {
  if (col)
    col[at] = (int)j;
  else
    narrow[at] = (uint16_t)j;
}

void dpa_pack_sparse(size_t n, size_t d, const int *p, const int *i, const double *x,
                     const int *place, const dpa_recipe *recipe, int *row, int *col,
                     uint16_t *narrow, double *val) {
  const int shift = recipe->intercept != 0;
  DPA_COUNT(recipe->work, read, n);
  memset(row, 0, (n + 1) * sizeof *row);
  for (int s = 0; s < p[d]; s++)
    row[place_of(place, (size_t)i[s]) + 1]++;
  for (size_t k = 0; k < n; k++)
    row[k + 1] += row[k] + shift;
  /* row[k] serves as the write position of row k and ends at the start of row k + 1 */
  for (size_t k = 0; shift && k < n; k++) {
    put_column(0, row[k], col, narrow);
    val[row[k]++] = recipe->first;
  }
  for (size_t j = 0; j < d; j++) {
    const int end = p[j + 1];
    for (int s = p[j]; s < end; s++) {
      const int at = row[place_of(place, (size_t)i[s])]++;
      put_column(j + (size_t)shift, at, col, narrow);
      val[at] = x[s];
    }
  }
  memmove(row + 1, row, n * sizeof *row);
  row[0] = 0;
  for (size_t k = 0; k < n; k++)
    shorten_row(val + row[k] + shift, (size_t)(row[k + 1] - row[k] - shift), d,
                recipe->bound);
}

/* Rows first, ..., first + m - 1, to out[0], out[1], ... */
static void take_rows(const dpa_matrix *x, size_t first, size_t m, double *const *out) {
  for (size_t j = 0; j < x->d; j++) {
    const size_t at = j * x->n + first;
    if (x->number)
      for (size_t k = 0; k < m; k++)
        out[k][j] = x->number[at + k];
    else
      for (size_t k = 0; k < m; k++)
        out[k][j] = x->whole[at + k];
  }
  for (size_t k = 0; x->left && k < m; k++)
    if (x->left[first + k])
      memset(out[k], 0, x->d * sizeof **out);
}

void dpa_pack_columns(const dpa_matrix *x, const int *place, const dpa_recipe *recipe,
                      double *columns) {
  double room[DPA_FEW_COLUMNS], *row = room;
  DPA_COUNT(recipe->work, read, x->n);
  for (size_t k = 0; k < x->n; k++) {
    const size_t at = place_of(place, k);
    take_rows(x, k, 1, &row);
    shorten_row(row, x->d, x->d, recipe->bound);
    for (size_t j = 0; j < x->d; j++)
      columns[j * x->n + at] = row[j];
  }
}

/* Rows first, ..., at most AT_ONCE of them. */
static void pack_some(const dpa_matrix *x, size_t first, const int *place,
                      const dpa_recipe *recipe, double *dense) {
  const size_t shift = recipe->intercept != 0, width = x->d + shift;
  const size_t m = x->n - first < AT_ONCE ? x->n - first : AT_ONCE;
  double *record[AT_ONCE];
  for (size_t k = 0; k < m; k++) {
    record[k] = dense + place_of(place, first + k) * width + shift;
    if (shift)
      record[k][-1] = recipe->first;
  }
  take_rows(x, first, m, record);
  for (size_t k = 0; k < m; k++)
    shorten_row(record[k], x->d, x->d, recipe->bound);
}

/* New memory in order, a thread its part. */
static void touch(unsigned char *memory, size_t bytes, int threads) {
  (void)threads;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
#endif
  for (int64_t at = 0; at < (int64_t)bytes; at += PAGE)
    memory[at] = 0;
}

void dpa_pack_dense(const dpa_matrix *x, const int *place, const dpa_recipe *recipe,
                    int threads, double *dense) {
  const int64_t rows = (int64_t)x->n;
  const size_t width = x->d + (recipe->intercept != 0);
  DPA_COUNT(recipe->work, read, x->n);
  touch((unsigned char *)dense, x->n * width * sizeof *dense, threads);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
#endif
  for (int64_t first = 0; first < rows; first += AT_ONCE)
    pack_some(x, (size_t)first, place, recipe, dense);
}

/* Rows first, ..., at most AT_ONCE of them. */
static void pack_whole(const dpa_matrix *x, size_t first, const int *place,
                       double bound, int *whole, double *times) {
  const size_t m = x->n - first < AT_ONCE ? x->n - first : AT_ONCE;
  double row[DPA_MOST_WHOLE];
  int *record[AT_ONCE];
  for (size_t k = 0; k < m; k++)
    record[k] = whole + place_of(place, first + k) * x->d;
  for (size_t j = 0; j < x->d; j++)
    for (size_t k = 0; k < m; k++)
      record[k][j] = x->whole[j * x->n + first + k];
  for (size_t k = 0; k < m; k++) {
    if (x->left && x->left[first + k])
      memset(record[k], 0, x->d * sizeof(int));
    for (size_t j = 0; times && j < x->d; j++)
      row[j] = record[k][j];
    if (times)
      times[place_of(place, first + k)] = factor_of(row, x->d, x->d, bound);
  }
}

void dpa_pack_whole(const dpa_matrix *x, const int *place, const dpa_recipe *recipe,
                    int threads, int *whole, double *times) {
  const int64_t rows = (int64_t)x->n;
  DPA_COUNT(recipe->work, read, x->n);
  touch((unsigned char *)whole, x->n * x->d * sizeof *whole, threads);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
#endif
  for (int64_t first = 0; first < rows; first += AT_ONCE)
    pack_whole(x, (size_t)first, place, recipe->bound, whole, times);
}
