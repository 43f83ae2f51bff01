/* The records of one node: n rows of d features and a label each, dense or sparse. Rows
 * are contiguous in both layouts, so a pass over the records streams through memory. */
#ifndef DPA_DATASET_H
#define DPA_DATASET_H

#include "status.h"

#include <stddef.h>

typedef struct dpa_dataset {
  size_t n, d;
  const double *y;     /* n labels */
  const double *dense; /* d x n column-major, one column a record; NULL when sparse */
  const size_t *row;   /* n + 1 offsets into col and val; NULL when dense */
  const int *col;      /* feature indices, increasing within a row */
  const double *val;
} dpa_dataset;

/* Records whose scaled rows are copied at a time for the dense Hessian. */
#define DPA_HESSIAN_BLOCK 64

/* out = X f, length n. */
void dpa_dataset_margin(const dpa_dataset *data, const double *f, double *out);

/* g += X' w, length d. */
void dpa_dataset_add_gradient(const dpa_dataset *data, const double *w, double *g);

/* H += X' diag(w) X, w >= 0; lower triangle of a d x d column-major matrix.
 * block: d * DPA_HESSIAN_BLOCK doubles of work space, used only when dense. */
void dpa_dataset_add_hessian(const dpa_dataset *data, const double *w, double *H,
                             double *block);

/* h += diagonal of X' diag(w) X, length d. */
void dpa_dataset_add_diagonal(const dpa_dataset *data, const double *w, double *h);

/* The largest norm of a row, rounded up. */
double dpa_dataset_longest(const dpa_dataset *data);

/* Copy records into node order and shorten rows longer than `bound` to that length.
 * place[k] is where record k goes (a permutation of 0..n-1).
 * Sparse input: d columns compressed by column (p: d + 1 offsets, i, x) to rows. */
void dpa_pack_sparse(size_t n, size_t d, const int *p, const int *i, const double *x,
                     const size_t *place, double bound, size_t *row, int *col,
                     double *val);
/* Dense input: n x d column-major to d x n. */
void dpa_pack_dense(size_t n, size_t d, const double *x, const size_t *place,
                    double bound, double *dense);

#endif
