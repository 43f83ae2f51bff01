/* Gradient ADMM as R sees it. All memory is R_alloc'ed. */
#include "ffi_gradient.h"

#include "core/driver_gradient.h"
#include "ffi.h"
#include "ffi_fit.h"
#include "ffi_penalty.h"

#include <string.h>

static double *new_field(SEXP out, int at, size_t length) {
  SET_VECTOR_ELT(out, at, Rf_allocVector(REALSXP, (R_xlen_t)length));
  return REAL(VECTOR_ELT(out, at));
}

/* One dataset without labels of its own, from a list of x, y, place and size. */
static const dpa_dataset *one_dataset(SEXP part, double bound) {
  return ffi_records(ffi_field(part, "x"), ffi_field(part, "y"),
                     ffi_field(part, "place"), ffi_field(part, "size"), bound);
}

/* spec: a named list, built by run_gradient() in R/gradient.R. */
SEXP ffi_gradient(SEXP spec) {
  dpa_key key;
  dpa_status status = ffi_read_key(ffi_field(spec, "key"), &key);
  if (status != DPA_OK)
    return ffi_status(status);
  ffi_watcher watch = {ffi_field(spec, "progress"), 0};
  SEXP mechanism = ffi_field(spec, "mechanism"), inverse = ffi_field(spec, "inverse");
  dpa_gradient_run run;
  memset(&run, 0, sizeof run);
  run.gradient.data =
      one_dataset(ffi_field(spec, "records"), ffi_real(spec, "row_bound"));
  run.gradient.loss = ffi_loss_named(ffi_field(spec, "loss"));
  run.gradient.width = ffi_real(spec, "width");
  run.gradient.weight = ffi_real(spec, "weight");
  run.gradient.clip = ffi_real(spec, "clip");
  run.gradient.threads = Rf_asInteger(ffi_field(spec, "threads"));
  run.A = one_dataset(ffi_field(spec, "A"), R_PosInf);
  run.b = ffi_reals(spec, "b");
  run.c = ffi_reals(spec, "c");
  run.weight = ffi_reals(spec, "weights");
  run.penalty = ffi_penalty_named(ffi_field(spec, "penalty"));
  run.parameter = ffi_reals(spec, "parameter");
  run.eta = ffi_real(spec, "eta");
  run.rho = ffi_real(spec, "rho");
  run.gamma = ffi_real(spec, "gamma");
  run.accelerated = Rf_asLogical(ffi_field(spec, "accelerated"));
  run.restart = Rf_asLogical(ffi_field(spec, "restart"));
  run.iterations = (size_t)Rf_asInteger(ffi_field(spec, "iterations"));
  run.inverse = inverse == R_NilValue ? NULL : REAL_RO(inverse);
  if (mechanism != R_NilValue) {
    run.mechanism = &dpa_mechanisms[Rf_asInteger(mechanism)];
    run.scale = ffi_reals(spec, "scale");
  }
  run.key = &key;
  run.poll = ffi_poll;
  run.context = &watch;

  dpa_arena arena = {NULL, 0, 0};
  dpa_gradient_run_layout(&run, &arena);
  status = ffi_place(&arena);
  if (status != DPA_OK)
    return ffi_status(status);
  dpa_gradient_run_layout(&run, &arena);

  const size_t d = run.gradient.data->d, m = run.A->n, T = run.iterations;
  const char *names[] = {"status", "x",        "y",    "u",     "mean_x", "mean_y",
                         "gap",    "iterates", "step", "begun", "done",   ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  dpa_gradient_trace trace;
  memset(&trace, 0, sizeof trace);
  trace.x = new_field(out, 1, d);
  trace.y = new_field(out, 2, m);
  trace.u = new_field(out, 3, m);
  trace.mean_x = new_field(out, 4, d);
  trace.mean_y = new_field(out, 5, m);
  trace.gap = new_field(out, 6, T);
  if (Rf_asLogical(ffi_field(spec, "keep"))) {
    SET_VECTOR_ELT(out, 7, Rf_allocMatrix(REALSXP, (int)T, (int)d));
    trace.iterates = REAL(VECTOR_ELT(out, 7));
  }
  trace.moved = new_field(out, 8, T);
  memcpy(trace.x, ffi_reals(spec, "start"), d * sizeof(double));

  status = dpa_gradient_run_all(&run, &trace);
  dpa_forget(&key, sizeof key);
  SET_VECTOR_ELT(out, 0, ffi_status(status));
  SET_VECTOR_ELT(out, 9, Rf_ScalarInteger((int)trace.begun));
  SET_VECTOR_ELT(out, 10, Rf_ScalarInteger((int)trace.done));
  UNPROTECT(1);
  return out;
}
