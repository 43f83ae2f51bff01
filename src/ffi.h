/* What the files that know R share. */
#ifndef DPA_FFI_H
#define DPA_FFI_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include "core/rng.h"
#include "core/status.h"

#include <R.h>
#include <Rinternals.h>

/* A status as R sees it: an integer of class "dpadmm_status" with, unless all is well,
 * the kind of condition it stands for as attribute "kind". core_call() in R/core.R
 * raises it. */
SEXP ffi_status(dpa_status status);

/* Copies a key from its raw(32); DPA_ARGUMENT when it is none. */
dpa_status ffi_read_key(SEXP raw, dpa_key *key);

/* The routines of ffi_noise.c, with their numbers of arguments. */
#define DPA_ROUTINES(X)                                                                \
  X(ffi_key, 1)                                                                        \
  X(ffi_noise, 6)

SEXP ffi_key(SEXP seed);
SEXP ffi_noise(SEXP kind, SEXP scale, SEXP dim, SEXP n, SEXP key, SEXP node);

#endif
