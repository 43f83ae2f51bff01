#include "account/sampled.h"

#include "account/special.h"

#include <math.h>

/* Every divergence here is log(1 + E g(T)) / (a - 1), with T = L - 1 >= -1 the
 * likelihood ratio less one, E T = 0, and g(t) = (1 + t)^a - 1 - a t >= 0: the
 * integrand is positive and nothing cancels however near 1 the moment E L^a is. z is
 * the noise in units of its standard deviation. */

/* ---- convex functions of the likelihood ratio, in log space ---------------------- */

/* A likelihood ratio L = 1 + t: t's size in logs, since it can overflow. */
typedef struct ratio {
  int negative;
  double log_abs; /* log |t| */
  double log_ratio;
} ratio;

/* log g(t) for order a, which may be any real number but 0 and 1. */
static double log_convex(double a, ratio r) {
  const double s = a - 1.0;
  const double t = (r.negative ? -1.0 : 1.0) * exp(r.log_abs);
  const double size = fabs(a) + 3.0;
  if (fabs(t) * size < 0.5) {
    /* a s t^2 / 2 (1 + (a - 2) t / 3 (1 + (a - 3) t / 4 (...))) */
    double series = 1.0;
    for (int k = 30; k >= 3; k--)
      series = 1.0 + (a - k + 1.0) * t / k * series;
    return 2.0 * r.log_abs + log(0.5 * a * s * series);
  }
  const double power = a * r.log_ratio;
  if (power > 40.0) {
    /* (1 + t)^a (1 - (1 + a t) / (1 + t)^a), where 1 + a t < a (1 + t) */
    return power + log1p(-exp(log(a) + r.log_ratio - power));
  }
  if (r.log_ratio > 40.0) {
    /* a < 1: -1 - a t + (1 + t)^a with t huge; a < 0 is the only case met. */
    return log(-a) + r.log_ratio;
  }
  /* Two ways to write g: one loses no digits near a = 0, the other near a = 1. */
  return log(fabs(a) < 0.5 ? expm1(power) - a * t
                           : (1.0 + t) * expm1(s * r.log_ratio) - s * t);
}

/* ---- the four integrands ------------------------------------------------------ */

enum kind { POISSON, REPLACE, FIXED, MOMENT };

typedef struct sampled {
  enum kind kind;
  double order; /* or the even power of MOMENT */
  double s;
  double log_q, log_rest; /* log q, log(1 - q) */
  double q;
} sampled;

/* The log density ratio of N(1, s^2) (sign = 1) or N(-1, s^2) (-1) to N(0, s^2). */
static double log_shift(const sampled *m, double z, double sign) {
  return (sign * z - 0.5 / m->s) / m->s;
}

static ratio ratio_at(const sampled *m, double z) {
  ratio r;
  const double u = log_shift(m, z, 1.0);
  if (m->kind == REPLACE) {
    const double top = dpa_log_add(m->log_rest, m->log_q + u);
    const double bottom = dpa_log_add(m->log_rest, m->log_q + log_shift(m, z, -1.0));
    const double x = fabs(z) / m->s;
    r.negative = z < 0.0;
    r.log_abs = m->log_q - 0.5 / (m->s * m->s) + x + log(-expm1(-2.0 * x)) - bottom;
    r.log_ratio = r.log_abs < -1.0 ? log1p((r.negative ? -1.0 : 1.0) * exp(r.log_abs))
                                   : top - bottom;
    return r;
  }
  r.negative = u < 0.0;
  r.log_abs = m->log_q + dpa_log_abs_expm1(u);
  r.log_ratio = dpa_log_mix(m->q, u);
  return r;
}

static double log_g(const sampled *m, double z) {
  const ratio r = ratio_at(m, z);
  switch (m->kind) {
  case MOMENT:
    return m->order * r.log_abs;
  case FIXED:
    /* Both directions at once: the second has order 1 - a in the same ratio. */
    return dpa_log_add(log_convex(m->order, r), log_convex(1.0 - m->order, r));
  default:
    return log_convex(m->order, r);
  }
}

/* The density that the expectation is under, up to that of the standard normal. */
static double log_base(const sampled *m, double z) {
  return m->kind == REPLACE ? dpa_log_add(m->log_rest, m->log_q + log_shift(m, z, -1.0))
                            : 0.0;
}

static double value(const void *self, double z) {
  const sampled *m = self;
  const double g = log_g(m, z);
  /* g is 0 at t = 0, where its logarithm may come out as NaN */
  return isnan(g) ? -INFINITY : log_base(m, z) - 0.5 * z * z + g;
}

/* g is convex in t and t increases in z: on [a, b] g is largest at an end, the normal
 * density where |z| is smallest, the base at a. Where L is large, log g plus log base
 * is a convex function of z plus a concave one that varies little: it is at most its
 * chord plus that variation, which is a far better bound where both are steep. */
static double bound(const void *self, double a, double b) {
  const sampled *m = self;
  const double near = a > 0.0 ? a : b < 0.0 ? b : 0.0;
  const double left = log_g(m, a), right = log_g(m, b);
  const double g = isnan(left) || right > left ? right : left;
  if (isnan(g))
    return INFINITY;
  const double crude = log_base(m, a) - 0.5 * near * near + g;
  if (m->kind == MOMENT || !(a > 0.0) || !(left > -INFINITY) ||
      !(m->order * ratio_at(m, a).log_ratio > 40.0))
    return crude;
  const double low = left + log_base(m, a), high = right + log_base(m, b);
  const double concave = m->order * (log_base(m, a) - log_base(m, b)) + 1e-9;
  const double slope = (high - low) / (b - a);
  const double at = slope < a ? a : slope > b ? b : slope; /* top of chord - z^2 / 2 */
  const double chord = low + slope * (at - a) - 0.5 * at * at + concave;
  return chord < crude ? chord : crude;
}

/* Where q exp(u) passes 1 - q the ratio bends within a few s; its complex singularities
 * lie pi s off the real line there. */
static double panel(const void *self, double a, double b) {
  const sampled *m = self;
  const double bend = m->s * (m->log_rest - m->log_q) + 0.5 / m->s;
  const double reach = 45.0 * m->s;
  const int bends = m->kind != MOMENT && bend < INFINITY &&
                    ((a < bend + reach && b > bend - reach) ||
                     (m->kind == REPLACE && a < -bend + reach && b > -bend - reach));
  return bends && 2.0 * m->s < 1.0 ? 2.0 * m->s : 1.0;
}

/* log E g(T). */
static double log_moment(const sampled *m) {
  const double power = m->order > 2.0 ? m->order : 2.0;
  const double shift = 1.0 / m->s, margin = 14.0;
  const int both = m->kind == REPLACE;
  if (power * shift > 1e7) {
    /* Out of reach of the quadrature, where sampling hardly helps any more: the bound
     * for one who is told whether the record was drawn (for MOMENT, with q = 1). */
    const double distance = both ? 2.0 * shift : shift;
    return m->log_q + 0.5 * m->order * (m->order - 1.0) * distance * distance;
  }
  const double lo = m->kind == FIXED ? 0.5 * shift : both ? -shift - margin : -margin;
  const double hi = (both ? 2.0 : 1.0) * power * shift + margin;
  /* A hint of the integrand's size: the best of a few places where it can peak. */
  const double bend = m->s * (m->log_rest - m->log_q) + 0.5 * shift;
  const double places[] = {1.0,
                           2.0,
                           m->order * shift,
                           2.0 * shift,
                           bend,
                           2.0 + 2.0 * shift,
                           (2.0 * power - 1.0) * shift,
                           -1.0,
                           floor(power) * shift,
                           lo + 0.5,
                           hi - margin,
                           -shift};
  double top = -INFINITY;
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    if (places[k] > lo && places[k] < hi) {
      const double at = value(m, places[k]);
      top = at > top ? at : top;
    }
  }
  for (int k = 1; k < 64; k++) {
    const double at = value(m, lo + (hi - lo) * k / 64.0);
    top = at > top ? at : top;
  }
  const dpa_integrand f = {value, bound, panel, m};
  return dpa_log_integral(&f, lo, hi, top) - 0.91893853320467274178;
}

static int usable(double q, double s) {
  return q > 0.0 && q <= 1.0 && s > 0.0 && s < INFINITY;
}

static sampled make(enum kind kind, double q, double s) {
  const sampled m = {kind, 0.0, s, log(q), log1p(-q), q};
  return m;
}

static dpa_status integrate(enum kind kind, const double *orders, size_t n, double q,
                            double s, double *rdp) {
  if (!usable(q, s))
    return DPA_ARGUMENT;
  sampled m = make(kind, q, s);
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0 && orders[i] < INFINITY))
      return DPA_ARGUMENT;
    m.order = orders[i];
    rdp[i] = dpa_log1p_exp(log_moment(&m)) / (orders[i] - 1.0);
    if (isnan(rdp[i]))
      return DPA_NUMERIC;
  }
  return DPA_OK;
}

/* ---- Poisson sampling --------------------------------------------------------- */

/* log E g(T) at a whole order a: the sum over k >= 2 of
 * choose(a, k) q^k (1 - q)^(a - k) (exp(k (k - 1) / (2 s^2)) - 1). */
static double log_sum(double a, const sampled *m) {
  double sum = -INFINITY, choose = a * m->log_rest;
  for (double k = 1.0; k <= a; k++) {
    /* log of choose(a, k) q^k (1 - q)^(a - k), from k - 1 */
    choose += log((a - k + 1.0) / k) + m->log_q - m->log_rest;
    if (k >= 2.0) {
      sum = dpa_log_add(
          sum, choose + dpa_log_abs_expm1(0.5 * k * (k - 1.0) / (m->s * m->s)));
    }
  }
  return sum;
}

dpa_status dpa_rdp_poisson(const double *orders, size_t n, double q, double s,
                           double *rdp) {
  const double most_terms = 4096.0;
  if (!usable(q, s))
    return DPA_ARGUMENT;
  const sampled m = make(POISSON, q, s);
  for (size_t i = 0; i < n; i++) {
    const double a = orders[i];
    if (!(a > 1.0 && a < INFINITY))
      return DPA_ARGUMENT;
    if (q == 1.0) {
      rdp[i] = 0.5 * a / (s * s);
    } else if (a == floor(a) && a < most_terms) {
      rdp[i] = dpa_log1p_exp(log_sum(a, &m)) / (a - 1.0);
    } else {
      const dpa_status status = integrate(POISSON, &a, 1, q, s, &rdp[i]);
      if (status != DPA_OK)
        return status;
    }
  }
  return DPA_OK;
}

dpa_status dpa_rdp_poisson_replace(const double *orders, size_t n, double q, double s,
                                   double *rdp) {
  return integrate(REPLACE, orders, n, q, s, rdp);
}

/* ---- fixed-size sampling -------------------------------------------------------- */

dpa_status dpa_rdp_fixed(const double *orders, size_t n, double q, double s,
                         double *rdp) {
  return integrate(FIXED, orders, n, q, s, rdp);
}

/* (a - 1) rdp(a) of the ternary bound at a whole order a >= 1. moments[j] is the log of
 * E (exp(Z / s - 1 / (2 s^2)) - 1)^(2 j), Z standard normal. */
static double wang_cumulant(double a, const sampled *m, const double *moments) {
  const double log2 = 0.69314718055994530942;
  const double v = 1.0 / (m->s * m->s);
  double sum = -INFINITY, choose = log(a);
  for (double k = 2.0; k <= a; k++) {
    choose += log((a - k + 1.0) / k);
    const size_t low = (size_t)(k / 2.0), high = (size_t)((k + 1.0) / 2.0);
    const double ternary = 2.0 * log2 + 0.5 * (moments[low] + moments[high]);
    const double plain = log2 + 0.5 * k * (k - 1.0) * v;
    sum = dpa_log_add(sum, choose + k * m->log_q + (ternary < plain ? ternary : plain));
  }
  return dpa_log1p_exp(sum);
}

dpa_status dpa_rdp_fixed_wang(const double *orders, size_t n, double q, double s,
                              double *moments, size_t most, double *rdp) {
  if (!usable(q, s))
    return DPA_ARGUMENT;
  sampled m = make(MOMENT, 1.0, s);
  moments[0] = 0.0;
  for (size_t j = 1; j <= most / 2; j++) {
    m.order = 2.0 * (double)j;
    moments[j] = log_moment(&m);
    if (isnan(moments[j]))
      return DPA_NUMERIC;
  }
  m = make(MOMENT, q, s);
  for (size_t i = 0; i < n; i++) {
    const double a = orders[i], below = floor(a), part = a - below;
    if (!(a > 1.0) || ceil(a) + 1.0 > (double)most + 1.0)
      return DPA_ARGUMENT;
    const double low = wang_cumulant(below, &m, moments);
    const double high = part > 0.0 ? wang_cumulant(below + 1.0, &m, moments) : 0.0;
    rdp[i] = ((1.0 - part) * low + part * high) / (a - 1.0);
  }
  return DPA_OK;
}
