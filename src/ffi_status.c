/* Statuses as R sees them. */
#include "ffi.h"

/* The kind of error in R's table of conditions, NULL when there is none. */
static const char *condition_kind(dpa_status status) {
  switch (status) {
  case DPA_OK:
  case DPA_CONTINUE:
    return NULL;
  case DPA_INTERRUPT:
    return "interrupt";
  case DPA_ARGUMENT:
    return "argument";
  case DPA_SIZE:
    return "size";
  case DPA_ENTROPY:
    return "entropy";
  case DPA_STALLED:
    return "solver";
  case DPA_NUMERIC:
    return "finite";
  case DPA_ENGINE:
    return "engine";
  }
  return "argument";
}

static void set_text(SEXP x, const char *name, const char *text) {
  if (text == NULL)
    return;
  SEXP value = PROTECT(Rf_mkString(text));
  Rf_setAttrib(x, Rf_install(name), value);
  UNPROTECT(1);
}

SEXP ffi_status_of(dpa_status status, const char *argument) {
  SEXP out = PROTECT(Rf_ScalarInteger((int)status));
  set_text(out, "kind", condition_kind(status));
  set_text(out, "argument", argument);
  SEXP class = PROTECT(Rf_mkString("dpadmm_status"));
  Rf_classgets(out, class);
  UNPROTECT(2);
  return out;
}

SEXP ffi_status(dpa_status status) {
  return ffi_status_of(status, NULL);
}

SEXP ffi_status_why(SEXP condition) {
  SEXP out = PROTECT(ffi_status(DPA_ENGINE));
  Rf_setAttrib(out, Rf_install("condition"), condition);
  UNPROTECT(1);
  return out;
}
