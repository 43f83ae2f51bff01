/* The plan of a run from R: the `spec`, a named list of public numbers. */
#ifndef DPA_FFI_PLAN_H
#define DPA_FFI_PLAN_H

#include "ffi.h"
#include "run/plan.h"

/* The plan, kept by `keeper` as long as `spec` is. What is amiss is noted in the
 * reader.
 */
const dpa_plan *ffi_plan(ffi_reader *reader, SEXP keeper);

#endif
