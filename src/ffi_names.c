/* The names of the core's tables: they live there alone. */
#include "ffi.h"

#include "data/loss.h"
#include "data/penalty.h"
#include "run/relay.h"

#define NAMES(routine, count, entry)                                                   \
  SEXP routine(void) {                                                                 \
    SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)(count)));                   \
    for (size_t k = 0; k < (count); k++)                                               \
      SET_STRING_ELT(names, (R_xlen_t)k, Rf_mkChar((entry)[k]->name));                 \
    UNPROTECT(1);                                                                      \
    return names;                                                                      \
  }

NAMES(ffi_mechanisms, dpa_mechanisms_count, dpa_mechanisms)
NAMES(ffi_penalties, dpa_penalties_count, dpa_penalties)
NAMES(ffi_relays, dpa_relays_count, dpa_relays)
NAMES(ffi_rules, dpa_rules_count, dpa_rules)

/* Default widths, named. */
SEXP ffi_losses(void) {
  const R_xlen_t count = (R_xlen_t)dpa_losses_count;
  SEXP widths = PROTECT(Rf_allocVector(REALSXP, count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (R_xlen_t k = 0; k < count; k++) {
    REAL(widths)[k] = dpa_losses[k]->default_width;
    SET_STRING_ELT(names, k, Rf_mkChar(dpa_losses[k]->name));
  }
  Rf_setAttrib(widths, R_NamesSymbol, names);
  UNPROTECT(2);
  return widths;
}
