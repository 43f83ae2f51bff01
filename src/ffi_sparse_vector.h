/* The routines of ffi_sparse_vector.c, in one table with their numbers of arguments. */
#ifndef DPA_FFI_SPARSE_VECTOR_H
#define DPA_FFI_SPARSE_VECTOR_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include "core/update.h"

#include <R.h>
#include <Rinternals.h>

#define DPA_ROUTINES_SPARSE_VECTOR(X) X(ffi_sparse_vector, 3)

/* The test of node i from the list that R/sparse_vector.R builds. */
dpa_test ffi_read_test(SEXP test, size_t i);

SEXP ffi_sparse_vector(SEXP test, SEXP queries, SEXP key);

#endif
