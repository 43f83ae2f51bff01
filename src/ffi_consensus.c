/* SEXP <-> C structs for noisy fixed-point iterations: rows in place, samples,
 * gradients of batches, affine maps and the consensus driver. All memory is R_alloc'ed,
 * so nothing leaks on an error or an interrupt. Arguments are checked in R. */
#include "ffi_consensus.h"

#include "core/affine.h"
#include "core/driver_consensus.h"
#include "core/sample.h"
#include "ffi.h"
#include "ffi_fit.h"
#include "ffi_penalty.h"

#include <math.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------ */

/* x: a matrix, or list(p, i, x, Dim) of the *transpose* of a sparse one. */
static void read_matrix(SEXP x, dpa_rows *rows) {
  memset(rows, 0, sizeof *rows);
  if (TYPEOF(x) == VECSXP) {
    const int *dim = INTEGER_RO(ffi_field(x, "Dim"));
    rows->d = (size_t)dim[0];
    rows->n = (size_t)dim[1];
    rows->row = INTEGER_RO(ffi_field(x, "p"));
    rows->col = INTEGER_RO(ffi_field(x, "i"));
    rows->val = ffi_reals(x, "x");
  } else {
    const int *dim = INTEGER_RO(Rf_getAttrib(x, R_DimSymbol));
    rows->n = (size_t)dim[0];
    rows->d = (size_t)dim[1];
    rows->dense = REAL_RO(x);
  }
}

/* spec: list(x, y, scale, square), built by row_view() in R/fixed_point.R. */
static void read_rows(SEXP spec, dpa_rows *rows) {
  read_matrix(ffi_field(spec, "x"), rows);
  rows->y = ffi_reals(spec, "y");
  rows->scale = ffi_reals(spec, "scale");
  rows->square = ffi_reals(spec, "square");
}

/* list(scale, square) */
SEXP ffi_row_measure(SEXP x, SEXP bound) {
  dpa_rows rows;
  read_matrix(x, &rows);
  const char *names[] = {"scale", "square", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)rows.n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)rows.n));
  dpa_rows_measure(&rows, Rf_asReal(bound), REAL(VECTOR_ELT(out, 0)),
                   REAL(VECTOR_ELT(out, 1)));
  UNPROTECT(1);
  return out;
}

/* ---- who takes part -------------------------------------------------------------- */

/* The sample of one iteration, from 1: `size` of n, or each with probability `size`. */
SEXP ffi_sample(SEXP key, SEXP iteration, SEXP n, SEXP size, SEXP poisson) {
  dpa_key k;
  const dpa_status status = ffi_read_key(key, &k);
  if (status != DPA_OK)
    return ffi_status(status);
  const size_t all = (size_t)Rf_asInteger(n);
  dpa_rng rng;
  dpa_rng_init(&rng, &k, 0, (uint32_t)Rf_asInteger(iteration), DPA_SAMPLING);
  size_t count;
  int *taken = (int *)R_alloc(all, sizeof *taken);
  if (Rf_asLogical(poisson)) {
    count = dpa_sample_poisson(&rng, all, Rf_asReal(size), taken);
  } else {
    count = (size_t)Rf_asInteger(size);
    dpa_sample_fixed(&rng, all, count, taken);
  }
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; i++)
    INTEGER(out)[i] = taken[i] + 1;
  dpa_forget(&k, sizeof k);
  dpa_forget(&rng, sizeof rng);
  UNPROTECT(1);
  return out;
}

/* list(count, most): rounds each user takes part in, and the largest of these counts
 * after each round. The draws are those of the driver. */
SEXP ffi_participation(SEXP key, SEXP n, SEXP size, SEXP rounds) {
  dpa_key k;
  const dpa_status status = ffi_read_key(key, &k);
  if (status != DPA_OK)
    return ffi_status(status);
  const size_t all = (size_t)Rf_asInteger(n), m = (size_t)Rf_asInteger(size);
  const int K = Rf_asInteger(rounds);
  const char *names[] = {"count", "most", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)all));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, K));
  int *count = INTEGER(VECTOR_ELT(out, 0)), *most = INTEGER(VECTOR_ELT(out, 1));
  int *taken = (int *)R_alloc(m, sizeof *taken);
  memset(count, 0, all * sizeof *count);
  int largest = 0;
  for (int t = 0; t < K; t++) {
    dpa_rng rng;
    dpa_rng_init(&rng, &k, 0, (uint32_t)(t + 1), DPA_SAMPLING);
    dpa_sample_fixed(&rng, all, m, taken);
    for (size_t i = 0; i < m; i++) {
      const int so_far = ++count[taken[i]];
      largest = so_far > largest ? so_far : largest;
    }
    most[t] = largest;
    R_CheckUserInterrupt();
  }
  dpa_forget(&k, sizeof k);
  UNPROTECT(1);
  return out;
}

/* A random walk on the complete graph with itself: users from 0, uniform. */
SEXP ffi_walk(SEXP key, SEXP n, SEXP steps) {
  dpa_key k;
  const dpa_status status = ffi_read_key(key, &k);
  if (status != DPA_OK)
    return ffi_status(status);
  const R_xlen_t K = (R_xlen_t)Rf_asInteger(steps);
  const uint64_t all = (uint64_t)Rf_asInteger(n);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, K));
  dpa_rng rng;
  dpa_rng_init(&rng, &k, 0, 1, DPA_SAMPLING);
  for (R_xlen_t t = 0; t < K; t++)
    INTEGER(out)[t] = (int)dpa_rng_below(&rng, all);
  dpa_forget(&k, sizeof k);
  dpa_forget(&rng, sizeof rng);
  UNPROTECT(1);
  return out;
}

/* ---- gradients of batches, affine maps ------------------------------------------- */

/* The sum over the batch (rows from 1; NULL: all) of the gradients at u, each shortened
 * to norm `bound`; only the coordinates in `block` (from 1; NULL: all) when given, and
 * then it is their norm that is bounded. */
SEXP ffi_mean_gradient(SEXP spec, SEXP batch, SEXP u, SEXP loss, SEXP width, SEXP bound,
                       SEXP block) {
  dpa_rows rows;
  read_rows(spec, &rows);
  const dpa_loss *which = ffi_loss_named(loss);
  const double h = Rf_asReal(width), most = Rf_asReal(bound);
  const int whole = block == R_NilValue;
  const size_t d = rows.d, b = whole ? d : (size_t)Rf_xlength(block);
  const size_t count = batch == R_NilValue ? rows.n : (size_t)Rf_xlength(batch);
  double *row = (double *)R_alloc(d, sizeof *row);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)b));
  double *sum = REAL(out);
  memset(sum, 0, b * sizeof *sum);
  for (size_t at = 0; at < count; at++) {
    const size_t i = batch == R_NilValue ? at : (size_t)INTEGER_RO(batch)[at] - 1;
    dpa_rows_copy(&rows, i, row);
    double margin = 0.0, slope;
    for (size_t j = 0; j < d; j++)
      margin += row[j] * REAL_RO(u)[j];
    which->slope(&margin, rows.y + i, 1, h, &slope, NULL);
    double square = rows.square[i];
    if (!whole) {
      square = 0.0;
      for (size_t j = 0; j < b; j++) {
        const double x = row[INTEGER_RO(block)[j] - 1];
        square += x * x;
      }
    }
    const double length = fabs(slope) * sqrt(square);
    if (length > most)
      slope *= most / length;
    for (size_t j = 0; j < b; j++)
      sum[j] += slope * row[whole ? j : (size_t)INTEGER_RO(block)[j] - 1];
  }
  UNPROTECT(1);
  return out;
}

/* A u + b at some entries (from 1), A column-major. */
SEXP ffi_affine(SEXP A, SEXP b, SEXP u, SEXP at) {
  const size_t d = (size_t)Rf_xlength(u), count = (size_t)Rf_xlength(at);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  dpa_affine(REAL_RO(A), REAL_RO(b), REAL_RO(u), d, INTEGER_RO(at), count, REAL(out));
  UNPROTECT(1);
  return out;
}

/* ---- the consensus driver -------------------------------------------------------- */

/* spec: a named list, built by consensus_spec() in R/fp_admm.R. */
static void read_run(SEXP spec, dpa_consensus *run, dpa_rows *rows) {
  memset(run, 0, sizeof *run);
  SEXP view = ffi_field(spec, "rows");
  if (view != R_NilValue) {
    read_rows(view, rows);
    run->rows = rows;
    run->users = rows->n;
    run->d = rows->d;
  } else {
    SEXP size = ffi_field(spec, "size");
    run->data =
        ffi_records(ffi_field(spec, "x"), ffi_field(spec, "y"),
                    ffi_field(spec, "place"), size, ffi_real(spec, "row_bound"));
    run->users = (size_t)Rf_xlength(size);
    run->d = run->data[0].d;
  }
  run->loss = ffi_loss_named(ffi_field(spec, "loss"));
  run->width = ffi_real(spec, "width");
  run->lambda = ffi_real(spec, "lambda");
  run->gamma = ffi_real(spec, "gamma");
  run->grad_bound = ffi_real(spec, "grad_bound");
  run->step_bound = ffi_real(spec, "step_bound");
  run->penalty = ffi_penalty_named(ffi_field(spec, "penalty"));
  run->parameter = ffi_reals(spec, "parameter");
  run->tol = ffi_real(spec, "tol");
  run->threads = Rf_asInteger(ffi_field(spec, "threads"));
}

static dpa_status place(dpa_consensus *run) {
  dpa_arena arena = {NULL, 0, 0};
  dpa_consensus_layout(run, &arena);
  const dpa_status status = ffi_place(&arena);
  if (status == DPA_OK)
    dpa_consensus_layout(run, &arena);
  return status;
}

/* list(status, history (d x (rounds + 1)), begun, done, states) */
SEXP ffi_consensus(SEXP spec) {
  dpa_consensus run;
  dpa_rows rows;
  read_run(spec, &run, &rows);
  run.rounds = (size_t)Rf_asInteger(ffi_field(spec, "rounds"));
  run.sample = (size_t)Rf_asInteger(ffi_field(spec, "sample"));
  SEXP walk = ffi_field(spec, "walk");
  run.walk = walk == R_NilValue ? NULL : INTEGER_RO(walk);
  run.block_noise = ffi_real(spec, "block_noise");
  run.mean_noise = ffi_real(spec, "mean_noise");
  ffi_watcher watch = {ffi_field(spec, "progress"), 0};
  run.poll = ffi_poll;
  run.context = &watch;
  dpa_status status = place(&run);
  dpa_key key;
  if (status == DPA_OK)
    status = ffi_read_key(ffi_field(spec, "key"), &key);
  if (status != DPA_OK)
    return ffi_status(status);
  run.key = &key;

  static const char *const states[] = {"dense", "shared", "traced"};
  const char *names[] = {"status", "history", "begun", "done", "states", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 1, Rf_allocMatrix(REALSXP, (int)run.d, (int)run.rounds + 1));
  run.history = REAL(VECTOR_ELT(out, 1));
  status = dpa_consensus_run(&run);
  dpa_forget(&key, sizeof key);
  SET_VECTOR_ELT(out, 0, ffi_status(status));
  SET_VECTOR_ELT(out, 2, Rf_ScalarInteger((int)run.begun));
  SET_VECTOR_ELT(out, 3, Rf_ScalarInteger((int)run.done));
  SET_VECTOR_ELT(out, 4, Rf_mkString(states[run.states]));
  UNPROTECT(1);
  return out;
}

/* R(u) at states u, d x users. */
SEXP ffi_consensus_operator(SEXP spec, SEXP u) {
  dpa_consensus run;
  dpa_rows rows;
  read_run(spec, &run, &rows);
  int nobody = 0;
  run.walk = &nobody; /* states of their own for all */
  dpa_status status = place(&run);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, Rf_xlength(u)));
  if (status == DPA_OK)
    status = dpa_consensus_operator(&run, REAL_RO(u), REAL(out));
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}
