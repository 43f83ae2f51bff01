/* The routines of ffi_account.c, in one table with their numbers of arguments. */
#ifndef DPA_FFI_ACCOUNT_H
#define DPA_FFI_ACCOUNT_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include <R.h>
#include <Rinternals.h>

#define DPA_ROUTINES_ACCOUNT(X)                                                        \
  X(ffi_atoms_epsilon, 3)                                                              \
  X(ffi_gaussian, 3)                                                                   \
  X(ffi_loss_bins, 8)                                                                  \
  X(ffi_merge_atoms, 5)                                                                \
  X(ffi_rdp_objective, 5)                                                              \
  X(ffi_rdp_sampled, 4)

SEXP ffi_atoms_epsilon(SEXP loss, SEXP log_mass, SEXP log_delta);
SEXP ffi_gaussian(SEXP what, SEXP x, SEXP y);
SEXP ffi_loss_bins(SEXP pair, SEXP q, SEXP s, SEXP reach, SEXP h, SEXP first, SEXP n,
                   SEXP least);
SEXP ffi_merge_atoms(SEXP loss, SEXP mass, SEXP h, SEXP offset, SEXP give);
SEXP ffi_rdp_objective(SEXP orders, SEXP shift, SEXP kappa, SEXP tied, SEXP dim);
SEXP ffi_rdp_sampled(SEXP kind, SEXP orders, SEXP q, SEXP s);

#endif
