/* Registration of the native routines, nothing else. */
#include "ffi.h"
#include "ffi_account.h"
#include "ffi_consensus.h"
#include "ffi_fit.h"
#include "ffi_gradient.h"
#include "ffi_penalty.h"
#include "ffi_sparse_vector.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arguments) {#name, (DL_FUNC)(void (*)(void)) & name, arguments},

static const R_CallMethodDef routines[] = {
    /* clang-format off */
    DPA_ROUTINES(ENTRY)
    DPA_ROUTINES_ACCOUNT(ENTRY)
    DPA_ROUTINES_CONSENSUS(ENTRY)
    DPA_ROUTINES_FIT(ENTRY)
    DPA_ROUTINES_GRADIENT(ENTRY)
    DPA_ROUTINES_PENALTY(ENTRY)
    DPA_ROUTINES_SPARSE_VECTOR(ENTRY)
    /* clang-format on */
    {NULL, NULL, 0}};

attribute_visible void R_init_dpadmm(DllInfo *dll) {
  R_registerRoutines(dll, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
