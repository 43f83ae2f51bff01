#include "data/columns.h"

#include "clones.h"
#include "data/kernels.h"
#include "data/terms.h"

#include <string.h>

#define PART 256 /* rows whose margins are summed at a time */

/* Rows of a column: row k has x[k] or, where there are codes, x[code[k]]. */
typedef struct column {
  const double *x;
  const uint8_t *code;
} column;

/* Rows first, ..., first + n - 1 of column j: as they are, or in `room`. */
static column column_of(const dpa_records *r, size_t j, size_t first, size_t n,
                        double *room) {
  column c = {NULL, NULL};
  if (!r->full)
    c.x = r->dense + j * r->lead + first;
  else if ((c.code = dpa_term_codes(&r->term[j], r->from + first)) != NULL)
    c.x = r->term[j].value;
  else
    c.x = dpa_term_values(&r->term[j], r->from + first, n, room);
  return c;
}

/* The same without codes. */
static column plain(column c, size_t n, double *room) {
  if (!c.code)
    return c;
  for (size_t k = 0; k < n; k++)
    room[k] = c.x[c.code[k]];
  return (column){room, NULL};
}

/* Two columns, or one, then a is b: both by codes, or neither. */
typedef struct pair {
  column a, b;
  int two, coded;
} pair;

/* room: for n rows of each. */
static pair pair_of(const dpa_records *r, size_t from, size_t to, size_t first,
                    size_t n, double *room) {
  pair p = {.two = from != to};
  p.a = column_of(r, from, first, n, room);
  p.b = p.two ? column_of(r, to, first, n, room + n) : p.a;
  p.coded = p.a.code && p.b.code;
  if (!p.coded) {
    p.a = plain(p.a, n, room);
    p.b = p.two ? plain(p.b, n, room + n) : p.a;
  }
  return p;
}

/* As dpa_columns_sum(), of columns by codes. */
DPA_INLINE void sum_codes(column a, column b, int two, size_t n, double fa, double fb,
                          double *sum) {
  for (size_t k = 0; k < n; k++) {
    const double one = sum[k] + a.x[a.code[k]] * fa;
    sum[k] = two ? one + b.x[b.code[k]] * fb : one;
  }
}

/* The columns `from` and, if that is another, `to` are added to the sums of rows one
 * after the other; each sum is read once. */
static void add_times(const dpa_records *r, size_t first, size_t n, const double *f,
                      size_t from, size_t to, double *sum) {
  double room[2 * PART];
  const pair p = pair_of(r, from, to, first, n, room);
  if (!p.coded)
    dpa_columns_sum(p.a.x, p.two ? p.b.x : NULL, n, f[from], f[to], sum);
  else if (p.two)
    sum_codes(p.a, p.b, 1, n, f[from], f[to], sum);
  else
    sum_codes(p.a, p.b, 0, n, f[from], 0.0, sum);
}

/* Four sums a row, and the columns that are left over. */
void dpa_columns_times(const dpa_records *r, const double *f, double *out) {
  double part[4][PART];
  const size_t fours = r->d / 4 * 4;
  for (size_t first = 0; first < r->n; first += PART) {
    const size_t m = r->n - first < PART ? r->n - first : PART;
    double *sum = out + first;
    memset(part, 0, sizeof part);
    for (size_t j = 0; j < fours; j += 8)
      for (size_t lane = j; lane < j + 4; lane++)
        add_times(r, first, m, f, lane, j + 4 < fours ? lane + 4 : lane,
                  part[lane - j]);
    for (size_t k = 0; k < m; k++)
      sum[k] = (part[0][k] + part[1][k]) + (part[2][k] + part[3][k]);
    for (size_t j = fours; j < r->d; j++)
      add_times(r, first, m, f, j, j, sum);
  }
}

#define X(c, k) (coded ? (c).x[(c).code[k]] : (c).x[k])

/* Four rows at a time, and two columns, whose sums are apart, or one. */
DPA_INLINE void add_some(column a, column b, int coded, int two, size_t n,
                         const double *w, double *g) {
  const size_t fours = n / 4 * 4;
  double sa = g[0], sb = two ? g[1] : 0.0;
  for (size_t k = 0; k < fours; k += 4) {
    const double *v = w + k;
    sa += v[0] * X(a, k) + v[1] * X(a, k + 1) + v[2] * X(a, k + 2) + v[3] * X(a, k + 3);
    if (two)
      sb +=
          v[0] * X(b, k) + v[1] * X(b, k + 1) + v[2] * X(b, k + 2) + v[3] * X(b, k + 3);
  }
  for (size_t k = fours; k < n; k++) {
    sa += w[k] * X(a, k);
    if (two)
      sb += w[k] * X(b, k);
  }
  g[0] = sa;
  if (two)
    g[1] = sb;
}

void dpa_columns_add(const dpa_records *r, const double *w, double *g) {
  double room[2 * DPA_COLUMN_ROWS];
  const size_t n = r->n;
  for (size_t j = 0; j < r->d; j += 2) {
    const pair p = pair_of(r, j, j + 1 < r->d ? j + 1 : j, 0, n, room);
    if (p.coded && p.two)
      add_some(p.a, p.b, 1, 1, n, w, g + j);
    else if (p.coded)
      add_some(p.a, p.b, 1, 0, n, w, g + j);
    else if (p.two)
      add_some(p.a, p.b, 0, 1, n, w, g + j);
    else
      add_some(p.a, p.b, 0, 0, n, w, g + j);
  }
}

void dpa_columns_rows(const dpa_records *r, size_t first, size_t count, double *out) {
  double room[DPA_COLUMN_ROWS];
  for (size_t j = 0; j < r->d; j++) {
    const column c = plain(column_of(r, j, first, count, room), count, room);
    for (size_t k = 0; k < count; k++)
      out[k * r->d + j] = c.x[k];
  }
}
