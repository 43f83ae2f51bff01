/* The routines of ffi_gradient.c, in one table with their numbers of arguments. */
#ifndef DPA_FFI_GRADIENT_H
#define DPA_FFI_GRADIENT_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include <R.h>
#include <Rinternals.h>

#define DPA_ROUTINES_GRADIENT(X) X(ffi_gradient, 1)

SEXP ffi_gradient(SEXP spec);

#endif
