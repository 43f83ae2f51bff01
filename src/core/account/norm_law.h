/* Gamma-norm noise in objectives, given its norm: the bounds of Theorem 4 of the
 * vignette "Privacy accounting", at one order, and the norm's density. */
#ifndef DPA_ACCOUNT_NORM_LAW_H
#define DPA_ACCOUNT_NORM_LAW_H

/* In x = alpha * norm, which is Gamma(dim, 1); s is the order less one. */
typedef struct dpa_norm_law {
  double s, shift, dim;
  double log_pure; /* s times the pure loss */
  double fixed;    /* part two where the norm is infinite */
  double start;    /* (s + 1/2) shift, in the same digits wherever it is compared */
  double root;     /* sqrt(s (1 + s)) shift, a little below it */
  double jacobian; /* the Jacobians' factor where it is not free, in logs */
  double free_to;  /* the radius up to which it is, from `start` on */
  double at_mean;  /* the log density where x = dim */
  int has_one;     /* whether part one says anything */
} dpa_norm_law;

/* loss: the pure one; at_mean: of dpa_norm_log_density_at_mean(). kappa, tied: see
 * objective.h. */
dpa_norm_law dpa_norm_law_of(double s, double shift, double kappa, int tied, double dim,
                             double loss, double at_mean);

/* Part two where the norm is infinite. */
double dpa_norm_fixed(double s, double shift, double kappa, double dim);

/* Of the Jacobians, where s kappa < 1: 1 less 1 over their factor; and the radius up to
 * which, from a start on, there is none. */
double dpa_norm_turned(double s, double kappa);
double dpa_norm_free_to(double s, double shift, double kappa, int tied);

/* Parts 1 and 2: bounds on log E exp(s G) given the norm. Each is smooth between the
 * radii that dpa_norm_break() knows; the first has the Jacobians' factor in it, which
 * is constant there, too. */
double dpa_norm_bound(const dpa_norm_law *p, int part, double x);
double dpa_norm_factor(const dpa_norm_law *p, double x);

/* The same at sixteen radii, which it is smooth between, as at `within`. */
void dpa_norm_bounds(const dpa_norm_law *p, int part, double within, const double *x,
                     double *out);

/* The next radius after x on the way to `to` where a part is not smooth, or `to`. */
double dpa_norm_break(const dpa_norm_law *p, int part, double x, double to);

/* The log of the density, and that where x = dim. */
double dpa_norm_log_density(const dpa_norm_law *p, double x);
double dpa_norm_log_density_at_mean(double dim);

/* The ends of the norm: below the first there is at most exp(-below) of it, and above
 * the second exp(-above). */
double dpa_norm_lower_end(double dim, double below);
double dpa_norm_upper_end(double dim, double above);

#endif
