/* Keys, noise and samples as R sees them. */
#include "ffi.h"

#include "random/draw.h"
#include "random/sample.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define INT_END 2147483648.0 /* 2^31: R's bound on a dimension */

/* ---- keys ------------------------------------------------------------------------ */

static SEXP key_to_raw(dpa_key *key) {
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)sizeof key->byte));
  memcpy(RAW(out), key->byte, sizeof key->byte);
  dpa_forget(key, sizeof *key);
  UNPROTECT(1);
  return out;
}

/* raw(32): from the operating system when seed is NULL or NA, else from the seed, a
 * whole number in [0, 2^53). */
SEXP ffi_key(SEXP seed) {
  dpa_key key;
  if (seed == R_NilValue || (ffi_is_number(seed) && ISNAN(REAL_RO(seed)[0]))) {
    const dpa_status status = dpa_key_from_entropy(&key);
    return status == DPA_OK ? key_to_raw(&key) : ffi_status(status);
  }
  double value;
  if (!ffi_whole(seed, 0.0, 9007199254740992.0, &value))
    return ffi_status(DPA_ARGUMENT);
  dpa_key_from_seed(&key, (uint64_t)value);
  return key_to_raw(&key);
}

/* The key of a party of a run, from 1; 2^32: the hub's. */
SEXP ffi_key_party(SEXP raw, SEXP party) {
  dpa_key run, key;
  double i;
  if (!ffi_whole(party, 1.0, 4294967297.0, &i) || ffi_key_of(raw, &run) != DPA_OK)
    return ffi_status(DPA_ARGUMENT);
  dpa_key_party(&run, (uint32_t)(i - 1.0), &key);
  dpa_forget(&run, sizeof run);
  return key_to_raw(&key);
}

/* Overwrites a raw(32) in place, for everybody who refers to it. */
SEXP ffi_key_forget(SEXP raw) {
  if (TYPEOF(raw) != RAWSXP)
    return ffi_status(DPA_ARGUMENT);
  dpa_forget(RAW(raw), (size_t)Rf_xlength(raw));
  return ffi_status(DPA_OK);
}

/* ---- noise ----------------------------------------------------------------------- */

/* An n x dim matrix of noise of a mechanism, for iterations of R's own: row t is what
 * the stream of (user, round t) gives for noise in the objective, or for queries
 * ("laplace").
 */
SEXP ffi_noise(SEXP kind, SEXP scale, SEXP dim, SEXP n, SEXP raw, SEXP user) {
  const char *name = ffi_text(kind);
  const dpa_mechanism *mechanism = name ? dpa_mechanism_find(name) : NULL;
  double columns, rows, stream;
  dpa_key key;
  if (!mechanism || !ffi_is_number(scale) || !(REAL_RO(scale)[0] > 0.0) ||
      !ffi_whole(dim, 1.0, INT_END, &columns) || !ffi_whole(n, 1.0, INT_END, &rows) ||
      !ffi_whole(user, 0.0, 4294967296.0, &stream) || ffi_key_of(raw, &key) != DPA_OK)
    return ffi_status(DPA_ARGUMENT);
  if (columns * rows > (double)R_XLEN_T_MAX)
    return ffi_status(DPA_SIZE);
  const size_t d = (size_t)columns, count = (size_t)rows;
  const dpa_purpose purpose =
      mechanism == &dpa_mechanism_laplace ? DPA_NOISE_QUERY : DPA_NOISE_OBJECTIVE;
  double *row = (double *)R_alloc(d, sizeof *row);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)columns));
  dpa_status status = DPA_OK;
  for (size_t t = 0; t < count && status == DPA_OK; t++) {
    status = dpa_draw(mechanism, &key, (uint32_t)stream, (uint32_t)t + 1, purpose,
                      REAL_RO(scale)[0], row, d);
    for (size_t j = 0; j < d; j++)
      REAL(out)[t + j * count] = row[j];
  }
  dpa_forget(&key, sizeof key);
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}

/* A vector as it may be sent in a round, from 1 (dpa_release): for iterations of R's
 * own. */
SEXP ffi_release(SEXP kind, SEXP scale, SEXP value, SEXP at, SEXP raw, SEXP what) {
  const char *name = ffi_text(kind);
  const dpa_mechanism *mechanism = name ? dpa_mechanism_find(name) : NULL;
  double round, purpose;
  dpa_key key;
  if (!mechanism || !ffi_is_number(scale) || !(REAL_RO(scale)[0] > 0.0) ||
      !ffi_whole(what, 0.0, DPA_NOISE_SERVER, &purpose) || TYPEOF(value) != REALSXP ||
      !ffi_whole(at, 1.0, INT_END, &round) || ffi_key_of(raw, &key) != DPA_OK)
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_duplicate(value));
  const dpa_status status =
      dpa_release(mechanism, &key, 0, (uint32_t)round, (dpa_purpose)purpose,
                  REAL_RO(scale)[0], REAL(out), REAL(out), (size_t)Rf_xlength(out));
  dpa_forget(&key, sizeof key);
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}

/* ---- samples --------------------------------------------------------------------- */

static SEXP from_one(const int *x, size_t count) {
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count));
  for (size_t k = 0; k < count; k++)
    INTEGER(out)[k] = x[k] + 1;
  UNPROTECT(1);
  return out;
}

/* The sample of one round, from 1: `size` of n, or each with probability `size`. */
SEXP ffi_sample(SEXP raw, SEXP round, SEXP n, SEXP size, SEXP poisson) {
  double all, t, m = 0.0;
  dpa_key key;
  const int each = TYPEOF(poisson) == LGLSXP && Rf_xlength(poisson) == 1 &&
                   LOGICAL_RO(poisson)[0] == 1;
  if (!ffi_whole(n, 1.0, INT_END, &all) || !ffi_whole(round, 0.0, INT_END, &t) ||
      (each ? !ffi_is_number(size) : !ffi_whole(size, 0.0, all + 1.0, &m)) ||
      ffi_key_of(raw, &key) != DPA_OK)
    return ffi_status(DPA_ARGUMENT);
  int *taken = (int *)R_alloc((size_t)all, sizeof *taken);
  size_t count = (size_t)m;
  if (each) {
    dpa_stream stream;
    dpa_stream_init(&stream, &key, 0, (uint32_t)t, DPA_SAMPLING);
    count = dpa_sample_poisson(&stream, (size_t)all, REAL_RO(size)[0], taken);
    dpa_forget(&stream, sizeof stream);
  } else {
    dpa_participants(&key, (uint32_t)t, (size_t)all, count, taken);
  }
  dpa_forget(&key, sizeof key);
  return from_one(taken, count);
}

/* list(count, most): rounds each user takes part in, and the largest of these counts
 * after each round. */
SEXP ffi_participation(SEXP raw, SEXP n, SEXP size, SEXP rounds) {
  double all, m, K;
  dpa_key key;
  if (!ffi_whole(n, 1.0, INT_END, &all) || !ffi_whole(size, 0.0, all + 1.0, &m) ||
      !ffi_whole(rounds, 0.0, INT_END, &K) || ffi_key_of(raw, &key) != DPA_OK)
    return ffi_status(DPA_ARGUMENT);
  const char *names[] = {"count", "most", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)all));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, (R_xlen_t)K));
  int *taken = (int *)R_alloc((size_t)m + 1, sizeof *taken);
  ffi_watcher watch = {R_NilValue, 0};
  const dpa_status status = dpa_participation(
      &key, (size_t)all, (size_t)m, (size_t)K, INTEGER(VECTOR_ELT(out, 0)),
      INTEGER(VECTOR_ELT(out, 1)), taken, ffi_poll, &watch);
  dpa_forget(&key, sizeof key);
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}

/* A random walk on the complete graph with itself: users from 0, uniform. */
SEXP ffi_walk(SEXP raw, SEXP n, SEXP steps) {
  double all, K;
  dpa_key key;
  if (!ffi_whole(n, 1.0, INT_END, &all) || !ffi_whole(steps, 0.0, INT_END, &K) ||
      ffi_key_of(raw, &key) != DPA_OK)
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)K));
  dpa_stream stream;
  dpa_stream_init(&stream, &key, 0, 1, DPA_SAMPLING);
  dpa_walk(&stream, (size_t)all, (size_t)K, INTEGER(out));
  dpa_forget(&key, sizeof key);
  dpa_forget(&stream, sizeof stream);
  UNPROTECT(1);
  return out;
}

/* A random order of 1, ..., n. */
SEXP ffi_permutation(SEXP raw, SEXP n) {
  double all;
  dpa_key key;
  if (!ffi_whole(n, 0.0, INT_END, &all) || ffi_key_of(raw, &key) != DPA_OK)
    return ffi_status(DPA_ARGUMENT);
  SEXP order = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)all));
  dpa_stream stream;
  dpa_stream_init(&stream, &key, 0, 0, DPA_SAMPLING);
  dpa_permutation(&stream, (size_t)all, INTEGER(order));
  dpa_forget(&key, sizeof key);
  dpa_forget(&stream, sizeof stream);
  for (R_xlen_t k = 0; k < (R_xlen_t)all; k++)
    INTEGER(order)[k]++;
  UNPROTECT(1);
  return order;
}

double ffi_dealt(SEXP size) {
  if (TYPEOF(size) != INTSXP)
    return -1.0;
  const R_xlen_t holders = Rf_xlength(size);
  const int *held = INTEGER_RO(size);
  double all = 0.0;
  int least = 0;
  for (R_xlen_t i = 0; i < holders; i++) {
    all += held[i];
    least = held[i] < least ? held[i] : least;
  }
  return least < 0 || !(all < INT_END) ? -1.0 : all;
}

dpa_status ffi_deal(SEXP raw, SEXP size, int *holder) {
  const double all = ffi_dealt(size);
  if (all < 0.0)
    return DPA_ARGUMENT;
  const size_t n = (size_t)all, holders = (size_t)Rf_xlength(size);
  /* not of R's heap, where it would stay for a while; it may jump, so no key before it
   */
  int *room = R_Calloc(n + holders + 1, int);
  dpa_key key;
  const dpa_status status = ffi_key_of(raw, &key);
  if (status == DPA_OK)
    dpa_deal(&key, INTEGER_RO(size), holders, n, room, holder);
  R_Free(room);
  dpa_forget(&key, sizeof key);
  return status;
}

/* The holder, from 1, of each record, at random, where holder i has size[i] of them. */
SEXP ffi_split(SEXP raw, SEXP size) {
  const double all = ffi_dealt(size);
  if (all < 0.0)
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)all));
  const dpa_status status = ffi_deal(raw, size, INTEGER(out));
  UNPROTECT(1);
  return status == DPA_OK ? out : ffi_status(status);
}
