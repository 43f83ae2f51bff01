/* Renyi divergences of objective perturbation. */
#ifndef DPA_ACCOUNT_OBJECTIVE_H
#define DPA_ACCOUNT_OBJECTIVE_H

#include "status.h"

#include <stddef.h>

/* Gaussian noise: for each order the smaller of two bounds. `shift` is sensitivity /
 * sigma, kappa = curvature / modulus, turn = sigma times the bound on the gradient
 * (with respect to the noise) of the log determinant; Inf when there is none. */
dpa_status dpa_rdp_objective_gaussian(const double *orders, size_t n, double shift,
                                      double kappa, double turn, double *rdp);

/* Each bound alone. The second is Inf where it does not apply (kappa (order - 1) >=
 * 1/2). */
double dpa_objective_bound_a(double order, double shift, double kappa);
double dpa_objective_bound_b(double order, double shift, double kappa, double turn);

/* Gamma-norm noise in `dim` >= 3 dimensions: `shift` is alpha * sensitivity and `turn`
 * the gradient bound divided by alpha. The smaller of the dimension-aware bound and
 * that of the pure loss shift + log(1 + kappa). `work` holds DPA_GAMMA_WORK doubles. */
#define DPA_GAMMA_PANELS 128
#define DPA_GAMMA_WORK (16 * DPA_GAMMA_PANELS)
dpa_status dpa_rdp_objective_gamma(const double *orders, size_t n, double shift,
                                   double kappa, double turn, double dim, double *work,
                                   double *rdp);

/* Randomised response with log-ratio epsilon, the worst pure mechanism. */
double dpa_rdp_pure(double order, double epsilon);

#endif
