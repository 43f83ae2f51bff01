/* Noise with density ~ exp(-|b|) in at least two dimensions, on a value that moves by
 * `shift`: its privacy loss distribution, and its Renyi divergences. */
#ifndef DPA_ACCOUNT_SPHERICAL_H
#define DPA_ACCOUNT_SPHERICAL_H

#include "status.h"

#include <stddef.h>

/* Beyond this shift angles would have to be told apart too finely, and next to nothing
 * of the pure loss could be saved. */
#define DPA_MOST_SHIFT 1e4

/* `lean` below, for dim >= 2; 0 for a shift of next to nothing. */
double dpa_spherical_lean(double shift, double dim);

/* Whether there is noise with these. */
int dpa_spherical_is_law(double shift, double dim, double lean);

/* The loss is shift * sin(angle) with the angle's density on (-pi/2, pi/2) proportional
 * to cos^(dim - 2) (1 + lean cos^2) exp(shift sin / 2), lean = shift K_nu(shift / 2) /
 * (2 (dim - 1) K_(nu+1)(shift / 2)), nu = dim / 2 - 1, K the modified Bessel function
 * (Theorem 5 of the vignette "Privacy accounting").
 *
 * Bin j < n is the losses in [(first + j) h, (first + j + 1) h]; together the bins hold
 * all of [-shift, shift]. For each, log_mass[j] is the log of its mass and over[j] in
 * [0, h] what the loss of the whole bin, taken as one outcome, lies above the bin's
 * lower end. Bins with a log_mass certainly below `least` are taken as empty. */
dpa_status dpa_spherical_bins(double shift, double dim, double lean, double h,
                              double first, size_t n, double least, double *log_mass,
                              double *over);

/* Fills rdp[i], i < n, with the divergence of order orders[i] > 1. */
dpa_status dpa_rdp_spherical(const double *orders, size_t n, double shift, double dim,
                             double lean, double *rdp);

/* About the same, within 1e-3 of it, and no bound. */
dpa_status dpa_rdp_spherical_rough(const double *orders, size_t n, double shift,
                                   double dim, double lean, double *rdp);

#endif
