#include "ffi_engine.h"

#include <string.h>

int ffi_engine_open(ffi_engine *engine, SEXP list, SEXP held, SEXP keeper,
                    const dpa_plan *plan) {
  const ffi_reader reader = {list, NULL};
  engine->submit = ffi_field(&reader, "submit");
  engine->collect = ffi_field(&reader, "collect");
  engine->sum = ffi_field(&reader, "sum");
  engine->held = held;
  engine->plan = plan;
  engine->board = FFI_TAKE(keeper, double, plan->d * plan->parties);
  engine->round = 0;
  return Rf_isFunction(engine->submit) &&
         Rf_isFunction(plan->secure.grid > 0.0 ? engine->sum : engine->collect);
}

/* ---- the engine ------------------------------------------------------------------ */

static dpa_status submit(void *context, size_t party, uint32_t round,
                         const double *inbox) {
  ffi_engine *engine = context;
  const size_t d = engine->plan->d;
  engine->round = round;
  SEXP values = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)d));
  memcpy(REAL(values), inbox, d * sizeof *inbox);
  SEXP who = PROTECT(Rf_ScalarInteger((int)party + 1));
  SEXP when = PROTECT(Rf_ScalarInteger((int)round));
  SEXP code = PROTECT(Rf_lang4(engine->submit, who, when, values));
  const dpa_status status = ffi_ask(code, engine->held);
  UNPROTECT(4);
  return status;
}

/* Whether the answer is a condition, which is kept. */
static int is_condition(ffi_engine *engine, SEXP answer) {
  if (!Rf_inherits(answer, "condition"))
    return 0;
  SET_VECTOR_ELT(engine->held, 1, answer);
  return 1;
}

static dpa_status read_answer(ffi_engine *engine, size_t party, dpa_message *message) {
  SEXP answer = VECTOR_ELT(engine->held, 0);
  if (is_condition(engine, answer))
    return DPA_ENGINE;
  const size_t d = engine->plan->d;
  ffi_reader reader = {answer, NULL};
  const double *values = ffi_reals(&reader, "values", d);
  const int sent = ffi_flag(&reader, "sent");
  if (reader.bad)
    return DPA_ENGINE;
  double *board = engine->board + party * d;
  memcpy(board, values, d * sizeof *board);
  const dpa_message read = {engine->round, (uint32_t)party, sent, DPA_OK, d, board};
  *message = read;
  return DPA_OK;
}

static dpa_status collect(void *context, size_t party, dpa_message *message) {
  ffi_engine *engine = context;
  SEXP who = PROTECT(Rf_ScalarInteger((int)party + 1));
  SEXP code = PROTECT(Rf_lang2(engine->collect, who));
  dpa_status status = ffi_ask(code, engine->held);
  if (status == DPA_OK)
    status = read_answer(engine, party, message);
  UNPROTECT(2);
  return status;
}

static dpa_status sum(void *context, uint64_t *out) {
  ffi_engine *engine = context;
  SEXP code = PROTECT(Rf_lang1(engine->sum));
  dpa_status status = ffi_ask(code, engine->held);
  UNPROTECT(1);
  if (status != DPA_OK)
    return status;
  SEXP answer = VECTOR_ELT(engine->held, 0);
  if (is_condition(engine, answer) || !ffi_words_add(answer, engine->plan->d, NULL))
    return DPA_ENGINE;
  memset(out, 0, engine->plan->d * sizeof *out);
  ffi_words_add(answer, engine->plan->d, out);
  return DPA_OK;
}

dpa_engine ffi_engine_of(ffi_engine *engine, ffi_watcher *watch) {
  const dpa_engine out = {engine, submit, collect, sum, ffi_poll, watch};
  return out;
}
