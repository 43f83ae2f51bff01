#include "account_objective.h"

#include "account_special.h"

#include <math.h>

#define LOG_SQRT_2PI 0.91893853320467274178

/* log((p^a (1 - p)^(1 - a) + (1 - p)^a p^(1 - a))) / (a - 1), p = 1 / (1 +
 * exp(-epsilon)): the moment less one is 2 sinh(a e / 2) sinh((a - 1) e / 2) / cosh(e /
 * 2). */
double dpa_rdp_pure(double order, double epsilon) {
  const double s = order - 1.0;
  if (epsilon == 0.0) {
    return 0.0;
  }
  const double excess = s * epsilon + log(-expm1(-order * epsilon)) +
                        log(-expm1(-s * epsilon)) - log1p(exp(-epsilon));
  return dpa_log1p_exp(excess) / s;
}

/* ---- Gaussian noise ------------------------------------------------------------ */

/* The log ratio of densities is at most log(1 + kappa) + shift ||Z|| + shift^2 / 2, Z
 * the two components of the noise in the plane of the two differing records. */
double dpa_objective_bound_a(double order, double shift, double kappa) {
  const double s = order - 1.0, t = s * shift;
  if (t == 0.0) {
    return log1p(kappa);
  }
  /* log E exp(t ||Z||) = log(1 + t sqrt(2 pi) exp(t^2 / 2) Phi(t)) */
  const double moment =
      dpa_log1p_exp(log(t) + LOG_SQRT_2PI + 0.5 * t * t + dpa_log_phi(t));
  return log1p(kappa) + 0.5 * shift * shift + moment / s;
}

/* Herbst's argument for a function of noise with log-Sobolev constant 1 (per unit of
 * its variance) whose scaled gradient is at most slope + w (|Z1| + |Z2|): with load =
 * s^2 slope^2 and wobble = 8 s^2 w^2, (beta (1 + tau) load - log(1 - q) / 2) / (2 beta
 * - 1), q = wobble beta (1 + 1 / tau) < 1. This is its minimum over tau > 0. */
static double herbst(double beta, double load, double wobble) {
  const double u = wobble * beta, p = 2.0 * beta * load;
  if (!(u < 1.0)) {
    return INFINITY;
  }
  if (u == 0.0 || p == 0.0) {
    return (0.5 * p - 0.5 * log1p(-u)) / (2.0 * beta - 1.0);
  }
  /* 1 / tau, from p tau^2 (1 - u) - p u tau - u = 0 */
  const double inverse =
      2.0 * p * (1.0 - u) / (p * u + sqrt(p * u * (p * u + 4.0 * (1.0 - u))));
  const double q = u * (1.0 + inverse);
  if (!(q < 1.0)) {
    return INFINITY;
  }
  return (0.5 * p * (1.0 + 1.0 / inverse) - 0.5 * log1p(-q)) / (2.0 * beta - 1.0);
}

/* log(beta - 1/2) of the best beta. Any beta > 1/2 is valid, so the search need not be
 * exact: a grid, then golden section around its best point. */
static double best_log_beta(double load, double wobble) {
  const double lo = -6.0;
  const double hi = wobble > 0.0 ? log(1.0 / wobble - 0.5) : 60.0;
  const int grid = 24;
  double best = INFINITY, at = lo;
  if (!(hi > lo)) {
    return lo;
  }
  const double width = (hi - lo) / grid;
  for (int k = 0; k < grid; k++) {
    const double x = lo + width * k, y = herbst(0.5 + exp(x), load, wobble);
    if (y < best) {
      best = y;
      at = x;
    }
  }
  const double golden = 0.61803398874989484820;
  double a = at - width, b = at + width < hi ? at + width : hi;
  double x1 = b - golden * (b - a), x2 = a + golden * (b - a);
  double y1 = herbst(0.5 + exp(x1), load, wobble);
  double y2 = herbst(0.5 + exp(x2), load, wobble);
  for (int k = 0; k < 30; k++) {
    if (y1 < y2) {
      b = x2;
      x2 = x1;
      y2 = y1;
      x1 = b - golden * (b - a);
      y1 = herbst(0.5 + exp(x1), load, wobble);
    } else {
      a = x1;
      x1 = x2;
      y1 = y2;
      x2 = a + golden * (b - a);
      y2 = herbst(0.5 + exp(x2), load, wobble);
    }
  }
  return y1 < y2 ? x1 : x2;
}

double dpa_objective_bound_b(double order, double shift, double kappa, double turn) {
  const double s = order - 1.0, slope = shift * (1.0 + kappa) + turn;
  if (!(kappa < 1.0) || !(2.0 * s * kappa < 1.0) || !(slope < INFINITY)) {
    return INFINITY;
  }
  const double load = s * slope * s * slope;
  const double wobble = 8.0 * s * kappa * s * kappa;
  const double tail = wobble > 0.0
                          ? herbst(0.5 + exp(best_log_beta(load, wobble)), load, wobble)
                          : 0.5 * load; /* beta -> Inf */
  return 0.5 * shift * shift + kappa * kappa / (1.0 - kappa) + tail / s;
}

dpa_status dpa_rdp_objective_gaussian(const double *orders, size_t n, double shift,
                                      double kappa, double turn, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(turn >= 0.0)) {
    return DPA_ARGUMENT;
  }
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0)) {
      return DPA_ARGUMENT;
    }
    const double a = dpa_objective_bound_a(orders[i], shift, kappa);
    const double b = dpa_objective_bound_b(orders[i], shift, kappa, turn);
    rdp[i] = a < b ? a : b;
  }
  return DPA_OK;
}

/* ---- Gamma-norm noise ------------------------------------------------------------ */

/* One problem at one order, in x = alpha * norm, which is Gamma(dim, 1). */
typedef struct spherical {
  double s, shift, kappa, turn, dim;
  double log_pure; /* s times the pure loss: bounds log E exp(s G) at every norm */
} spherical;

/* load, wobble of Herbst's argument on the sphere of norm x > shift, whose log-Sobolev
 * constant is 1 / (dim - 1). The tangential gradient of the log ratio is at most
 * slope + x kappa (|w'x1| + |w'x2|): the direction turns by at most asin(shift / x). */
static void on_sphere(const spherical *p, double x, double *load, double *wobble) {
  const double turned = 2.0 * sin(0.5 * asin(p->shift / x));
  const double slope = p->shift + x * (p->kappa * turned + p->turn);
  const double tilt = p->s * x * p->kappa;
  *load = p->s * slope * p->s * slope / (p->dim - 1.0);
  *wobble = 8.0 * tilt * tilt / (p->dim * (p->dim - 1.0));
}

/* s times a bound on the mean of the log ratio over the sphere, by the divergence
 * theorem. */
static double mean_on_sphere(const spherical *p, double x) {
  return p->s *
         (p->kappa * fabs(x / p->dim - 1.0) + x / (p->dim + 1.0) * p->turn +
          0.5 * p->shift * p->shift / x + p->kappa * p->kappa / (1.0 - p->kappa));
}

static double log_on_sphere(const spherical *p, double x, double beta) {
  double load, wobble;
  on_sphere(p, x, &load, &wobble);
  return mean_on_sphere(p, x) +
         (beta < INFINITY ? herbst(beta, load, wobble) : 0.5 * load);
}

/* exp(y) - 1 in logs. */
static double log_less_one(double y) {
  return y > 0.0 ? dpa_log_abs_expm1(y) : -INFINITY;
}

/* Panels of 8 nodes over all but exp(-tail) of Gamma(dim, 1) on either side, with dim
 * at a boundary (the mean has a kink there): x, then the log of weight times density,
 * normalised. */
static void gamma_nodes(double dim, double tail, double *x, double *log_w) {
  /* Chernoff: P(X > dim y) and P(X < dim y) are at most exp(-dim (y - 1 - log y)). */
  double hi = 1.0 + sqrt(2.0 * tail / dim) + tail / dim, lo = 0.0, top = 1.0;
  for (int k = 0; k < 60; k++) {
    const double y = 0.5 * (lo + top);
    if (y - 1.0 - log(y) > tail / dim) {
      lo = y;
    } else {
      top = y;
    }
  }
  hi *= dim;
  lo *= dim;
  const double peak = dim > 1.0 ? (dim - 1.0) * log(dim - 1.0) - (dim - 1.0) : 0.0;
  double total = 0.0;
  const int side = DPA_GAMMA_PANELS / 2;
  for (int k = 0; k < DPA_GAMMA_PANELS; k++) {
    const double from = k < side ? lo : dim, to = k < side ? dim : hi;
    const double half = 0.5 * (to - from) / side;
    const double middle = from + half * (2.0 * (k % side) + 1.0);
    for (int i = 0; i < 8; i++) {
      const dpa_node node = dpa_gauss8[i < 4 ? 3 - i : i - 4];
      x[8 * k + i] = middle + (i < 4 ? -1.0 : 1.0) * half * node.x;
      log_w[8 * k + i] =
          log(half * node.w) + (dim - 1.0) * log(x[8 * k + i]) - x[8 * k + i] - peak;
      total += exp(log_w[8 * k + i]);
    }
  }
  for (int i = 0; i < 8 * DPA_GAMMA_PANELS; i++) {
    log_w[i] -= log(total);
  }
}

/* log of the mean of exp(s G) less one: every panel by the smaller of the two bounds.
 */
static double log_mean(const spherical *p, double beta, double tail, const double *x,
                       const double *log_w) {
  const double pure = log_less_one(p->log_pure);
  /* what both ends of the norm can add at most */
  double sum = 0.69314718055994530942 + pure - tail;
  /* a floor of the result, below which a panel is not worth looking into */
  const double least =
      log_less_one(p->s * 0.5 * p->shift * p->shift / (p->dim + 1.0)) - 36.0;
  for (int k = 0; k < DPA_GAMMA_PANELS; k++) {
    double weight = -INFINITY, second = -INFINITY;
    for (int i = 8 * k; i < 8 * k + 8; i++) {
      weight = dpa_log_add(weight, log_w[i]);
    }
    double first = weight + pure, load, wobble;
    const double right = x[8 * k + 7];
    if (first > least && x[8 * k] > p->shift) {
      on_sphere(p, 1.01 * right, &load, &wobble);
      if (!(beta < INFINITY) || herbst(beta, load, wobble) < INFINITY) {
        for (int i = 8 * k; i < 8 * k + 8; i++) {
          second = dpa_log_add(second,
                               log_w[i] + log_less_one(log_on_sphere(p, x[i], beta)));
        }
        first = second < first ? second : first;
      }
    }
    sum = dpa_log_add(sum, first);
  }
  return sum;
}

dpa_status dpa_rdp_objective_gamma(const double *orders, size_t n, double shift,
                                   double kappa, double turn, double dim, double *work,
                                   double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(turn >= 0.0) || !(dim >= 1.0)) {
    return DPA_ARGUMENT;
  }
  double *x = work, *log_w = work + 8 * DPA_GAMMA_PANELS, built = -1.0;
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0)) {
      return DPA_ARGUMENT;
    }
    const double s = orders[i] - 1.0, loss = shift + log1p(kappa);
    rdp[i] = dpa_rdp_pure(orders[i], loss);
    if (dim < 3.0 || !(kappa < 1.0) || !(turn < INFINITY) || !(loss > 0.0) ||
        !(s * loss < 1e4)) {
      continue;
    }
    const spherical p = {s, shift, kappa, turn, dim, s * loss};
    const double tail = 64.0 * ceil((60.0 + s * loss) / 64.0);
    if (tail != built) {
      gamma_nodes(dim, tail, x, log_w);
      built = tail;
    }
    double load, wobble, best;
    const double typical = dim + 2.0 * sqrt(dim);
    if (!(typical > shift)) {
      continue;
    }
    on_sphere(&p, typical, &load, &wobble);
    if (wobble > 0.0) {
      double y = best_log_beta(load, wobble);
      best = log_mean(&p, 0.5 + exp(y), tail, x, log_w);
      for (int k = 0; k < 8; k++) { /* larger norms may ask for a smaller beta */
        const double next = log_mean(&p, 0.5 + exp(y - 0.5), tail, x, log_w);
        if (!(next < best)) {
          break;
        }
        best = next;
        y -= 0.5;
      }
    } else {
      best = log_mean(&p, INFINITY, tail, x, log_w);
    }
    const double bound = dpa_log1p_exp(best) / s;
    rdp[i] = bound < rdp[i] ? bound : rdp[i];
  }
  return DPA_OK;
}
