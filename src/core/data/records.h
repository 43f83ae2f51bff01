/* Records: n rows of d features and a label each, dense or sparse, in a copy of our own
 * or where R keeps them. Row k is used scaled by scale[k], which shortens rows longer
 * than a stated bound; in a copy the rows are stored as they are used. What weights and
 * offsets do to the loss of a record is in record_loss.h. */
#ifndef DPA_RECORDS_H
#define DPA_RECORDS_H

#include "status.h"

#include <stddef.h>

typedef struct dpa_records {
  size_t n, d;
  const double *y;     /* n labels */
  const double *dense; /* NULL when sparse */
  size_t lead;    /* 0: row k is contiguous at dense + k * d; else column-major with
                     this leading dimension: entry (k, j) at dense[j * lead + k] */
  const int *row; /* n + 1 offsets into col and val; NULL when dense */
  const int *col; /* feature indices, increasing within a row */
  const double *val;
  const double *scale;  /* n factors in [0, 1]; NULL: all 1 */
  const double *norm;   /* n norms of the rows as used, rounded up; NULL: not known */
  const double *weight; /* n factors of the losses in [0, 1]; NULL: all 1 */
  const double *offset; /* n numbers that are added to the margins; NULL: 0 */
} dpa_records;

/* Records whose scaled rows are copied at a time for the dense Hessian. */
#define DPA_HESSIAN_BLOCK 64

/* Rows first, ..., first + count - 1. */
dpa_records dpa_records_part(const dpa_records *records, size_t first, size_t count);

/* Entries stored. */
size_t dpa_records_stored(const dpa_records *records);

/* ---- passes over all rows -------------------------------------------------------- */

/* out = X f, length n. Each entry is a function of its row and f alone. */
void dpa_records_margin(const dpa_records *records, const double *f, double *out);

/* g += X' w, length d. */
void dpa_records_add_gradient(const dpa_records *records, const double *w, double *g);

/* H += X' diag(w) X, w >= 0; lower triangle of a d x d column-major matrix.
 * block: d * DPA_HESSIAN_BLOCK doubles of work space, used only when dense. */
void dpa_records_add_hessian(const dpa_records *records, const double *w, double *H,
                             double *block);

/* h += diagonal of X' diag(w) X, length d. */
void dpa_records_add_diagonal(const dpa_records *records, const double *w, double *h);

/* The largest norm of a row, rounded up. */
double dpa_records_longest(const dpa_records *records);

/* norm[k] = norm of row k, rounded up. */
void dpa_records_norms(const dpa_records *records, double *norm);

/* ---- one row --------------------------------------------------------------------- */

/* out = row k, length d. */
void dpa_records_copy(const dpa_records *records, size_t k, double *out);

/* (row k)'f */
double dpa_records_dot(const dpa_records *records, size_t k, const double *f);

/* g += w (row k) */
void dpa_records_add_row(const dpa_records *records, size_t k, double w, double *g);

/* out[a] = entry at[a] of row k, a < count; at[] increasing. */
void dpa_records_gather(const dpa_records *records, size_t k, const int *at,
                        size_t count, double *out);

/* ---- packing --------------------------------------------------------------------- */

/* Copy records into the order of their holders, rows longer than `bound` shortened.
 * place[k] is where record k goes (a permutation of 0..n-1).
 * Sparse input: d columns compressed by column (p: d + 1 offsets, i, x) to rows. */
void dpa_pack_sparse(size_t n, size_t d, const int *p, const int *i, const double *x,
                     const size_t *place, double bound, int *row, int *col,
                     double *val);
/* Dense input: n x d column-major to rows. */
void dpa_pack_dense(size_t n, size_t d, const double *x, const size_t *place,
                    double bound, double *dense);

/* Records in place: fills scale and norm (n each) for a bound on the norm. */
void dpa_measure(const dpa_records *records, double bound, double *scale, double *norm);

#endif
