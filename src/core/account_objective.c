#include "account_objective.h"

#include "account_special.h"

#include <math.h>

#define LOG_2 0.69314718055994530942
#define GOLDEN 0.61803398874989484820
#define FREE 22.180339887498 /* 11 + 5 sqrt 5, rounded down */

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

/* ---- Gaussian noise -------------------------------------------------------------- */

/* The bounds are theorems of the vignette "Privacy accounting". With s = order - 1, for
 * every t in [0, s] with t kappa < 1 (Theorem 2): */
static double theorem2(double s, double t, double shift, double kappa) {
  const double jacobian = (1.0 + s) * log1p(kappa) - log1p((1.0 + t) * kappa) +
                          fmax(0.0, -s * log1p(kappa) - log1p(-t * kappa));
  return (1.0 + s) * 0.5 * shift * shift +
         (LOG_2 + dpa_log_phi((s - t) * shift) + jacobian) / s;
}

double dpa_objective_bound_a(double order, double shift, double kappa) {
  return theorem2(order - 1.0, 0.0, shift, kappa);
}

double dpa_objective_bound_b(double order, double shift, double kappa) {
  const double s = order - 1.0;
  if (!(s * kappa < 1.0)) {
    return INFINITY;
  }
  /* t = s: what is left of the Jacobians is log((1 + kappa) / ((1 + order kappa)
   * (1 - s kappa))), and the product is 1 + kappa - s order kappa^2 */
  return order * 0.5 * shift * shift -
         log1p(-s * order * kappa * kappa / (1.0 + kappa)) / s;
}

/* A loss with L'' = |L'| (1 - |L'|) at an order with s kappa < 1 (Theorem 3): a record
 * whose gradient is the fraction p of the largest adds 32 k p^2 (1 - p)^2 for its
 * curvature to shift^2 p^2, k = kappa^2 / (1 - s kappa). The largest sum is at p = 1, the
 * plain Gaussian mechanism, or at the stationary point. */
static double tied_bound(double s, double shift, double kappa) {
  const double k = kappa * kappa / (1.0 - s * kappa), u = shift * shift;
  double worst = u;
  if (u < 4.0 * k) {
    const double p = 0.25 * (3.0 - sqrt(1.0 - u / (4.0 * k)));
    worst = fmax(worst, p * p * (u + 32.0 * k * (1.0 - p) * (1.0 - p)));
  }
  return 0.5 * (1.0 + s) * worst;
}

double dpa_objective_bound(double order, double shift, double kappa, int tied) {
  const double s = order - 1.0;
  double best = fmin(dpa_objective_bound_a(order, shift, kappa),
                     dpa_objective_bound_b(order, shift, kappa));
  if (tied && s * kappa < 1.0) {
    best = fmin(best, tied_bound(s, shift, kappa));
  }
  if (best <= order * 0.5 * shift * shift) {
    return best; /* none of the others is below the plain Gaussian mechanism */
  }
  /* Any t is valid, so the search between the two need not be exact: golden section. */
  double lo = 0.0, hi = kappa > 0.0 ? fmin(s, 1.0 / kappa) : s;
  for (int k = 0; k < 40; k++) {
    const double t1 = hi - GOLDEN * (hi - lo), t2 = lo + GOLDEN * (hi - lo);
    const double y1 = theorem2(s, t1, shift, kappa), y2 = theorem2(s, t2, shift, kappa);
    best = fmin(best, fmin(y1, y2));
    if (y1 < y2) {
      hi = t2;
    } else {
      lo = t1;
    }
  }
  return best;
}

dpa_status dpa_rdp_objective_gaussian(const double *orders, size_t n, double shift,
                                      double kappa, int tied, double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0)) {
    return DPA_ARGUMENT;
  }
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0)) {
      return DPA_ARGUMENT;
    }
    rdp[i] = dpa_objective_bound(orders[i], shift, kappa, tied);
  }
  return DPA_OK;
}

/* ---- Gamma-norm noise ------------------------------------------------------------ */

/* One problem at one order, in x = alpha * norm, which is Gamma(dim, 1). */
typedef struct spherical {
  double s, shift, kappa, dim;
  double log_pure; /* s times the pure loss: bounds log E exp(s G) at every norm */
  double jacobian; /* the Jacobians' factor where it is not free, in logs */
  double free_to;  /* the radius up to which it is, from (s + 1/2) shift on */
} spherical;

/* alpha L_s(norm), Theorem 4. Falls from x = s shift on. */
static double leaning(const spherical *p, double x) {
  const double s = p->s, d = p->shift;
  if (x >= (s + 0.5) * d) {
    const double c = s * (1.0 + s) * d * d;
    return c / (x + sqrt(x * x - c));
  }
  return x >= s * d ? 2.0 * s * ((1.0 + s) * d - x) : 2.0 * x;
}

/* Theorem 4, parts 1 and 2: bounds on log E exp(s G) given the norm, over a panel
 * [a, b] that x lies in. Where a panel is not smooth its supremum stands for it. */
static double part_one(const spherical *p, double a, double b, double x) {
  const double from = (p->s + 0.5) * p->shift;
  const int smooth = a >= from;
  const double lean = smooth ? leaning(p, x)
                             : leaning(p, fmin(fmax(a, p->s * p->shift), b));
  return lean + (smooth && b <= p->free_to ? 0.0 : p->jacobian);
}

static double part_two(const spherical *p, double a, double x) {
  const double pull = p->s * p->shift, fixed = LOG_2 + p->s * log1p(p->kappa) +
                                               0.5 * pull * pull / p->dim;
  const double falling = 0.5 * pull * p->shift;
  /* where it crosses the pure loss the panel takes the latter */
  return fixed + falling / a > p->log_pure ? p->log_pure : fixed + falling / x;
}

/* exp(y) - 1 in logs. */
static double log_less_one(double y) {
  return y > 0.0 ? dpa_log_abs_expm1(y) : -INFINITY;
}

/* Panels of 8 nodes over all but exp(-tail) of Gamma(dim, 1) on either side: edges of
 * the panels, x, then the log of weight times density, normalised. */
static void gamma_nodes(double dim, double tail, double *edge, double *x,
                        double *log_w) {
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
  const double half = 0.5 * (hi - lo) / DPA_GAMMA_PANELS;
  double total = 0.0;
  for (int k = 0; k < DPA_GAMMA_PANELS; k++) {
    const double middle = lo + half * (2.0 * k + 1.0);
    edge[k] = middle - half;
    edge[k + 1] = middle + half;
    for (int i = 0; i < 8; i++) {
      const dpa_quadrature node = dpa_gauss8[i < 4 ? 3 - i : i - 4];
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

/* log of the mean of exp(bound) less one, bound by either part, over the norm. */
static double log_mean(const spherical *p, int part, double tail, const double *edge,
                       const double *x, const double *log_w) {
  /* what both ends of the norm can add at most */
  double sum = LOG_2 + log_less_one(p->log_pure) - tail;
  for (int i = 0; i < 8 * DPA_GAMMA_PANELS; i++) {
    const double a = edge[i / 8], b = edge[i / 8 + 1];
    const double y = part == 1 ? part_one(p, a, b, x[i]) : part_two(p, a, x[i]);
    sum = dpa_log_add(sum, log_w[i] + log_less_one(fmin(y, p->log_pure)));
  }
  return sum;
}

dpa_status dpa_rdp_objective_gamma(const double *orders, size_t n, double shift,
                                   double kappa, int tied, double dim, double *work,
                                   double *rdp) {
  if (!(shift >= 0.0) || !(kappa >= 0.0) || !(dim >= 1.0)) {
    return DPA_ARGUMENT;
  }
  double *edge = work, *x = edge + DPA_GAMMA_PANELS + 1;
  double *log_w = x + 8 * DPA_GAMMA_PANELS, built = -1.0;
  for (size_t i = 0; i < n; i++) {
    if (!(orders[i] > 1.0)) {
      return DPA_ARGUMENT;
    }
    const double s = orders[i] - 1.0, loss = shift + log1p(kappa);
    rdp[i] = dpa_rdp_pure(orders[i], loss);
    if (!(loss > 0.0) || !(s * loss < 1e4)) {
      continue;
    }
    const double tail = 64.0 * ceil((60.0 + s * loss) / 64.0);
    if (tail != built) {
      gamma_nodes(dim, tail, edge, x, log_w);
      built = tail;
    }
    spherical p = {s, shift, kappa, dim, s * loss, 0.0, 0.0};
    double best = log_mean(&p, 2, tail, edge, x, log_w);
    if (s * kappa < 1.0) {
      p.jacobian = -log1p(-s * (1.0 + s) * kappa * kappa / (1.0 + kappa));
      /* Theorem 3's condition with norm / alpha for sigma^2 */
      if (kappa == 0.0) {
        p.free_to = INFINITY;
      } else if (tied) {
        p.free_to = FREE * (1.0 - s * kappa) * shift * shift / (64.0 * kappa * kappa);
      }
      best = fmin(best, log_mean(&p, 1, tail, edge, x, log_w));
    }
    rdp[i] = fmin(rdp[i], dpa_log1p_exp(best) / s);
  }
  return DPA_OK;
}
