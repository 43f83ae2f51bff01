#include "account/spherical.h"

#include "account/special.h"

#include <math.h>

#define HALF_PI 1.57079632679489661923

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

int dpa_spherical_is_law(double shift, double dim, double lean) {
  return shift > 0.0 && shift < INFINITY && dim >= 2.0 && dim < INFINITY &&
         lean >= 0.0 && lean < INFINITY;
}

dpa_status dpa_spherical_bins(double shift, double dim, double lean, double h,
                              double first, size_t n, double least, double *log_mass,
                              double *over) {
  if (!dpa_spherical_is_law(shift, dim, lean) || !(h > 0.0))
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

/* ---- lean -------------------------------------------------------------------------
 */

#define EULER 0.57721566490153286061
#define STEPS 2000 /* between orders; larger ones begin with an approximation */

/* K_1(z) / K_0(z) by their series, and the Wronskian I_0 K_1 + I_1 K_0 = 1 / z. */
static double ratio_near_0(double z) {
  const double t = 0.25 * z * z;
  double term = 1.0, harmonic = 0.0, i0 = 1.0, i1 = 1.0, k0 = 0.0;
  for (int k = 1; k <= 20; k++) {
    term *= t / k / k;
    harmonic += 1.0 / k;
    i0 += term;
    i1 += term / (k + 1);
    k0 += term * harmonic;
  }
  i1 *= 0.5 * z;
  k0 -= (log(0.5 * z) + EULER) * i0;
  return (1.0 / z - i1 * k0) / i0 / k0;
}

/* The same by Temme's continued fraction. */
static double ratio_far(double z) {
  double b = 2.0 * (1.0 + z), d = 1.0 / b, change = d, sum = d, a = -0.25;
  for (int k = 2; k <= 500 && change > 1e-17 * sum; k++) {
    a -= 2.0 * (k - 1);
    b += 2.0;
    d = 1.0 / (b + a * d);
    change *= b * d - 1.0;
    sum += change;
  }
  return (z + 0.5 - 0.25 * sum) / z;
}

/* K_(nu + 1)(z) / K_nu(z) for nu = 0, 1/2, 1, ...: the ratio of the orders one lower is
 * 2 nu / z plus one over it, which makes errors smaller. */
static double bessel_ratio(double nu, double z) {
  const double steps = fmin(floor(nu), STEPS), from = nu - steps;
  double ratio;
  if (from >= 1.0)
    ratio = (from + 0.5 + sqrt((from + 0.5) * (from + 0.5) + z * z)) / z;
  else if (from > 0.0)
    ratio = 1.0 + 1.0 / z;
  else
    ratio = z < 2.0 ? ratio_near_0(z) : ratio_far(z);
  for (double k = 1.0; k <= steps; k += 1.0)
    ratio = 2.0 * (from + k) / z + 1.0 / ratio;
  return ratio;
}

/* It is of the order of shift^2. */
double dpa_spherical_lean(double shift, double dim) {
  if (!(shift >= 1e-100))
    return 0.0;
  return 0.5 * shift / ((dim - 1.0) * bessel_ratio(0.5 * dim - 1.0, 0.5 * shift));
}
