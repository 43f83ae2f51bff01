/* Registration of the native routines, and what is remembered of the process. */
#include "ffi.h"
#include "ffi_routines.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arguments) {#name, (DL_FUNC)(void (*)(void)) & name, arguments},

static const R_CallMethodDef routines[] = {
    /* clang-format off */
    DPA_ROUTINES(ENTRY)
    /* clang-format on */
    {NULL, NULL, 0}};

attribute_visible void R_init_dpadmm(DllInfo *dll) {
  R_registerRoutines(dll, NULL, routines, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  ffi_threads_begin();
}
