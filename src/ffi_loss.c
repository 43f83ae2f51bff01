/* Losses and penalties as R sees them. */
#include "ffi.h"

#include "data/loss.h"
#include "data/penalty.h"

static const dpa_loss *loss_of(SEXP name) {
  const char *text = ffi_text(name);
  return text ? dpa_loss_find(text) : NULL;
}

static const dpa_penalty *penalty_of(SEXP name, SEXP parameter) {
  const char *text = ffi_text(name);
  return text && ffi_is_reals(parameter, DPA_PENALTY_PARAMETERS)
             ? dpa_penalty_find(text)
             : NULL;
}

SEXP ffi_loss_constants(SEXP name, SEXP width) {
  const dpa_loss *loss = loss_of(name);
  if (!loss || !ffi_is_number(width))
    return ffi_status(DPA_ARGUMENT);
  const dpa_loss_constants c = loss->constants(REAL_RO(width)[0]);
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

/* list(value, gradient, curvature): L(y, a) and its derivatives in a. */
SEXP ffi_loss(SEXP name, SEXP width, SEXP a, SEXP y) {
  const dpa_loss *loss = loss_of(name);
  const R_xlen_t n = Rf_xlength(a);
  if (!loss || !ffi_is_number(width) || !ffi_is_reals(a, (size_t)n) ||
      !ffi_is_reals(y, (size_t)n))
    return ffi_status(DPA_ARGUMENT);
  const char *names[] = {"value", "gradient", "curvature", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int k = 0; k < 3; k++)
    SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, n));
  loss->value(REAL_RO(a), REAL_RO(y), (size_t)n, REAL_RO(width)[0],
              REAL(VECTOR_ELT(out, 0)));
  loss->derivative(REAL_RO(a), REAL_RO(y), (size_t)n, REAL_RO(width)[0],
                   REAL(VECTOR_ELT(out, 1)), REAL(VECTOR_ELT(out, 2)));
  UNPROTECT(1);
  return out;
}

/* The proximal step at v, entry by entry; step has length 1 or that of v. */
SEXP ffi_prox(SEXP name, SEXP parameter, SEXP v, SEXP step) {
  const dpa_penalty *penalty = penalty_of(name, parameter);
  const size_t d = (size_t)Rf_xlength(v);
  if (!penalty || !ffi_is_reals(v, d) ||
      !(ffi_is_number(step) || ffi_is_reals(step, d)))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)d));
  const size_t each = ffi_is_number(step) ? d : 1;
  for (size_t j = 0; j < d; j += each)
    penalty->prox(REAL_RO(v) + j, each, REAL_RO(step)[each < d ? j : 0],
                  REAL_RO(parameter), REAL(out) + j);
  UNPROTECT(1);
  return out;
}

/* g of each column of a matrix, its rows weighted; weights: NULL for 1. */
SEXP ffi_penalty_values(SEXP name, SEXP parameter, SEXP y, SEXP weights) {
  const dpa_penalty *penalty = penalty_of(name, parameter);
  if (!penalty || TYPEOF(y) != REALSXP || !Rf_isMatrix(y))
    return ffi_status(DPA_ARGUMENT);
  const size_t m = (size_t)Rf_nrows(y), count = (size_t)Rf_ncols(y);
  if (weights != R_NilValue && !ffi_is_reals(weights, m))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
  for (size_t k = 0; k < count; k++) {
    const double *column = REAL_RO(y) + k * m;
    double sum = 0.0;
    if (weights == R_NilValue)
      sum = penalty->value(column, m, REAL_RO(parameter));
    else
      for (size_t j = 0; j < m; j++)
        sum += REAL_RO(weights)[j] * penalty->value(column + j, 1, REAL_RO(parameter));
    REAL(out)[k] = sum;
  }
  UNPROTECT(1);
  return out;
}
