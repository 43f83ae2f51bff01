#include "account/objective.h"

#include "account/norm_mean.h"
#include "account/special.h"

#include <math.h>

#define TAIL 28.0     /* the result over what is left out at the ends, in logs */
#define FELT 23.0     /* what part two may be above its own mean, in logs */
#define LEFT_OUT 1e-6 /* more than means are off by, in logs */
#define SHARED 1.0    /* the log of the largest Jacobians' factor of a shared moment */
#define KNOTS 32.0    /* a doubling of shifts, between which means */
#define STRAIGHT 0.1  /* up to this are nearly so, 3e-5 of them above, where of them */
#define NOTHING 1e-5  /* as a share is from norms below the start */

/* exp(y) - 1 in logs. */
static double log_less_one(double y) {
  return y > 0.0 ? dpa_log_abs_expm1(y) : -INFINITY;
}

/* The norms where a part counts, and a bound on what is left out below and above, in
 * logs: about 1e-12 of the mean, where the bound is at its largest, or `factor` more.
 */
typedef struct cut {
  double lo, hi, below, above, mass_below;
} cut;

static cut cut_norms(const dpa_norm_law *p, int part, double factor) {
  const double leans = 2.0 * p->s * p->shift + p->jacobian + factor;
  const double most = part == 1 ? leans : p->log_pure;
  const double pull = p->s * p->shift, mean = dpa_norm_bound(p, part, p->dim);
  /* about what the result will be at least */
  double likely = log_less_one(mean);
  if (part == 1)
    likely = fmax(likely, dpa_norm_log_density(p, pull) + log_less_one(2.0 * pull));
  /* from the mean on it falls, but for the Jacobians' factor where it is no longer free
   */
  const int falls = part == 2 || p->dim >= pull;
  const double below = log_less_one(most);
  const double above = !falls ? below : log_less_one(mean + p->jacobian + factor);
  const double tail_lo = fmin(60.0 + most, fmax(0.0, TAIL + below - likely));
  const double tail_hi = fmin(60.0 + most, fmax(0.0, TAIL + above - likely));
  return (cut){dpa_norm_lower_end(p->dim, tail_lo), dpa_norm_upper_end(p->dim, tail_hi),
               below - tail_lo, above - tail_hi, -tail_lo};
}

static double middle_of(const dpa_norm_law *p, int part) {
  return fmax(p->dim - 1.0, part == 1 ? p->s * p->shift : 0.0);
}

/* log of the mean over the norm of exp(bound), less one. Part one bounds a moment after
 * a change of variables, not the ratio of densities, so the pure loss does not cap it.
 */
static double log_mean(const dpa_norm_law *p, int part) {
  const cut at = cut_norms(p, part, 0.0);
  const double ends = dpa_log_add(at.below, at.above);
  if (dpa_norm_break(p, part, at.lo, at.hi) == at.hi)
    return dpa_log_add(ends, dpa_norm_mean_smooth(p, part, at.lo, at.hi));
  return dpa_norm_mean(p, part, at.lo, at.hi, middle_of(p, part), ends, NULL);
}

/* Part one without the Jacobians' factor. */
static dpa_norm_law without_factor(const dpa_norm_law *p) {
  dpa_norm_law bare = *p;
  bare.jacobian = 0.0;
  bare.free_to = INFINITY;
  return bare;
}

/* What is outside of where the norm counts. */
static void begin_moment(const dpa_norm_law *p, dpa_free_moment *out) {
  const dpa_norm_law bare = without_factor(p);
  const cut at = cut_norms(&bare, 1, SHARED);
  out->lo = at.lo;
  out->hi = at.hi;
  out->below = at.below;
  out->above = at.above;
  out->mass_below = at.mass_below;
  out->begun = 1;
}

/* And what is inside, below and above the norm from which on the factor may be free. */
static void integrate_moment(const dpa_norm_law *p, dpa_free_moment *out) {
  const dpa_norm_law bare = without_factor(p);
  const double lo = out->lo, hi = out->hi, middle = middle_of(p, 1);
  const double start = fmin(hi, fmax(lo, p->start));
  if (dpa_norm_break(&bare, 1, lo, hi) == hi) { /* all is on one side of it */
    double *side = start == lo ? &out->above : &out->below;
    *side = dpa_log_add(*side, dpa_norm_mean_smooth(&bare, 1, lo, hi));
  } else {
    out->above = dpa_norm_mean(&bare, 1, start, hi, middle, out->above, NULL);
    out->below =
        dpa_norm_mean(&bare, 1, lo, start, middle, out->below, &out->mass_below);
  }
  if (start == hi)
    out->mass_below = 0.0; /* next to all, and never more */
  out->integrated = 1;
}

static dpa_free_moment knot_of(const dpa_norm_law *p, double place) {
  const double shift = exp2(place / KNOTS);
  const dpa_norm_law own =
      dpa_norm_law_of(p->s, shift, 0.0, 0, p->dim, shift, p->at_mean);
  dpa_free_moment out = {.s = own.s, .shift = own.shift, .dim = own.dim};
  begin_moment(&own, &out);
  integrate_moment(&own, &out);
  return out;
}

static double whole_mean(const dpa_free_moment *of) {
  return exp(of->below) + exp(of->above);
}

/* A moment from above by its neighbours' on the grid: whether that is nearly it. From
 * the upper one's start on each norm's part is convex in the square of the shift (a
 * remark to Theorem 4), and below there must be next to nothing. */
static int lay_chord(const dpa_norm_law *p, dpa_free_moment *out) {
  dpa_chord *chord = out->chord;
  const double place = floor(log2(p->shift) * KNOTS);
  if (chord->low.s != p->s || chord->low.dim != p->dim || chord->place != place) {
    const int up = place == chord->place + 1.0, down = place == chord->place - 1.0;
    const int same = chord->low.s == p->s && chord->low.dim == p->dim;
    const dpa_free_moment low = chord->low, high = chord->high;
    chord->low = same && up ? high : knot_of(p, place);
    chord->high = same && down ? low : knot_of(p, place + 1.0);
    chord->place = place;
  }
  const dpa_free_moment *low = &chord->low, *high = &chord->high;
  const double most = whole_mean(high), square = low->shift * low->shift;
  if (!(most <= STRAIGHT && exp(high->below) <= NOTHING * most))
    return 0;
  const double share =
      (p->shift * p->shift - square) / (high->shift * high->shift - square);
  const double upper = fmax(0.0, fmin(share, 1.0));
  out->lo = high->lo;
  out->hi = fmax(low->hi, high->hi);
  out->below = high->below;
  out->above = log((1.0 - upper) * whole_mean(low) + upper * exp(high->above));
  out->mass_below = high->mass_below;
  out->begun = out->integrated = 1;
  return 1;
}

/* Part one where the Jacobians' factor is small and free wherever the norm counts, from
 * where it may be, or nowhere: problems that are alike but for their curvature share
 * what takes long. */
static double part_one_mean(const dpa_norm_law *p, dpa_free_moment *moment) {
  const int is_free = p->free_to >= p->start;
  if (!(p->jacobian <= SHARED))
    return log_mean(p, 1);
  if (!moment->begun && !(moment->chord && lay_chord(p, moment)))
    begin_moment(p, moment);
  if (is_free && p->free_to < moment->hi)
    return log_mean(p, 1);
  if (!moment->integrated)
    integrate_moment(p, moment);
  const double less = log_less_one(p->jacobian);
  const double below =
      dpa_log_add(p->jacobian + moment->below, less + moment->mass_below);
  if (is_free)
    return dpa_log_add(below, moment->above);
  return dpa_log_add(less, p->jacobian + dpa_log_add(moment->below, moment->above));
}

/* Part two. Curvature changes what is fixed, and what caps the rest, from above it at
 * most: where norms next to never are so small that this is felt, problems that are
 * alike but for curvature share what takes long. */
static double part_two_mean(const dpa_norm_law *p, dpa_free_moment *moment) {
  const double capped = dpa_norm_break(p, 2, 0.0, INFINITY) / p->dim;
  dpa_norm_law bare = *p;
  bare.log_pure = p->s * p->shift - dpa_norm_fixed(p->s, p->shift, 0.0, p->dim);
  bare.fixed = 0.0;
  /* Chernoff's bound on the mass of those norms, times the most they cost */
  const double felt = bare.log_pure - p->dim * (capped - 1.0 - log(capped));
  if (!(capped < 1.0 && felt < -FELT))
    return log_mean(p, 2);
  if (isnan(moment->two))
    moment->two = dpa_log1p_exp(log_mean(&bare, 2));
  return log_less_one(p->fixed + moment->two);
}

/* Below the log of part one's mean, by the norms just below s shift, where its
 * integrand's log is concave and so above its chord. */
static double part_one_least(const dpa_norm_law *p) {
  const double pull = p->s * p->shift, width = pull / (p->dim + pull);
  double ends = 0.0;
  for (int k = 0; k < 2; k++) {
    const double x = pull - k * width;
    ends += dpa_norm_log_density(p, x) + log_less_one(2.0 * x);
  }
  const double least = log(width) + 0.5 * ends - LEFT_OUT;
  return isnan(least) ? -INFINITY : least;
}

/* The log of the lesser mean, but of a part that is above the other one or `most`, as
 * part one is beyond its turn. */
static double least_mean(const dpa_norm_law *p, double most, dpa_free_moment *moment) {
  /* the pure loss caps part two, and its own bound is below it; part two is above
   * `fixed` */
  const double two = p->fixed < p->log_pure ? log_less_one(p->fixed) : INFINITY;
  const double one = p->has_one ? part_one_least(p) : INFINITY;
  double best = INFINITY;
  if (moment->s != p->s || moment->shift != p->shift || moment->dim != p->dim)
    *moment = (dpa_free_moment){.s = p->s,
                                .shift = p->shift,
                                .dim = p->dim,
                                .two = NAN,
                                .chord = moment->chord};
  if (two < fmin(one, most))
    best = part_two_mean(p, moment);
  if (one < fmin(best, most))
    best = fmin(best, part_one_mean(p, moment));
  if (one <= two && two < fmin(best, most))
    best = fmin(best, part_two_mean(p, moment));
  return best;
}

dpa_status dpa_rdp_objective_gamma(const double *orders, size_t n, double shift,
                                   double kappa, int tied, double dim,
                                   dpa_free_moment *moments, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(dim >= 1.0))
    return DPA_ARGUMENT;
  const double loss = dpa_objective_pure(shift, kappa, tied);
  const double at_mean = dpa_norm_log_density_at_mean(dim);
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0))
      return DPA_ARGUMENT;
    const double s = orders[i] - 1.0;
    rdp[i] = dpa_rdp_pure(orders[i], loss);
    if (!(loss > 0.0) || !(s * loss < 1e3))
      continue;
    const dpa_norm_law p = dpa_norm_law_of(s, shift, kappa, tied, dim, loss, at_mean);
    const double best = least_mean(&p, log_less_one(s * rdp[i]), &moments[i]);
    rdp[i] = fmin(rdp[i], dpa_log1p_exp(best) / s);
  }
  return DPA_OK;
}

/* log of the density times exp(bound) where the norm is s shift, over the bound where
 * it is the mean: part one. */
static double dear_over_usual(double s, double shift, double dim, double at_mean) {
  const dpa_norm_law p = {.s = s,
                          .shift = shift,
                          .dim = dim,
                          .start = (s + 0.5) * shift,
                          .free_to = INFINITY,
                          .at_mean = at_mean};
  const double pull = s * shift;
  return dpa_norm_log_density(&p, pull) + 2.0 * pull - dpa_norm_bound(&p, 1, dim);
}

double dpa_objective_gamma_turn(double shift, double dim) {
  const double at_mean = dpa_norm_log_density_at_mean(dim);
  double lo = 0.0, hi = 0.5 * dim / shift;
  if (!(hi < INFINITY && dear_over_usual(hi, shift, dim, at_mean) > 0.0))
    return INFINITY;
  for (int k = 0; k < 24; k++) {
    const double s = 0.5 * (lo + hi);
    if (dear_over_usual(s, shift, dim, at_mean) > 0.0)
      hi = s;
    else
      lo = s;
  }
  return hi;
}
