/* Rows of columns that are identical. */
#include "ffi.h"

#include <math.h>
#include <string.h>

typedef struct column {
  int type;
  const double *real;
  const int *whole; /* or flags */
  SEXP text;
} column;

/* What an entry is compared by, as match() does: 0 and -0 are one number, NA another
 * than NaN; a string is where R keeps it. */
static inline uint64_t entry_of(const column *of, size_t k) {
  uint64_t bits;
  double x;
  switch (of->type) {
  case REALSXP:
    x = of->real[k];
    if (x == 0.0)
      return 0;
    if (isnan(x))
      return R_IsNA(x) ? 1 : 2; /* less than any normal number */
    memcpy(&bits, &x, sizeof bits);
    return bits;
  case STRSXP:
    return (uint64_t)(uintptr_t)STRING_ELT(of->text, (R_xlen_t)k);
  default:
    return (uint64_t)(uint32_t)of->whole[k];
  }
}

static int read_column(SEXP x, R_xlen_t rows, column *out) {
  *out = (column){(int)TYPEOF(x), NULL, NULL, NULL};
  if (Rf_xlength(x) != rows)
    return 0;
  switch (out->type) {
  case REALSXP:
    out->real = REAL_RO(x);
    return 1;
  case STRSXP:
    out->text = x;
    return 1;
  case LGLSXP:
    out->whole = LOGICAL_RO(x);
    return 1;
  case INTSXP:
    out->whole = INTEGER_RO(x);
    return 1;
  default:
    return 0;
  }
}

/* Entries of columns that are not the same all the way down, row by row; how many such
 * columns. */
static size_t gather(column *columns, size_t given, size_t rows, uint64_t *entry) {
  size_t width = 0;
  for (size_t j = 0; j < given; j++) {
    const uint64_t first = rows > 0 ? entry_of(columns + j, 0) : 0;
    size_t k = 1;
    while (k < rows && entry_of(columns + j, k) == first)
      k++;
    if (k < rows)
      columns[width++] = columns[j];
  }
  for (size_t j = 0; j < width; j++)
    for (size_t k = 0; k < rows; k++)
      entry[k * width + j] = entry_of(columns + j, k);
  return width;
}

static uint64_t hash_of(const uint64_t *entry, size_t width) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (size_t j = 0; j < width; j++) {
    hash = (hash ^ entry[j]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

/* For each row, the number of those that are identical to it, from 1 on in the order in
 * which they first appear. `columns`: a list of numbers, flags or strings, all of one
 * length. */
SEXP ffi_row_kind(SEXP columns) {
  const R_xlen_t given = TYPEOF(columns) == VECSXP ? Rf_xlength(columns) : 0;
  const R_xlen_t rows = given > 0 ? Rf_xlength(VECTOR_ELT(columns, 0)) : 0;
  column *column_of = (column *)R_alloc((size_t)given + 1, sizeof *column_of);
  int ok = given > 0 && rows < 0x20000000;
  for (R_xlen_t j = 0; j < given && ok; j++)
    ok = read_column(VECTOR_ELT(columns, j), rows, column_of + j);
  if (!ok)
    return ffi_status(DPA_ARGUMENT);
  const size_t n = (size_t)rows;
  uint64_t *entry = (uint64_t *)R_alloc(n * (size_t)given + 1, sizeof *entry);
  const size_t width = gather(column_of, (size_t)given, n, entry);
  size_t places = 4;
  while (places < 2 * n)
    places *= 2;
  int *place = (int *)R_alloc(places, sizeof *place); /* a row, from 1; 0: none */
  memset(place, 0, places * sizeof *place);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, rows));
  int *kind = INTEGER(out), kinds = 0;
  for (size_t k = 0; k < n; k++) {
    const uint64_t *own = entry + k * width;
    size_t at = (size_t)hash_of(own, width) & (places - 1);
    while (place[at] > 0 && memcmp(entry + (size_t)(place[at] - 1) * width, own,
                                   width * sizeof *own) != 0)
      at = (at + 1) & (places - 1);
    if (place[at] == 0) {
      place[at] = (int)k + 1;
      kind[k] = ++kinds;
    } else {
      kind[k] = kind[place[at] - 1];
    }
  }
  UNPROTECT(1);
  return out;
}
