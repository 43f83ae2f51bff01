/* The sparse vector test from R. */
#ifndef DPA_FFI_SPARSE_VECTOR_H
#define DPA_FFI_SPARSE_VECTOR_H

#include "ffi.h"
#include "rules/order.h"

/* The tests of `count` parties from the list that sparse_vector_test() builds. */
const dpa_test *ffi_tests(ffi_reader *reader, SEXP keeper, size_t count);

#endif
