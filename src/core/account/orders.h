/* What several releases cost together: the least epsilon over the orders of their Renyi
 * divergences. Any order is valid, so the search need not be exact. It goes over the
 * logs of the orders less one. */
#ifndef DPA_ACCOUNT_ORDERS_H
#define DPA_ACCOUNT_ORDERS_H

#include "account/renyi.h"
#include "status.h"

#include <stddef.h>

/* Where the best order is looked for. The grid has at most DPA_MOST_ORDERS, and so has
 * a valley. */
typedef struct dpa_orders {
  const double *grid; /* orders less one, rising, `step` apart in their logs */
  size_t points;
  size_t stride; /* the first look is at every so manieth: there epsilon's only valley,
                    if there is but one, can be told */
  double step;
  int halvings; /* of `step`, by a search everywhere; 0: valleys are told apart */
  const double *widths; /* of a search near an order that is told */
  size_t looks;
  int walks;    /* from a likely order, where none is told, not looked for everywhere */
  int valleys;  /* whether it is looked for in other valleys, too */
  int around;   /* of an order that is told, whether in the next ones */
  int guess;    /* whether rough divergences will do, where there are any: no bound */
  double known; /* > 1: near this order, by rough divergences, epsilon is */
  double known_epsilon;
} dpa_orders;

/* Orders less one are in one valley whose logs are so near. */
#define DPA_SAME_VALLEY 0.03

/* What one party releases: `count[k]` times kind[k], k < entries. near: the order that
 * is looked around; NaN: everywhere. */
typedef struct dpa_ledger {
  const int *kind; /* places in a table of kinds */
  const double *count;
  size_t entries;
  double near;
} dpa_ledger;

/* Whether divergences of some of its kinds take long, see dpa_renyi_has_rough(). */
int dpa_ledger_has_rough(const dpa_ledger *ledger, const dpa_renyi_kind *kinds);

/* The reach where there is but one valley: curvature, which no look has counted, makes
 * kinks in it. */
#define DPA_ONE_VALLEY 0.006

/* What divergences of one ledger may share with those of another. */
typedef struct dpa_order_space {
  dpa_free_moment moments[DPA_MOST_ORDERS];
  dpa_chord chords[DPA_MOST_ORDERS];
  dpa_usual_norms norms;
  double reach; /* how far, in logs, noise and budget may be from those of the last
                   ledger of which valleys were looked into, so that others have the
                   best order in the same one; DPA_FARTHEST_REACH at most */
  int sharp;    /* whether that one rises faster than any smooth valley */
} dpa_order_space;

/* The least epsilon, infinite where none is finite, and its order, then NaN. `space` is
 * kept from ledger to ledger, and all 0 at first. */
dpa_status dpa_best_order(const dpa_orders *search, const dpa_renyi_kind *kinds,
                          const dpa_ledger *ledger, double log_delta,
                          dpa_order_space *space, double *epsilon, double *order);

#endif
