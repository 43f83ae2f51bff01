#include "account/norm_law.h"

#include "account/sixteen.h"

#include <math.h>

#define HALF_LOG_TWO_PI 0.91893853320467274178
#define LOG_2 0.69314718055994530942
#define FREE 22.180339887498 /* 11 + 5 sqrt 5, rounded down */

double dpa_norm_fixed(double s, double shift, double kappa, double dim) {
  const double pull = s * shift;
  return LOG_2 + s * log1p(kappa) + 0.5 * pull * pull / dim;
}

double dpa_norm_turned(double s, double kappa) {
  return s * (1.0 + s) * kappa * kappa / (1.0 + kappa);
}

/* Theorem 3's condition with norm / alpha for sigma^2. */
double dpa_norm_free_to(double s, double shift, double kappa, int tied) {
  if (kappa == 0.0)
    return INFINITY;
  return tied ? FREE * (1.0 - s * kappa) * shift * shift / (64.0 * kappa * kappa) : 0.0;
}

dpa_norm_law dpa_norm_law_of(double s, double shift, double kappa, int tied, double dim,
                             double loss, double at_mean) {
  dpa_norm_law p = {.s = s, .shift = shift, .dim = dim};
  p.log_pure = s * loss;
  p.fixed = dpa_norm_fixed(s, shift, kappa, dim);
  p.start = (s + 0.5) * shift;
  p.root = sqrt(s * (1.0 + s)) * shift;
  p.at_mean = at_mean;
  if (s * kappa < 1.0) { /* where it nearly is, the factor may round to any */
    p.jacobian = -log1p(-dpa_norm_turned(s, kappa));
    p.free_to = dpa_norm_free_to(s, shift, kappa, tied);
    p.has_one = p.jacobian < 1e3;
  }
  return p;
}

/* alpha L_s(norm), Theorem 4, by the form that it has at `within`. Falls from x = s
 * shift on. */
static inline double leaning(const dpa_norm_law *p, double within, double x) {
  const double s = p->s, d = p->shift;
  if (within >= p->start) {
    const double c = s * (1.0 + s) * d * d;
    return c / (x + sqrt(x * x - c));
  }
  return within >= s * d ? 2.0 * s * ((1.0 + s) * d - x) : 2.0 * x;
}

double dpa_norm_factor(const dpa_norm_law *p, double x) {
  return x >= p->start && x <= p->free_to ? 0.0 : p->jacobian;
}

static inline double bound_as_at(const dpa_norm_law *p, int part, double within,
                                 double factor, double x) {
  if (part == 1)
    return leaning(p, within, x) + factor;
  const double y = p->fixed + 0.5 * p->s * p->shift * p->shift / x;
  return y < p->log_pure ? y : p->log_pure;
}

double dpa_norm_bound(const dpa_norm_law *p, int part, double x) {
  return bound_as_at(p, part, x, dpa_norm_factor(p, x), x);
}

void dpa_norm_bounds(const dpa_norm_law *p, int part, double within, const double *x,
                     double *out) {
  const dpa_norm_law own = *p; /* `out` cannot change it */
  const double factor = dpa_norm_factor(p, within);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    out[i] = bound_as_at(&own, part, within, factor, x[i]);
}

double dpa_norm_break(const dpa_norm_law *p, int part, double x, double to) {
  const double pull = p->s * p->shift;
  const double capped = 0.5 * pull * p->shift / (p->log_pure - p->fixed);
  const double candidate[] = {part == 1 ? pull : capped, p->start, p->free_to};
  for (int k = 0; k < (part == 1 ? 3 : 1); k++) {
    const double c = candidate[k];
    if ((c > x && c < to) || (c < x && c > to))
      to = c;
  }
  return to;
}

/* (dim - 1) log(dim) - dim - log Gamma(dim), by Stirling's series, in which nothing
 * cancels. */
double dpa_norm_log_density_at_mean(double dim) {
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

double dpa_norm_log_density(const dpa_norm_law *p, double x) {
  return (p->dim - 1.0) * log(x / p->dim) - (x - p->dim) + p->at_mean;
}

/* Chernoff: P(X > dim y) and P(X < dim y) are at most exp(-dim (y - 1 - log y)). */
double dpa_norm_lower_end(double dim, double below) {
  const double t = below / dim;
  /* z = log y, by Newton's steps from below, which stay there: the sum is convex */
  double z = -sqrt(2.0 * t) - t;
  for (int k = 0; k < 4; k++) {
    const double less = expm1(z);
    z -= (less - z - t) / less;
  }
  return dim * exp(fmax(z, -690.0));
}

double dpa_norm_upper_end(double dim, double above) {
  return dim * (1.0 + sqrt(2.0 * above / dim) + above / dim);
}
