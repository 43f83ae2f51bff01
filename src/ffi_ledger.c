#include "ffi_ledger.h"

#include <math.h>
#include <string.h>

int ffi_ledger(ffi_reader *reader, SEXP list, size_t kinds, dpa_ledger *out) {
  ffi_reader own = {list, NULL};
  SEXP places = ffi_field(&own, "kind");
  const size_t n = TYPEOF(places) == INTSXP ? (size_t)Rf_xlength(places) : 0;
  const double *count = ffi_reals(&own, "count", n);
  const int *place = ffi_ints(&own, "kind", n, 1, (int)kinds);
  int *kind = (int *)R_alloc(n + 1, sizeof *kind);
  for (size_t k = 0; !own.bad && k < n; k++) {
    kind[k] = place[k] - 1;
    ffi_check(&own, count[k] >= 0.0 && count[k] < INFINITY, "count");
  }
  if (!ffi_check(reader, !own.bad, own.bad))
    return 0;
  *out = (dpa_ledger){kind, count, n, NAN};
  return 1;
}

static SEXP new_ledger(int entries, SEXP names) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  Rf_setAttrib(out, R_NamesSymbol, names);
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, entries));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, entries));
  UNPROTECT(1);
  return out;
}

/* A ledger for each of parties 1, ..., `parties`: which rows are its, `party` of each
 * row, and how often these count. */
SEXP ffi_row_ledgers(SEXP party, SEXP count, SEXP parties) {
  double all;
  const R_xlen_t rows = Rf_xlength(party);
  int ok = TYPEOF(party) == INTSXP && ffi_is_reals(count, (size_t)rows) &&
           rows < 2147483647 && ffi_whole(parties, 0.0, 2147483647.0, &all);
  const int *own = ok ? INTEGER_RO(party) : NULL, n = ok ? (int)all : 0;
  for (R_xlen_t k = 0; ok && k < rows; k++)
    ok = own[k] >= 1 && own[k] <= n;
  if (!ok)
    return ffi_status(DPA_ARGUMENT);
  int *entries = (int *)R_alloc((size_t)n + 1, sizeof *entries);
  memset(entries, 0, ((size_t)n + 1) * sizeof *entries);
  for (R_xlen_t k = 0; k < rows; k++)
    entries[own[k] - 1]++;
  SEXP out = PROTECT(Rf_allocVector(VECSXP, n));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, 2));
  SET_STRING_ELT(names, 0, Rf_mkChar("kind"));
  SET_STRING_ELT(names, 1, Rf_mkChar("count"));
  for (int i = 0; i < n; i++) {
    SET_VECTOR_ELT(out, i, new_ledger(entries[i], names));
    entries[i] = 0;
  }
  for (R_xlen_t k = 0; k < rows; k++) {
    const int i = own[k] - 1, at = entries[i]++;
    INTEGER(VECTOR_ELT(VECTOR_ELT(out, i), 0))[at] = (int)k + 1;
    REAL(VECTOR_ELT(VECTOR_ELT(out, i), 1))[at] = REAL_RO(count)[k];
  }
  UNPROTECT(2);
  return out;
}
