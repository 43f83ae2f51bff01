#include "account/norm_mean.h"

#include "account/sixteen.h"
#include "account/special.h"

#include <math.h>

#define TWO_PI 6.28318530717958647693
#define EFOLDS 20.0 /* change of the integrand over a panel: 16 nodes err by 3e-12 */
#define WIDEST 1.5  /* and of the norm's logarithm: by 1e-14 */
#define WIDTHS 5.0  /* and of that in standard deviations */
#define MOST_STEPS 1e6

/* Sixteen densities times exp(bound) - 1, in units of exp(of what is returned), which
 * is 0 where no bound is large. `log_density`: their logs, in a unit of their own. */
static double times_less_one(const double *log_density, const double *density,
                             const double *bound, double *out) {
  int large = 0;
  for (int i = 0; i < DPA_SIXTEEN; i++)
    large |= !(bound[i] <= 30.0);
  if (!large) {
    dpa_expm1_16(bound, out);
    for (int i = 0; i < DPA_SIXTEEN; i++)
      out[i] *= density[i];
    return 0.0;
  }
  double one[DPA_SIXTEEN], unit = -INFINITY;
  for (int i = 0; i < DPA_SIXTEEN; i++)
    unit = fmax(unit, log_density[i] + bound[i]);
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    out[i] = log_density[i] + bound[i] - unit;
    one[i] = log_density[i] - unit;
  }
  dpa_exp16(out, out);
  dpa_exp16(one, one);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    out[i] -= one[i];
  return unit;
}

/* A sum in units of exp(unit). */
typedef struct sum {
  double unit, value;
} sum;

static void add(sum *to, double unit, double value) {
  if (unit > to->unit + 300.0) {
    to->value *= exp(to->unit - unit);
    to->unit = unit;
  }
  to->value += value * exp(unit - to->unit);
}

static double log_sum(const sum *of) {
  return of->unit + log(of->value);
}

/* leaning() has a square root, with a singularity just below the radius it starts at.
 * In t, x = root * cosh(t), there is none, and leaning() is root * exp(-t). */
static int is_curved(const dpa_norm_law *p, int part, double lower) {
  return part == 1 && lower >= p->start && lower < 3.0 * p->root;
}

/* A panel from x to `end`, and the log of the density at its end over that at x. */
typedef struct panel {
  double x, end, change;
} panel;

/* At most to `stop`: as far as 16 nodes will do, for the integral of the density times
 * exp(bound) - 1 and, `both`, of the density alone. */
static panel next_panel(const dpa_norm_law *p, int part, int both, double x,
                        double stop) {
  const double here = dpa_norm_bound(p, part, x);
  const double widest = fmin(WIDEST, WIDTHS / sqrt(p->dim));
  double end = stop, ratio = log(stop / x);
  if (fabs(ratio) > widest) {
    ratio = copysign(widest, ratio);
    end = x * exp(ratio);
  }
  for (int k = 0;; k++, ratio = log(end / x)) {
    const double change = (p->dim - 1.0) * ratio - (end - x);
    const double turn = dpa_norm_bound(p, part, end) - here;
    const double most = fmax(fabs(change + turn), both ? fabs(change) : 0.0);
    if (!(most > EFOLDS) || k == 60)
      return (panel){x, end, change};
    end = x + 0.6 * (end - x);
  }
}

/* Adds one panel's part of two integrals, of the density times exp(bound) - 1 and of
 * the density, which is exp(log_density) where the panel begins: by Gauss-Legendre. */
static void add_panel(const dpa_norm_law *p, int part, panel it, double log_density,
                      sum *over, sum *mass) {
  const int curved = is_curved(p, part, fmin(it.x, it.end));
  const double one = curved ? acosh(it.x / p->root) : it.x;
  const double other = curved ? acosh(it.end / p->root) : it.end;
  const double half = 0.5 * fabs(other - one), middle = 0.5 * (one + other);
  double at[DPA_SIXTEEN], w[DPA_SIXTEEN], bound[DPA_SIXTEEN];
  for (int i = 0; i < 8; i++) {
    const double step = half * dpa_gauss16[i].x;
    at[i] = middle - step;
    at[8 + i] = middle + step;
    w[i] = w[8 + i] = half * dpa_gauss16[i].w;
  }
  if (curved) {
    const double scale = 0.5 * p->root;
    const double factor = dpa_norm_factor(p, 0.5 * (it.x + it.end));
    dpa_exp16(at, at);
    for (int i = 0; i < DPA_SIXTEEN; i++) {
      const double fall = 1.0 / at[i];
      bound[i] = p->root * fall + factor;
      w[i] *= scale * (at[i] - fall);
      at[i] = scale * (at[i] + fall);
    }
  } else {
    dpa_norm_bounds(p, part, middle, at, bound);
  }
  double log_ratio[DPA_SIXTEEN], density[DPA_SIXTEEN], rise[DPA_SIXTEEN];
  for (int i = 0; i < DPA_SIXTEEN; i++)
    log_ratio[i] = at[i] / it.x;
  dpa_log16(log_ratio, log_ratio);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    log_ratio[i] = (p->dim - 1.0) * log_ratio[i] - (at[i] - it.x);
  dpa_exp16(log_ratio, density);
  const double unit = times_less_one(log_ratio, density, bound, rise);
  double above = 0.0, all = 0.0;
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    above += w[i] * rise[i];
    all += w[i] * density[i];
  }
  add(over, log_density + unit, above);
  if (mass)
    add(mass, log_density, all);
}

/* The same from one radius to another, on panels. `mass` may be missing. */
static void add_span(const dpa_norm_law *p, int part, double from, double to, sum *over,
                     sum *mass) {
  double here = dpa_norm_log_density(p, from);
  for (double x = from; x != to;) {
    panel it = next_panel(p, part, mass != NULL, x, dpa_norm_break(p, part, x, to));
    if (it.end == x) /* no panel is that short */
      it = (panel){x, to, dpa_norm_log_density(p, to) - here};
    add_panel(p, part, it, here, over, mass);
    here += it.change;
    x = it.end;
  }
}

/* By the trapezoidal rule in log x, on which the density falls as fast as a normal one
 * on either side and its Fourier transform does, too. */
double dpa_norm_mean_smooth(const dpa_norm_law *p, int part, double lo, double hi) {
  /* a frequency where there is 1e-15 left: |Gamma(dim + i f)| is about
   * exp(-f^2 / (2 dim)) of Gamma(dim), or exp(-f pi / 2) for small dim */
  const double frequency =
      sqrt(76.0 * (p->dim + dpa_norm_bound(p, part, p->dim)) + 500.0);
  const double many = ceil(log(hi / lo) * frequency / TWO_PI);
  if (!(many < MOST_STEPS))
    return NAN;
  const int steps = (int)many;
  const double h = log(hi / lo) / steps, start = log(lo / p->dim);
  sum over = {-INFINITY, 0.0};
  double mass = 0.0;
  for (int k = 0; k <= steps; k += DPA_SIXTEEN) {
    double at[DPA_SIXTEEN], less[DPA_SIXTEEN], bound[DPA_SIXTEEN];
    double log_ratio[DPA_SIXTEEN], density[DPA_SIXTEEN], rise[DPA_SIXTEEN];
    for (int i = 0; i < DPA_SIXTEEN; i++)
      at[i] = start + fmin(k + i, steps) * h;
    dpa_expm1_16(at, less);
    for (int i = 0; i < DPA_SIXTEEN; i++) {
      log_ratio[i] = p->dim * (at[i] - less[i]);
      at[i] = p->dim * (1.0 + less[i]);
    }
    dpa_norm_bounds(p, part, p->dim, at, bound);
    dpa_exp16(log_ratio, density);
    const double unit = times_less_one(log_ratio, density, bound, rise);
    double above = 0.0;
    for (int i = 0; i < DPA_SIXTEEN && k + i <= steps; i++) {
      above += rise[i];
      mass += density[i];
    }
    add(&over, unit, above);
  }
  return log_sum(&over) - log(mass);
}

double dpa_norm_mean(const dpa_norm_law *p, int part, double from, double to,
                     double middle, double ends, double *mass) {
  const double inner = fmin(to, fmax(from, middle));
  sum over = {-INFINITY, 0.0}, inside = {-INFINITY, 0.0};
  add_span(p, part, inner, to, &over, mass ? &inside : NULL);
  add_span(p, part, inner, from, &over, mass ? &inside : NULL);
  if (mass)
    *mass = dpa_log_add(*mass, log_sum(&inside));
  return dpa_log_add(ends, log_sum(&over));
}
