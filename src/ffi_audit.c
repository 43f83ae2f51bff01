/* What audits look at, as R sees it. */
#include "ffi.h"

#include "account/low_bits.h"

/* Matrices of one shape; scale: one number, or one a row. */
SEXP ffi_low_bits(SEXP values, SEXP truth, SEXP other, SEXP scale) {
  const R_xlen_t size = Rf_xlength(values);
  const int ok = TYPEOF(values) == REALSXP && TYPEOF(truth) == REALSXP &&
                 TYPEOF(other) == REALSXP && TYPEOF(scale) == REALSXP &&
                 Rf_isMatrix(values) && Rf_xlength(truth) == size &&
                 Rf_xlength(other) == size;
  if (!ok)
    return ffi_status_of(DPA_ARGUMENT, "values");
  const int n = Rf_nrows(values), d = Rf_ncols(values);
  if (Rf_xlength(scale) != 1 && Rf_xlength(scale) != n)
    return ffi_status_of(DPA_ARGUMENT, "scale");
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, n, DPA_LOW_BITS));
  dpa_low_bits((size_t)n, (size_t)d, REAL_RO(values), REAL_RO(truth), REAL_RO(other),
               REAL_RO(scale), Rf_xlength(scale) == 1, REAL(out));
  UNPROTECT(1);
  return out;
}
