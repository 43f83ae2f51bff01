/* The routines of ffi_penalty.c, in one table with their numbers of arguments. */
#ifndef DPA_FFI_PENALTY_H
#define DPA_FFI_PENALTY_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include "core/penalty.h"

#include <R.h>
#include <Rinternals.h>

#define DPA_ROUTINES_PENALTY(X)                                                        \
  X(ffi_penalties, 0)                                                                  \
  X(ffi_prox, 4)                                                                       \
  X(ffi_penalty_value, 3)

SEXP ffi_penalties(void);
SEXP ffi_prox(SEXP name, SEXP parameter, SEXP v, SEXP step);
SEXP ffi_penalty_value(SEXP name, SEXP parameter, SEXP v);

const dpa_penalty *ffi_penalty_named(SEXP name);

#endif
