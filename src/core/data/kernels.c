#include "data/kernels.h"

#include <stdint.h>
#include <string.h>

#include "clones.h"

#ifdef __GNUC__
#define LANES 4
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define AT(p) (*(const lanes *)(const void *)(p))
#define PUT(p, x) (*(lanes *)(void *)(p) = (x))
#define ADD(p, x) (*(lanes *)(void *)(p) += (x))
#define WHOLE(p) ((lanes){(p)[0], (p)[1], (p)[2], (p)[3]})
#define TOTAL(x) (((x)[0] + (x)[1]) + ((x)[2] + (x)[3]))
#else
#define LANES 1
typedef double lanes;
#define AT(p) (*(p))
#define PUT(p, x) (*(p) = (x))
#define ADD(p, x) (*(p) += (x))
#define WHOLE(p) ((double)*(p))
#define TOTAL(x) (x)
#endif

/* Rows end before the processor sees that they go on: the entries so many further on
 * are asked for, or those of the four rows after these; beyond the longest such row it
 * sees it. */
#define AHEAD 512
#define LONG_ROW 4096

/* Asks for the double that is `ahead` doubles on. There need be none: the rows after
 * those of a block mostly are the next block's. */
#ifdef __GNUC__
#define FETCH(p, ahead)                                                                \
  __builtin_prefetch((const void *)((uintptr_t)(p) + (ahead) * sizeof(double)))
#else
#define FETCH(p, ahead) ((void)(p))
#endif

/* Four rows at a time, so that an entry of f (or of g, below) is loaded once for them.
 * ahead: how far ahead others are asked for, or 0. */
DPA_INLINE void four_rows(const double *x, size_t d, const double *f, size_t ahead,
                          double *out) {
  const double *a = x, *b = a + d, *c = b + d, *e = c + d;
  lanes sa = {0}, sb = {0}, sc = {0}, se = {0};
  size_t j = 0;
  for (; j + LANES <= d; j += LANES) {
    const lanes fj = AT(f + j);
    if (ahead) {
      FETCH(x + 4 * j, ahead);
      FETCH(x + 4 * j, ahead + 8);
    }
    sa += AT(a + j) * fj;
    sb += AT(b + j) * fj;
    sc += AT(c + j) * fj;
    se += AT(e + j) * fj;
  }
  double total[4] = {TOTAL(sa), TOTAL(sb), TOTAL(sc), TOTAL(se)};
  for (; j < d; j++) {
    total[0] += a[j] * f[j];
    total[1] += b[j] * f[j];
    total[2] += c[j] * f[j];
    total[3] += e[j] * f[j];
  }
  memcpy(out, total, sizeof total);
}

DPA_CLONES void dpa_rows_times(const double *x, size_t n, size_t d, const double *f,
                               double *out) {
  const size_t ahead = 4 * d > AHEAD ? 4 * d : AHEAD;
  size_t k = 0;
  if (d < LONG_ROW)
    for (; k + 4 <= n; k += 4, x += 4 * d)
      four_rows(x, d, f, ahead, out + k);
  for (; k + 4 <= n; k += 4, x += 4 * d)
    four_rows(x, d, f, 0, out + k);
  for (; k < n; k++, x += d) {
    lanes sum = {0};
    size_t j = 0;
    for (; j + LANES <= d; j += LANES)
      sum += AT(x + j) * AT(f + j);
    double total = TOTAL(sum);
    for (; j < d; j++)
      total += x[j] * f[j];
    out[k] = total;
  }
}

DPA_CLONES void dpa_rows_add(const double *x, size_t n, size_t d, const double *w,
                             double *g) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4, x += 4 * d, w += 4) {
    const double *a = x, *b = a + d, *c = b + d, *e = c + d;
    const double wa = w[0], wb = w[1], wc = w[2], we = w[3];
    size_t j = 0;
    for (; j + LANES <= d; j += LANES)
      ADD(g + j, wa * AT(a + j) + wb * AT(b + j) + wc * AT(c + j) + we * AT(e + j));
    for (; j < d; j++)
      g[j] += wa * a[j] + wb * b[j] + wc * c[j] + we * e[j];
  }
  for (; k < n; k++, x += d, w++)
    for (size_t j = 0; j < d; j++)
      g[j] += w[0] * x[j];
}

DPA_CLONES void dpa_whole_write(const int *x, size_t n, size_t d, const double *times,
                                const double *front, double *out) {
  for (size_t k = 0; k < n; k++, x += d, out += d) {
    const double by = times ? times[k] : 1.0;
    size_t j = 0;
    if (front)
      *out++ = *front;
    for (; j + LANES <= d; j += LANES)
      PUT(out + j, WHOLE(x + j) * by);
    for (; j < d; j++)
      out[j] = x[j] * by;
  }
}

DPA_CLONES void dpa_columns_sum(const double *a, const double *b, size_t n, double fa,
                                double fb, double *sum) {
  size_t k = 0;
  if (b)
    for (; k + LANES <= n; k += LANES)
      PUT(sum + k, AT(sum + k) + fa * AT(a + k) + fb * AT(b + k));
  else
    for (; k + LANES <= n; k += LANES)
      ADD(sum + k, fa * AT(a + k));
  for (; k < n; k++) {
    sum[k] += a[k] * fa;
    if (b)
      sum[k] += b[k] * fb;
  }
}

DPA_CLONES void dpa_columns_squares(const double *x, size_t n, size_t lead, size_t d,
                                    double *out) {
  for (size_t j = 0; j < d; j++, x += lead) {
    size_t k = 0;
    for (; k + LANES <= n; k += LANES)
      ADD(out + k, AT(x + k) * AT(x + k));
    for (; k < n; k++)
      out[k] += x[k] * x[k];
  }
}

/* Weighted entries of so many rows are kept apart. */
#define SQUARE_ROWS 64

/* What a row adds to a tile of the square: its entries `at` times `by`. */
#define SQUARE(by, at)                                                                 \
  do {                                                                                 \
    const lanes v = AT(at);                                                            \
    sum[0] += (by)[0] * v;                                                             \
    sum[1] += (by)[1] * v;                                                             \
    sum[2] += (by)[2] * v;                                                             \
    sum[3] += (by)[3] * v;                                                             \
  } while (0)

/* Rows i, ..., i + LANES - 1 of columns j to j + 3, whose sums over k, in order, stay
 * in registers; by: entries j to j + 3 of the rows, weighted. What such a tile has
 * beyond the lower triangle, or beyond a row's end, is worked out and left: there are
 * numbers behind each row but the last ones, which are copied. */
DPA_INLINE void square_tile(const double *x, const double *by, size_t n, size_t d,
                            size_t j, size_t i, double *H) {
  const size_t entries = d - i < LANES ? d - i : LANES;
  const size_t last = entries == LANES ? 0 : (i + LANES - 1) / d;
  lanes sum[4] = {{0}, {0}, {0}, {0}};
  const double *at = x + i;
  size_t k = 0;
  for (; k + last < n; k++, by += 4, at += d)
    SQUARE(by, at);
  for (; k < n; k++, by += 4, at += d) {
    double copy[LANES] = {0.0};
    memcpy(copy, at, entries * sizeof *copy);
    SQUARE(by, copy);
  }
  if (entries == LANES && i >= j + 3) {
    for (size_t q = 0; q < 4; q++)
      ADD(H + (j + q) * d + i, sum[q]);
    return;
  }
  double part[4][LANES];
  memcpy(part, sum, sizeof part);
  for (size_t q = 0; q < 4 && j + q < d; q++)
    for (size_t l = 0; l < LANES && i + l < d; l++)
      if (i + l >= j + q)
        H[(j + q) * d + i + l] += part[q][l];
}

DPA_CLONES void dpa_rows_square(const double *x, const double *w, size_t n, size_t d,
                                size_t j, double *H) {
  const size_t width = d - j < 4 ? d - j : 4;
  double by[4 * SQUARE_ROWS] = {0.0};
  for (size_t first = 0, m; first < n; first += m, x += m * d) {
    m = n - first < SQUARE_ROWS ? n - first : SQUARE_ROWS;
    for (size_t k = 0; k < m; k++) {
      const double wk = w ? w[first + k] : 1.0, *row = x + k * d + j;
      size_t q = 0;
      FETCH(row, n * d);
      for (; q + LANES <= width; q += LANES)
        PUT(by + 4 * k + q, wk * AT(row + q));
      for (; q < width; q++)
        by[4 * k + q] = wk * row[q];
    }
    for (size_t i = j; i < d; i += LANES)
      square_tile(x, by, m, d, j, i, H);
  }
}
