/* Reading what R hands over. */
#include "ffi.h"

#include <math.h>
#include <string.h>

#define LANES 8

/* ---- one value ------------------------------------------------------------------- */

int ffi_is_reals(SEXP x, size_t length) {
  return TYPEOF(x) == REALSXP && (length == FFI_ANY || (size_t)Rf_xlength(x) == length);
}

SEXP ffi_each(double (*f)(double, double), SEXP x, SEXP y) {
  const size_t n = (size_t)Rf_xlength(x);
  if (!ffi_is_reals(x, n) || !ffi_is_reals(y, n))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
  for (size_t i = 0; i < n; i++)
    REAL(out)[i] = f(REAL_RO(x)[i], REAL_RO(y)[i]);
  UNPROTECT(1);
  return out;
}

int ffi_is_number(SEXP x) {
  return ffi_is_reals(x, 1);
}

/* One number, of type double or integer; NaN when it is none. */
static double number(SEXP x) {
  if (ffi_is_number(x))
    return REAL_RO(x)[0];
  if (TYPEOF(x) == INTSXP && Rf_xlength(x) == 1 && INTEGER_RO(x)[0] != NA_INTEGER)
    return INTEGER_RO(x)[0];
  return NAN;
}

int ffi_whole(SEXP x, double least, double end, double *value) {
  *value = number(x);
  return *value >= least && *value < end && *value == floor(*value);
}

const char *ffi_text(SEXP x) {
  const int one = TYPEOF(x) == STRSXP && Rf_xlength(x) == 1;
  return one && STRING_ELT(x, 0) != NA_STRING ? CHAR(STRING_ELT(x, 0)) : NULL;
}

dpa_status ffi_key_of(SEXP raw, dpa_key *key) {
  if (TYPEOF(raw) != RAWSXP || Rf_xlength(raw) != (R_xlen_t)sizeof key->byte)
    return DPA_ARGUMENT;
  memcpy(key->byte, RAW_RO(raw), sizeof key->byte);
  return DPA_OK;
}

/* ---- a named list ---------------------------------------------------------------- */

dpa_status ffi_reader_status(const ffi_reader *reader) {
  return reader->bad ? DPA_ARGUMENT : DPA_OK;
}

int ffi_check(ffi_reader *reader, int ok, const char *name) {
  if (!ok && !reader->bad)
    reader->bad = name;
  return ok;
}

SEXP ffi_field(const ffi_reader *reader, const char *name) {
  if (TYPEOF(reader->list) != VECSXP)
    return R_NilValue;
  SEXP names = Rf_getAttrib(reader->list, R_NamesSymbol);
  if (TYPEOF(names) != STRSXP)
    return R_NilValue;
  for (R_xlen_t k = 0; k < Rf_xlength(reader->list); k++)
    if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0)
      return VECTOR_ELT(reader->list, k);
  return R_NilValue;
}

int ffi_has(const ffi_reader *reader, const char *name) {
  return ffi_field(reader, name) != R_NilValue;
}

ffi_reader ffi_inner(ffi_reader *reader, const char *name) {
  const ffi_reader inner = {ffi_field(reader, name), NULL};
  ffi_check(reader, TYPEOF(inner.list) == VECSXP, name);
  return inner;
}

double ffi_real(ffi_reader *reader, const char *name, double least, double most) {
  const double value = number(ffi_field(reader, name));
  return ffi_check(reader, value >= least && value <= most, name) ? value : least;
}

int ffi_int(ffi_reader *reader, const char *name, int least, int most) {
  double value;
  const int ok = ffi_whole(ffi_field(reader, name), least, (double)most + 1.0, &value);
  return ffi_check(reader, ok, name) ? (int)value : least;
}

int ffi_flag(ffi_reader *reader, const char *name) {
  SEXP x = ffi_field(reader, name);
  const int ok = TYPEOF(x) == LGLSXP && Rf_xlength(x) == 1 && LOGICAL_RO(x)[0] >= 0;
  return ffi_check(reader, ok, name) && LOGICAL_RO(x)[0];
}

const char *ffi_string(ffi_reader *reader, const char *name) {
  const char *text = ffi_text(ffi_field(reader, name));
  return ffi_check(reader, text != NULL, name) ? text : "";
}

const double *ffi_reals(ffi_reader *reader, const char *name, size_t length) {
  SEXP x = ffi_field(reader, name);
  return ffi_check(reader, ffi_is_reals(x, length), name) ? REAL_RO(x) : NULL;
}

const double *ffi_maybe_reals(ffi_reader *reader, const char *name, size_t length) {
  return ffi_has(reader, name) ? ffi_reals(reader, name, length) : NULL;
}

const int *ffi_ints(ffi_reader *reader, const char *name, size_t length, int least,
                    int most) {
  SEXP x = ffi_field(reader, name);
  const int fits =
      TYPEOF(x) == INTSXP && (length == FFI_ANY || (size_t)Rf_xlength(x) == length);
  if (!ffi_check(reader, fits, name))
    return NULL;
  const int *value = INTEGER_RO(x);
  const R_xlen_t n = Rf_xlength(x);
  const unsigned low = (unsigned)least, span = (unsigned)most - low;
  int ok = n == 0 || least <= most;
  unsigned out[LANES] = {0}; /* side by side, which compilers do at once */
  R_xlen_t k = 0;
  for (; k + LANES <= n; k += LANES) /* NA is below all that is asked for */
    for (int lane = 0; lane < LANES; lane++)
      out[lane] |= (unsigned)value[k + lane] - low > span;
  for (; k < n; k++)
    out[0] |= (unsigned)value[k] - low > span;
  for (int lane = 0; lane < LANES; lane++)
    ok &= !out[lane];
  return ffi_check(reader, ok, name) ? value : NULL;
}

void ffi_read_key(ffi_reader *reader, const char *name, dpa_key *key) {
  memset(key, 0, sizeof *key);
  ffi_check(reader, ffi_key_of(ffi_field(reader, name), key) == DPA_OK, name);
}
