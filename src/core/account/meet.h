/* From a budget to the size of noise, by Renyi divergences. */
#ifndef DPA_ACCOUNT_MEET_H
#define DPA_ACCOUNT_MEET_H

#include "account/orders.h"

/* What a ledger may spend. */
typedef struct dpa_budget {
  double epsilon; /* in all, */
  double cost;    /* of which this goes to what is no divergence */
  double log_delta;
  double width; /* the noise may be above the least by this share */
} dpa_budget;

/* `x`, the log of a multiple of the noise with which a ledger just keeps its budget,
 * and the order that proves it; NaN where a few secants from 0 do not lead there. There
 * are `n` kinds, divergences of the ledger's hang on the noise by their sizes alone
 * (dpa_renyi_by_size()), and their bounds do not cross. `scaled` has room for n kinds,
 * `space` is as of dpa_best_order(). certain: whether at last the best order is looked
 * for everywhere, too. */
dpa_status dpa_meet_budget(const dpa_orders *search, const dpa_renyi_kind *kinds,
                           const dpa_ledger *ledger, const dpa_budget *budget,
                           int certain, dpa_renyi_kind *scaled, dpa_order_space *space,
                           double *x, double *order);

#endif
