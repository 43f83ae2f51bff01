/* Matrices as R has them to rows in the order of their holders. */
#ifndef DPA_PACK_H
#define DPA_PACK_H

#include "data/work.h"

#include <stddef.h>
#include <stdint.h>

/* What becomes of a row: it is shortened to `bound` (infinite: it is not) and, with an
 * intercept, `first` is put before it. */
typedef struct dpa_recipe {
  double bound;
  int intercept;
  double first;
  dpa_work *work; /* as that of dpa_records */
} dpa_recipe;

/* A matrix, n x d column-major. */
typedef struct dpa_matrix {
  size_t n, d;
  const double *number; /* NULL: they are whole numbers, or flags: */
  const int *whole;
  const int *left; /* n flags: rows that are left out, and so are 0; NULL: none */
} dpa_matrix;

/* A sparse matrix, n x d, with `stored` entries: compressed by column (p: d + 1
 * offsets, i, x), by row (p: n + 1 offsets, j, x: j increases within a row), or in any
 * order (i, j, x, of which those of one place are added up, and order: stored + d + 1
 * of work space). What it has not is NULL. */
typedef struct dpa_sparse {
  size_t n, d, stored;
  const int *p, *i, *j;
  const double *x;
  int *order;
} dpa_sparse;

/* place[k] is where record k goes (a permutation of 0..n-1; NULL: where it is). Rows
 * have d entries, and one more with an intercept.
 * Sparse: to rows, their indices to col or, where that is NULL, to narrow. */
void dpa_pack_sparse(const dpa_sparse *x, const int *place, const dpa_recipe *recipe,
                     int *row, int *col, uint16_t *narrow, double *val);
/* Columns up to which an intercept is a good part of a row. */
#define DPA_FEW_COLUMNS 4

/* Dense, d <= DPA_FEW_COLUMNS, to columns, without the intercept. */
void dpa_pack_columns(const dpa_matrix *x, const int *place, const dpa_recipe *recipe,
                      double *columns);
/* Dense, to rows. */
void dpa_pack_dense(const dpa_matrix *x, const int *place, const dpa_recipe *recipe,
                    int threads, double *dense);
/* Of whole numbers, at most DPA_MOST_WHOLE columns, to such rows without the intercept,
 * and what each is to be multiplied by (times: n, or NULL where the bound is infinite).
 */
void dpa_pack_whole(const dpa_matrix *x, const int *place, const dpa_recipe *recipe,
                    int threads, int *whole, double *times);

#endif
