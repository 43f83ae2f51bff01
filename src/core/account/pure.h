/* Pure mechanisms together, each dominated by randomised response of its loss: +e with
 * probability 1 / (1 + exp(-e)), else -e. */
#ifndef DPA_PURE_H
#define DPA_PURE_H

#include "account/orders.h"

#include <stddef.h>

/* The total loss of mechanisms of unlike losses takes at least 2 values for each; so
 * many, or of one loss so many, are composed one by one. */
#define DPA_PURE_ATOMS 3e5
#define DPA_PURE_ALONE 1e6
#define DPA_PURE_LOSSES 18 /* 2^18 <= DPA_PURE_ATOMS */

/* What one party releases, whose losses are loss[kind]. */
typedef struct dpa_pure {
  double total;  /* the sum of all, rounded up */
  double atoms;  /* how many values are composed one by one; 0: total is the answer;
                    infinite: there are too many */
  size_t losses; /* unlike ones > 0, in the order in which they come first */
  double loss[DPA_PURE_LOSSES], count[DPA_PURE_LOSSES];
} dpa_pure;

dpa_pure dpa_pure_of(const double *loss, const dpa_ledger *ledger, double delta);

/* The logs of binomial coefficients. */
typedef double (*dpa_log_choose)(double n, double k);

/* The smallest epsilon at delta of the atoms, rounded up (Kairouz, Oh and Viswanath).
 * room: 4 * atoms numbers. */
double dpa_pure_compose(const dpa_pure *pure, double delta, dpa_log_choose log_choose,
                        double *room);

#endif
