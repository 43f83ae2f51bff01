/* Means over the norm of Gamma-norm noise in objectives. */
#ifndef DPA_ACCOUNT_NORM_MEAN_H
#define DPA_ACCOUNT_NORM_MEAN_H

#include "account/norm_law.h"

/* The log of the mean of exp(bound) - 1, where the norm is from one to another and that
 * is largest about `middle`, added to `ends`; and of the mass there, added to `*mass`,
 * which may be missing. */
double dpa_norm_mean(const dpa_norm_law *p, int part, double from, double to,
                     double middle, double ends, double *mass);

/* The same between two radii beyond which there is next to nothing, where the bound is
 * smooth; there are no ends to add to. */
double dpa_norm_mean_smooth(const dpa_norm_law *p, int part, double lo, double hi);

#endif
