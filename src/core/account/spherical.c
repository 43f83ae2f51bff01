#include "account/spherical.h"

#include "account/objective.h"
#include "account/special.h"

#include <math.h>

#define HALF_PI 1.57079632679489661923
#define MANY_DIMENSIONS 24.0 /* where the ends of the angles count for nothing */
#define STEEP 50.0 /* a tilt a dimension at which the density leans on an end */

typedef struct law {
  double shift, dim, lean;
  double mode; /* the angle where the density is largest; it has one maximum */
} law;

/* Not normalised. */
static double log_density(const law *p, double angle) {
  const double c = cos(angle);
  const double log_cos = p->dim > 2.0 ? (p->dim - 2.0) * log(c) : 0.0;
  return log_cos + log1p(p->lean * c * c) + 0.5 * p->shift * sin(angle);
}

/* The slope of the log density over cos(angle) is positive for angles below 0, and
 * falls above. */
static double find_mode(const law *p) {
  double lo = 0.0, hi = HALF_PI;
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (lo + hi), c = cos(middle), s = sin(middle);
    const double slope = 0.5 * p->shift - (p->dim - 2.0) * s / (c * c) -
                         2.0 * p->lean * s / (1.0 + p->lean * c * c);
    if (slope > 0.0)
      lo = middle;
    else
      hi = middle;
  }
  return 0.5 * (lo + hi);
}

/* ---- bins -------------------------------------------------------------------------
 */

/* One bin's sums, in units of exp(scale), scale the log density's largest value in it:
 * of the density, and of it times 1 - exp(-over) and exp(-over). */
typedef struct bin {
  double edge, h, scale;
  double mass, rise, fall;
} bin;

static void add_panel(const law *p, bin *it, double a, double b) {
  const double half = 0.5 * fabs(b - a), middle = 0.5 * (a + b);
  for (int k = 0; k < 8; k++) {
    const dpa_quadrature node = dpa_gauss8[k / 2];
    const double angle = middle + (k % 2 ? -1.0 : 1.0) * half * node.x;
    const double past = p->shift * sin(angle) - it->edge;
    const double over = past < 0.0 ? 0.0 : past > it->h ? it->h : past;
    const double w = half * node.w * exp(log_density(p, angle) - it->scale);
    it->mass += w;
    it->rise -= w * expm1(-over);
    it->fall += w * exp(-over);
  }
}

/* How far a panel may go from x towards the nearer end of (-pi/2, pi/2), its distance
 * being y: the power of the cosine is a polynomial of a low degree, or does not change
 * by much more than exp(4), the exponential by not more than exp(2), and the
 * logarithm's singularities, at cos^2 = -1 / lean, are twice as far away. */
static double panel_length(const law *p, double x, double y) {
  const double power = p->dim - 2.0, t = p->shift;
  double length = fmin(y, 0.25);
  if (power > 12.0)
    length = fmin(length, fmin(2.0 / (power * tan(fabs(x))), 2.0 / sqrt(power)));
  length = fmin(length, 2.0 / (t * cos(x)));
  length = fmin(length, sqrt(2.0 / t));
  return fmin(length, 0.5 * sqrt(y * y + 1.0 / p->lean));
}

/* Adds the angles from `inner` to `outer`, which is nearer to an end. */
static void add_outward(const law *p, bin *it, double inner, double outer) {
  const double sign = outer > inner ? 1.0 : -1.0;
  double x = inner;
  while (sign * (outer - x) > 0.0) {
    const double y = HALF_PI - fabs(x);
    const double end = x + sign * panel_length(p, x, y);
    const double to = sign * (outer - end) > 0.0 && end != x ? end : outer;
    add_panel(p, it, x, to);
    x = to;
    /* from here on the density falls, to less than can matter */
    if (sign * (x - p->mode) > 0.0 && log_density(p, x) < it->scale - 80.0)
      break;
  }
}

/* The angles from a to b with losses from it->edge on. */
static double bin_mass(const law *p, bin *it, double a, double b) {
  if (a < 0.0)
    add_outward(p, it, fmin(b, 0.0), a);
  if (b > 0.0)
    add_outward(p, it, fmax(a, 0.0), b);
  return it->scale + log(it->mass);
}

static double bin_over(const bin *it) {
  const double over = it->rise < 0.5 * it->mass ? -log1p(-it->rise / it->mass)
                                                : -log(it->fall / it->mass);
  return fmin(it->h, fmax(0.0, over));
}

dpa_status dpa_spherical_bins(double shift, double dim, double lean, double h,
                              double first, size_t n, double least, double *log_mass,
                              double *over) {
  if (!(shift > 0.0 && shift < INFINITY && dim >= 2.0 && dim < INFINITY) ||
      !(lean >= 0.0 && lean < INFINITY && h > 0.0))
    return DPA_ARGUMENT;
  law p = {shift, dim, lean, 0.0};
  p.mode = find_mode(&p);
  const double place = floor(shift * sin(p.mode) / h) - first;
  const size_t start = place > 0.0 ? (place < (double)n ? (size_t)place : n - 1) : 0;
  double total = -INFINITY;
  /* from the mode up, then down: what was found so far says what is nothing beside it
   */
  for (size_t k = 0; k < n; k++) {
    const size_t j = k < n - start ? start + k : n - 1 - k;
    bin it = {(first + (double)j) * h, h, 0.0, 0.0, 0.0, 0.0};
    const double a = asin(fmax(-1.0, fmin(1.0, it.edge / shift)));
    const double b = asin(fmax(-1.0, fmin(1.0, (first + (double)j + 1.0) * h / shift)));
    log_mass[j] = -INFINITY;
    over[j] = 0.0;
    if (!(b > a))
      continue;
    it.scale = log_density(&p, fmin(b, fmax(a, p.mode)));
    if (it.scale + log(b - a) < total + least)
      continue;
    log_mass[j] = bin_mass(&p, &it, a, b);
    over[j] = bin_over(&it);
    if (isnan(log_mass[j]) || isnan(over[j]))
      return DPA_NUMERIC;
    total = dpa_log_add(total, log_mass[j]);
  }
  for (size_t j = 0; j < n; j++)
    log_mass[j] -= total;
  return DPA_OK;
}

/* ---- Renyi divergences ------------------------------------------------------------
 */

/* The moment of order 1 + s less one is the ratio of two integrals over angles from 0
 * on, of w 2 sinh((s + 1) l / 2) sinh(s l / 2) and of w cosh(l / 2), where l = shift *
 * sin and w is the density's part that is even. `steep` has the exponential of the
 * first. Sums of a panel are in units of what they are where it begins. */
static double log_excess(const law *p, const law *steep, double s) {
  const double power = p->dim - 2.0;
  double excess = -INFINITY, whole = -INFINITY, x = 0.0, top = -INFINITY;
  while (x < HALF_PI) {
    const double end = x + panel_length(steep, x, HALF_PI - x);
    const double to = end < HALF_PI && end > x ? end : HALF_PI;
    const double half = 0.5 * (to - x), middle = 0.5 * (x + to), before = excess;
    const double log_cos = log(cos(x)), pull = p->shift * sin(x);
    double risen = 0.0, even = 0.0;
    for (int k = 0; k < 8; k++) {
      const dpa_quadrature node = dpa_gauss8[k / 2];
      const double angle = middle + (k % 2 ? -1.0 : 1.0) * half * node.x;
      const double c = cos(angle), l = p->shift * sin(angle);
      const double w = node.w * (1.0 + p->lean * c * c);
      const double turn = power > 0.0 ? power * (log(c) - log_cos) : 0.0;
      const double far = expm1(-(s + 1.0) * l) * expm1(-s * l);
      risen += w * far * exp(turn + (s + 0.5) * (l - pull));
      even += w * (1.0 + exp(-l)) * exp(turn + 0.5 * (l - pull));
    }
    const double unit = log(half) + (power > 0.0 ? power * log_cos : 0.0);
    excess = dpa_log_add(excess, unit + (s + 0.5) * pull + log(risen));
    whole = dpa_log_add(whole, unit + 0.5 * pull + log(even));
    x = to;
    /* what a panel adds falls from the mode on */
    top = fmax(top, log_density(steep, x));
    if (x > steep->mode && before == excess && log_density(steep, x) < top - 80.0)
      break;
  }
  return excess - whole;
}

/* The same of many dimensions, where the density has a normal one's shape wherever it
 * counts: by the trapezoidal rule from angle 0 on, on either side of which the
 * integrands are the same. */
static double log_excess_smooth(const law *p, double s) {
  const double power = p->dim - 2.0, tilt = (s + 0.5) * p->shift;
  /* sines of the angles where both densities are largest, but for `lean` */
  const double far = 2.0 * tilt / (power + sqrt(power * power + 4.0 * tilt * tilt));
  const double near = p->shift / (power + sqrt(power * power + p->shift * p->shift));
  const double bend = power / (1.0 - far * far) + tilt * far;
  const double step = 0.68 / sqrt(bend + 2.0);
  const double top = 0.5 * power * log1p(-far * far) + tilt * far;
  const double unit = 0.5 * power * log1p(-near * near) + 0.5 * p->shift * near;
  double risen = 0.0, even = (1.0 + p->lean) * exp(-unit); /* half of angle 0 */
  for (double k = 1.0; k * step < HALF_PI; k += 1.0) {
    const double c = cos(k * step), sine = sin(k * step), l = p->shift * sine;
    const double lean = 1.0 + p->lean * c * c, turn = power * log(c);
    const double rise =
        lean * expm1(-(s + 1.0) * l) * expm1(-s * l) * exp(turn + tilt * sine - top);
    const double flat = lean * (1.0 + exp(-l)) * exp(turn + 0.5 * l - unit);
    risen += rise;
    even += flat;
    if (sine > far && rise < 1e-18 * risen && flat < 1e-18 * even)
      break;
  }
  return log(risen) + top - log(even) - unit;
}

dpa_status dpa_rdp_spherical(const double *orders, size_t n, double shift, double dim,
                             double lean, double *rdp) {
  if (!(shift > 0.0 && shift < INFINITY && dim >= 2.0 && dim < INFINITY) ||
      !(lean >= 0.0 && lean < INFINITY))
    return DPA_ARGUMENT;
  const law p = {shift, dim, lean, 0.0};
  for (size_t i = 0; i < n; i++) {
    const double s = orders[i] - 1.0;
    if (!(s > 0.0))
      return DPA_ARGUMENT;
    rdp[i] = dpa_rdp_pure(orders[i], shift);
    if (!(s * shift < 1e3))
      continue;
    double excess;
    law steep = {(2.0 * s + 1.0) * shift, dim, lean, 0.0};
    if (dim < MANY_DIMENSIONS || steep.shift > STEEP * dim) {
      steep.mode = find_mode(&steep);
      excess = log_excess(&p, &steep, s);
    } else {
      excess = log_excess_smooth(&p, s);
    }
    rdp[i] = fmin(rdp[i], dpa_log1p_exp(excess) / s);
    if (isnan(rdp[i]))
      return DPA_NUMERIC;
  }
  return DPA_OK;
}
