/* The routines of ffi_consensus.c, in one table with their numbers of arguments. */
#ifndef DPA_FFI_CONSENSUS_H
#define DPA_FFI_CONSENSUS_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include <R.h>
#include <Rinternals.h>

#define DPA_ROUTINES_CONSENSUS(X)                                                      \
  X(ffi_row_measure, 2)                                                                \
  X(ffi_sample, 5)                                                                     \
  X(ffi_participation, 4)                                                              \
  X(ffi_walk, 3)                                                                       \
  X(ffi_mean_gradient, 7)                                                              \
  X(ffi_affine, 4)                                                                     \
  X(ffi_consensus, 1)                                                                  \
  X(ffi_consensus_operator, 2)

SEXP ffi_row_measure(SEXP x, SEXP bound);
SEXP ffi_sample(SEXP key, SEXP iteration, SEXP n, SEXP size, SEXP poisson);
SEXP ffi_participation(SEXP key, SEXP n, SEXP size, SEXP rounds);
SEXP ffi_walk(SEXP key, SEXP n, SEXP steps);
SEXP ffi_mean_gradient(SEXP rows, SEXP batch, SEXP u, SEXP loss, SEXP width, SEXP bound,
                       SEXP block);
SEXP ffi_affine(SEXP A, SEXP b, SEXP u, SEXP at);
SEXP ffi_consensus(SEXP spec);
SEXP ffi_consensus_operator(SEXP spec, SEXP u);

#endif
