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

/* What ledgers are like: the multiple that they need, what they may spend, and what
 * curvature costs; and of one of which other valleys were looked into its best order,
 * and how far, in logs, ledgers may be from it of which they need not be, and whether
 * its own valley is sharp. */
typedef struct dpa_likeness {
  double x, epsilon, steep, order, reach;
  int sharp;
} dpa_likeness;

#define DPA_LOOKED 4 /* that are kept in mind */

/* A multiple of the noise, as its log, the slope of what is spent there, in logs, the
 * Renyi order that proves it, and the budget's epsilon; all NaN where there is none.
 * Where divergences take long: how far, in logs of orders less one, the order is from
 * where rough ones have it, and how much more is spent than they say. Of which ledger,
 * this one or some before, other valleys were looked into last; and how far the
 * multiple is from that of the ledger before. */
typedef struct dpa_multiple {
  double x, slope, order, epsilon, off, more;
  dpa_likeness looked[DPA_LOOKED];
  double apart;
} dpa_multiple;

/* None. */
extern const dpa_multiple dpa_no_multiple;

/* Where a ledger just keeps its budget, or none where a few secants do not lead there.
 * At first `found` is that of an alike ledger, or none. There are n kinds, the ledger's
 * are plain ones (dpa_renyi_is_plain()); `scaled` has room for n kinds, `space` is as
 * of dpa_best_order(). At last the best order is looked for everywhere, too: bounds
 * have kinks, so that there may be several valleys. */
dpa_status dpa_meet_budget(const dpa_orders *search, const dpa_renyi_kind *kinds,
                           const dpa_ledger *ledger, const dpa_budget *budget,
                           dpa_renyi_kind *scaled, dpa_order_space *space,
                           dpa_multiple *found);

#endif
