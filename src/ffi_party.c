/* One party by itself, for engines in R: a handle with its records, key and state. Its
 * memory is R's, kept by the handle; its key is overwritten on close and when the
 * handle is collected. */
#include "ffi.h"

#include "ffi_plan.h"
#include "ffi_records.h"
#include "run/relay.h"
#include "run/step.h"

#include <string.h>

typedef struct handle {
  const dpa_plan *plan;
  dpa_party party;
} handle;

#define TAG "dpadmm_party"

static handle *handle_of(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install(TAG))
    return NULL;
  return R_ExternalPtrAddr(pointer);
}

static void close_handle(SEXP pointer) {
  handle *it = handle_of(pointer);
  if (it)
    dpa_party_close(&it->party);
  R_ClearExternalPtr(pointer);
  R_SetExternalPtrProtected(pointer, R_NilValue);
}

/* The records of one party of a plan for several. */
static const dpa_holding *read_one(ffi_reader *reader, SEXP keeper,
                                   const dpa_plan *plan) {
  return ffi_records(reader, keeper, 1, plan, NULL);
}

static dpa_status open_party(handle *it, SEXP keeper, size_t i,
                             const dpa_holding *holding, SEXP key) {
  dpa_arena arena = {NULL, 0, 0};
  dpa_key own;
  dpa_party_open(&it->party, &arena, &arena, it->plan, i, holding);
  if (!ffi_place(&arena, keeper))
    return DPA_SIZE;
  const size_t size = it->party.state_size + it->party.cache_size;
  memset(arena.base, 0, size); /* what is saved holds nothing of others' */
  dpa_party_open(&it->party, &arena, &arena, it->plan, i, holding);
  const dpa_status status = ffi_key_of(key, &own);
  if (status == DPA_OK)
    dpa_party_start(&it->party, &own);
  dpa_forget(&own, sizeof own);
  return status;
}

/* A handle of party i (from 1) of the plan in `spec`, or a status. */
SEXP ffi_party_open(SEXP spec, SEXP i, SEXP records, SEXP key) {
  ffi_reader reader = {spec, NULL}, data = {records, NULL};
  SEXP keeper = PROTECT(ffi_keeper());
  SETCAR(keeper, Rf_list2(spec, records));
  const dpa_plan *plan = ffi_plan(&reader, keeper);
  double who = 0.0;
  if (!reader.bad)
    ffi_check(&reader, ffi_whole(i, 1.0, (double)plan->parties + 1.0, &who), "party");
  const dpa_holding *holding = reader.bad ? NULL : read_one(&data, keeper, plan);
  ffi_check(&reader, !data.bad, data.bad);
  if (!reader.bad && plan->relay == &dpa_relay_server) {
    const size_t first =
        plan->server.first ? (size_t)plan->server.first[(size_t)who - 1] : 0;
    ffi_check(&reader, first + holding->users <= plan->server.users, "users");
  }
  dpa_status status = ffi_reader_status(&reader);
  handle *it = FFI_TAKE(keeper, handle, 1);
  memset(it, 0, sizeof *it);
  it->plan = plan;
  if (status == DPA_OK)
    status = open_party(it, keeper, (size_t)who - 1, holding, key);
  if (status != DPA_OK) {
    UNPROTECT(1);
    return ffi_status_of(status, reader.bad);
  }
  SEXP pointer = PROTECT(R_MakeExternalPtr(it, Rf_install(TAG), keeper));
  R_RegisterCFinalizerEx(pointer, close_handle, TRUE);
  UNPROTECT(2);
  return pointer;
}

/* list(status, sent, values) of a round; `sent` and `values` only when all is well, and
 * of a secure plan no values, which have no noise: see ffi_party_share(). */
SEXP ffi_party_step(SEXP pointer, SEXP round, SEXP inbox) {
  handle *it = handle_of(pointer);
  double t;
  if (!it || !ffi_whole(round, 0.0, 2147483647.0, &t) ||
      !ffi_is_reals(inbox, it->party.d))
    return ffi_status(DPA_ARGUMENT);
  ffi_watcher watch = {R_NilValue, 0};
  const int blas = ffi_blas_alone();
  dpa_status status =
      dpa_party_begin(&it->party, it->plan, (uint32_t)t, REAL_RO(inbox));
  int stopped = 0;
  while (status == DPA_CONTINUE && !(stopped = ffi_poll(&watch, 0)))
    status = dpa_party_advance(&it->party);
  ffi_blas_again(blas);
  if (stopped)
    return ffi_status(DPA_INTERRUPT); /* the round goes on when it is asked for again */
  const char *names[] = {"status", "sent", "values", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, ffi_status(status));
  if (status == DPA_OK) {
    const dpa_message message = dpa_party_message(&it->party);
    if (!(it->plan->secure.grid > 0.0)) {
      SEXP values = Rf_allocVector(REALSXP, (R_xlen_t)message.d);
      SET_VECTOR_ELT(out, 2, values);
      memcpy(REAL(values), message.values, message.d * sizeof(double));
    }
    SET_VECTOR_ELT(out, 1, Rf_ScalarLogical(message.sent));
  }
  UNPROTECT(1);
  return out;
}

/* The party's part of a secure plan's sum for its last round, as words (ffi_words.c),
 * or a status. */
SEXP ffi_party_share(SEXP pointer, SEXP attempt) {
  handle *it = handle_of(pointer);
  double number;
  if (!it || !ffi_whole(attempt, 0.0, 2147483647.0, &number))
    return ffi_status(DPA_ARGUMENT);
  SEXP keeper = PROTECT(ffi_keeper());
  int64_t *share = FFI_TAKE(keeper, int64_t, it->party.d);
  const dpa_status status =
      dpa_party_share(&it->party, it->plan, (uint32_t)number, share);
  SEXP out = status == DPA_OK ? ffi_words_of((const uint64_t *)share, it->party.d)
                              : ffi_status(status);
  UNPROTECT(1);
  return out;
}

/* The party as a raw vector. */
SEXP ffi_party_save(SEXP pointer, SEXP cache) {
  handle *it = handle_of(pointer);
  if (!it || TYPEOF(cache) != LGLSXP || Rf_xlength(cache) != 1)
    return ffi_status(DPA_ARGUMENT);
  const int with_cache = LOGICAL_RO(cache)[0] == 1;
  SEXP out =
      PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)dpa_party_size(&it->party, with_cache)));
  const dpa_status status = dpa_party_save(&it->party, with_cache, RAW(out));
  UNPROTECT(1);
  return status == DPA_OK ? out : ffi_status(status);
}

SEXP ffi_party_load(SEXP pointer, SEXP raw) {
  handle *it = handle_of(pointer);
  if (!it || TYPEOF(raw) != RAWSXP)
    return ffi_status(DPA_ARGUMENT);
  return ffi_status(
      dpa_party_load(&it->party, it->plan, RAW_RO(raw), (size_t)Rf_xlength(raw)));
}

SEXP ffi_party_close(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install(TAG))
    return ffi_status(DPA_ARGUMENT);
  close_handle(pointer);
  return ffi_status(DPA_OK);
}
