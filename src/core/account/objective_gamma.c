#include "account/objective.h"

#include "account/special.h"

#include <math.h>

#define LOG_2 0.69314718055994530942
#define TWO_PI 6.28318530717958647693
#define HALF_LOG_TWO_PI 0.91893853320467274178
#define TAIL 28.0   /* the result over what is left out at the ends, in logs */
#define EFOLDS 16.0 /* change of the integrand over a panel: 16 nodes err by 1e-13 */
#define WIDEST 1.5  /* and of the norm's logarithm: by 1e-14 */
#define WIDTHS 5.0  /* and of that in standard deviations */
#define FREE 22.180339887498 /* 11 + 5 sqrt 5, rounded down */
#define SHARED 1.0 /* the log of the largest Jacobians' factor of a shared moment */
#define MASS 0 /* a part whose bound is log 2: what the norm has of it is its mass */

/* One problem at one order, in x = alpha * norm, which is Gamma(dim, 1). */
typedef struct spherical {
  double s, shift, kappa, dim;
  double log_pure; /* s times the pure loss */
  double fixed;    /* part two where the norm is infinite */
  double start;    /* (s + 1/2) shift, in the same digits wherever it is compared */
  double root;     /* sqrt(s (1 + s)) shift, a little below it */
  double jacobian; /* the Jacobians' factor where it is not free, in logs */
  double free_to;  /* the radius up to which it is, from `start` on */
  double at_mean;  /* the log density where x = dim */
} spherical;

/* alpha L_s(norm), Theorem 4. Falls from x = s shift on. */
static double leaning(const spherical *p, double x) {
  const double s = p->s, d = p->shift;
  if (x >= p->start) {
    const double c = s * (1.0 + s) * d * d;
    return c / (x + sqrt(x * x - c));
  }
  return x >= s * d ? 2.0 * s * ((1.0 + s) * d - x) : 2.0 * x;
}

/* Theorem 4, parts 1 and 2: bounds on log E exp(s G) given the norm. Each is smooth
 * between the radii that next_break() knows. */
static double part_one(const spherical *p, double x) {
  const int is_free = x >= p->start && x <= p->free_to;
  return leaning(p, x) + (is_free ? 0.0 : p->jacobian);
}

static double part_two(const spherical *p, double x) {
  return p->fixed + 0.5 * p->s * p->shift * p->shift / x;
}

/* The next radius after x on the way to `to` where a part is not smooth, or `to`. */
static double next_break(const spherical *p, int part, double x, double to) {
  const double pull = p->s * p->shift;
  const double capped = 0.5 * pull * p->shift / (p->log_pure - p->fixed);
  const double candidate[] = {part == 1 ? pull : capped, p->start, p->free_to};
  const int candidates = part == 1 ? 3 : part == 2 ? 1 : 0;
  for (int k = 0; k < candidates; k++) {
    const double c = candidate[k];
    if ((c > x && c < to) || (c < x && c > to))
      to = c;
  }
  return to;
}

/* (dim - 1) log(dim) - dim - log Gamma(dim), by Stirling's series, in which nothing
 * cancels. */
static double log_density_at_mean(double dim) {
  double x = dim, below = 1.0;
  for (; x < 16.0; x += 1.0)
    below *= x;
  const double r = 1.0 / (x * x);
  const double series =
      (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / x;
  const double at_mean = -HALF_LOG_TWO_PI - 0.5 * log(x) - series;
  if (x == dim)
    return at_mean;
  return (dim - 1.0) * log(dim) - dim - ((x - 1.0) * log(x) - x - at_mean - log(below));
}

static double log_density(const spherical *p, double x) {
  return (p->dim - 1.0) * log(x / p->dim) - (x - p->dim) + p->at_mean;
}

/* exp(y) - 1 in logs, and in units of exp(unit), which is 0 for all but large y. */
static double log_less_one(double y) {
  return y > 0.0 ? dpa_log_abs_expm1(y) : -INFINITY;
}

static double less_one(double y, double unit) {
  if (!(y > 0.0))
    return 0.0;
  if (unit == 0.0) /* expm1() takes four times as long */
    return y > 0.05 ? exp(y) - 1.0 : expm1(y);
  return exp(y - unit) - exp(-unit);
}

/* The ends of Gamma(dim, 1): below `lo` there is at most exp(-below) of it, and above
 * `hi` exp(-above). Chernoff: P(X > dim y) and P(X < dim y) are at most exp(-dim (y - 1
 * - log y)). */
static double lower_end(double dim, double below) {
  const double t = below / dim;
  /* z = log y, by Newton's steps from below, which stay there: the sum is convex */
  double z = -sqrt(2.0 * t) - t;
  for (int k = 0; k < 4; k++)
    z += (expm1(z) - z - t) / -expm1(z);
  return dim * exp(fmax(z, -690.0));
}

static double upper_end(double dim, double above) {
  return dim * (1.0 + sqrt(2.0 * above / dim) + above / dim);
}

static double bound_at(const spherical *p, int part, double x) {
  if (part == MASS)
    return LOG_2;
  return part == 1 ? part_one(p, x) : fmin(part_two(p, x), p->log_pure);
}

/* leaning() has a square root, with a singularity just below the radius it starts at.
 * In t, x = root * cosh(t), there is none. */
static int is_curved(const spherical *p, int part, double lower) {
  return part == 1 && lower >= p->start && lower < 3.0 * p->root;
}

/* The end of a panel from x, at most at `stop`: as far as 16 nodes will do, for the
 * integral of a density times exp(bound) - 1. */
static double panel_end(const spherical *p, int part, double x, double stop) {
  const double here = bound_at(p, part, x);
  const double widest = fmin(WIDEST, WIDTHS / sqrt(p->dim));
  double end =
      fabs(log(stop / x)) > widest ? x * exp(copysign(widest, stop - x)) : stop;
  for (int k = 0; k < 60; k++) {
    const double ratio = log(end / x);
    const double change = (p->dim - 1.0) * ratio - (end - x);
    const double turn = bound_at(p, part, end) - here;
    if (!(fabs(change + turn) > EFOLDS))
      break;
    end = x + 0.6 * (end - x);
  }
  return end == x ? stop : end;
}

/* The log of the integral of the density times exp(bound) - 1 between two radii, added
 * to `sum`: Gauss-Legendre on panels, each in units of the density and the bound where
 * it begins. */
static double add_span(const spherical *p, int part, double from, double to,
                       double sum) {
  double x = from;
  while (x != to) {
    const double end = panel_end(p, part, x, next_break(p, part, x, to));
    const int curved = is_curved(p, part, fmin(x, end));
    const double one = curved ? acosh(x / p->root) : x;
    const double other = curved ? acosh(end / p->root) : end;
    const double half = 0.5 * fabs(other - one), middle = 0.5 * (one + other);
    const double here = bound_at(p, part, x), unit = here > 30.0 ? here : 0.0;
    const double mass = part == MASS ? less_one(here, unit) : 0.0; /* everywhere */
    double above = 0.0;
    for (int i = 0; i < 16; i++) {
      const dpa_quadrature node = dpa_gauss16[i / 2];
      const double t = middle + (i % 2 ? -1.0 : 1.0) * half * node.x;
      const double at = curved ? p->root * cosh(t) : t;
      double w = half * node.w * exp((p->dim - 1.0) * log(at / x) - (at - x));
      if (curved)
        w *= sqrt((at - p->root) * (at + p->root));
      above += w * (part == MASS ? mass : less_one(bound_at(p, part, at), unit));
    }
    sum = dpa_log_add(sum, log_density(p, x) + unit + log(above));
    x = end;
  }
  return sum;
}

/* The same between two radii beyond which there is next to nothing, where the bound is
 * smooth: by the trapezoidal rule in log x, on which the density falls as fast as a
 * normal one on either side and its Fourier transform does, too. */
static double smooth_span(const spherical *p, int part, double lo, double hi) {
  const double here = bound_at(p, part, p->dim), unit = here > 30.0 ? here : 0.0;
  /* a frequency where there is 1e-15 left: |Gamma(dim + i f)| is about
   * exp(-f^2 / (2 dim)) of Gamma(dim), or exp(-f pi / 2) for small dim */
  const double frequency = sqrt(76.0 * (p->dim + here) + 500.0);
  const double steps = ceil(log(hi / lo) * frequency / TWO_PI);
  const double h = log(hi / lo) / steps, start = log(lo / p->dim);
  double mass = 0.0, above = 0.0;
  for (int k = 0; k <= (int)steps; k++) {
    const double u = start + k * h, less = expm1(u);
    const double density = p->dim * (u - less), w = exp(density);
    const double bound = bound_at(p, part, p->dim * (1.0 + less));
    mass += w;
    above += unit == 0.0 ? w * less_one(bound, 0.0)
                         : exp(density + bound - unit) - exp(density - unit);
  }
  return unit + log(above / mass);
}

/* The norms where a part counts, and a bound on what is left out below and above, in
 * logs: about 1e-12 of the mean, where the bound is at its largest, or `factor` more.
 */
typedef struct cut {
  double lo, hi, below, above, mass_below;
} cut;

static cut cut_norms(const spherical *p, int part, double factor) {
  const double leans = 2.0 * p->s * p->shift + p->jacobian + factor;
  const double most = part == 1 ? leans : p->log_pure;
  const double pull = p->s * p->shift, mean = bound_at(p, part, p->dim);
  /* about what the result will be at least */
  double likely = log_less_one(mean);
  if (part == 1)
    likely = fmax(likely, log_density(p, pull) + log_less_one(2.0 * pull));
  /* from the mean on it falls, but for the Jacobians' factor where it is no longer free
   */
  const int falls = part == 2 || p->dim >= pull;
  const double below = log_less_one(most);
  const double above = !falls ? below : log_less_one(mean + p->jacobian + factor);
  const double tail_lo = fmin(60.0 + most, fmax(0.0, TAIL + below - likely));
  const double tail_hi = fmin(60.0 + most, fmax(0.0, TAIL + above - likely));
  return (cut){lower_end(p->dim, tail_lo), upper_end(p->dim, tail_hi), below - tail_lo,
               above - tail_hi, -tail_lo};
}

/* log of the mean over the norm of exp(bound) - 1, where it is from one norm to another
 * and the largest is nearest to `middle`. */
static double span_mean(const spherical *p, int part, double from, double to,
                        double middle, double sum) {
  const double inner = fmin(to, fmax(from, middle));
  return add_span(p, part, inner, from, add_span(p, part, inner, to, sum));
}

static double middle_of(const spherical *p, int part) {
  return fmax(p->dim - 1.0, part == 1 ? p->s * p->shift : 0.0);
}

/* log of the mean over the norm of exp(bound), less one. Part one bounds a moment after
 * a change of variables, not the ratio of densities, so the pure loss does not cap it.
 */
static double log_mean(const spherical *p, int part) {
  const cut at = cut_norms(p, part, 0.0);
  const double ends = dpa_log_add(at.below, at.above);
  if (next_break(p, part, at.lo, at.hi) == at.hi)
    return dpa_log_add(ends, smooth_span(p, part, at.lo, at.hi));
  return span_mean(p, part, at.lo, at.hi, middle_of(p, part), ends);
}

/* Part one without the Jacobians' factor. */
static spherical without_factor(const spherical *p) {
  spherical bare = *p;
  bare.jacobian = 0.0;
  bare.free_to = INFINITY;
  return bare;
}

/* What is outside of where the norm counts. */
static dpa_free_moment begin_moment(const spherical *p) {
  const spherical bare = without_factor(p);
  const cut at = cut_norms(&bare, 1, SHARED);
  return (dpa_free_moment){.s = p->s,
                           .shift = p->shift,
                           .dim = p->dim,
                           .lo = at.lo,
                           .hi = at.hi,
                           .below = at.below,
                           .above = at.above,
                           .mass_below = at.mass_below};
}

/* And what is inside, below and above the norm from which on the factor may be free. */
static void integrate_moment(const spherical *p, dpa_free_moment *out) {
  const spherical bare = without_factor(p);
  const double lo = out->lo, hi = out->hi, middle = middle_of(p, 1);
  const double start = fmin(hi, fmax(lo, p->start));
  if (next_break(&bare, 1, lo, hi) == hi) { /* all is on one side of it */
    double *side = start == lo ? &out->above : &out->below;
    *side = dpa_log_add(*side, smooth_span(&bare, 1, lo, hi));
  } else {
    out->above = span_mean(&bare, 1, start, hi, middle, out->above);
    out->below = span_mean(&bare, 1, lo, start, middle, out->below);
  }
  if (start == hi)
    out->mass_below = 0.0; /* next to all, and never more */
  else
    out->mass_below = span_mean(&bare, MASS, lo, start, middle, out->mass_below);
  out->integrated = 1;
}

/* Part one where the Jacobians' factor is small and free wherever the norm counts, from
 * where it may be, or nowhere: problems that are alike but for their curvature share
 * what takes long. */
static double part_one_mean(const spherical *p, dpa_free_moment *moment) {
  const int is_free = p->free_to >= p->start;
  if (!(p->jacobian <= SHARED))
    return log_mean(p, 1);
  if (moment->s != p->s || moment->shift != p->shift || moment->dim != p->dim)
    *moment = begin_moment(p);
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

dpa_status dpa_rdp_objective_gamma(const double *orders, size_t n, double shift,
                                   double kappa, int tied, double dim,
                                   dpa_free_moment *moments, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(dim >= 1.0))
    return DPA_ARGUMENT;
  const double loss = dpa_objective_pure(shift, kappa, tied);
  const double at_mean = log_density_at_mean(dim);
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0))
      return DPA_ARGUMENT;
    const double s = orders[i] - 1.0;
    rdp[i] = dpa_rdp_pure(orders[i], loss);
    if (!(loss > 0.0) || !(s * loss < 1e3))
      continue;
    const double pull = s * shift;
    const double fixed = LOG_2 + s * log1p(kappa) + 0.5 * pull * pull / dim;
    spherical p = {.s = s, .shift = shift, .kappa = kappa, .dim = dim};
    p.log_pure = s * loss;
    p.fixed = fixed;
    p.start = (s + 0.5) * shift;
    p.root = sqrt(s * (1.0 + s)) * shift;
    p.at_mean = at_mean;
    double best = INFINITY;
    if (s * kappa < 1.0) { /* where it nearly is, the factor may round to any */
      p.jacobian = -log1p(-s * (1.0 + s) * kappa * kappa / (1.0 + kappa));
      /* Theorem 3's condition with norm / alpha for sigma^2 */
      if (kappa == 0.0)
        p.free_to = INFINITY;
      else if (tied)
        p.free_to = FREE * (1.0 - s * kappa) * shift * shift / (64.0 * kappa * kappa);
      if (p.jacobian < 1e3)
        best = part_one_mean(&p, &moments[i]);
    }
    /* the pure loss caps part two, and its own bound is below it; part two is above
     * `fixed` */
    if (fixed < s * loss && log_less_one(fixed) < best)
      best = fmin(best, log_mean(&p, 2));
    rdp[i] = fmin(rdp[i], dpa_log1p_exp(best) / s);
  }
  return DPA_OK;
}
