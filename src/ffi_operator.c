/* Operators at a point: what a run does in one round, without noise. */
#include "ffi.h"

#include "data/affine.h"
#include "data/kernels.h"
#include "data/largest.h"
#include "ffi_plan.h"
#include "ffi_records.h"
#include "rules/store.h"
#include "run/relay.h"
#include "run/step.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* list(scale, norm) of records in place, see ffi_records.h. */
SEXP ffi_row_measure(SEXP x, SEXP bound, SEXP threads) {
  const char *list_names[] = {"x", ""}, *names[] = {"scale", "norm", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, list_names));
  SET_VECTOR_ELT(list, 0, x);
  ffi_reader reader = {list, NULL};
  const dpa_records records = ffi_rows(&reader, 0);
  ffi_check(&reader, ffi_is_number(bound) && REAL_RO(bound)[0] >= 1e-280, "bound");
  double count = 1.0;
  ffi_check(&reader, ffi_whole(threads, 1.0, 1025.0, &count), "threads");
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(REALSXP, (R_xlen_t)records.n));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)records.n));
  if (!reader.bad)
    dpa_measure(&records, 1.0, REAL_RO(bound)[0], ffi_threads((int)count),
                REAL(VECTOR_ELT(out, 0)), REAL(VECTOR_ELT(out, 1)));
  UNPROTECT(2);
  return reader.bad ? ffi_status_of(DPA_ARGUMENT, reader.bad) : out;
}

/* `scale` of the rows of a dgCMatrix, of its slots as they are. */
SEXP ffi_shortening(SEXP x, SEXP bound) {
  const char *names[] = {"x", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, x);
  ffi_reader reader = {list, NULL};
  const dpa_records columns = ffi_rows(&reader, 0);
  ffi_check(&reader, !columns.dense, "x");
  ffi_check(&reader, ffi_is_number(bound) && REAL_RO(bound)[0] >= 1e-280, "bound");
  const size_t n = columns.d;
  SEXP scale = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
  double *unit = (double *)R_alloc(n + 1, sizeof *unit);
  if (!reader.bad)
    dpa_measure_columns(n, columns.n, columns.row, columns.col, columns.val,
                        REAL_RO(bound)[0], REAL(scale), unit);
  UNPROTECT(2);
  return reader.bad ? ffi_status_of(DPA_ARGUMENT, reader.bad) : scale;
}

/* The largest size of a number; not finite where one is not. */
SEXP ffi_largest(SEXP x, SEXP threads) {
  double count = 1.0;
  if (TYPEOF(x) != REALSXP)
    return ffi_status_of(DPA_ARGUMENT, "x");
  if (!ffi_whole(threads, 1.0, 1025.0, &count))
    return ffi_status_of(DPA_ARGUMENT, "threads");
  return Rf_ScalarReal(
      dpa_largest(REAL_RO(x), (size_t)Rf_xlength(x), ffi_threads((int)count)));
}

/* X X' of a matrix. */
SEXP ffi_row_products(SEXP x) {
  if (TYPEOF(x) != REALSXP || !Rf_isMatrix(x))
    return ffi_status_of(DPA_ARGUMENT, "x");
  const int m = Rf_nrows(x), n = Rf_ncols(x);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, m, m));
  double *H = REAL(out);
  const size_t d = (size_t)m;
  memset(H, 0, d * d * sizeof *H);
  /* columns of X are rows of its transpose */
  for (size_t j = 0; j < d; j += DPA_SQUARE_COLUMNS)
    dpa_rows_square(REAL_RO(x), NULL, (size_t)n, d, j, H);
  for (size_t j = 0; j < d; j++)
    for (size_t i = 0; i < j; i++)
      H[j * d + i] = H[i * d + j];
  UNPROTECT(1);
  return out;
}

/* Whether they are doubles that are all -1 or 1. */
SEXP ffi_are_signs(SEXP x) {
  if (TYPEOF(x) != REALSXP)
    return Rf_ScalarLogical(0);
  const double *value = REAL_RO(x);
  int other = 0;
  for (R_xlen_t k = 0, n = Rf_xlength(x); k < n; k++)
    other |= (value[k] != 1.0) & (value[k] != -1.0);
  return Rf_ScalarLogical(!other);
}

/* The one party of a plan, without a key: its orders have no noise. */
static const dpa_plan *open_one(ffi_reader *reader, SEXP records, SEXP keeper,
                                dpa_party *party) {
  static const dpa_key no_key = {{0}};
  dpa_plan *plan = (dpa_plan *)ffi_plan(reader, keeper);
  ffi_check(reader, plan->parties == 1 && plan->rounds == 1, "parties");
  if (reader->bad)
    return NULL;
  plan->mechanism = NULL;
  ffi_reader data = {records, NULL};
  const dpa_holding *holding = ffi_records(&data, keeper, 1, plan, NULL);
  if (!ffi_check(reader, !data.bad, data.bad))
    return NULL;
  dpa_arena arena = {NULL, 0, 0};
  dpa_party_open(party, &arena, &arena, plan, 0, holding);
  if (!ffi_check(reader, ffi_place(&arena, keeper), "records"))
    return NULL;
  dpa_party_open(party, &arena, &arena, plan, 0, holding);
  dpa_party_start(party, &no_key);
  return plan;
}

/* R(u) of consensus ADMM at states u, d x users. spec: of one round of a walk, so that
 * every user has a state of its own. */
SEXP ffi_consensus_operator(SEXP spec, SEXP records, SEXP u) {
  ffi_reader reader = {spec, NULL};
  SEXP keeper = PROTECT(ffi_keeper());
  dpa_party party;
  const dpa_plan *plan = open_one(&reader, records, keeper, &party);
  if (plan && ffi_check(&reader, party.layout == &dpa_layout_users, "relay"))
    ffi_check(&reader, ffi_is_reals(u, plan->d * party.as.users.count), "u");
  if (reader.bad) {
    UNPROTECT(1);
    return ffi_status_of(DPA_ARGUMENT, reader.bad);
  }
  SEXP out = PROTECT(Rf_allocVector(REALSXP, Rf_xlength(u)));
  dpa_order order;
  dpa_plan_order(plan, 0, 1, party.active, &order);
  const dpa_status status = dpa_prox_operator(&party, &order, plan->penalty,
                                              plan->parameter, REAL_RO(u), REAL(out));
  UNPROTECT(2);
  return status == DPA_OK ? out : ffi_status(status);
}

/* The gradient at u: at some coordinates (from 1, increasing), where it is their norm
 * that is bounded, or at all (NULL). spec: of one round of descent. */
SEXP ffi_gradient(SEXP spec, SEXP records, SEXP u, SEXP at) {
  ffi_reader reader = {spec, NULL};
  SEXP keeper = PROTECT(ffi_keeper());
  dpa_party party;
  const dpa_plan *plan = open_one(&reader, records, keeper, &party);
  const size_t count = at == R_NilValue ? 0 : (size_t)Rf_xlength(at);
  if (plan && ffi_check(&reader, party.layout == &dpa_layout_holder, "relay"))
    ffi_check(&reader, ffi_is_reals(u, plan->d), "u");
  int ok = at == R_NilValue || (TYPEOF(at) == INTSXP && plan && count <= plan->d);
  for (size_t k = 0; ok && k < count; k++)
    ok = INTEGER_RO(at)[k] > (k > 0 ? INTEGER_RO(at)[k - 1] : 0) &&
         (size_t)INTEGER_RO(at)[k] <= plan->d;
  ffi_check(&reader, ok, "at");
  if (reader.bad) {
    UNPROTECT(1);
    return ffi_status_of(DPA_ARGUMENT, reader.bad);
  }
  dpa_order order;
  dpa_plan_order(plan, 0, 1, party.active, &order);
  int *index = FFI_TAKE(keeper, int, count);
  for (size_t k = 0; k < count; k++)
    index[k] = INTEGER_RO(at)[k] - 1;
  if (at != R_NilValue) {
    order.coordinates.index = index;
    order.coordinates.count = count;
  }
  party.layout->receive(&party, NULL, REAL_RO(u));
  const dpa_status status = dpa_rule_block.begin(&party, &order);
  const size_t length = at == R_NilValue ? plan->d : count;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)length));
  for (size_t k = 0; k < length; k++)
    REAL(out)[k] = party.message[at == R_NilValue ? k : (size_t)index[k]];
  UNPROTECT(2);
  return status == DPA_OK ? out : ffi_status(status);
}

/* A u + b at some entries (from 1), A column-major. */
SEXP ffi_affine(SEXP A, SEXP b, SEXP u, SEXP at) {
  const size_t d = (size_t)Rf_xlength(u), count = (size_t)Rf_xlength(at);
  int ok = ffi_is_reals(u, d) && ffi_is_reals(b, d) && d < INT_MAX &&
           ffi_is_reals(A, d * d) && TYPEOF(at) == INTSXP;
  for (size_t k = 0; ok && k < count; k++)
    ok = INTEGER_RO(at)[k] >= 1 && (size_t)INTEGER_RO(at)[k] <= d;
  if (!ok)
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  dpa_affine(REAL_RO(A), REAL_RO(b), REAL_RO(u), d, INTEGER_RO(at), count, REAL(out));
  UNPROTECT(1);
  return out;
}
