/* The accountants' kernels as R sees them. Ranges are checked in R; here types and
 * lengths are, so that nothing is read amiss. */
#include "ffi.h"

#include "account/alike.h"
#include "account/conversion.h"
#include "account/gaussian.h"
#include "account/loss.h"
#include "account/objective.h"
#include "account/sampled.h"
#include "account/spherical.h"
#include "account/zcdp.h"

#include <limits.h>
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
  return k == 3 ? ffi_status(DPA_ARGUMENT) : ffi_each(functions[k], x, y);
}

/* Element by element. */
SEXP ffi_zcdp(SEXP rho, SEXP log_delta) {
  return ffi_each(dpa_zcdp_epsilon, rho, log_delta);
}

/* ---- Renyi divergences ----------------------------------------------------------- */

/* Fixed-size sampling by the bound of Wang and others, see sampled.h. */
SEXP ffi_rdp_wang(SEXP orders, SEXP q, SEXP s) {
  if (TYPEOF(orders) != REALSXP || !ffi_is_number(q) || !ffi_is_number(s))
    return ffi_status(DPA_ARGUMENT);
  const double *a = REAL_RO(orders);
  const size_t n = (size_t)Rf_xlength(orders);
  double largest = 1.0;
  for (size_t i = 0; i < n; i++)
    largest = a[i] > largest ? a[i] : largest;
  if (!(largest < 1e5))
    return ffi_status(DPA_SIZE);
  const size_t most = (size_t)ceil(largest) + 1;
  double *moments = (double *)R_alloc(most / 2 + 1, sizeof *moments);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, Rf_xlength(orders)));
  const dpa_status status =
      dpa_rdp_fixed_wang(a, n, REAL_RO(q)[0], REAL_RO(s)[0], moments, most, REAL(out));
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}

/* Element by element: "epsilon" (s, rdp, log delta), "rdp" (s, epsilon, log delta),
 * "log_delta" (s, rdp, epsilon). */
SEXP ffi_conversion(SEXP what, SEXP s, SEXP x, SEXP y) {
  static const char *const names[] = {"epsilon", "rdp", "log_delta"};
  static double (*const functions[])(double, double, double) = {
      dpa_conversion, dpa_conversion_inverse, dpa_conversion_log_delta};
  const size_t k = find_name(what, names, 3);
  const R_xlen_t n = Rf_xlength(s);
  if (k == 3 || !ffi_is_reals(s, FFI_ANY) || !ffi_is_reals(x, (size_t)n) ||
      !ffi_is_reals(y, (size_t)n))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
  for (R_xlen_t i = 0; i < n; i++)
    REAL(out)[i] = functions[k](REAL_RO(s)[i], REAL_RO(x)[i], REAL_RO(y)[i]);
  UNPROTECT(1);
  return out;
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

/* See dpa_spherical_lean(). */
SEXP ffi_spherical_lean(SEXP shift, SEXP dim) {
  return ffi_each(dpa_spherical_lean, shift, dim);
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

/* Masses on a circle after steps, one after the other: step k is made count[k] times
 * and has the next size[k] atoms, of shift[] (places, each on the circle) and mass[].
 */
SEXP ffi_step_atoms(SEXP circle, SEXP shift, SEXP mass, SEXP size, SEXP count) {
  const R_xlen_t n = Rf_xlength(circle), atoms = Rf_xlength(shift);
  const R_xlen_t steps = Rf_xlength(size);
  if (!ffi_is_reals(circle, (size_t)n) || !ffi_is_reals(shift, (size_t)atoms) ||
      !ffi_is_reals(mass, (size_t)atoms) || TYPEOF(size) != INTSXP ||
      !ffi_is_reals(count, (size_t)steps))
    return ffi_status(DPA_ARGUMENT);
  size_t *place = (size_t *)R_alloc((size_t)atoms + 1, sizeof *place);
  for (R_xlen_t k = 0; k < atoms; k++) {
    if (!(REAL_RO(shift)[k] >= 0.0 && REAL_RO(shift)[k] < (double)n))
      return ffi_status(DPA_ARGUMENT);
    place[k] = (size_t)REAL_RO(shift)[k];
  }
  double *now = (double *)R_alloc((size_t)n, sizeof *now);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, n));
  double *next = REAL(out);
  memcpy(now, REAL_RO(circle), (size_t)n * sizeof *now);
  R_xlen_t used = 0;
  for (R_xlen_t k = 0; k < steps; k++) {
    const int some = INTEGER_RO(size)[k];
    if (some < 0 || some > atoms - used) {
      UNPROTECT(1);
      return ffi_status(DPA_ARGUMENT);
    }
    for (double done = 0.0; done < REAL_RO(count)[k]; done++) {
      R_CheckUserInterrupt();
      dpa_step_atoms(now, (size_t)n, place + used, REAL_RO(mass) + used, (size_t)some,
                     next);
      double *last = now;
      now = next;
      next = last;
    }
    used += some;
  }
  if (now != REAL(out))
    memcpy(REAL(out), now, (size_t)n * sizeof *now);
  UNPROTECT(1);
  return out;
}

/* ---- parties that are nearly alike ----------------------------------------------- */

/* The group of each column of `size`, see dpa_alike_groups(). */
SEXP ffi_alike_groups(SEXP size, SEXP count, SEXP total, SEXP order, SEXP width) {
  const size_t rows = (size_t)Rf_xlength(count), parties = (size_t)Rf_xlength(total);
  const R_xlen_t most = rows > 0 ? R_XLEN_T_MAX / (R_xlen_t)rows : 0;
  int ok = (R_xlen_t)parties <= most && parties <= INT_MAX;
  ok = ok && ffi_is_reals(size, rows * parties) && ffi_is_reals(count, rows) &&
       ffi_is_reals(total, parties) && TYPEOF(order) == INTSXP &&
       (size_t)Rf_xlength(order) == parties && ffi_is_number(width);
  for (size_t i = 0; ok && i < parties; i++)
    ok = INTEGER_RO(order)[i] >= 1 && (size_t)INTEGER_RO(order)[i] <= parties;
  if (!ok)
    return ffi_status(DPA_ARGUMENT);
  double *largest = (double *)R_alloc(rows, sizeof *largest);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)parties));
  memset(INTEGER(out), 0, parties * sizeof(int));
  dpa_alike_groups(REAL_RO(size), REAL_RO(count), rows, REAL_RO(total),
                   INTEGER_RO(order), parties, REAL_RO(width)[0], largest,
                   INTEGER(out));
  UNPROTECT(1);
  return out;
}
