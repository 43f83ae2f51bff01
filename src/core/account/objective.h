/* Renyi divergences of objective perturbation. */
#ifndef DPA_ACCOUNT_OBJECTIVE_H
#define DPA_ACCOUNT_OBJECTIVE_H

#include "account/sixteen.h"
#include "status.h"

#include <stddef.h>

/* Objective perturbation with Gaussian noise: the least of the bounds of Theorems 2 and
 * 3 of the vignette "Privacy accounting". `shift` is sensitivity / sigma, kappa =
 * curvature / modulus; `tied`: the loss has L'' = |L'| (1 - |L'|), as the logistic
 * loss. */
dpa_status dpa_rdp_objective_gaussian(const double *orders, size_t n, double shift,
                                      double kappa, int tied, double *rdp);

double dpa_objective_bound(double order, double shift, double kappa, int tied);

/* The two named choices of Theorem 2. The second is Inf unless kappa (order - 1) < 1.
 */
double dpa_objective_bound_a(double order, double shift, double kappa);
double dpa_objective_bound_b(double order, double shift, double kappa);

/* The pure loss of Gamma-norm noise, Theorem 1 or, tied, its Corollary: `shift` is
 * alpha * sensitivity. */
double dpa_objective_pure(double shift, double kappa, int tied);

/* Of Theorem 4, part one: moments less one without the Jacobians' factor, where the
 * norm is below and above that from which on the factor may be free, how much of it is
 * below, all in logs, and the norms at which it is cut off; begun: there is what lies
 * beyond those, and integrated: what is inside. And of part two the log of its moment
 * over that of its fixed part, NaN: not known yet. s = 0: nothing is. */
typedef struct dpa_chord dpa_chord;
typedef struct dpa_free_moment {
  double s, shift, dim;
  double lo, hi, below, above, mass_below;
  int begun, integrated;
  double two;
  dpa_chord *chord; /* NULL: every shift is integrated */
} dpa_free_moment;

/* The moments of two shifts on a grid, of which one at a shift in between is at most
 * what their chord over the squares says: for many problems at one order. */
struct dpa_chord {
  double place; /* of the lower one on the grid */
  dpa_free_moment low, high;
};

/* Gamma-norm noise in `dim` dimensions, Theorem 4: the least of its parts, that of the
 * pure loss among them. `moments` has one an order, kept from problem to problem: those
 * that are alike but for their curvature take it from there. */
dpa_status dpa_rdp_objective_gamma(const double *orders, size_t n, double shift,
                                   double kappa, int tied, double dim,
                                   dpa_free_moment *moments, double *rdp);

/* So many orders at most are asked about at once where something is kept of each. */
#define DPA_MOST_ORDERS 128

/* About part one's mean of exp(bound) - 1 without the Jacobians' factor, over the usual
 * norms and the dear ones near s shift; its moment from each of the usual norms on; the
 * moment of part two over that of its fixed part, NaN: not known yet; and a pure loss's
 * mean. s = 0: none yet. `log_moment` > 0: log(1 + usual) by a net, which does not know
 * `beyond`. */
typedef struct dpa_shift_means {
  double s, log_s, shift;
  double usual, dear, beyond[DPA_SIXTEEN + 1];
  double two, loss, pure, log_moment;
} dpa_shift_means;

/* The same over a net of orders and shifts, even in their logs, for many problems of
 * `dim` dimensions that are near each other: log(log(1 + usual)), log(dear) and
 * log(two) at its knots, worked out when they are first asked for. All 0: nothing is
 * known yet. curved: whether it is believed where curvature counts, too, which is
 * quicker and not as smooth. */
#define DPA_NET_ORDERS 180
#define DPA_NET_SHIFTS 180
typedef struct dpa_knot {
  float usual, dear, two;
} dpa_knot;

typedef struct dpa_net {
  double dim, shift, log_shift;
  int curved;
  dpa_knot knot[DPA_NET_ORDERS * DPA_NET_SHIFTS];
} dpa_net;

/* Sixteen norms of Gamma(dim, 1), even in their logs: the log of the first over dim, by
 * how much the next one's is more, where the last one's share ends, and how much of the
 * norm each stands for; and what was found by them at each order. dim = 0: none yet.
 * net: NULL where problems are few. */
typedef struct dpa_usual_norms {
  double dim, first, step, at_mean, end;
  double x[DPA_SIXTEEN], share[DPA_SIXTEEN];
  dpa_shift_means mean[DPA_MOST_ORDERS];
  dpa_net *net;
} dpa_usual_norms;

/* About the same, and no bound: part one is the mean over the usual norms and a formula
 * for those near s shift, at DPA_MOST_ORDERS at most. `norms` are kept from problem to
 * problem: those that are alike but for their curvature take most from there. */
dpa_status dpa_rdp_objective_gamma_rough(const double *orders, size_t n, double shift,
                                         double kappa, int tied, double dim,
                                         dpa_usual_norms *norms, double *rdp);

/* The order less one where its divergence turns: the norms near s shift, which next to
 * never come but are dear, begin to count for more than the usual ones do. INFINITY:
 * nowhere. */
double dpa_objective_gamma_turn(double shift, double dim);

/* Randomised response with log-ratio epsilon, the worst pure mechanism. */
double dpa_rdp_pure(double order, double epsilon);

/* The log of its moment of that order less one. */
double dpa_pure_excess(double order, double epsilon);

#endif
