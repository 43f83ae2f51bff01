/* Renyi accounting as R sees it. Kinds of releases are a named list of columns: `curve`
 * (a name of dpa_renyi_named(), or "called"), what dpa_renyi_kind has (`size`, `kappa`,
 * `tied`, `dim`, `lean`, `rate`, `noise`), and `called`, NULL or a list with, in the
 * place of each kind of that name, a function of orders. */
#include "ffi.h"

#include "account/orders.h"
#include "account/renyi.h"
#include "account/units.h"
#include "ffi_ledger.h"

#include <Rmath.h>
#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct called {
  SEXP curve, held; /* a function; list(value, condition) */
} called;

static dpa_status call_curve(const dpa_renyi_kind *kind, const double *orders, size_t n,
                             dpa_free_moment *moments, double *rdp) {
  (void)moments;
  called *own = kind->context;
  SEXP a = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
  memcpy(REAL(a), orders, n * sizeof *orders);
  SEXP code = PROTECT(Rf_lang2(own->curve, a));
  dpa_status status = ffi_ask(code, own->held);
  SEXP value = VECTOR_ELT(own->held, 0);
  if (status == DPA_OK && !ffi_is_reals(value, n))
    status = DPA_ARGUMENT;
  if (status == DPA_OK)
    memcpy(rdp, REAL_RO(value), n * sizeof *rdp);
  UNPROTECT(2);
  return status;
}

/* ---- reading --------------------------------------------------------------------- */

typedef struct table {
  dpa_renyi_kind *kind;
  size_t count;
  SEXP held;
} table;

static void read_curve(ffi_reader *reader, const char *name, size_t k, table *table) {
  dpa_renyi_kind *kind = &table->kind[k];
  SEXP functions = ffi_field(reader, "called");
  if (strcmp(name, "called") != 0) {
    kind->curve = dpa_renyi_named(name);
    ffi_check(reader, kind->curve != NULL, "curve");
  } else if (ffi_check(reader,
                       TYPEOF(functions) == VECSXP &&
                           k < (size_t)Rf_xlength(functions) &&
                           Rf_isFunction(VECTOR_ELT(functions, (R_xlen_t)k)),
                       "called")) {
    called *own = (called *)R_alloc(1, sizeof *own);
    *own = (called){VECTOR_ELT(functions, (R_xlen_t)k), table->held};
    kind->curve = call_curve;
    kind->context = own;
  }
}

/* `held` is protected by the caller. */
static void read_kinds(ffi_reader *reader, SEXP held, table *out) {
  SEXP names = ffi_field(reader, "curve"), tied = ffi_field(reader, "tied");
  const size_t n = TYPEOF(names) == STRSXP ? (size_t)Rf_xlength(names) : 0;
  const double *size = ffi_reals(reader, "size", n);
  const double *kappa = ffi_reals(reader, "kappa", n);
  const double *dim = ffi_reals(reader, "dim", n);
  const double *lean = ffi_reals(reader, "lean", n);
  const double *rate = ffi_reals(reader, "rate", n);
  const double *noise = ffi_reals(reader, "noise", n);
  ffi_check(reader, TYPEOF(tied) == LGLSXP && (size_t)Rf_xlength(tied) == n, "tied");
  ffi_check(reader, n > 0, "curve");
  *out = (table){NULL, n, held};
  if (reader->bad)
    return;
  out->kind = (dpa_renyi_kind *)R_alloc(n, sizeof *out->kind);
  for (size_t k = 0; k < n; k++) {
    out->kind[k] = (dpa_renyi_kind){.size = size[k],
                                    .kappa = kappa[k],
                                    .tied = LOGICAL_RO(tied)[k] == 1,
                                    .dim = dim[k],
                                    .lean = lean[k],
                                    .rate = rate[k],
                                    .noise = noise[k]};
    SEXP name = STRING_ELT(names, (R_xlen_t)k);
    const dpa_renyi_kind *before = k > 0 ? out->kind + k - 1 : NULL;
    /* mostly the same again */
    if (before && name == STRING_ELT(names, (R_xlen_t)k - 1) && !before->context)
      out->kind[k].curve = before->curve;
    else
      read_curve(reader, CHAR(name), k, out);
  }
}

static void read_search(ffi_reader *reader, dpa_orders *out) {
  SEXP grid = ffi_field(reader, "grid"), widths = ffi_field(reader, "widths");
  const double *width = ffi_maybe_reals(reader, "widths", FFI_ANY);
  *out = (dpa_orders){.grid = ffi_reals(reader, "grid", FFI_ANY),
                      .points = (size_t)Rf_xlength(grid),
                      .stride = (size_t)ffi_int(reader, "stride", 1, DPA_MOST_ORDERS),
                      .step = ffi_real(reader, "step", 0.0, 10.0),
                      .halvings = ffi_int(reader, "halvings", 0, 100),
                      .widths = width,
                      .looks = width ? (size_t)Rf_xlength(widths) : 0,
                      .walks = ffi_flag(reader, "walks"),
                      .valleys = ffi_flag(reader, "valleys"),
                      .around = ffi_flag(reader, "around")};
}

/* ---- answers --------------------------------------------------------------------- */

static SEXP answer(dpa_status status, const ffi_reader *reader, SEXP held, SEXP out) {
  if (reader->bad)
    return ffi_status_of(DPA_ARGUMENT, reader->bad);
  if (status == DPA_ENGINE)
    return ffi_status_why(VECTOR_ELT(held, 1));
  return status == DPA_OK ? out : ffi_status(status);
}

/* Divergences at orders less one: a matrix, orders x kinds. */
SEXP ffi_renyi_divergences(SEXP columns, SEXP s) {
  ffi_reader reader = {columns, NULL};
  SEXP held = PROTECT(Rf_allocVector(VECSXP, 2));
  table kinds;
  read_kinds(&reader, held, &kinds);
  ffi_check(&reader, TYPEOF(s) == REALSXP, "s");
  const size_t n = reader.bad ? 0 : (size_t)Rf_xlength(s);
  ffi_check(&reader, n <= 0x7fffffff && kinds.count <= 0x7fffffff, "s");
  if (reader.bad) {
    UNPROTECT(1);
    return answer(DPA_ARGUMENT, &reader, held, R_NilValue);
  }
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)kinds.count));
  double *order = (double *)R_alloc(n + 1, sizeof *order);
  dpa_free_moment *moments = (dpa_free_moment *)R_alloc(n + 1, sizeof *moments);
  memset(moments, 0, (n + 1) * sizeof *moments);
  for (size_t i = 0; i < n; i++)
    order[i] = 1.0 + REAL_RO(s)[i];
  dpa_status status = DPA_OK;
  for (size_t k = 0; k < kinds.count && status == DPA_OK; k++)
    status = dpa_renyi_outward(&kinds.kind[k], order, n, moments, REAL(out) + k * n);
  SEXP result = answer(status, &reader, held, out);
  UNPROTECT(2);
  return result;
}

/* ---- ledgers --------------------------------------------------------------------- */

/* Ledgers that are asked about one by one, and what for. */
typedef struct asking {
  ffi_reader reader, how;
  table kinds;
  dpa_orders orders;
  R_xlen_t count;
  const double *near;
  dpa_order_space *space;
} asking;

/* `held` is protected by the caller. */
static void read_asking(SEXP columns, SEXP ledgers, SEXP search, SEXP held,
                        asking *out) {
  *out = (asking){.reader = {columns, NULL}, .how = {search, NULL}};
  read_kinds(&out->reader, held, &out->kinds);
  read_search(&out->how, &out->orders);
  ffi_check(&out->reader, TYPEOF(ledgers) == VECSXP, "ledgers");
  out->count = out->reader.bad ? 0 : Rf_xlength(ledgers);
  out->near = ffi_maybe_reals(&out->how, "near", (size_t)out->count);
  const int net = ffi_flag(&out->how, "net");
  ffi_check(&out->reader, !out->how.bad, out->how.bad ? out->how.bad : "search");
  out->space = (dpa_order_space *)R_alloc(1, sizeof *out->space);
  memset(out->space, 0, sizeof *out->space);
  if (net) {
    out->space->norms.net = (dpa_net *)R_alloc(1, sizeof(dpa_net));
    memset(out->space->norms.net, 0, sizeof(dpa_net));
  }
}

/* list(epsilon, order) of ledgers, by a search: a list of what dpa_orders has, and
 * `near`, NULL or where the best order of each is expected. */
SEXP ffi_renyi_orders(SEXP columns, SEXP ledgers, SEXP search, SEXP log_delta) {
  SEXP held = PROTECT(Rf_allocVector(VECSXP, 2));
  asking of;
  read_asking(columns, ledgers, search, held, &of);
  double given = NAN;
  if (ffi_check(&of.reader, ffi_is_number(log_delta), "log_delta"))
    given = REAL_RO(log_delta)[0];
  const R_xlen_t n = of.reader.bad ? 0 : of.count;
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, n));
  double *epsilon = REAL(VECTOR_ELT(out, 0)), *order = REAL(VECTOR_ELT(out, 1));
  ffi_watcher watch = {R_NilValue, 0};
  dpa_status status = DPA_OK;
  for (R_xlen_t i = 0; i < n && status == DPA_OK && !of.reader.bad; i++) {
    void *before = vmaxget();
    dpa_ledger ledger;
    ffi_ledger(&of.reader, VECTOR_ELT(ledgers, i), of.kinds.count, &ledger);
    ledger.near = of.near ? of.near[i] : NAN;
    if (!of.reader.bad)
      status = dpa_best_order(&of.orders, of.kinds.kind, &ledger, given, of.space,
                              epsilon + i, order + i);
    vmaxset(before);
    if (status == DPA_OK && ffi_poll(&watch, 0))
      status = DPA_INTERRUPT;
  }
  SEXP result = answer(status, &of.reader, held, out);
  UNPROTECT(2);
  return result;
}

static int read_spenders(ffi_reader *reader, const table *kinds, SEXP releases,
                         SEXP budget, dpa_spenders *out) {
  ffi_reader each = {releases, NULL}, may = {budget, NULL};
  SEXP epsilon = ffi_field(&may, "epsilon");
  const size_t parties = (size_t)Rf_xlength(epsilon);
  *out = (dpa_spenders){.kind = kinds->kind,
                        .rows = kinds->count,
                        .parties = parties,
                        .count = ffi_reals(&each, "count", kinds->count),
                        .epsilon = ffi_reals(&may, "epsilon", FFI_ANY),
                        .cost = ffi_reals(&may, "cost", parties),
                        .log_delta = ffi_real(&may, "log_delta", -INFINITY, 0.0),
                        .width = ffi_real(&may, "width", 0.0, 1.0),
                        .others = ffi_flag(&may, "others"),
                        .log_choose = Rf_lchoose};
  ffi_check(&may, parties <= INT_MAX, "epsilon");
  if (!may.bad)
    out->party = ffi_ints(&each, "node", kinds->count, 1, (int)parties);
  return ffi_check(reader, !each.bad && !may.bad, each.bad ? each.bad : may.bad);
}

/* list(unit, order) of parties, see dpa_units(). columns: kinds of releases with noise
 * of unit 1, of which `releases`, list(node = in 1, 2, ...; count), says whose they
 * are; budget: list(epsilon, cost, one a node; log_delta, width, others). */
SEXP ffi_renyi_units(SEXP columns, SEXP releases, SEXP search, SEXP budget) {
  SEXP held = PROTECT(Rf_allocVector(VECSXP, 2));
  SEXP keeper = PROTECT(ffi_keeper());
  ffi_reader reader = {columns, NULL}, how = {search, NULL};
  table kinds;
  dpa_orders orders;
  dpa_spenders of;
  dpa_units_room room;
  dpa_arena arena = {NULL, 0, 0};
  read_kinds(&reader, held, &kinds);
  read_search(&how, &orders);
  ffi_check(&reader, !how.bad, how.bad ? how.bad : "search");
  if (!reader.bad && read_spenders(&reader, &kinds, releases, budget, &of)) {
    dpa_units_layout(&room, &arena, of.rows, of.parties);
    if (ffi_check(&reader, ffi_place(&arena, keeper), "columns"))
      dpa_units_layout(&room, &arena, of.rows, of.parties);
  }
  const R_xlen_t n = reader.bad ? 0 : (R_xlen_t)of.parties;
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, n));
  ffi_watcher watch = {R_NilValue, 0};
  dpa_status status = DPA_ARGUMENT;
  if (!reader.bad)
    status = dpa_units(&orders, &of, &room, ffi_poll, &watch, REAL(VECTOR_ELT(out, 0)),
                       REAL(VECTOR_ELT(out, 1)));
  SEXP result = answer(status, &reader, held, out);
  UNPROTECT(3);
  return result;
}
