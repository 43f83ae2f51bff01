/* A whole run: a plan, an engine, and what comes of them. */
#include "ffi.h"

#include "ffi_engine.h"
#include "ffi_plan.h"
#include "ffi_records.h"
#include "rules/store.h"
#include "run/engine_local.h"
#include "run/run.h"

#include <string.h>

enum {
  STATUS,
  BEGUN,
  DONE,
  MODEL,
  ITERATES,
  GAP,
  STEP,
  SENT,
  CONDITION,
  EXTRA,
  STATES,
  WORK,
  MOMENTS,
  POINTS,
  GRADIENTS
};

static double *put_reals(SEXP list, int at, size_t length) {
  SEXP x = Rf_allocVector(REALSXP, (R_xlen_t)length);
  SET_VECTOR_ELT(list, at, x);
  memset(REAL(x), 0, length * sizeof(double));
  return REAL(x);
}

static void set_dim(SEXP x, const int *dim, int count) {
  SEXP value = PROTECT(Rf_allocVector(INTSXP, count));
  memcpy(INTEGER(value), dim, (size_t)count * sizeof *dim);
  Rf_setAttrib(x, R_DimSymbol, value);
  UNPROTECT(1);
}

/* list(y, u, mean_x, mean_y) of a split. */
static void put_extra(SEXP out, const dpa_plan *plan, dpa_trace *trace) {
  const char *names[] = {"y", "u", "mean_x", "mean_y", ""};
  const size_t m = plan->split.A.n;
  SEXP extra = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, EXTRA, extra);
  trace->y = put_reals(extra, 0, m);
  trace->u = put_reals(extra, 1, m);
  trace->mean_x = put_reals(extra, 2, plan->d);
  trace->mean_y = put_reals(extra, 3, m);
  UNPROTECT(1);
}

/* Moments, and of one model the gradients that were summed. */
static void put_moments(SEXP out, const dpa_plan *plan, size_t models,
                        dpa_trace *trace) {
  const size_t moves = dpa_plan_moves(plan), d = plan->d;
  const int box[] = {(int)d, (int)models, (int)(plan->rounds - moves)};
  const int flat[] = {(int)moves, (int)d};
  trace->moments = put_reals(out, MOMENTS, d * models * (size_t)box[2]);
  set_dim(VECTOR_ELT(out, MOMENTS), box, 3);
  if (plan->relay->many)
    return;
  trace->points = put_reals(out, POINTS, moves * d);
  trace->gradients = put_reals(out, GRADIENTS, moves * d);
  set_dim(VECTOR_ELT(out, POINTS), flat, 2);
  set_dim(VECTOR_ELT(out, GRADIENTS), flat, 2);
}

/* Where the trace goes: into the answer. */
static dpa_trace make_trace(SEXP out, const dpa_plan *plan, int keep, int late) {
  dpa_trace trace;
  memset(&trace, 0, sizeof trace);
  const int many = plan->relay->many, graph = plan->relay == &dpa_relay_graph;
  const size_t models = many ? plan->parties : 1;
  trace.shown = late ? 1 : 0;
  const size_t moves = dpa_plan_moves(plan);
  trace.kept = moves + trace.shown;
  trace.f = put_reals(out, MODEL, plan->d * models);
  const int dim[] = {(int)plan->d, (int)models};
  set_dim(VECTOR_ELT(out, MODEL), dim, 2);
  if (keep) {
    const int cube[] = {(int)trace.kept, (int)models, (int)plan->d};
    const int flat[] = {(int)trace.kept, (int)plan->d};
    trace.iterates = put_reals(out, ITERATES, trace.kept * models * plan->d);
    set_dim(VECTOR_ELT(out, ITERATES), many ? cube : flat, many ? 3 : 2);
  }
  if (graph || plan->relay == &dpa_relay_split)
    trace.gap = put_reals(out, GAP, moves);
  trace.step = put_reals(out, STEP, trace.kept);
  if (plan->test) {
    const int who[] = {(int)plan->parties, (int)plan->rounds};
    SET_VECTOR_ELT(out, SENT, Rf_allocMatrix(LGLSXP, who[0], who[1]));
    trace.sent = LOGICAL(VECTOR_ELT(out, SENT));
    memset(trace.sent, 0, plan->parties * plan->rounds * sizeof(int));
  }
  if (plan->relay == &dpa_relay_split)
    put_extra(out, plan, &trace);
  if (dpa_plan_asks(plan))
    put_moments(out, plan, models, &trace);
  return trace;
}

/* Only for who counts: it depends on the records. Bytes are all that the run has taken,
 * copies of records among them. */
static void put_work(SEXP out, const dpa_work *work, SEXP keeper) {
  const char *names[] = {"times", "back",    "squares", "diagonal",
                         "read",  "factors", "bytes",   ""};
  const double counts[] = {(double)work->times,   (double)work->back,
                           (double)work->squares, (double)work->diagonal,
                           (double)work->read,    (double)work->factors,
                           ffi_taken(keeper)};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, WORK, list);
  for (int k = 0; k < 7; k++)
    SET_VECTOR_ELT(list, k, Rf_ScalarReal(counts[k]));
  UNPROTECT(1);
}

static dpa_status run_local(const dpa_plan *plan, const dpa_holding *holding,
                            SEXP keeper, dpa_hub *hub, SEXP key, ffi_watcher *watch,
                            dpa_trace *trace, SEXP out) {
  dpa_local local;
  dpa_arena arena = {NULL, 0, 0};
  dpa_key run;
  dpa_local_layout(&local, &arena, plan, holding);
  if (!ffi_place(&arena, keeper))
    return DPA_SIZE;
  dpa_local_layout(&local, &arena, plan, holding);
  if (plan->relay == &dpa_relay_server)
    SET_VECTOR_ELT(out, STATES,
                   Rf_mkString(dpa_store_names[local.party[0].as.users.store]));
  dpa_status status = ffi_key_of(key, &run);
  if (status != DPA_OK)
    return status;
  dpa_local_start(&local, &run);
  const dpa_engine engine = dpa_local_engine(&local, ffi_poll, watch);
  const int blas = ffi_blas_alone();
  status = dpa_run(hub, &engine, &run, trace);
  ffi_blas_again(blas);
  dpa_local_close(&local);
  dpa_forget(&run, sizeof run);
  return status;
}

static dpa_status run_elsewhere(const dpa_plan *plan, SEXP functions, SEXP keeper,
                                dpa_hub *hub, SEXP key, ffi_watcher *watch,
                                dpa_trace *trace, SEXP out) {
  ffi_engine context;
  dpa_key run;
  SEXP held = PROTECT(Rf_allocVector(VECSXP, 2));
  dpa_status status = DPA_ARGUMENT;
  if (ffi_engine_open(&context, functions, held, keeper, plan) &&
      ffi_key_of(key, &run) == DPA_OK) {
    const dpa_engine engine = ffi_engine_of(&context, watch);
    status = dpa_run(hub, &engine, &run, trace);
    dpa_forget(&run, sizeof run);
    SET_VECTOR_ELT(out, CONDITION, VECTOR_ELT(held, 1));
  }
  UNPROTECT(1);
  return status;
}

/* What must fit together: the records and the plan. */
static void check_holdings(ffi_reader *reader, const dpa_plan *plan,
                           const dpa_holding *holding) {
  size_t users = 0;
  for (size_t i = 0; i < plan->parties; i++) {
    if (plan->server.first)
      ffi_check(reader, (size_t)plan->server.first[i] == users, "first_user");
    users += holding[i].users;
    ffi_check(reader,
              plan->descent.batch != DPA_BATCH_FIXED ||
                  plan->descent.batch_size <= (double)holding[i].records.n,
              "batch");
  }
  ffi_check(reader, plan->relay != &dpa_relay_server || users == plan->server.users,
            "users");
}

/* spec: see ffi_plan.c; records: see ffi_records.h, NULL with an engine of R's; key:
 * the run's; progress: a function of the number of finished rounds, or NULL. */
SEXP ffi_run(SEXP spec, SEXP records, SEXP key, SEXP progress) {
  const char *names[] = {"status",  "begun",  "done",      "f",     "iterates", "gap",
                         "step",    "sent",   "condition", "extra", "states",   "work",
                         "moments", "points", "gradients", ""};
  ffi_reader reader = {spec, NULL}, data = {records, NULL};
  SEXP keeper = PROTECT(ffi_keeper()), out = PROTECT(Rf_mkNamed(VECSXP, names));
  const dpa_plan *plan = ffi_plan(&reader, keeper);
  const int keep = ffi_flag(&reader, "keep");
  const int count = ffi_has(&reader, "count") && ffi_flag(&reader, "count");
  const int late =
      !reader.bad && plan->relay == &dpa_relay_server ? ffi_flag(&reader, "late") : 0;
  SEXP functions = ffi_field(&reader, "engine");
  const dpa_holding *holding = NULL;
  dpa_work work = {0};
  if (!reader.bad && functions == R_NilValue) {
    holding = ffi_records(&data, keeper, plan->parties, plan, count ? &work : NULL);
    ffi_check(&reader, !data.bad, data.bad);
    if (!reader.bad)
      check_holdings(&reader, plan, holding);
  }
  ffi_check(&reader, progress == R_NilValue || Rf_isFunction(progress), "progress");
  if (reader.bad) {
    UNPROTECT(2);
    return ffi_status_of(DPA_ARGUMENT, reader.bad);
  }
  dpa_hub hub;
  dpa_arena arena = {NULL, 0, 0};
  dpa_trace trace = make_trace(out, plan, keep, late);
  ffi_watcher watch = {progress, 0};
  memset(&hub, 0, sizeof hub);
  dpa_hub_layout(&hub, &arena, plan);
  dpa_status status = DPA_SIZE;
  if (ffi_place(&arena, keeper)) {
    dpa_hub_layout(&hub, &arena, plan);
    status = holding ? run_local(plan, holding, keeper, &hub, key, &watch, &trace, out)
                     : run_elsewhere(plan, functions, keeper, &hub, key, &watch, &trace,
                                     out);
  }
  if (holding && count)
    put_work(out, &work, keeper);
  SET_VECTOR_ELT(out, STATUS, ffi_status(status));
  SET_VECTOR_ELT(out, BEGUN, Rf_ScalarInteger((int)trace.begun));
  SET_VECTOR_ELT(out, DONE, Rf_ScalarInteger((int)trace.done));
  UNPROTECT(2);
  return out;
}
