#include "account/norm_law.h"
#include "account/objective.h"
#include "account/sixteen.h"
#include "account/special.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define BEYOND 14.0     /* exp(-BEYOND) of the norm is beyond the sixteen, or less */
#define NEGLIGIBLE 1e-7 /* in a sum */
#define ABOVE_PURE 8.0  /* by so much, in logs, part one is above the pure loss */
#define LEAST_PURE 0.32 /* 1 / (2 cosh(1)), a little less */
#define FARTHEST 1e3    /* of the pure loss times s: beyond it, that is as good, */
#define HUGE_MEAN 1e200 /* and where there is nothing better */
#define NET_STEP 0.0625 /* of logs, */
#define NET_ORDER -5.0  /* from the first of orders less one */
#define NET_SHIFT -8.0  /* and of shifts on */
#define LITTLE 1e-4     /* that curvature may add to what a net tells, as a share */
#define DEARER -30.0    /* logs of means, below which they do not count beside others */

/* By the trapezoidal rule in log x. */
static void spread_norms(double dim, dpa_usual_norms *out) {
  const double last = DPA_SIXTEEN - 1.0;
  double sum = 0.0;
  out->dim = dim;
  memset(out->mean, 0, sizeof out->mean);
  out->first = log(dpa_norm_lower_end(dim, BEYOND) / dim);
  out->step = (log(dpa_norm_upper_end(dim, BEYOND) / dim) - out->first) / last;
  out->at_mean = dpa_norm_log_density_at_mean(dim);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    out->x[i] = out->first + i * out->step;
  dpa_expm1_16(out->x, out->share);
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    out->share[i] = dim * (out->x[i] - out->share[i]);
    out->x[i] += log(dim);
  }
  dpa_exp16(out->x, out->x);
  dpa_exp16(out->share, out->share);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    sum += out->share[i];
  for (int i = 0; i < DPA_SIXTEEN; i++)
    out->share[i] /= sum;
  out->end = dim * exp(out->first + (DPA_SIXTEEN - 0.5) * out->step);
}

/* The mean of exp(bound) - 1, or something huge where it is. */
static double mean_less_one(const dpa_usual_norms *norms, double *bound) {
  double sum = 0.0;
  dpa_expm1_16(bound, bound);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    sum += norms->share[i] * bound[i];
  return sum;
}

/* How many of the usual norms are below a norm, and which part of the next one's share.
 */
static double norms_below(const dpa_usual_norms *norms, double x) {
  return (log(x / norms->dim) - norms->first) / norms->step + 0.5;
}

static double within_one(double x) {
  return x > 1.0 ? 1.0 : x > 0.0 ? x : 0.0;
}

/* Part one from `start` on, by the usual norms, without the Jacobians' factor: its
 * mean, and how much of the moment is at a norm and beyond. */
static void find_usual(const dpa_usual_norms *norms, const dpa_norm_law *p,
                       dpa_shift_means *out) {
  double bound[DPA_SIXTEEN];
  const double c = p->s * (1.0 + p->s) * p->shift * p->shift;
  const double below = norms_below(norms, p->start) - 1.0;
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    const double x = norms->x[i] > p->start ? norms->x[i] : p->start;
    bound[i] = c / (x + sqrt(x * x - c)) * within_one(i - below);
  }
  out->usual = mean_less_one(norms, bound);
  out->beyond[DPA_SIXTEEN] = 0.0;
  for (int i = DPA_SIXTEEN - 1; i >= 0; i--)
    out->beyond[i] = out->beyond[i + 1] + norms->share[i] * (1.0 + bound[i]);
}

/* How much of the moment is beyond a norm. */
static double moment_beyond(const dpa_usual_norms *norms, const dpa_shift_means *mean,
                            double x) {
  const double at = norms_below(norms, x);
  if (!(at > 0.0))
    return mean->beyond[0];
  if (!(at < DPA_SIXTEEN))
    return 0.0;
  const int k = (int)at;
  return mean->beyond[k] + (at - k) * (mean->beyond[k + 1] - mean->beyond[k]);
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
static double log_dear_mean(const dpa_norm_law *p) {
  const double x = p->s * p->shift, less = -expm1(-2.0 * x);
  const double rises = (p->dim - 1.0) / x - 1.0, bend = (p->dim - 1.0) / (x * x);
  const double curl = 4.0 * (1.0 - less) / (less * less), above = 2.0 * p->s - rises;
  const double top = dpa_norm_log_density(p, x) + 2.0 * x;
  const double below = fall(rises + 2.0 / less, bend + curl);
  if (!(above > 0.0))
    return dpa_log_add(top + log(less * below), log_between(p, top + log(less)));
  const double to_start = -expm1(-above * (p->start - x)) / above;
  return top + log(less * (below + fmin(fall(above, bend), to_start)));
}

/* Part one without the Jacobians' factor, or infinite where its integrand at s shift
 * says that it is above the pure loss, whose moment is at most about exp(s shift). */
static void find_part_one(const dpa_usual_norms *norms, dpa_shift_means *out) {
  const double s = out->s, shift = out->shift, pull = s * shift;
  const dpa_norm_law p = {.s = s,
                          .shift = shift,
                          .dim = norms->dim,
                          .start = (s + 0.5) * shift,
                          .at_mean = norms->at_mean};
  out->usual = INFINITY;
  out->dear = 0.0;
  if (pull > 1.0 && dpa_norm_log_density(&p, pull) + pull > ABOVE_PURE)
    return;
  find_usual(norms, &p, out);
  /* the integrand is below the density times exp(2 s shift) */
  const double x = fmin(p.start, p.dim - 1.0);
  const double most = x > 0.0 ? dpa_norm_log_density(&p, x) + 2.0 * pull : INFINITY;
  if (!(exp(most) * p.start < NEGLIGIBLE * out->usual))
    out->dear = exp(log_dear_mean(&p));
}

/* The moment of part two over that of its fixed part; what caps it is the pure loss
 * without curvature. */
static double part_two_share(const dpa_usual_norms *norms, double s, double shift) {
  double bound[DPA_SIXTEEN];
  const double pull = s * shift,
               most = pull - dpa_norm_fixed(s, shift, 0.0, norms->dim);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    bound[i] = fmin(0.5 * pull * shift / norms->x[i], most);
  return 1.0 + mean_less_one(norms, bound);
}

static const dpa_knot *knot_of(const dpa_usual_norms *norms, size_t i, size_t j) {
  dpa_knot *knot = norms->net->knot + i * DPA_NET_SHIFTS + j;
  if (knot->usual == 0.0F) {
    dpa_shift_means mean = {.s = exp(NET_ORDER + (double)i * NET_STEP),
                            .shift = exp(NET_SHIFT + (double)j * NET_STEP)};
    find_part_one(norms, &mean);
    knot->usual = (float)log(log1p(mean.usual));
    knot->dear = (float)log(mean.dear);
    knot->two = (float)log(part_two_share(norms, mean.s, mean.shift));
  }
  return knot;
}

/* What is between four knots; whether they say something. */
static int look_between(const dpa_usual_norms *norms, dpa_shift_means *out) {
  dpa_net *net = norms->net;
  if (!net || net->dim != norms->dim)
    return 0;
  if (net->shift != out->shift) {
    net->shift = out->shift;
    net->log_shift = log(out->shift);
  }
  const double x = (out->log_s - NET_ORDER) / NET_STEP;
  const double y = (net->log_shift - NET_SHIFT) / NET_STEP;
  if (!(x >= 0.0 && x < DPA_NET_ORDERS - 1 && y >= 0.0 && y < DPA_NET_SHIFTS - 1))
    return 0;
  const size_t i = (size_t)x, j = (size_t)y;
  const double u = x - (double)i, v = y - (double)j;
  const double share[] = {(1.0 - u) * (1.0 - v), (1.0 - u) * v, u * (1.0 - v), u * v};
  double usual = 0.0, dear = 0.0, two = 0.0;
  for (size_t k = 0; k < 4; k++) {
    const dpa_knot *knot = knot_of(norms, i + k / 2, j + k % 2);
    if (!isfinite(knot->usual))
      return 0;
    usual += share[k] * knot->usual;
    dear += share[k] * knot->dear;
    two += share[k] * knot->two;
  }
  out->log_moment = exp(usual);
  out->usual = expm1(out->log_moment);
  out->dear = dear > usual + DEARER ? exp(dear) : 0.0;
  if (out->usual > 1.0) /* else nobody asks for it */
    out->two = exp(two);
  return 1;
}

/* What problems that are alike but for their curvature have in common. */
static void find_means(const dpa_usual_norms *norms, double s, double shift,
                       dpa_shift_means *out) {
  if (norms->net && out->s != s)
    out->log_s = log(s);
  out->s = s;
  out->shift = shift;
  out->log_moment = 0.0;
  out->two = out->loss = NAN;
  if (!look_between(norms, out))
    find_part_one(norms, out);
}

/* Part one with the Jacobians' factor, which is there for the norms beyond where it is
 * free, and for the dear ones. */
static double part_one(const dpa_usual_norms *norms, dpa_shift_means *mean,
                       double kappa, int tied) {
  const double s = mean->s, turned = dpa_norm_turned(s, kappa);
  if (!(s * kappa < 1.0 && turned < 1.0 && mean->usual < HUGE_MEAN))
    return INFINITY;
  const double more = turned / (1.0 - turned), start = (s + 0.5) * mean->shift;
  const double free_to = dpa_norm_free_to(s, mean->shift, kappa, tied);
  const int is_free = free_to >= start && free_to < norms->end;
  if (mean->log_moment > 0.0) {
    if (more * (1.0 + mean->usual) < LITTLE * mean->usual)
      return mean->usual + mean->dear;
    if (is_free || !norms->net->curved) {
      mean->log_moment = 0.0;
      find_part_one(norms, mean);
    }
  }
  const double dear = is_free               ? moment_beyond(norms, mean, free_to)
                      : !(free_to >= start) ? 1.0 + mean->usual
                                            : 0.0;
  return mean->usual + more * dear + (1.0 + more) * mean->dear;
}

/* The mean of exp(bound) - 1, of the least part. */
static double least_mean(const dpa_usual_norms *norms, dpa_shift_means *mean,
                         double kappa, int tied, double loss) {
  const double s = mean->s;
  double best = part_one(norms, mean, kappa, tied);
  /* the pure loss' is above s (1 + s) loss^2 / 2 / cosh(loss / 2) */
  if (!(loss <= 2.0 && best < LEAST_PURE * s * (1.0 + s) * loss * loss)) {
    if (mean->loss != loss) {
      mean->loss = loss;
      mean->pure = exp(dpa_pure_excess(1.0 + s, loss));
    }
    best = fmin(best, mean->pure);
  }
  /* and part two's above 1 */
  if (best > 1.0) {
    const double fixed = exp(dpa_norm_fixed(s, mean->shift, kappa, norms->dim));
    if (fixed - 1.0 < best) {
      if (isnan(mean->two))
        mean->two = part_two_share(norms, s, mean->shift);
      best = fmin(best, fixed * mean->two - 1.0);
    }
  }
  return best;
}

dpa_status dpa_rdp_objective_gamma_rough(const double *orders, size_t n, double shift,
                                         double kappa, int tied, double dim,
                                         dpa_usual_norms *norms, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(dim >= 1.0) || n > DPA_MOST_ORDERS)
    return DPA_ARGUMENT;
  if (norms->dim != dim)
    spread_norms(dim, norms);
  if (norms->net && norms->net->dim == 0.0)
    norms->net->dim = dim;
  const double loss = dpa_objective_pure(shift, kappa, tied);
  for (size_t i = 0; i < n; i++) {
    const double s = orders[i] - 1.0;
    dpa_shift_means *mean = norms->mean + i;
    double best = INFINITY;
    if (shift > 0.0 && s * loss < FARTHEST) {
      if (mean->s != s || mean->shift != shift)
        find_means(norms, s, shift, mean);
      best = least_mean(norms, mean, kappa, tied, loss);
    }
    if (best < HUGE_MEAN) {
      const int known = mean->log_moment > 0.0 && best == mean->usual;
      rdp[i] = (known ? mean->log_moment : log1p(best)) / s;
    } else {
      rdp[i] = dpa_rdp_pure(orders[i], loss);
    }
  }
  return DPA_OK;
}
