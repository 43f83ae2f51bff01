#include "account/gaussian.h"

#include "account/special.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define LOG_SQRT_2PI 0.91893853320467274178
#define SQRT_HALF 0.70710678118654752440

/* delta = Phi(-x) - exp(epsilon) Phi(-x - mu) = phi(x) (m(x) - m(x + mu)) with
 * x = epsilon / mu - mu / 2, since exp(epsilon) phi(x + mu) = phi(x). */
double dpa_gaussian_log_delta(double mu, double epsilon) {
  const double x = epsilon / mu - 0.5 * mu;
  if (x < 0.0 && mu > 1.0) {
    /* at least Phi(0) / 4: nothing cancels, and m(x) could overflow */
    const double rest = exp(-0.5 * x * x - LOG_SQRT_2PI) * dpa_mills(x + mu);
    return log1p(-0.5 * erfc(-x * SQRT_HALF) - rest);
  }
  return -0.5 * x * x - LOG_SQRT_2PI + log(dpa_mills_drop(x, mu));
}

/* Newton steps for a root of f between lo and hi (f changes sign) from x on, bisection
 * where a step leaves the bracket, until they are of a rounding of x, or of `still`. */
typedef struct goal {
  double fixed, log_delta, still;
} goal;

typedef double (*residual)(const goal *g, double x, double *slope);

static double find_root(residual f, const goal *g, double x, double lo, double hi) {
  double slope;
  const int rising = f(g, hi, &slope) > 0.0;
  for (int i = 0; i < 400; i++) {
    const double at = f(g, x, &slope), step = at / slope;
    if ((at > 0.0) == rising)
      hi = x;
    else
      lo = x;
    double next = x - step;
    if (at == 0.0 || fabs(step) <= DBL_EPSILON * fmax(fabs(x), g->still) || lo >= hi)
      return x;
    if (!(next > lo && next < hi))
      next = 0.5 * (lo + hi);
    if (next <= lo || next >= hi)
      return x;
    x = next;
  }
  return x;
}

static double in_epsilon(const goal *g, double epsilon, double *slope) {
  const double mu = g->fixed, x = epsilon / mu - 0.5 * mu;
  const double log_delta = dpa_gaussian_log_delta(mu, epsilon);
  /* d delta / d epsilon = -exp(epsilon) Phi(-x - mu) */
  *slope = -exp(-0.5 * x * x - LOG_SQRT_2PI - log_delta) * dpa_mills(x + mu);
  return log_delta - g->log_delta;
}

double dpa_gaussian_epsilon(double mu, double log_delta) {
  if (dpa_gaussian_log_delta(mu, 0.0) <= log_delta)
    return 0.0;
  const goal g = {mu, log_delta, 0.0};
  /* delta <= Phi(-x) <= exp(-x^2 / 2) for x >= 0 */
  const double most = mu * (0.5 * mu + sqrt(-2.0 * log_delta)) + mu;
  /* epsilon / mu - mu / 2 has no digits left by mu = 2^54: long before, the bound will
   * do */
  return mu > 67108864.0 ? most : find_root(in_epsilon, &g, 0.5 * most, 0.0, most);
}

static double in_log_mu(const goal *g, double log_mu, double *slope) {
  const double mu = exp(log_mu), x = g->fixed / mu - 0.5 * mu;
  const double log_delta = dpa_gaussian_log_delta(mu, g->fixed);
  /* d delta / d mu = phi(x) */
  *slope = mu * exp(-0.5 * x * x - LOG_SQRT_2PI - log_delta);
  return log_delta - g->log_delta;
}

double dpa_gaussian_mu_at(double epsilon, double x) {
  const double root = hypot(x, sqrt(2.0 * epsilon));
  return x > 0.0 ? 2.0 * epsilon / (root + x) : root - x;
}

/* Below log(mu): delta <= Phi(-x), which for x >= 0 is at most exp(-x^2 / 2) / 2, and
 * delta is at most what it is of an epsilon of 0, mu phi(0). */
static double least_log_mu(double epsilon, double log_delta) {
  const double square = -2.0 * (log_delta + log(2.0)),
               of_none = log_delta + LOG_SQRT_2PI;
  const double mu = dpa_gaussian_mu_at(epsilon, sqrt(fmax(0.0, square)));
  return square > 0.0 && log(mu) > of_none ? log(mu) : of_none;
}

double dpa_gaussian_mu(double epsilon, double log_delta) {
  const goal g = {epsilon, log_delta, 1.0};
  double slope, lo = least_log_mu(epsilon, log_delta) - DBL_EPSILON, hi = lo + 1.0;
  while (hi < 690.0 && in_log_mu(&g, hi, &slope) <= 0.0)
    hi += 1.0;
  return exp(find_root(in_log_mu, &g, lo, lo, hi));
}

double dpa_gaussian_mu_near(double epsilon, double log_delta, double mu) {
  const goal g = {epsilon, log_delta, 1.0};
  double slope;
  const double over = in_log_mu(&g, log(mu), &slope);
  return mu * exp(-over / slope);
}
