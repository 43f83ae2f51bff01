#include "account/objective.h"

#include "account/logistic.h"
#include "account/special.h"

#include <math.h>

#define LOG_2 0.69314718055994530942
#define SQRT_HALF 0.70710678118654752440
#define TWO_OVER_ROOT_PI 1.12837916709551257390
#define NEARLY (1.0 - 0x1p-30)
#define CELLS 6    /* in which a slope is asked for a turn */
#define EFOLDS 4.0 /* change of the integrand over a panel: 8 nodes err by 1e-13 */
#define WIDEST 0.5 /* and of the norm's logarithm: by 1e-14 */
#define FREE 22.180339887498 /* 11 + 5 sqrt 5, rounded down */

/* log((p^a (1 - p)^(1 - a) + (1 - p)^a p^(1 - a))) / (a - 1), p = 1 / (1 +
 * exp(-epsilon)): the moment less one is 2 sinh(a e / 2) sinh((a - 1) e / 2) / cosh(e /
 * 2). */
double dpa_rdp_pure(double order, double epsilon) {
  const double s = order - 1.0;
  if (epsilon == 0.0)
    return 0.0;
  const double excess = s * epsilon + log(-expm1(-order * epsilon)) +
                        log(-expm1(-s * epsilon)) - log1p(exp(-epsilon));
  return dpa_log1p_exp(excess) / s;
}

double dpa_objective_pure(double shift, double kappa, int tied) {
  return tied ? dpa_logistic_pure(shift, kappa) : shift + log1p(kappa);
}

/* ---- Gaussian noise -------------------------------------------------------------- */

/* The bounds are theorems of the vignette "Privacy accounting". With s = order - 1, for
 * every t in [0, s] with t kappa < 1 (Theorem 2): */
static double theorem2(double s, double t, double shift, double kappa) {
  /* (1 + s) log(1 + kappa) - log(1 + (1 + t) kappa), and log(2 Phi): each over s, so
   * that at orders near 1 nothing of the order of 1 may cancel */
  const double first = s * log1p(kappa) - log1p(t * kappa / (1.0 + kappa));
  const double second = fmax(0.0, -s * log1p(kappa) - log1p(-t * kappa));
  const double turned = log1p(erf((s - t) * shift * SQRT_HALF));
  return (1.0 + s) * 0.5 * shift * shift + (turned + first + second) / s;
}

double dpa_objective_bound_a(double order, double shift, double kappa) {
  return theorem2(order - 1.0, 0.0, shift, kappa);
}

double dpa_objective_bound_b(double order, double shift, double kappa) {
  const double s = order - 1.0;
  if (!(s * kappa < 1.0))
    return INFINITY;
  /* t = s: what is left of the Jacobians is log((1 + kappa) / ((1 + order kappa)
   * (1 - s kappa))), and the product is 1 + kappa - s order kappa^2 */
  return order * 0.5 * shift * shift -
         log1p(-s * order * kappa * kappa / (1.0 + kappa)) / s;
}

/* s times the derivative of theorem2() in t, where `second` counts. */
static double slope2(double s, double t, double shift, double kappa) {
  const double at = (s - t) * shift * SQRT_HALF;
  const double turned =
      SQRT_HALF * shift * TWO_OVER_ROOT_PI * exp(-at * at) / (1.0 + erf(at));
  const double bend = kappa * kappa * (1.0 + 2.0 * t);
  return bend / ((1.0 - t * kappa) * (1.0 + kappa + t * kappa)) - turned;
}

/* The least of Theorem 2 over t. It falls as long as `second` is 0; from there on, and
 * up to t = s, which is bound B, it may turn where its slope says so. Any t is valid,
 * so the search need not be exact. */
static double least_over_t(double s, double shift, double kappa) {
  /* a little before it, where rounding could put it beyond 1 / kappa */
  const double from =
      kappa > 0.0 ? fmin(s, fmin(-expm1(-s * log1p(kappa)), NEARLY) / kappa) : s;
  const double cell = ((s * kappa < 1.0 ? s : 1.0 / kappa) - from) / CELLS;
  double best = theorem2(s, from, shift, kappa);
  int fell = slope2(s, from, shift, kappa) < 0.0;
  for (int k = 1; k <= CELLS; k++) {
    double lo = from + (k - 1) * cell, hi = lo + cell;
    /* at 1 / kappa it rises without end */
    const int falls =
        (k < CELLS || s * kappa < 1.0) && slope2(s, hi, shift, kappa) < 0.0;
    if (fell && !falls) {
      for (int half = 0; half < 16; half++) {
        const double t = 0.5 * (lo + hi);
        if (slope2(s, t, shift, kappa) < 0.0)
          lo = t;
        else
          hi = t;
      }
      best = fmin(best, theorem2(s, lo, shift, kappa));
    }
    fell = falls;
  }
  return best;
}

double dpa_objective_bound(double order, double shift, double kappa, int tied) {
  const double s = order - 1.0, plain = order * 0.5 * shift * shift;
  double best = INFINITY;
  if (tied && s * kappa < 1.0)
    best = dpa_logistic_bound(s, shift, kappa);
  /* none of the others is below the plain Gaussian mechanism */
  if (!(best <= plain))
    best = fmin(best, fmin(dpa_objective_bound_a(order, shift, kappa),
                           dpa_objective_bound_b(order, shift, kappa)));
  return best <= plain ? best : fmin(best, least_over_t(s, shift, kappa));
}

dpa_status dpa_rdp_objective_gaussian(const double *orders, size_t n, double shift,
                                      double kappa, int tied, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0))
    return DPA_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0))
      return DPA_ARGUMENT;
    rdp[i] = dpa_objective_bound(orders[i], shift, kappa, tied);
  }
  return DPA_OK;
}

/* ---- Gamma-norm noise ------------------------------------------------------------ */

/* One problem at one order, in x = alpha * norm, which is Gamma(dim, 1). */
typedef struct spherical {
  double s, shift, kappa, dim;
  double log_pure; /* s times the pure loss */
  double fixed;    /* part two where the norm is infinite */
  double start;    /* (s + 1/2) shift, in the same digits wherever it is compared */
  double jacobian; /* the Jacobians' factor where it is not free, in logs */
  double free_to;  /* the radius up to which it is, from `start` on */
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
 * between the radii that breaks_of() lists. */
static double part_one(const spherical *p, double x) {
  const int is_free = x >= p->start && x <= p->free_to;
  return leaning(p, x) + (is_free ? 0.0 : p->jacobian);
}

static double part_two(const spherical *p, double x) {
  return p->fixed + 0.5 * p->s * p->shift * p->shift / x;
}

/* The next radius after x on the way to `to` where a part is not smooth, or `to`. */
static double next_break(const spherical *p, double x, double to) {
  const double pull = p->s * p->shift;
  const double candidate[] = {pull, p->start, p->free_to,
                              0.5 * pull * p->shift / (p->log_pure - p->fixed)};
  for (int k = 0; k < 4; k++) {
    const double c = candidate[k];
    if ((c > x && c < to) || (c < x && c > to))
      to = c;
  }
  return to;
}

/* exp(y) - 1 in logs, and in units of exp(unit), which is 0 for all but large y. */
static double log_less_one(double y) {
  return y > 0.0 ? dpa_log_abs_expm1(y) : -INFINITY;
}

static double less_one(double y, double unit) {
  if (!(y > 0.0))
    return 0.0;
  return unit == 0.0 ? expm1(y) : exp(y - unit) - exp(-unit);
}

/* The ends of Gamma(dim, 1) beyond which there is at most exp(-tail) on either side.
 * Chernoff: P(X > dim y) and P(X < dim y) are at most exp(-dim (y - 1 - log y)). */
static void gamma_ends(double dim, double tail, double *lo, double *hi) {
  double below = fmax(exp(-tail / dim - 1.0), 1e-300), top = 1.0;
  for (int k = 0; k < 60; k++) {
    const double y = 0.5 * (below + top);
    if (y - 1.0 - log(y) > tail / dim)
      below = y;
    else
      top = y;
  }
  *lo = dim * below;
  *hi = dim * (1.0 + sqrt(2.0 * tail / dim) + tail / dim);
}

static double bound_at(const spherical *p, int part, double x) {
  return part == 1 ? part_one(p, x) : fmin(part_two(p, x), p->log_pure);
}

/* The end of a panel from x, at most at `stop`: as far as 8 nodes will do, for the
 * integrals of a density and of it times exp(bound) - 1. */
static double panel_end(const spherical *p, int part, double x, double stop,
                        double width) {
  /* leaning() has a square root that ends just below the break it starts at */
  const double root = sqrt(p->s * (1.0 + p->s)) * p->shift;
  const double here = bound_at(p, part, x);
  double end = fabs(stop - x) > width ? x + copysign(width, stop - x) : stop;
  for (int k = 0; k < 60; k++) {
    const double ratio = log(end / x);
    const double change = (p->dim - 1.0) * ratio - (end - x);
    const double lower = fmin(x, end);
    const double turn = bound_at(p, part, end) - here;
    if (!(fabs(change) + fabs(turn) > EFOLDS) && !(fabs(ratio) > WIDEST) &&
        (lower < p->start || fabs(end - x) <= 2.0 * (lower - root)))
      break;
    end = x + 0.6 * (end - x);
  }
  return end == x ? stop : end;
}

/* Adds, in logs, the mass between two radii and the integral of exp(bound) - 1 over it:
 * Gauss-Legendre on panels, each in units of the density and the bound where it begins.
 */
static void add_span(const spherical *p, int part, double from, double to, double *mass,
                     double *excess) {
  const double peak = p->dim > 1.0 ? p->dim - 1.0 : 1.0;
  const double top = p->dim > 1.0 ? peak * log(peak) - peak : 0.0;
  double x = from;
  while (x != to) {
    const double end = panel_end(p, part, x, next_break(p, x, to), 2.0 * sqrt(peak));
    const double half = 0.5 * fabs(end - x), middle = 0.5 * (x + end);
    const double here = bound_at(p, part, x), unit = here > 30.0 ? here : 0.0;
    double weight = 0.0, above = 0.0;
    for (int i = 0; i < 8; i++) {
      const dpa_quadrature node = dpa_gauss8[i / 2];
      const double at = middle + (i % 2 ? -1.0 : 1.0) * half * node.x;
      const double w = half * node.w * exp((p->dim - 1.0) * log(at / x) - (at - x));
      weight += w;
      above += w * less_one(bound_at(p, part, at), unit);
    }
    const double base = (p->dim - 1.0) * log(x) - x - top;
    *mass = dpa_log_add(*mass, base + log(weight));
    *excess = dpa_log_add(*excess, base + unit + log(above));
    x = end;
  }
}

/* log of the mean over the norm of exp(bound), less one; what is left out at the ends
 * counts at the largest the bound can be. Part one bounds a moment after a change of
 * variables, not the ratio of densities, so the pure loss does not cap it. */
static double log_mean(const spherical *p, int part) {
  const double most = part == 1 ? 2.0 * p->s * p->shift + p->jacobian : p->log_pure;
  /* what counts at the ends is then about 1e-14 of the mean */
  const double likely = fmin(most, part == 1 ? leaning(p, p->dim) : p->fixed);
  const double tail =
      fmin(60.0 + most, 32.0 + log_less_one(most) - log_less_one(likely));
  double lo, hi, mass = -INFINITY, excess = -INFINITY;
  gamma_ends(p->dim, tail, &lo, &hi);
  const double mode = fmax(lo, p->dim - 1.0);
  add_span(p, part, mode, lo, &mass, &excess);
  add_span(p, part, mode, hi, &mass, &excess);
  return dpa_log_add(excess - mass, LOG_2 + log_less_one(most) - tail);
}

dpa_status dpa_rdp_objective_gamma(const double *orders, size_t n, double shift,
                                   double kappa, int tied, double dim, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(dim >= 1.0))
    return DPA_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0))
      return DPA_ARGUMENT;
    const double s = orders[i] - 1.0, loss = dpa_objective_pure(shift, kappa, tied);
    rdp[i] = dpa_rdp_pure(orders[i], loss);
    if (!(loss > 0.0) || !(s * loss < 1e3))
      continue;
    const double pull = s * shift;
    const double fixed = LOG_2 + s * log1p(kappa) + 0.5 * pull * pull / dim;
    spherical p = {s, shift, kappa, dim, s * loss, fixed, (s + 0.5) * shift, 0.0, 0.0};
    double best = INFINITY;
    if (s * kappa < 1.0) {
      p.jacobian = -log1p(-s * (1.0 + s) * kappa * kappa / (1.0 + kappa));
      /* Theorem 3's condition with norm / alpha for sigma^2 */
      if (kappa == 0.0)
        p.free_to = INFINITY;
      else if (tied)
        p.free_to = FREE * (1.0 - s * kappa) * shift * shift / (64.0 * kappa * kappa);
      best = log_mean(&p, 1);
    }
    /* the pure loss caps part two, and its own bound is below it; part two is above
     * `fixed` */
    if (fixed < s * loss && log_less_one(fixed) < best)
      best = fmin(best, log_mean(&p, 2));
    rdp[i] = fmin(rdp[i], dpa_log1p_exp(best) / s);
  }
  return DPA_OK;
}
