/* Statuses, keys and noise as R sees them. */
#include "ffi.h"

#include "core/noise.h"
#include "core/update.h"

#include <math.h>
#include <string.h>

/* ---- statuses -------------------------------------------------------------- */

/* The kind of error in R/conditions.R, NULL when there is none. */
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
  }
  return "argument";
}

SEXP ffi_status(dpa_status status) {
  const char *kind = condition_kind(status);
  SEXP out = PROTECT(Rf_ScalarInteger((int)status));
  if (kind != NULL) {
    SEXP text = PROTECT(Rf_mkString(kind));
    Rf_setAttrib(out, Rf_install("kind"), text);
    UNPROTECT(1);
  }
  SEXP class = PROTECT(Rf_mkString("dpadmm_status"));
  Rf_classgets(out, class);
  UNPROTECT(2);
  return out;
}

/* ---- reading arguments ------------------------------------------------------ */

dpa_status ffi_read_key(SEXP raw, dpa_key *key) {
  if (TYPEOF(raw) != RAWSXP || Rf_xlength(raw) != (R_xlen_t)sizeof key->byte) {
    return DPA_ARGUMENT;
  }
  memcpy(key->byte, RAW_RO(raw), sizeof key->byte);
  return DPA_OK;
}

static int is_number(SEXP x) {
  return TYPEOF(x) == REALSXP && Rf_xlength(x) == 1;
}

/* A whole double number in [least, end); 0 when it is none. */
static int whole_between(SEXP x, double least, double end, double *value) {
  if (!is_number(x)) {
    return 0;
  }
  *value = REAL_RO(x)[0];
  return *value >= least && *value < end && *value == floor(*value);
}

/* ---- keys -------------------------------------------------------------------- */

/* raw(32): from the operating system when seed is NULL or NA, else from the seed, a
 * whole double number in [0, 2^53). */
SEXP ffi_key(SEXP seed) {
  dpa_key key;
  if (seed == R_NilValue || (is_number(seed) && ISNAN(REAL_RO(seed)[0]))) {
    const dpa_status status = dpa_key_from_entropy(&key);
    if (status != DPA_OK) {
      return ffi_status(status);
    }
  } else {
    double value;
    if (!whole_between(seed, 0.0, 9007199254740992.0, &value)) {
      return ffi_status(DPA_ARGUMENT);
    }
    dpa_key_from_seed(&key, (uint64_t)value);
  }
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)sizeof key.byte));
  memcpy(RAW(out), key.byte, sizeof key.byte);
  dpa_forget(&key, sizeof key);
  UNPROTECT(1);
  return out;
}

/* ---- noise ------------------------------------------------------------------- */

static void draw_laplace(dpa_rng *rng, double scale, double *out, size_t d) {
  for (size_t i = 0; i < d; i++) {
    out[i] = dpa_noise_laplace(rng, scale);
  }
}

/* An n x dim matrix of noise for tests and pictures: row t is what the stream of
 * (node, iteration t) gives. kind: a mechanism's name, drawn from the stream of the
 * objective's noise, or "laplace" (independent entries), from that of the sparse vector
 * test's queries. */
SEXP ffi_noise(SEXP kind, SEXP scale, SEXP dim, SEXP n, SEXP key, SEXP node) {
  void (*draw)(dpa_rng *, double, double *, size_t) = NULL;
  uint32_t purpose = DPA_NOISE_OBJECTIVE;
  if (TYPEOF(kind) == STRSXP && Rf_xlength(kind) == 1) {
    const char *name = CHAR(STRING_ELT(kind, 0));
    for (size_t k = 0; k < dpa_mechanisms_count; k++) {
      if (strcmp(name, dpa_mechanisms[k].name) == 0) {
        draw = dpa_mechanisms[k].draw;
      }
    }
    if (strcmp(name, "laplace") == 0) {
      draw = draw_laplace;
      purpose = DPA_NOISE_QUERY;
    }
  }
  const double most = 2147483648.0; /* 2^31: R's bound on a dimension */
  double columns, rows, stream;
  dpa_key secret;
  if (draw == NULL || !is_number(scale) || !(REAL_RO(scale)[0] > 0.0) ||
      !whole_between(dim, 1.0, most, &columns) || !whole_between(n, 1.0, most, &rows) ||
      !whole_between(node, 0.0, 4294967296.0, &stream) ||
      ffi_read_key(key, &secret) != DPA_OK) {
    return ffi_status(DPA_ARGUMENT);
  }
  const size_t d = (size_t)columns, count = (size_t)rows;
  if (columns * rows > (double)R_XLEN_T_MAX) {
    return ffi_status(DPA_SIZE);
  }
  double *row = (double *)R_alloc(d, sizeof *row);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)columns));
  double *to = REAL(out);
  dpa_status status = DPA_OK;
  for (size_t t = 0; t < count && status == DPA_OK; t++) {
    dpa_rng rng;
    dpa_rng_init(&rng, &secret, (uint32_t)stream, (uint32_t)t + 1, purpose);
    draw(&rng, REAL_RO(scale)[0], row, d);
    status = dpa_rng_status(&rng);
    for (size_t i = 0; i < d; i++) {
      to[t + i * count] = row[i];
      if (!isfinite(row[i])) {
        status = DPA_NUMERIC;
      }
    }
    dpa_forget(&rng, sizeof rng);
  }
  dpa_forget(&secret, sizeof secret);
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}
