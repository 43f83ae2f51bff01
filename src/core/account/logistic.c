#include "account/logistic.h"

#include <math.h>
#include <stddef.h>

double dpa_logistic_pure(double shift, double kappa) {
  const double u = 0.5 * shift, c = 4.0 * kappa;
  /* u p + log(1 + c p (1 - p)) is concave in p and rises as far as p = 1 */
  if (u >= c)
    return shift;
  const double most = shift + log1p(kappa);
  /* its stationary point, p = 1/2 + x */
  const double root = hypot(c, u * sqrt(c) * sqrt(1.0 + 0.25 * c));
  if (!(root < INFINITY))
    return most;
  const double x = u * (1.0 + 0.25 * c) / (c + root);
  return fmax(shift, fmin(most, u + u * (0.5 + x) + log1p(c * (0.25 - x * x))));
}

/* ---- Theorem 3 --------------------------------------------------------------------
 */

/* What one of the two records can add to the plain Gaussian mechanism, as a function of
 * q = 1 - p: G(4 kappa p q) - plain q (2 - q), G(x) being the integral from 0 of
 * order y / ((1 + y) (1 + c y)), F_1 / s for c = order and F_2 / s for c = -s. */
typedef struct record {
  double s, order, kappa, c;
  double plain; /* order shift^2 / 4 */
  double curl;  /* 8 order kappa^2 */
} record;

static double curvature_at(const record *r, double q) {
  return 4.0 * r->kappa * (1.0 - q) * q;
}

/* G, from above where it is a series: its first three terms, of which for c > 0 the
 * next is negative, and for c < 0 the rest is below 1e-11 of their sum. */
static double jacobian(const record *r, double x) {
  const double c = r->c;
  if (fmax(1.0, fabs(c)) * x < 1e-4)
    return r->order * x * x * (1.0 + 1e-11) *
           (0.5 - (1.0 + c) * x / 3.0 + (1.0 + c + c * c) * x * x / 4.0);
  if (c > 0.0)
    return log1p(x) - log1p(r->s * x / (1.0 + x)) / r->s;
  return -log1p(-r->s * x) / r->s - log1p(x);
}

static double jacobian_at(const record *r, double q) {
  return jacobian(r, curvature_at(r, q));
}

static double value_at(const record *r, double q, double jacobian) {
  return jacobian - r->plain * q * (2.0 - q);
}

/* a p^2 q^2 - plain q (2 - q), and its stationary point that can be its maximum. */
static double quartic(double a, double plain, double q) {
  const double p = 1.0 - q;
  return a * p * p * q * q - plain * q * (2.0 - q);
}

static double quartic_peak(double a, double plain) {
  return 0.25 * (1.0 + sqrt(fmax(0.0, 1.0 - 8.0 * plain / a)));
}

/* q in [from, to], to <= 1/2. */
typedef struct cell {
  double from, to, jacobian; /* at `from` */
} cell;

/* An upper bound over a cell: beyond its value at `from` G has at most the slope order
 * H x, H the largest of 1 / ((1 + x) (1 + c x)) there. What then is left to maximise is
 * a polynomial. */
static double cell_bound(const record *r, const cell *of) {
  const double from = of->from, to = of->to;
  const double low = curvature_at(r, from), high = curvature_at(r, to);
  /* (1 + x) (1 + c x) rises for c > 0, and is concave for c < 0 */
  const double least = fmin((1.0 + low) * (1.0 + r->c * low),
                            r->c > 0.0 ? INFINITY : (1.0 + high) * (1.0 + r->c * high));
  const double a = r->curl / least;
  const double start = of->jacobian - 0.5 * r->order / least * low * low;
  double most = fmax(quartic(a, r->plain, from), quartic(a, r->plain, to));
  if (8.0 * r->plain < a) {
    const double peak = quartic_peak(a, r->plain);
    if (peak > from && peak < to)
      most = fmax(most, quartic(a, r->plain, peak));
  }
  return start + most;
}

/* The sign of the value's slope, and the derivative of it. */
static double slope_at(const record *r, double q, double *bend) {
  const double x = curvature_at(r, q), dx = 4.0 * r->kappa * (1.0 - 2.0 * q);
  *bend = r->curl * (1.0 - 4.0 * q) - r->plain * dx * (1.0 + r->c + 2.0 * r->c * x);
  return r->curl * q * (1.0 - 2.0 * q) - r->plain * (1.0 + x) * (1.0 + r->c * x);
}

/* The largest value where it has but one peak, to whose left it first falls: around a
 * root that is found, of which it is made sure. NaN: it is not. */
static double largest_at_peak(const record *r, double guess) {
  enum { STEPS = 8 };
  const double near = 1e-5;
  double q = guess, step = 1.0, bend;
  if (r->c < 0.0 && !(r->kappa <= 0.25))
    return NAN;
  for (int k = 0; k < STEPS && fabs(step) > near / 8.0; k++) {
    step = slope_at(r, q, &bend) / bend;
    q -= step;
  }
  cell around = {q - near, q + near, 0.0};
  if (!(around.from > 0.0 && around.to < 0.5 && slope_at(r, around.from, &bend) > 0.0 &&
        slope_at(r, around.to, &bend) < 0.0))
    return NAN;
  around.jacobian = jacobian_at(r, around.from);
  return fmax(0.0, cell_bound(r, &around));
}

/* The largest value: the interval of q is halved until what is left is known to be no
 * larger than a value that is attained, but for a tolerance. */
static double largest_by_halves(const record *r, double guess) {
  enum { DEPTH = 40 };
  cell stack[DEPTH + 2] = {{0.0, 0.5, 0.0}};
  size_t depth = 1;
  double best = fmax(0.0, value_at(r, guess, jacobian_at(r, guess))), most = 0.0;
  while (depth > 0) {
    const cell now = stack[--depth];
    const double bound = cell_bound(r, &now), middle = 0.5 * (now.from + now.to);
    if (bound <= best + 1e-8 * (r->plain + best) || depth + 2 > DEPTH ||
        !(now.to - now.from > 1e-9)) {
      most = fmax(most, bound);
      continue;
    }
    const double there = jacobian_at(r, middle);
    best = fmax(best, value_at(r, middle, there));
    stack[depth++] = (cell){now.from, middle, now.jacobian};
    stack[depth++] = (cell){middle, now.to, there};
  }
  return fmax(best, most);
}

static double largest(const record *r) {
  const double guess = quartic_peak(r->curl / (1.0 - r->s * r->kappa), r->plain);
  const double at_peak = largest_at_peak(r, guess);
  return isnan(at_peak) ? largest_by_halves(r, guess) : at_peak;
}

double dpa_logistic_bound(double s, double shift, double kappa) {
  const double order = 1.0 + s, u = shift * shift;
  const double k = kappa * kappa / (1.0 - s * kappa);
  /* the maximum of its quadratic majorant is at p = 1: it costs nothing */
  if (u >= 4.0 * k)
    return 0.5 * order * u;
  record r = {s, order, kappa, order, 0.25 * order * u, 8.0 * order * kappa * kappa};
  double sum = largest(&r);
  r.c = -s;
  sum += largest(&r);
  return 0.5 * order * u + sum;
}
