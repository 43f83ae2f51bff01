/* Penalties as R sees them: their names, values and proximal steps. */
#include "ffi_penalty.h"

#include "ffi.h"

const dpa_penalty *ffi_penalty_named(SEXP name) {
  return dpa_penalty_find(CHAR(STRING_ELT(name, 0)));
}

SEXP ffi_penalties(void) {
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)dpa_penalties_count));
  for (size_t k = 0; k < dpa_penalties_count; k++)
    SET_STRING_ELT(names, (R_xlen_t)k, Rf_mkChar(dpa_penalties[k]->name));
  UNPROTECT(1);
  return names;
}

/* The proximal step at v, entry by entry; step has length 1 or that of v. */
SEXP ffi_prox(SEXP name, SEXP parameter, SEXP v, SEXP step) {
  const dpa_penalty *penalty = ffi_penalty_named(name);
  const size_t d = (size_t)Rf_xlength(v);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)d));
  if (Rf_xlength(step) == 1) {
    penalty->prox(REAL_RO(v), d, REAL_RO(step)[0], REAL_RO(parameter), REAL(out));
  } else {
    for (size_t j = 0; j < d; j++)
      penalty->prox(REAL_RO(v) + j, 1, REAL_RO(step)[j], REAL_RO(parameter),
                    REAL(out) + j);
  }
  UNPROTECT(1);
  return out;
}

SEXP ffi_penalty_value(SEXP name, SEXP parameter, SEXP v) {
  return Rf_ScalarReal(ffi_penalty_named(name)->value(REAL_RO(v), (size_t)Rf_xlength(v),
                                                      REAL_RO(parameter)));
}
