#include "data/pack.h"

#include "data/shorten.h"
#include "data/whole.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Dense rows that are packed together: two cache lines of a column, which processors
 * fetch in pairs. */
#define AT_ONCE 16
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

/* Rows as they are filled: row[k] is where the next entry of row k goes. */
typedef struct filled {
  int *row, *col;
  uint16_t *narrow; /* instead of col */
  double *val;
} filled;

static void set(filled *out, int at, size_t j, double x) {
  if (out->col)
    out->col[at] = (int)j;
  else
    out->narrow[at] = (uint16_t)j;
  out->val[at] = x;
}

static void put(filled *out, size_t k, size_t j, double x) {
  set(out, out->row[k]++, j, x);
}

static size_t column(const filled *out, int at) {
  return out->col ? (size_t)out->col[at] : out->narrow[at];
}

/* The entries column by column, those of a column as they come: order[0], ...; and
 * before them where each column begins. */
static int *by_column(const dpa_sparse *x) {
  int *start = x->order, *order = x->order + x->d + 1;
  memset(start, 0, (x->d + 1) * sizeof *start);
  for (size_t s = 0; s < x->stored; s++)
    start[x->j[s] + 1]++;
  for (size_t j = 0; j < x->d; j++)
    start[j + 1] += start[j];
  for (size_t s = 0; s < x->stored; s++)
    order[start[x->j[s]]++] = (int)s;
  return order;
}

static void fill(const dpa_sparse *x, const int *place, size_t shift, filled *out) {
  if (!x->i) { /* by row */
    for (size_t k = 0; k < x->n; k++)
      for (int s = x->p[k]; s < x->p[k + 1]; s++)
        put(out, place_of(place, k), (size_t)x->j[s] + shift, x->x[s]);
    return;
  }
  if (!x->p) {
    const int *order = by_column(x);
    for (size_t at = 0; at < x->stored; at++) {
      const int s = order[at];
      put(out, place_of(place, (size_t)x->i[s]), (size_t)x->j[s] + shift, x->x[s]);
    }
    return;
  }
  for (size_t j = 0; j < x->d; j++)
    for (int s = x->p[j]; s < x->p[j + 1]; s++)
      put(out, place_of(place, (size_t)x->i[s]), j + shift, x->x[s]);
}

/* Entries of one place become one. row[k]: where row k begins. */
static void add_up(size_t n, filled *out) {
  int next = 0, from = 0;
  for (size_t k = 0; k < n; k++) {
    const int first = next, end = out->row[k + 1];
    for (int s = from; s < end; s++) {
      const size_t j = column(out, s);
      if (next > first && column(out, next - 1) == j)
        out->val[next - 1] += out->val[s];
      else
        set(out, next++, j, out->val[s]);
    }
    from = end;
    out->row[k + 1] = next;
  }
}

void dpa_pack_sparse(const dpa_sparse *x, const int *place, const dpa_recipe *recipe,
                     int *row, int *col, uint16_t *narrow, double *val) {
  const int shift = recipe->intercept != 0;
  const size_t n = x->n;
  filled out = {row, col, narrow, val};
  DPA_COUNT(recipe->work, read, n);
  memset(row, 0, (n + 1) * sizeof *row);
  for (size_t s = 0; x->i && s < x->stored; s++)
    row[place_of(place, (size_t)x->i[s]) + 1]++;
  for (size_t k = 0; !x->i && k < n; k++)
    row[place_of(place, k) + 1] = x->p[k + 1] - x->p[k];
  for (size_t k = 0; k < n; k++)
    row[k + 1] += row[k] + shift;
  /* row[k] serves as the write position of row k and ends at the start of row k + 1 */
  for (size_t k = 0; shift && k < n; k++)
    put(&out, k, 0, recipe->first);
  fill(x, place, (size_t)shift, &out);
  memmove(row + 1, row, n * sizeof *row);
  row[0] = 0;
  if (!x->p)
    add_up(n, &out);
  for (size_t k = 0; k < n; k++)
    shorten_row(val + row[k] + shift, (size_t)(row[k + 1] - row[k] - shift), x->d,
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
