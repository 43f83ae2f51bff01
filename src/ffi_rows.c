/* Rows of columns that are identical, groups of rows, and sums of groups. */
#include "ffi.h"

#include "groups.h"

#include <math.h>
#include <string.h>

typedef struct column {
  int type;
  const void *data; /* numbers, whole numbers or flags, or strings, */
  size_t bytes;     /* so many an entry */
} column;

/* What an entry is compared by, as match() does: 0 and -0 are one number, NA another
 * than NaN; a string is where R keeps it. */
static inline uint64_t entry_of(const column *of, size_t k) {
  uint64_t bits;
  double x;
  switch (of->type) {
  case REALSXP:
    x = ((const double *)of->data)[k];
    if (x == 0.0)
      return 0;
    if (isnan(x))
      return R_IsNA(x) ? 1 : 2; /* less than any normal number */
    memcpy(&bits, &x, sizeof bits);
    return bits;
  case STRSXP:
    return (uint64_t)(uintptr_t)((const SEXP *)of->data)[k];
  default:
    return (uint64_t)(uint32_t)((const int *)of->data)[k];
  }
}

static int read_column(SEXP x, R_xlen_t rows, column *out) {
  *out = (column){.type = (int)TYPEOF(x)};
  if (Rf_xlength(x) != rows)
    return 0;
  switch (out->type) {
  case REALSXP:
    out->data = REAL_RO(x);
    out->bytes = sizeof(double);
    return 1;
  case STRSXP:
    out->data = STRING_PTR_RO(x);
    out->bytes = sizeof(SEXP);
    return 1;
  case LGLSXP:
  case INTSXP:
    out->data = out->type == LGLSXP ? LOGICAL_RO(x) : INTEGER_RO(x);
    out->bytes = sizeof(int);
    return 1;
  default:
    return 0;
  }
}

/* Whether a column's entries are the same all the way down. */
static int is_even(const column *of, size_t rows) {
  if (rows < 2)
    return 1;
  const char *next = (const char *)of->data + of->bytes;
  if (memcmp(of->data, next, (rows - 1) * of->bytes) == 0) /* to the last bit */
    return 1;
  const uint64_t first = entry_of(of, 0);
  for (size_t k = 1; k < rows; k++)
    if (entry_of(of, k) != first)
      return 0;
  return 1;
}

#define FIRST_HASH UINT64_C(0x9e3779b97f4a7c15)

/* That of entries after others, which have that hash. */
static uint64_t hash_of(uint64_t hash, const uint64_t *entry, size_t width) {
  for (size_t j = 0; j < width; j++) {
    hash = (hash ^ entry[j]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

/* Rows of `columns`, a list of numbers, flags or strings, all of one length: their
 * entries in the columns that are not the same all the way down. */
typedef struct table {
  uint64_t *entry; /* row by row */
  size_t rows, width;
} table;

/* `row`: of length `placed`, if any: the rows in the order they are to have. */
static int read_table(SEXP columns, const size_t *row, R_xlen_t placed, table *out) {
  const R_xlen_t given = TYPEOF(columns) == VECSXP ? Rf_xlength(columns) : 0;
  const R_xlen_t rows = given > 0 ? Rf_xlength(VECTOR_ELT(columns, 0)) : 0;
  column *of = (column *)R_alloc((size_t)given + 1, sizeof *of);
  int ok = given > 0 && rows < 0x20000000 && (!row || placed == rows);
  size_t width = 0;
  for (R_xlen_t j = 0; j < given && ok; j++) {
    ok = read_column(VECTOR_ELT(columns, j), rows, of + width);
    width += ok && !is_even(of + width, (size_t)rows);
  }
  if (!ok)
    return 0;
  out->rows = (size_t)rows;
  out->width = width;
  out->entry = (uint64_t *)R_alloc(out->rows * width + 1, sizeof *out->entry);
  for (size_t k = 0; k < out->rows; k++) {
    uint64_t *own = out->entry + k * width;
    for (size_t j = 0; j < width; j++)
      own[j] = entry_of(of + j, row ? row[k] : k);
  }
  return 1;
}

/* Places for so many things, by their hashes: a thing, from 1; 0: none. */
static int *open_places(size_t things, size_t *places) {
  *places = 4;
  while (*places < 2 * things)
    *places *= 2;
  int *place = (int *)R_alloc(*places, sizeof *place);
  memset(place, 0, *places * sizeof *place);
  return place;
}

/* For each row, the number of those that are identical to it, from 1 on in the order in
 * which they first appear. */
SEXP ffi_row_kind(SEXP columns) {
  table of;
  if (!read_table(columns, NULL, 0, &of))
    return ffi_status(DPA_ARGUMENT);
  const size_t bytes = of.width * sizeof *of.entry;
  size_t places;
  int *place = open_places(of.rows, &places);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)of.rows));
  int *kind = INTEGER(out), kinds = 0;
  for (size_t k = 0; k < of.rows; k++) {
    const uint64_t *own = of.entry + k * of.width;
    size_t at = (size_t)hash_of(FIRST_HASH, own, of.width) & (places - 1);
    while (place[at] > 0 &&
           memcmp(of.entry + (size_t)(place[at] - 1) * of.width, own, bytes) != 0)
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

/* For each of groups 1, 2, ... of rows, the first that has the same ones in the same
 * order. `group`: of each row. */
SEXP ffi_row_groups(SEXP columns, SEXP group, SEXP count) {
  table of;
  const int given =
      TYPEOF(count) == INTSXP && Rf_xlength(count) == 1 ? INTEGER(count)[0] : -1;
  if (given < 0 || TYPEOF(group) != INTSXP)
    return ffi_status(DPA_ARGUMENT);
  const size_t groups = (size_t)given, rows = (size_t)Rf_xlength(group);
  size_t *start = (size_t *)R_alloc(groups + 1, sizeof *start);
  size_t *row = (size_t *)R_alloc(rows + 1, sizeof *row);
  if (!dpa_sort_groups(INTEGER_RO(group), rows, groups, start, row) ||
      !read_table(columns, row, Rf_xlength(group), &of))
    return ffi_status(DPA_ARGUMENT);
  size_t places;
  int *place = open_places(groups, &places);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)groups));
  for (size_t g = 0; g < groups; g++) {
    const uint64_t *own = of.entry + start[g] * of.width;
    const size_t entries = (start[g + 1] - start[g]) * of.width;
    size_t k = (size_t)hash_of(FIRST_HASH, own, entries) & (places - 1);
    for (; place[k] > 0; k = (k + 1) & (places - 1)) {
      const size_t other = (size_t)place[k] - 1;
      if (start[other + 1] - start[other] == start[g + 1] - start[g] &&
          memcmp(of.entry + start[other] * of.width, own, entries * sizeof *own) == 0)
        break;
    }
    if (place[k] == 0)
      place[k] = (int)g + 1;
    INTEGER(out)[g] = place[k];
  }
  UNPROTECT(1);
  return out;
}

/* The sums of groups 1, 2, ... of numbers. `group`: of each. */
SEXP ffi_group_sums(SEXP x, SEXP group, SEXP count) {
  double groups;
  const R_xlen_t n = Rf_xlength(group);
  if (TYPEOF(group) != INTSXP || !ffi_is_reals(x, (size_t)n) ||
      !ffi_whole(count, 0.0, 2147483647.0, &groups))
    return ffi_status(DPA_ARGUMENT);
  long double *sum = R_allocLD((size_t)groups + 1); /* aligned for these */
  for (size_t g = 0; g < (size_t)groups; g++)
    sum[g] = 0.0L;
  for (R_xlen_t k = 0; k < n; k++) {
    const int g = INTEGER_RO(group)[k];
    if (g < 1 || g > (int)groups)
      return ffi_status(DPA_ARGUMENT);
    sum[g - 1] += REAL_RO(x)[k];
  }
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)groups));
  for (R_xlen_t g = 0; g < Rf_xlength(out); g++)
    REAL(out)[g] = (double)sum[g];
  UNPROTECT(1);
  return out;
}
