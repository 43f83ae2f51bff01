/* Matrices of R as rows. */
#include "ffi_records.h"

#include "data/whole.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Slot i: whole numbers, or raw, two bytes each where that is enough, else four. */
static int read_features(ffi_reader *slots, size_t stored, int end, ffi_shape *out) {
  SEXP i = ffi_field(slots, "i");
  if (TYPEOF(i) != RAWSXP) {
    out->i = ffi_ints(slots, "i", FFI_ANY, 0, end - 1);
    return out->i && (size_t)Rf_xlength(i) >= stored;
  }
  const int narrow = (size_t)end <= DPA_NARROW;
  int ok = (size_t)Rf_xlength(i) / (narrow ? sizeof(uint16_t) : sizeof(int)) >= stored;
  if (narrow)
    out->narrow = (const uint16_t *)(const void *)RAW_RO(i);
  else
    out->i = (const int *)(const void *)RAW_RO(i);
  for (size_t s = 0; ok && s < stored; s++)
    ok = narrow ? out->narrow[s] < end : out->i[s] >= 0 && out->i[s] < end;
  return ok;
}

/* Slot p: where each of so many rows or columns begins, and the last ends. */
static const int *read_offsets(ffi_reader *slots, int count) {
  const int *p = ffi_ints(slots, "p", (size_t)count + 1, 0, INT_MAX);
  int ok = p && p[0] == 0;
  for (int k = 0; ok && k < count; k++)
    ok = p[k] <= p[k + 1];
  return ok ? p : NULL;
}

/* Slot j; of rows that are compressed it increases within each. */
static int read_columns(ffi_reader *slots, const int *dim, ffi_shape *out) {
  const int *j = out->j = ffi_ints(slots, "j", FFI_ANY, 0, dim[1] - 1);
  int ok = j && (size_t)Rf_xlength(ffi_field(slots, "j")) >= out->stored;
  for (int k = 0; ok && out->p && k < dim[0]; k++)
    for (int s = out->p[k] + 1; s < out->p[k + 1]; s++)
      ok &= j[s - 1] < j[s];
  return ok;
}

static int is_numbers(int type) {
  return type == REALSXP || type == INTSXP || type == LGLSXP;
}

ffi_shape ffi_matrix(ffi_reader *reader) {
  ffi_shape out;
  memset(&out, 0, sizeof out);
  SEXP x = ffi_field(reader, "x");
  if (TYPEOF(x) != VECSXP) {
    const int type = (int)TYPEOF(x);
    if (!ffi_check(reader, is_numbers(type) && Rf_isMatrix(x), "x"))
      return out;
    out.rows = (size_t)Rf_nrows(x);
    out.columns = (size_t)Rf_ncols(x);
    out.dense = type == REALSXP ? REAL_RO(x) : NULL;
    out.whole = type == INTSXP ? INTEGER_RO(x) : type == LGLSXP ? LOGICAL_RO(x) : NULL;
    return out;
  }
  ffi_reader slots = {x, NULL};
  const int *dim = ffi_ints(&slots, "Dim", 2, 0, INT_MAX - 1);
  /* they may be longer than what is used of them */
  const double *values = dim ? ffi_reals(&slots, "x", FFI_ANY) : NULL;
  const int compressed = ffi_has(&slots, "p"), by_row = !ffi_has(&slots, "i");
  if (values && compressed)
    out.p = read_offsets(&slots, by_row ? dim[0] : dim[1]);
  if (!ffi_check(reader, values && (out.p || !compressed), "x"))
    return out;
  const size_t given = (size_t)Rf_xlength(ffi_field(&slots, "x"));
  out.stored = compressed ? (size_t)out.p[by_row ? dim[0] : dim[1]] : given;
  const int ok = given >= out.stored &&
                 (by_row || read_features(&slots, out.stored, dim[0], &out)) &&
                 ((compressed && !by_row) || read_columns(&slots, dim, &out));
  if (!ffi_check(reader, ok, "x"))
    return out;
  out.rows = (size_t)dim[0];
  out.columns = (size_t)dim[1];
  out.x = values;
  return out;
}

/* Few columns, with an intercept that is not written out for each row. */
static void pack_few(SEXP keeper, const dpa_matrix *x, const int *place,
                     const dpa_recipe *recipe, dpa_records *records) {
  double *columns = FFI_TAKE(keeper, double, x->n * x->d + 1);
  dpa_term *term = FFI_TAKE(keeper, dpa_term, records->d);
  memset(term, 0, records->d * sizeof *term);
  dpa_pack_columns(x, place, recipe, columns);
  columns[x->n * x->d] = recipe->first;
  term[0].value = columns + x->n * x->d;
  for (size_t j = 1; j < records->d; j++) {
    term[j].first = j;
    term[j].number = columns + (j - 1) * x->n;
  }
  records->term = term;
  records->terms = records->d;
  records->full = 1;
}

/* Whole numbers, four bytes each as R has them. */
static void pack_whole(SEXP keeper, const dpa_matrix *x, const int *place,
                       const dpa_recipe *recipe, int threads, dpa_records *records) {
  int *whole = FFI_TAKE(keeper, int, x->n * x->d);
  double *times = isinf(recipe->bound) ? NULL : FFI_TAKE(keeper, double, x->n);
  dpa_pack_whole(x, place, recipe, threads, whole, times);
  records->whole = whole;
  records->times = times;
  records->fronted = recipe->intercept;
  records->front = recipe->first;
}

/* Flags of rows that are left out, or NULL. */
static const int *left_out(ffi_reader *reader, size_t n) {
  SEXP left = ffi_field(reader, "left");
  if (left == R_NilValue)
    return NULL;
  const int ok = TYPEOF(left) == LGLSXP && (size_t)Rf_xlength(left) == n;
  return ffi_check(reader, ok, "left") ? LOGICAL_RO(left) : NULL;
}

dpa_records ffi_pack(ffi_reader *reader, SEXP keeper, ffi_shape x, const int *place,
                     const dpa_recipe *recipe, int threads) {
  dpa_records records;
  memset(&records, 0, sizeof records);
  if (!ffi_check(reader, !x.narrow, "x") || reader->bad)
    return records;
  const size_t n = records.n = x.rows, shift = recipe->intercept != 0;
  const size_t d = records.d = x.columns + shift;
  if (!x.x) {
    const dpa_matrix matrix = {n, x.columns, x.dense, x.whole, left_out(reader, n)};
    if (!ffi_check(reader, d == 0 || n < SIZE_MAX / 16 / d, "x") || reader->bad)
      return records;
    if (shift && x.columns <= DPA_FEW_COLUMNS) {
      pack_few(keeper, &matrix, place, recipe, &records);
      return records;
    }
    if (matrix.whole && d > 0 && d <= DPA_MOST_WHOLE) {
      pack_whole(keeper, &matrix, place, recipe, threads, &records);
      return records;
    }
    double *dense = FFI_TAKE(keeper, double, n *d);
    dpa_pack_dense(&matrix, place, recipe, threads, dense);
    records.dense = dense;
    return records;
  }
  const size_t stored = x.stored + shift * n;
  if (!ffi_check(reader, stored < INT_MAX, "x") ||
      !ffi_check(reader, !ffi_has(reader, "left"), "left"))
    return records;
  int *row = FFI_TAKE(keeper, int, n + 1);
  int *col = d > DPA_NARROW ? FFI_TAKE(keeper, int, stored) : NULL;
  uint16_t *narrow = col ? NULL : FFI_TAKE(keeper, uint16_t, stored);
  double *val = FFI_TAKE(keeper, double, stored);
  dpa_sparse sparse = {n, x.columns, x.stored, x.p, x.i, x.j, x.x, NULL};
  const void *const top = vmaxget();
  if (!x.p)
    sparse.order = (int *)R_alloc(x.stored + x.columns + 1, sizeof *sparse.order);
  dpa_pack_sparse(&sparse, place, recipe, row, col, narrow, val);
  vmaxset(top);
  records.row = row;
  records.col = col;
  records.narrow = narrow;
  records.val = val;
  return records;
}

dpa_records ffi_packed(ffi_reader *reader, SEXP keeper, const dpa_recipe *recipe) {
  return ffi_pack(reader, keeper, ffi_matrix(reader), NULL, recipe, 1);
}

dpa_records ffi_rows(ffi_reader *reader, int transposed) {
  dpa_records records;
  memset(&records, 0, sizeof records);
  const ffi_shape x = ffi_matrix(reader);
  const int by_column = x.dense && !transposed;
  ffi_check(reader, !x.whole && !x.j && (transposed || !x.narrow), "x");
  records.n = by_column ? x.rows : x.columns;
  records.d = by_column ? x.columns : x.rows;
  records.dense = x.dense;
  records.lead = by_column ? x.rows : 0;
  records.row = x.p;
  records.col = x.i;
  records.narrow = x.narrow;
  records.val = x.x;
  return records;
}
