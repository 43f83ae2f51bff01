/* Records read where R keeps them, without a copy: a column-major n x d matrix, or the
 * compressed columns of its transpose. Row i is used scaled by scale[i], which shortens
 * rows longer than a stated bound. */
#ifndef DPA_ROWS_H
#define DPA_ROWS_H

#include <stddef.h>

typedef struct dpa_rows {
  size_t n, d;
  const double *y;      /* n labels */
  const double *dense;  /* n x d column-major; NULL when sparse */
  const int *row;       /* n + 1 offsets into col and val; NULL when dense */
  const int *col;       /* feature indices */
  const double *val;    /* */
  const double *scale;  /* n: factors in (0, 1] */
  const double *square; /* n: squared norms of the scaled rows */
} dpa_rows;

/* Fills scale and square (n each) for a bound on the norm. Rounding is kept on the safe
 * side: no scaled row is longer than the bound. A row whose norm overflows becomes 0.
 */
void dpa_rows_measure(const dpa_rows *rows, double bound, double *scale,
                      double *square);

/* out = row i, scaled; length d. */
void dpa_rows_copy(const dpa_rows *rows, size_t i, double *out);

/* out[k] = (scaled row first + k)'f, k < count. */
void dpa_rows_margin(const dpa_rows *rows, size_t first, size_t count, const double *f,
                     double *out);

/* g += sum_k w[k] (scaled row first + k), k < count. w is used as work space. */
void dpa_rows_add(const dpa_rows *rows, size_t first, size_t count, double *w,
                  double *g);

#endif
