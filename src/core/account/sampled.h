/* Renyi divergences of the Gaussian mechanism on a random sample. */
#ifndef DPA_ACCOUNT_SAMPLED_H
#define DPA_ACCOUNT_SAMPLED_H

#include "status.h"

#include <stddef.h>

/* Each kernel fills rdp[i], i < n, with the Renyi divergence of order orders[i] > 1,
 * for sampling rate q in (0, 1] and noise s > 0, the standard deviation in units of the
 * sensitivity that its comment names. DPA_NUMERIC when an integral is out of reach. */

/* Poisson sampling, add-remove neighbours, s = sigma / norm of one record's part: of
 * (1 - q) N(0, s^2) + q N(1, s^2) from N(0, s^2), the larger of the two directions
 * (Mironov, Talwar and Zhang 2019, section 3). A sum of positive terms at whole orders
 * below 4096, an integral at the others. */
dpa_status dpa_rdp_poisson(const double *orders, size_t n, double q, double s,
                           double *rdp);

/* Poisson sampling, replace-one neighbours, s = sigma / norm of one record's part (half
 * the replace-one sensitivity): of (1 - q) N(0, s^2) + q N(1, s^2) from
 * (1 - q) N(0, s^2) + q N(-1, s^2). */
dpa_status dpa_rdp_poisson_replace(const double *orders, size_t n, double q, double s,
                                   double *rdp);

/* Fixed-size sampling without replacement, replace-one neighbours, s = sigma /
 * replace-one sensitivity, by hockey-stick divergences (Zhu, Dong and Wang 2022,
 * Theorem 11): the sample's divergences of orders above 1 are at most those of (1 - q)
 * N(0, s^2) + q N(1, s^2) from N(0, s^2), in both directions. */
dpa_status dpa_rdp_fixed(const double *orders, size_t n, double q, double s,
                         double *rdp);

/* The same mechanism by Theorem 9 of Wang, Balle and Kasiviswanathan 2019 with its
 * ternary divergences, between whole orders by the convexity of (a - 1) rdp(a) in a.
 * Orders at most most + 1 where moments, of length most / 2 + 1, is working memory. */
dpa_status dpa_rdp_fixed_wang(const double *orders, size_t n, double q, double s,
                              double *moments, size_t most, double *rdp);

#endif
