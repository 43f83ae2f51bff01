/* Objective perturbation of losses with L'' = |L'| (1 - |L'|), as the logistic loss: a
 * record whose gradient is the fraction p of the largest has at most the fraction
 * 4 p (1 - p) of the largest curvature. `shift` is alpha (or 1 / sigma) times the
 * sensitivity, kappa = curvature / modulus. */
#ifndef DPA_ACCOUNT_LOGISTIC_H
#define DPA_ACCOUNT_LOGISTIC_H

/* The pure loss of Gamma-norm noise, Corollary to Theorem 1 of the vignette "Privacy
 * accounting". */
double dpa_logistic_pure(double shift, double kappa);

/* Gaussian noise at an order 1 + s with s kappa < 1: Theorem 3, its M_1 + M_2, above
 * their true value by at most a few parts in 1e8. */
double dpa_logistic_bound(double s, double shift, double kappa);

#endif
