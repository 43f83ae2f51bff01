/* The routines of ffi_fit.c, in one table with their numbers of arguments. */
#ifndef DPA_FFI_FIT_H
#define DPA_FFI_FIT_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include <R.h>
#include <Rinternals.h>

#define DPA_ROUTINES_FIT(X)                                                            \
  X(ffi_losses, 0)                                                                     \
  X(ffi_loss_constants, 2)                                                             \
  X(ffi_loss, 4)                                                                       \
  X(ffi_updates, 0)                                                                    \
  X(ffi_mechanisms, 0)                                                                 \
  X(ffi_components, 2)                                                                 \
  X(ffi_permutation, 2)                                                                \
  X(ffi_threads, 0)                                                                    \
  X(ffi_decentralised, 1)

SEXP ffi_losses(void);
SEXP ffi_loss_constants(SEXP name, SEXP width);
SEXP ffi_loss(SEXP name, SEXP width, SEXP a, SEXP y);
SEXP ffi_updates(void);
SEXP ffi_mechanisms(void);
SEXP ffi_components(SEXP start, SEXP neighbour);
SEXP ffi_permutation(SEXP key, SEXP size);
SEXP ffi_threads(void);
SEXP ffi_decentralised(SEXP spec);

#endif
