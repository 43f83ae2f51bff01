/* Rows of columns that are identical. */
#include "ffi.h"

#include <math.h>
#include <string.h>

/* What an entry is compared by, as match() does: 0 and -0 are one number, NA another
 * than NaN; a string is where R keeps it. */
static uint64_t entry_of(SEXP column, R_xlen_t k) {
  uint64_t bits;
  double x;
  switch (TYPEOF(column)) {
  case REALSXP:
    x = REAL_RO(column)[k];
    if (x == 0.0)
      return 0;
    if (isnan(x))
      return R_IsNA(x) ? 1 : 2; /* less than any normal number */
    memcpy(&bits, &x, sizeof bits);
    return bits;
  case STRSXP:
    return (uint64_t)(uintptr_t)STRING_ELT(column, k);
  case LGLSXP:
    return (uint64_t)(uint32_t)LOGICAL_RO(column)[k];
  default:
    return (uint64_t)(uint32_t)INTEGER_RO(column)[k];
  }
}

static int is_column(SEXP column, R_xlen_t rows) {
  const int type = (int)TYPEOF(column);
  return Rf_xlength(column) == rows &&
         (type == REALSXP || type == STRSXP || type == LGLSXP || type == INTSXP);
}

/* Entries of columns that are not the same all the way down, row by row; how many such
 * columns. */
static size_t gather(SEXP columns, size_t rows, uint64_t *entry) {
  const R_xlen_t given = Rf_xlength(columns);
  size_t width = 0, used = 0;
  int *varied = (int *)R_alloc((size_t)given + 1, sizeof *varied);
  for (R_xlen_t j = 0; j < given; j++) {
    SEXP column = VECTOR_ELT(columns, j);
    const uint64_t first = rows > 0 ? entry_of(column, 0) : 0;
    varied[j] = 0;
    for (size_t k = 1; k < rows && !varied[j]; k++)
      varied[j] = entry_of(column, (R_xlen_t)k) != first;
    width += varied[j] != 0;
  }
  for (R_xlen_t j = 0; j < given; j++)
    if (varied[j]) {
      for (size_t k = 0; k < rows; k++)
        entry[k * width + used] = entry_of(VECTOR_ELT(columns, j), (R_xlen_t)k);
      used++;
    }
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
  int ok = given > 0 && rows < 0x20000000;
  for (R_xlen_t j = 0; j < given && ok; j++)
    ok = is_column(VECTOR_ELT(columns, j), rows);
  if (!ok)
    return ffi_status(DPA_ARGUMENT);
  const size_t n = (size_t)rows;
  uint64_t *entry = (uint64_t *)R_alloc(n * (size_t)given + 1, sizeof *entry);
  const size_t width = gather(columns, n, entry);
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
