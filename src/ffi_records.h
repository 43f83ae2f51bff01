/* Records from R: list(x, y, place, size, row_bound, layout, ...), see ffi_records().
 */
#ifndef DPA_FFI_RECORDS_H
#define DPA_FFI_RECORDS_H

#include "data/pack.h"
#include "ffi.h"
#include "run/step.h"

/* One holding a party.
 *
 * x: a matrix, or list(p, i, x, Dim) of a dgCMatrix. y: labels. `weight` in [0, 1] and
 * `offset`: a number a record, or NULL, see record_loss.h.
 * `holder` (from 1) is whose each record is: they go in the order of their holders,
 *   NULL: where they are; or `split` = list(key, size), see dpa_deal().
 * `size`: the parties' numbers of records, NULL: one party;
 *   `user_size` the users' (relay "server"), NULL: one each.
 * layout = "packed": rows are copied to their places. x may also be list(p, j, x, Dim)
 *   of a dgRMatrix or list(i, j, x, Dim) of a dgTMatrix. `before`: they are shortened
 *   to this bound first; then `first`, if it is there, is put in front of each.
 * layout = "in_place": one party, nothing is copied. A sparse x is given as the slots
 *   of its transpose.
 * layout = "rows": x has its rows in their places already, and they are not copied
 *   either. It is the transpose of a matrix, or that of a dgCMatrix, or rows of a file:
 *   see ffi_mapped(). The slot i may be raw: two bytes each, or four of more than 2^16
 *   columns.
 * layout = "terms": x = list(terms, Dim, full): features and records, the latter in
 *   their places, and nothing is copied. terms: list(first, features, code, place,
 *   value, number) each, see dpa_term, NULL what it has not; features: how many there
 *   are from the first. The codes are raw, of one byte where there are up to 256, else
 *   of two.
 * Rows are used times `factor`, NULL: 1. row_bound: longer ones are shortened to it.
 * `scale` and `norm`, as ffi_row_measure() gives them, save measuring.
 * work: to which all that is done with the rows is added, or NULL. */
dpa_holding *ffi_records(ffi_reader *reader, SEXP keeper, size_t parties,
                         const dpa_plan *plan, dpa_work *work);

/* How each row is shortened, and (`norms`) how long it is then; and how long the
 * longest of each party is, or 0: see row_bound, factor and scale above. */
void ffi_measure(ffi_reader *reader, SEXP keeper, size_t parties, const size_t *held,
                 int norms, int threads, dpa_records *all, double *longest);

/* ---- rows without labels --------------------------------------------------------- */

typedef struct ffi_shape {
  size_t rows, columns;
  const double *dense;
  const int *whole; /* instead of dense; both NULL: sparse, see dpa_sparse: */
  const int *p, *i, *j;
  const uint16_t *narrow; /* instead of i */
  const double *x;
  size_t stored;
} ffi_shape;

/* The matrix `x` of the list; 0 x 0 when something is amiss. */
ffi_shape ffi_matrix(ffi_reader *reader);

/* Its rows in their places, copied. */
dpa_records ffi_pack(ffi_reader *reader, SEXP keeper, ffi_shape x, const int *place,
                     const dpa_recipe *recipe, int threads);

/* Rows of the matrix `x` as it lies (the transpose of a sparse one), or, transposed, of
 * one whose columns are the records. */
dpa_records ffi_rows(ffi_reader *reader, int transposed);

/* The matrix `x` as rows, packed. */
dpa_records ffi_packed(ffi_reader *reader, SEXP keeper, const dpa_recipe *recipe);

/* Rows of layout "terms", without labels. */
dpa_records ffi_terms(ffi_reader *reader, SEXP keeper);

#endif
