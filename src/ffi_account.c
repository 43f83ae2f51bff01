/* The accountants' kernels as R sees them. Ranges are checked in R; here types and
 * lengths are, so that nothing is read amiss. */
#include "ffi.h"

#include "account/gaussian.h"
#include "account/loss.h"
#include "account/objective.h"
#include "account/sampled.h"
#include "account/spherical.h"

#include <math.h>
#include <string.h>

/* The place of a name in a table, or the table's length. */
static size_t find_name(SEXP x, const char *const *names, size_t n) {
  const char *text = ffi_text(x);
  for (size_t k = 0; text && k < n; k++)
    if (strcmp(text, names[k]) == 0)
      return k;
  return n;
}

/* ---- the Gaussian mechanism ------------------------------------------------------ */

/* Element by element over two vectors of one length: "log_delta" (mu, epsilon),
 * "epsilon" (mu, log delta), "mu" (epsilon, log delta). */
SEXP ffi_gaussian(SEXP what, SEXP x, SEXP y) {
  static const char *const names[] = {"log_delta", "epsilon", "mu"};
  static double (*const functions[])(double, double) = {
      dpa_gaussian_log_delta, dpa_gaussian_epsilon, dpa_gaussian_mu};
  const size_t k = find_name(what, names, 3);
  if (k == 3 || TYPEOF(x) != REALSXP || TYPEOF(y) != REALSXP ||
      Rf_xlength(x) != Rf_xlength(y))
    return ffi_status(DPA_ARGUMENT);
  const R_xlen_t n = Rf_xlength(x);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
  for (R_xlen_t i = 0; i < n; i++)
    REAL(out)[i] = functions[k](REAL_RO(x)[i], REAL_RO(y)[i]);
  UNPROTECT(1);
  return out;
}

/* ---- Renyi divergences ----------------------------------------------------------- */

/* kind: "poisson", "poisson_replace", "fixed" or "fixed_wang". */
SEXP ffi_rdp_sampled(SEXP kind, SEXP orders, SEXP q, SEXP s) {
  static const char *const names[] = {"poisson", "poisson_replace", "fixed",
                                      "fixed_wang"};
  const size_t k = find_name(kind, names, 4);
  if (k == 4 || TYPEOF(orders) != REALSXP || !ffi_is_number(q) || !ffi_is_number(s))
    return ffi_status(DPA_ARGUMENT);
  const double *a = REAL_RO(orders), rate = REAL_RO(q)[0], noise = REAL_RO(s)[0];
  const size_t n = (size_t)Rf_xlength(orders);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, Rf_xlength(orders)));
  dpa_status status = DPA_ARGUMENT;
  if (k == 0) {
    status = dpa_rdp_poisson(a, n, rate, noise, REAL(out));
  } else if (k == 1) {
    status = dpa_rdp_poisson_replace(a, n, rate, noise, REAL(out));
  } else if (k == 2) {
    status = dpa_rdp_fixed(a, n, rate, noise, REAL(out));
  } else {
    double largest = 1.0;
    for (size_t i = 0; i < n; i++)
      largest = a[i] > largest ? a[i] : largest;
    if (largest < 1e5) {
      const size_t most = (size_t)ceil(largest) + 1;
      double *moments = (double *)R_alloc(most / 2 + 1, sizeof *moments);
      status = dpa_rdp_fixed_wang(a, n, rate, noise, moments, most, REAL(out));
    } else {
      status = DPA_SIZE;
    }
  }
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}

/* Doubles, as many as there are in another vector. */
static int are_numbers(SEXP x, R_xlen_t n) {
  return TYPEOF(x) == REALSXP && Rf_xlength(x) == n;
}

/* Objective perturbation, one release after the other, each at all orders: Gaussian
 * noise when dim is NULL, Gamma-norm noise otherwise. */
SEXP ffi_rdp_objective(SEXP orders, SEXP shift, SEXP kappa, SEXP tied, SEXP dim) {
  const R_xlen_t releases = Rf_xlength(shift);
  const R_xlen_t n = releases > 0 ? Rf_xlength(orders) / releases : 0;
  if (!are_numbers(orders, n * releases) || !are_numbers(shift, releases) ||
      !are_numbers(kappa, releases) || TYPEOF(tied) != LGLSXP ||
      Rf_xlength(tied) != releases ||
      !(dim == R_NilValue || are_numbers(dim, releases)))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, releases * n));
  dpa_status status = DPA_OK;
  dpa_free_moment *moments = NULL;
  if (dim != R_NilValue && n > 0) {
    moments = (dpa_free_moment *)R_alloc((size_t)n, sizeof *moments);
    memset(moments, 0, (size_t)n * sizeof *moments);
  }
  for (R_xlen_t i = 0; i < releases && status == DPA_OK; i++) {
    const double by = REAL_RO(shift)[i], ratio = REAL_RO(kappa)[i];
    const int tie = LOGICAL_RO(tied)[i] == 1;
    const double *a = REAL_RO(orders) + i * n;
    double *rdp = REAL(out) + i * n;
    if (dim == R_NilValue)
      status = dpa_rdp_objective_gaussian(a, (size_t)n, by, ratio, tie, rdp);
    else
      status = dpa_rdp_objective_gamma(a, (size_t)n, by, ratio, tie, REAL_RO(dim)[i],
                                       moments, rdp);
  }
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}

/* Gamma-norm noise on the output: a column of orders a release. */
SEXP ffi_rdp_spherical(SEXP orders, SEXP shift, SEXP dim, SEXP lean) {
  const R_xlen_t releases = Rf_xlength(shift);
  const R_xlen_t n = releases > 0 ? Rf_xlength(orders) / releases : 0;
  if (!are_numbers(orders, n * releases) || !are_numbers(shift, releases) ||
      !are_numbers(dim, releases) || !are_numbers(lean, releases))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, releases * n));
  dpa_status status = DPA_OK;
  for (R_xlen_t i = 0; i < releases && status == DPA_OK; i++)
    status = dpa_rdp_spherical(REAL_RO(orders) + i * n, (size_t)n, REAL_RO(shift)[i],
                               REAL_RO(dim)[i], REAL_RO(lean)[i], REAL(out) + i * n);
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}

/* Pure losses of Gamma-norm noise in objectives, element by element. */
SEXP ffi_objective_pure(SEXP shift, SEXP kappa, SEXP tied) {
  const R_xlen_t n = Rf_xlength(shift);
  if (TYPEOF(shift) != REALSXP || TYPEOF(kappa) != REALSXP || TYPEOF(tied) != LGLSXP ||
      Rf_xlength(kappa) != n || Rf_xlength(tied) != n)
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
  for (R_xlen_t i = 0; i < n; i++)
    REAL(out)
  [i] = dpa_objective_pure(REAL_RO(shift)[i], REAL_RO(kappa)[i],
                           LOGICAL_RO(tied)[i] == 1);
  UNPROTECT(1);
  return out;
}

/* ---- privacy loss distributions -------------------------------------------------- */

/* Both are protected. */
static SEXP bins_answer(dpa_status status, SEXP mass, SEXP over) {
  if (status != DPA_OK)
    return ffi_status(status);
  SEXP answer = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(answer, 0, mass);
  SET_VECTOR_ELT(answer, 1, over);
  UNPROTECT(1);
  return answer;
}

/* Width, number of the first, how many, and the least mass of bins. */
static int are_bins(SEXP h, SEXP first, SEXP n, SEXP least) {
  return ffi_is_number(h) && ffi_is_number(first) && ffi_is_number(n) &&
         ffi_is_number(least) && REAL_RO(n)[0] >= 1.0 && REAL_RO(n)[0] < 2147483648.0;
}

/* list(log_mass, over) of n bins from number `first` on; pair: "remove", "add" or
 * "replace". */
SEXP ffi_loss_bins(SEXP pair, SEXP q, SEXP s, SEXP reach, SEXP h, SEXP first, SEXP n,
                   SEXP least) {
  static const char *const names[] = {"remove", "add", "replace"};
  const size_t k = find_name(pair, names, 3);
  if (k == 3 || !ffi_is_number(q) || !ffi_is_number(s) || !ffi_is_number(reach) ||
      !are_bins(h, first, n, least))
    return ffi_status(DPA_ARGUMENT);
  const R_xlen_t bins = (R_xlen_t)REAL_RO(n)[0];
  SEXP mass = PROTECT(Rf_allocVector(REALSXP, bins));
  SEXP over = PROTECT(Rf_allocVector(REALSXP, bins));
  const dpa_status status = dpa_loss_bins(
      (dpa_pair)k, REAL_RO(q)[0], REAL_RO(s)[0], REAL_RO(reach)[0], REAL_RO(h)[0],
      REAL_RO(first)[0], (size_t)bins, REAL_RO(least)[0], REAL(mass), REAL(over));
  SEXP answer = bins_answer(status, mass, over);
  UNPROTECT(2);
  return answer;
}

/* The same of noise with density ~ exp(-|b|). */
SEXP ffi_spherical_bins(SEXP shift, SEXP dim, SEXP lean, SEXP h, SEXP first, SEXP n,
                        SEXP least) {
  if (!ffi_is_number(shift) || !ffi_is_number(dim) || !ffi_is_number(lean) ||
      !are_bins(h, first, n, least))
    return ffi_status(DPA_ARGUMENT);
  const R_xlen_t bins = (R_xlen_t)REAL_RO(n)[0];
  SEXP mass = PROTECT(Rf_allocVector(REALSXP, bins));
  SEXP over = PROTECT(Rf_allocVector(REALSXP, bins));
  const dpa_status status = dpa_spherical_bins(
      REAL_RO(shift)[0], REAL_RO(dim)[0], REAL_RO(lean)[0], REAL_RO(h)[0],
      REAL_RO(first)[0], (size_t)bins, REAL_RO(least)[0], REAL(mass), REAL(over));
  SEXP answer = bins_answer(status, mass, over);
  UNPROTECT(2);
  return answer;
}

/* Losses (falling) and the logs of their masses; a number. */
SEXP ffi_atoms_epsilon(SEXP loss, SEXP log_mass, SEXP log_delta) {
  if (TYPEOF(loss) != REALSXP || TYPEOF(log_mass) != REALSXP ||
      !ffi_is_number(log_delta) || Rf_xlength(loss) != Rf_xlength(log_mass))
    return ffi_status(DPA_ARGUMENT);
  return Rf_ScalarReal(dpa_atoms_epsilon(REAL_RO(loss), REAL_RO(log_mass),
                                         (size_t)Rf_xlength(loss),
                                         REAL_RO(log_delta)[0]));
}

/* list(index, mass) of atoms (losses rising) merged on to a grid. */
SEXP ffi_merge_atoms(SEXP loss, SEXP mass, SEXP h, SEXP offset, SEXP give) {
  if (TYPEOF(loss) != REALSXP || TYPEOF(mass) != REALSXP || !ffi_is_number(h) ||
      !ffi_is_number(offset) || !ffi_is_number(give) ||
      Rf_xlength(loss) != Rf_xlength(mass) || Rf_xlength(loss) >= 2147483648.0)
    return ffi_status(DPA_ARGUMENT);
  const size_t n = (size_t)Rf_xlength(loss);
  double *left = (double *)R_alloc(3 * (n + 1), sizeof *left);
  double *index = left + n, *merged = index + n;
  memcpy(left, REAL_RO(mass), n * sizeof *left);
  const size_t count =
      dpa_merge_atoms(REAL_RO(loss), left, n, REAL_RO(h)[0], REAL_RO(offset)[0],
                      REAL_RO(give)[0], index, merged);
  SEXP answer = PROTECT(Rf_allocVector(VECSXP, 2));
  const double *columns[] = {index, merged};
  for (int k = 0; k < 2; k++) {
    SEXP column = Rf_allocVector(REALSXP, (R_xlen_t)count);
    SET_VECTOR_ELT(answer, k, column);
    memcpy(REAL(column), columns[k], count * sizeof(double));
  }
  UNPROTECT(1);
  return answer;
}
