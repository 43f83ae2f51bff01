/* SEXP <-> C structs for data, losses, networks and the decentralised driver. All
 * memory is R_alloc'ed, so nothing leaks on an error or an interrupt. */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "ffi_fit.h"

#include "core/driver_decentralised.h"
#include "ffi.h"
#include "ffi_sparse_vector.h"

#include <limits.h>
#include <string.h>

/* ---- reading a named list -------------------------------------------------------- */

SEXP ffi_field(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t k = 0; k < Rf_xlength(list); k++)
    if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0)
      return VECTOR_ELT(list, k);
  return R_NilValue;
}

const double *ffi_reals(SEXP list, const char *name) {
  return REAL_RO(ffi_field(list, name));
}

double ffi_real(SEXP list, const char *name) {
  return REAL_RO(ffi_field(list, name))[0];
}

/* ---- losses ---------------------------------------------------------------------- */

SEXP ffi_losses(void) {
  const R_xlen_t count = (R_xlen_t)dpa_losses_count;
  SEXP widths = PROTECT(Rf_allocVector(REALSXP, count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, count));
  for (R_xlen_t k = 0; k < count; k++) {
    REAL(widths)[k] = dpa_losses[k]->default_width;
    SET_STRING_ELT(names, k, Rf_mkChar(dpa_losses[k]->name));
  }
  Rf_setAttrib(widths, R_NamesSymbol, names);
  UNPROTECT(2);
  return widths;
}

const dpa_loss *ffi_loss_named(SEXP name) {
  return dpa_loss_find(CHAR(STRING_ELT(name, 0)));
}

SEXP ffi_loss_constants(SEXP name, SEXP width) {
  const dpa_loss_constants c = ffi_loss_named(name)->constants(REAL_RO(width)[0]);
  const char *names[] = {"lipschitz", "curvature",      "third", "self_concordant",
                         "tied",      "classification", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_ScalarReal(c.lipschitz));
  SET_VECTOR_ELT(out, 1, Rf_ScalarReal(c.curvature));
  SET_VECTOR_ELT(out, 2, Rf_ScalarReal(c.third));
  SET_VECTOR_ELT(out, 3, Rf_ScalarLogical(c.self_concordant));
  SET_VECTOR_ELT(out, 4, Rf_ScalarLogical(c.tied));
  SET_VECTOR_ELT(out, 5, Rf_ScalarLogical(c.classification));
  UNPROTECT(1);
  return out;
}

SEXP ffi_loss(SEXP name, SEXP width, SEXP a, SEXP y) {
  const dpa_loss *loss = ffi_loss_named(name);
  const R_xlen_t n = Rf_xlength(a);
  const char *names[] = {"value", "slope", "bend", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < 3; k++)
    SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, n));
  loss->value(REAL_RO(a), REAL_RO(y), (size_t)n, REAL_RO(width)[0],
              REAL(VECTOR_ELT(out, 0)));
  loss->slope(REAL_RO(a), REAL_RO(y), (size_t)n, REAL_RO(width)[0],
              REAL(VECTOR_ELT(out, 1)), REAL(VECTOR_ELT(out, 2)));
  UNPROTECT(1);
  return out;
}

/* ---- names of the tables --------------------------------------------------------- */

SEXP ffi_updates(void) {
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)dpa_updates_count));
  for (size_t k = 0; k < dpa_updates_count; k++)
    SET_STRING_ELT(names, (R_xlen_t)k, Rf_mkChar(dpa_updates[k]->name));
  UNPROTECT(1);
  return names;
}

SEXP ffi_mechanisms(void) {
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)dpa_mechanisms_count));
  for (size_t k = 0; k < dpa_mechanisms_count; k++)
    SET_STRING_ELT(names, (R_xlen_t)k, Rf_mkChar(dpa_mechanisms[k].name));
  UNPROTECT(1);
  return names;
}

/* ---- networks -------------------------------------------------------------------- */

static dpa_network network_of(SEXP start, SEXP neighbour) {
  dpa_network network;
  network.nodes = (size_t)Rf_xlength(start) - 1;
  network.start = INTEGER_RO(start);
  network.neighbour = INTEGER_RO(neighbour);
  return network;
}

SEXP ffi_components(SEXP start, SEXP neighbour) {
  const dpa_network network = network_of(start, neighbour);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)network.nodes));
  int *queue = (int *)R_alloc(network.nodes, sizeof *queue);
  dpa_network_components(&network, INTEGER(out), queue);
  UNPROTECT(1);
  return out;
}

/* ---- a random order -------------------------------------------------------------- */

SEXP ffi_permutation(SEXP key, SEXP size) {
  const int n = Rf_asInteger(size);
  dpa_key k;
  const dpa_status status = ffi_read_key(key, &k);
  if (status != DPA_OK)
    return ffi_status(status);
  dpa_rng rng;
  dpa_rng_init(&rng, &k, 0, 0, DPA_SAMPLING);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, n));
  int *order = INTEGER(out);
  for (int i = 0; i < n; i++)
    order[i] = i + 1;
  for (int i = n - 1; i > 0; i--) {
    const int j = (int)dpa_rng_below(&rng, (uint64_t)i + 1);
    const int swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
  dpa_forget(&k, sizeof k);
  dpa_forget(&rng, sizeof rng);
  UNPROTECT(1);
  return out;
}

/* ---- records --------------------------------------------------------------------- */

dpa_dataset *ffi_records(SEXP x, SEXP y, SEXP place, SEXP size, double bound) {
  const R_xlen_t n = Rf_xlength(y), nodes = Rf_xlength(size);
  const int sparse = TYPEOF(x) == VECSXP;
  const size_t d = (size_t)INTEGER_RO(sparse ? ffi_field(x, "Dim")
                                             : Rf_getAttrib(x, R_DimSymbol))[1];
  size_t *to = (size_t *)R_alloc((size_t)n, sizeof *to);
  double *label = (double *)R_alloc((size_t)n, sizeof *label);
  for (R_xlen_t k = 0; k < n; k++) {
    to[k] = (size_t)INTEGER_RO(place)[k] - 1;
    label[to[k]] = REAL_RO(y)[k];
  }
  double *dense = NULL, *val = NULL;
  size_t *row = NULL;
  int *col = NULL;
  if (sparse) {
    const int *p = INTEGER_RO(ffi_field(x, "p"));
    row = (size_t *)R_alloc((size_t)n + 1, sizeof *row);
    col = (int *)R_alloc((size_t)p[d], sizeof *col);
    val = (double *)R_alloc((size_t)p[d], sizeof *val);
    dpa_pack_sparse((size_t)n, d, p, INTEGER_RO(ffi_field(x, "i")), ffi_reals(x, "x"),
                    to, bound, row, col, val);
  } else {
    dense = (double *)R_alloc((size_t)n * d, sizeof *dense);
    dpa_pack_dense((size_t)n, d, REAL_RO(x), to, bound, dense);
  }
  dpa_dataset *data = (dpa_dataset *)R_alloc((size_t)nodes, sizeof *data);
  size_t first = 0;
  for (R_xlen_t i = 0; i < nodes; i++) {
    data[i].n = (size_t)INTEGER_RO(size)[i];
    data[i].d = d;
    data[i].y = label + first;
    data[i].dense = dense ? dense + first * d : NULL;
    data[i].row = row ? row + first : NULL;
    data[i].col = col; /* offsets in row are into the whole of col and val */
    data[i].val = val;
    first += data[i].n;
  }
  return data;
}

/* ---- memory ---------------------------------------------------------------------- */

dpa_status ffi_place(dpa_arena *arena) {
  if (arena->overflow)
    return DPA_SIZE;
  arena->base =
      (unsigned char *)R_alloc(arena->used / sizeof(double) + 1, sizeof(double));
  arena->used = 0;
  return DPA_OK;
}

/* ---- polling --------------------------------------------------------------------- */

static void check_interrupt(void *unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

static void show_progress(void *context) {
  const ffi_watcher *w = context;
  SEXP call = PROTECT(Rf_lang2(w->progress, Rf_ScalarReal((double)w->shown)));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(1);
}

/* At the top level of a context of its own, so that nothing jumps over the run. */
int ffi_poll(void *context, size_t done) {
  ffi_watcher *w = context;
  if (!R_ToplevelExec(check_interrupt, NULL))
    return 1;
  if (w->progress != R_NilValue && done != w->shown) {
    w->shown = done;
    return !R_ToplevelExec(show_progress, w);
  }
  return 0;
}

/* ---- the decentralised driver ---------------------------------------------------- */

SEXP ffi_threads(void) {
#ifdef _OPENMP
  return Rf_ScalarLogical(1);
#else
  return Rf_ScalarLogical(0);
#endif
}

/* spec: a named list, built by run_decentralised() in R/decentralised.R. */
SEXP ffi_decentralised(SEXP spec) {
  const dpa_network network =
      network_of(ffi_field(spec, "start"), ffi_field(spec, "neighbour"));
  const size_t nodes = network.nodes;
  const size_t T = (size_t)Rf_asInteger(ffi_field(spec, "iterations"));
  SEXP mechanism = ffi_field(spec, "mechanism");
  dpa_schedule schedule;
  schedule.nodes = nodes;
  schedule.iterations = T;
  schedule.update = INTEGER_RO(ffi_field(spec, "update"));
  schedule.eta = ffi_reals(spec, "eta");
  schedule.theta = ffi_reals(spec, "theta");
  schedule.gamma = ffi_reals(spec, "gamma");
  schedule.tol = ffi_reals(spec, "tol");
  schedule.mechanism = NULL;
  schedule.objective_scale = schedule.output_scale = NULL;
  if (mechanism != R_NilValue) {
    schedule.mechanism = &dpa_mechanisms[Rf_asInteger(mechanism)];
    schedule.objective_scale = ffi_reals(spec, "objective_scale");
    schedule.output_scale = ffi_reals(spec, "output_scale");
  }

  SEXP test = ffi_field(spec, "test");
  schedule.test = NULL;
  if (test != R_NilValue) {
    dpa_test *tests = (dpa_test *)R_alloc(nodes, sizeof *tests);
    for (size_t i = 0; i < nodes; i++)
      tests[i] = ffi_read_test(test, i);
    schedule.test = tests;
  }

  dpa_key key;
  dpa_status status = ffi_read_key(ffi_field(spec, "key"), &key);
  if (status != DPA_OK)
    return ffi_status(status);
  ffi_watcher watch = {ffi_field(spec, "progress"), 0};
  dpa_decentralised run;
  memset(&run, 0, sizeof run);
  run.network = &network;
  run.schedule = &schedule;
  run.data =
      ffi_records(ffi_field(spec, "x"), ffi_field(spec, "y"), ffi_field(spec, "place"),
                  ffi_field(spec, "size"), ffi_real(spec, "row_bound"));
  run.loss = ffi_loss_named(ffi_field(spec, "loss"));
  run.width = ffi_real(spec, "width");
  run.weight = ffi_reals(spec, "weight");
  run.ridge = ffi_real(spec, "ridge");
  run.key = &key;
  run.threads = Rf_asInteger(ffi_field(spec, "threads"));
  run.poll = ffi_poll;
  run.context = &watch;

  dpa_arena arena = {NULL, 0, 0};
  dpa_decentralised_layout(&run, &arena);
  status = ffi_place(&arena);
  if (status != DPA_OK)
    return ffi_status(status);
  dpa_decentralised_layout(&run, &arena);

  const size_t d = run.data[0].d;
  const int keep = Rf_asLogical(ffi_field(spec, "keep"));
  const char *names[] = {"status", "f",    "iterates", "gap", "step",
                         "begun",  "done", "sent",     ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP f = Rf_duplicate(ffi_field(spec, "f"));
  SET_VECTOR_ELT(out, 1, f);
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)T));
  SET_VECTOR_ELT(out, 4, Rf_allocVector(REALSXP, (R_xlen_t)T));
  dpa_trace trace;
  memset(&trace, 0, sizeof trace);
  if (keep) {
    SET_VECTOR_ELT(out, 2, Rf_alloc3DArray(REALSXP, (int)T, (int)nodes, (int)d));
    trace.iterates = REAL(VECTOR_ELT(out, 2));
  }
  if (schedule.test) {
    SET_VECTOR_ELT(out, 7, Rf_allocMatrix(LGLSXP, (int)nodes, (int)T));
    trace.sent = LOGICAL(VECTOR_ELT(out, 7));
  }
  trace.f = REAL(f);
  trace.gap = REAL(VECTOR_ELT(out, 3));
  trace.step = REAL(VECTOR_ELT(out, 4));

  status = dpa_decentralised_run(&run, &trace);
  dpa_forget(&key, sizeof key);
  SET_VECTOR_ELT(out, 0, ffi_status(status));
  SET_VECTOR_ELT(out, 5, Rf_ScalarInteger((int)trace.begun));
  SET_VECTOR_ELT(out, 6, Rf_ScalarInteger((int)trace.done));
  UNPROTECT(1);
  return out;
}
