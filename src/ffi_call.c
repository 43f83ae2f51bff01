/* Calls of R functions from C. */
#include "ffi.h"

typedef struct call {
  SEXP code, held;
  int failed;
} call;

static SEXP evaluate(void *context) {
  const call *it = context;
  return Rf_eval(it->code, R_GlobalEnv);
}

static SEXP caught(SEXP condition, void *context) {
  call *it = context;
  it->failed = 1;
  return condition;
}

static void guarded(void *context) {
  call *it = context;
  SEXP value = PROTECT(R_tryCatchError(evaluate, it, caught, it));
  SET_VECTOR_ELT(it->held, it->failed ? 1 : 0, value);
  UNPROTECT(1);
}

dpa_status ffi_ask(SEXP code, SEXP held) {
  call it = {code, held, 0};
  if (!R_ToplevelExec(guarded, &it))
    return DPA_INTERRUPT;
  return it.failed ? DPA_ENGINE : DPA_OK;
}
