/* Records: n rows of d >= 1 features and a label each, dense or sparse: in a copy of
 * our own, where R keeps them, or in a mapped file; or as whole numbers or terms, from
 * which rows are put together as they are needed. Row k is used scaled by scale[k],
 * which shortens rows longer than a stated bound. What weights and offsets do to the
 * loss of a record is in record_loss.h.
 *
 * Every pass adds up in one order, that of the rows and within a row that of the
 * columns, so its result does not depend on where and how the rows are stored. */
#ifndef DPA_RECORDS_H
#define DPA_RECORDS_H

#include "data/work.h"
#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* Who is told which bytes of rows a pass has gone over: of a mapped file, whose pages
 * need not stay in memory. Called by several threads at once. A pager may also read
 * rows itself, before they are asked for (see blocks.h). */
typedef struct dpa_pager {
  void (*passed)(void *context, const void *from, size_t bytes);
  /* Begins to read what is mapped there, `piece` bytes at a time; NULL: it does not. */
  void *(*begin)(void *context, const void *from, size_t bytes, size_t piece);
  /* The next piece, which is there until the next call; NULL: it cannot go on. */
  const double *(*next)(void *reading);
  void (*end)(void *reading);
  void *context;
} dpa_pager;

/* What one term of a formula puts into each row: at most one number, at a feature that
 * is the term's own. Without `place` and `value` code c stands for a 1 at first + c;
 * with `value` for value[c] at first, with both for value[c] at first + place[c]; with
 * `number` for number[k], of row k, at first + c. */
typedef struct dpa_term {
  size_t first;         /* of its features */
  const uint8_t *code;  /* n, or: */
  const uint16_t *wide; /* the same in two bytes each; both NULL: all 0 */
  const int *place;
  const double *value; /* by code; NULL: there is no number */
  const double *number;
} dpa_term;

/* So many terms at most: a row of them is put together on the stack. */
#define DPA_MOST_TERMS 1024

typedef struct dpa_records {
  size_t n, d;
  const double *y;     /* n labels, or: */
  const int8_t *sign;  /* labels of -1 and 1 in a byte each; NULL: in y */
  const double *dense; /* NULL: rows are whole numbers, terms or sparse */
  size_t lead;      /* 0: row k is contiguous at dense + k * d; else column-major with
                       this leading dimension: entry (k, j) at dense[j * lead + k] */
  const int *whole; /* instead of dense: rows of whole numbers (data/whole.h), */
  const double *times; /* row k times times[k]; NULL: 1 */
  int fronted;         /* and before each, not among them: */
  double front;
  const int *row;         /* n + 1 offsets into col and val; NULL when dense */
  const int *col;         /* feature indices, increasing within a row, or: */
  const uint16_t *narrow; /* the same in two bytes each; NULL: in col */
  const double *val;
  const dpa_term *term; /* instead of these; features increase with the terms, and row k
                           is entry from + k of each */
  size_t terms, from;
  size_t counted; /* how many of their entries are not 0; 0: nobody has counted them */
  int full; /* the terms are the columns, one each, of dense rows: every entry counts,
               and sums are in their order */
  const double *scale;    /* factors >= 0; NULL: all 1 */
  const uint8_t *kind;    /* n: which of them each row has; NULL: one each, or: */
  int alike;              /* there is one factor, of all rows */
  const double *norm;     /* n norms of the rows as used, rounded up; NULL: not known */
  double longest;         /* the largest of them; 0: not known */
  const double *weight;   /* n factors of the losses in [0, 1]; NULL: all 1 */
  const double *offset;   /* n numbers that are added to the margins; NULL: 0 */
  const dpa_pager *pager; /* NULL: the rows are in memory */
  dpa_work *work; /* what is done with rows is added to it; NULL: nobody counts */
} dpa_records;

static inline int dpa_is_dense(const dpa_records *records) {
  return records->dense || records->whole || records->full;
}

/* Columns up to which indices fit into two bytes. */
#define DPA_NARROW ((size_t)1 << 16)

/* Records that the dense Hessian takes at a time. */
#define DPA_HESSIAN_BLOCK 64

/* Its work space, in doubles: where rows do not lie one after the other, so many are
 * copied. */
size_t dpa_hessian_room(const dpa_records *records);

/* Entries that one thread has passed over before another has come to help. */
#define DPA_ALONE ((size_t)1 << 16)

/* The threads that share a pass over the records: 1, where it is not worth their
 * coming. */
int dpa_worth_sharing(const dpa_records *records, int threads);

/* Rows first, ..., first + count - 1. */
dpa_records dpa_records_part(const dpa_records *records, size_t first, size_t count);

/* Entries stored; of sparse terms the numbers that are not 0, which are counted each
 * time, or once for all passes over these records. */
size_t dpa_records_stored(const dpa_records *records);
void dpa_records_count(dpa_records *records);

/* ---- passes over all rows -------------------------------------------------------- */

/* out = X f, length n. Each entry is a function of its row and f alone. */
void dpa_records_margin(const dpa_records *records, const double *f, double *out);

/* g += X' w, length d. */
void dpa_records_add_gradient(const dpa_records *records, const double *w, double *g);

/* H += X' diag(w) X, w >= 0; lower triangle of a d x d column-major matrix.
 * block: see dpa_hessian_room(). The same bits for any number of threads, which dense
 * rows one after the other use. */
void dpa_records_add_hessian(const dpa_records *records, const double *w, int threads,
                             double *H, double *block);

/* h += diagonal of X' diag(w) X, length d. The same bits for any number of threads,
 * which dense rows use. */
void dpa_records_add_diagonal(const dpa_records *records, const double *w, int threads,
                              double *h);

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

/* Fills scale and norm (n each; norm may be NULL) for rows that are used times `factor`
 * (> 0), and then shortened to a bound on their norm. Answers the largest norm. */
double dpa_measure(const dpa_records *records, double factor, double bound, int threads,
                   double *scale, double *norm);

/* The same `scale`, with a factor of 1, of n rows whose d columns are compressed (p: d
 * + 1 offsets, i, x). unit: n doubles of work space. */
void dpa_measure_columns(size_t n, size_t d, const int *p, const int *i,
                         const double *x, double bound, double *scale, double *unit);

#endif
