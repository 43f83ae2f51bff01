#include "account/norm_law.h"
#include "account/objective.h"
#include "account/sixteen.h"
#include "account/special.h"

#include <math.h>

#define PI 3.14159265358979323846
#define NEGLIGIBLE 16.0 /* in a sum of logs */
#define BEYOND 14.0     /* exp(-BEYOND) of the norm is beyond the sixteen, or less */

/* By the trapezoidal rule in log x. */
static void spread_norms(double dim, dpa_usual_norms *out) {
  const double last = DPA_SIXTEEN - 1.0;
  double sum = 0.0;
  out->dim = dim;
  out->first = log(dpa_norm_lower_end(dim, BEYOND) / dim);
  out->step = (log(dpa_norm_upper_end(dim, BEYOND) / dim) - out->first) / last;
  out->at_mean = dpa_norm_log_density_at_mean(dim);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    out->x[i] = out->first + i * out->step;
  dpa_expm1_16(out->x, out->log_share);
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    out->log_share[i] = dim * (out->x[i] - out->log_share[i]);
    out->x[i] += log(dim);
  }
  dpa_exp16(out->x, out->x);
  dpa_exp16(out->log_share, out->share);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    sum += out->share[i];
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    out->share[i] /= sum;
    out->log_share[i] -= log(sum);
  }
}

/* The log of the mean of exp(bound) - 1. */
static double log_mean(const dpa_usual_norms *norms, double *bound) {
  double most = -INFINITY, unit = -INFINITY, sum = 0.0;
  for (int i = 0; i < DPA_SIXTEEN; i++)
    most = bound[i] > most ? bound[i] : most;
  if (!(most > 30.0)) {
    dpa_expm1_16(bound, bound);
    for (int i = 0; i < DPA_SIXTEEN; i++)
      sum += norms->share[i] * bound[i];
    return log(sum);
  }
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    bound[i] += norms->log_share[i];
    unit = bound[i] > unit ? bound[i] : unit;
  }
  for (int i = 0; i < DPA_SIXTEEN; i++)
    bound[i] -= unit;
  dpa_exp16(bound, bound);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    sum += bound[i];
  return unit + log(sum);
}

/* How many of the usual norms are below a norm, and which part of the next one's share.
 */
static double norms_below(const dpa_usual_norms *norms, double x) {
  return (log(x / norms->dim) - norms->first) / norms->step + 0.5;
}

static double within_one(double x) {
  return x > 1.0 ? 1.0 : x > 0.0 ? x : 0.0;
}

/* Part one from `start` on, by the usual norms. The Jacobians' factor is there for the
 * share of a norm that is beyond where it is free. */
static double usual_mean(const dpa_usual_norms *norms, const dpa_norm_law *p) {
  double bound[DPA_SIXTEEN];
  const double c = p->root * p->root, start = p->start, factor = p->jacobian;
  const double below = norms_below(norms, start) - 1.0;
  const double is_free =
      p->free_to >= start ? norms_below(norms, p->free_to) - 1.0 : -1.0;
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    const double x = norms->x[i] > start ? norms->x[i] : start;
    bound[i] = c / (x + sqrt(x * x - c)) + within_one(i - is_free) * factor;
    bound[i] *= within_one(i - below);
  }
  return log_mean(norms, bound);
}

/* The log of part one's integrand between s shift and `start`, but for the factor. */
static double log_part_one(const dpa_norm_law *p, double x) {
  const double leaning = 2.0 * p->s * ((1.0 + p->s) * p->shift - x);
  return dpa_norm_log_density(p, x) + dpa_log_abs_expm1(leaning);
}

/* About the integral of exp(-steep u - bend u^2 / 2) over u > 0 (Boyd's bound on Mills'
 * ratio). */
static double fall(double steep, double bend) {
  return PI / ((PI - 1.0) * steep + sqrt(steep * steep + 2.0 * PI * bend));
}

/* The log of the integral from s shift, where that of the integrand is `top` and does
 * not fall, to `start`. */
static double log_between(const dpa_norm_law *p, double top) {
  const double x = p->s * p->shift, end = p->start, way = end - x, more = p->dim - 1.0;
  const double last = log_part_one(p, end);
  const double rises = more / end - 1.0 + 2.0 * p->s / expm1(-x);
  if (rises * way > 3.0)
    return last + log(fall(rises, more / (end * end)));
  /* by Simpson's rule */
  const double midst = log_part_one(p, x + 0.5 * way) + log(4.0);
  return log(way / 6.0) + dpa_log_add(dpa_log_add(top, midst), last);
}

/* And below it, where it is largest at s shift, and falls on either side, or rises on
 * towards the usual norms. */
static double dear_mean(const dpa_norm_law *p) {
  const double x = p->s * p->shift, less = -expm1(-2.0 * x);
  const double rises = (p->dim - 1.0) / x - 1.0, bend = (p->dim - 1.0) / (x * x);
  const double curl = 4.0 * (1.0 - less) / (less * less), above = 2.0 * p->s - rises;
  const double top = dpa_norm_log_density(p, x) + 2.0 * x + log(less);
  const double below = fall(rises + 2.0 / less, bend + curl);
  if (!(above > 0.0))
    return p->jacobian + dpa_log_add(top + log(below), log_between(p, top));
  const double to_start = -expm1(-above * (p->start - x)) / above;
  return p->jacobian + top + log(below + fmin(fall(above, bend), to_start));
}

static double part_one_mean(const dpa_usual_norms *norms, const dpa_norm_law *p) {
  const double usual = usual_mean(norms, p), x = fmin(p->start, p->dim - 1.0);
  /* the integrand is below the density times exp(2 s shift) */
  const double most = dpa_norm_log_density(p, x) + 2.0 * p->s * p->shift;
  if (x > 0.0 && most + p->jacobian + log(p->start) < usual - NEGLIGIBLE)
    return usual;
  return dpa_log_add(usual, dear_mean(p));
}

static double part_two_mean(const dpa_usual_norms *norms, const dpa_norm_law *p) {
  double bound[DPA_SIXTEEN];
  dpa_norm_bounds(p, 2, p->dim, norms->x, bound);
  return log_mean(norms, bound);
}

dpa_status dpa_rdp_objective_gamma_rough(const double *orders, size_t n, double shift,
                                         double kappa, int tied, double dim,
                                         dpa_usual_norms *norms, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(dim >= 1.0))
    return DPA_ARGUMENT;
  const double loss = dpa_objective_pure(shift, kappa, tied);
  if (norms->dim != dim)
    spread_norms(dim, norms);
  for (size_t i = 0; i < n; i++) {
    const double s = orders[i] - 1.0;
    double best = dpa_pure_excess(orders[i], loss);
    if (loss > 0.0 && s * loss < 1e3) {
      const dpa_norm_law p =
          dpa_norm_law_of(s, shift, kappa, tied, dim, loss, norms->at_mean);
      if (p.has_one && shift > 0.0)
        best = fmin(best, part_one_mean(norms, &p));
      if (p.fixed < p.log_pure && dpa_log_abs_expm1(p.fixed) < best)
        best = fmin(best, part_two_mean(norms, &p));
    }
    rdp[i] = dpa_log1p_exp(best) / s;
  }
  return DPA_OK;
}
