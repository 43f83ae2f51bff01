#include "account/meet.h"

#include <float.h>
#include <math.h>

#define PASSES 8      /* secants, */
#define ROUNDS 3      /* as often as a better order is found elsewhere */
#define FAR 20.0      /* in the log: beyond it somebody else looks */
#define FLAT (-3.0)   /* where so little is spent no slope is told */
#define BETWEEN 0.125 /* of the width, on both sides, is left to rounding */
#define STILL 0.3     /* times the root of the width: the best order hardly moves */

typedef struct meeting {
  const dpa_renyi_kind *kinds;
  const dpa_ledger *ledger;
  const dpa_budget *budget;
  dpa_renyi_kind *scaled;
  dpa_order_space *space;
  dpa_status status;
} meeting;

/* log(spent / budget) with exp(x) times the noise, above 0 exactly when the budget is
 * exceeded. `order` is where it is looked for, NaN everywhere, and then the best. */
static double excess_at(meeting *at, const dpa_orders *search, double x,
                        double *order) {
  dpa_ledger ledger = *at->ledger;
  double epsilon = INFINITY;
  for (size_t k = 0; k < ledger.entries; k++) {
    const int kind = ledger.kind[k];
    at->scaled[kind] = at->kinds[kind];
    at->scaled[kind].size *= exp(-x);
  }
  ledger.near = *order;
  if (at->status == DPA_OK)
    at->status = dpa_best_order(search, at->scaled, &ledger, at->budget->log_delta,
                                at->space, &epsilon, order);
  const double spent = epsilon + at->budget->cost, most = at->budget->epsilon;
  const double excess = log(spent) - log(most);
  if (!(spent <= most)) /* the logs may round to the same number */
    return excess > 0.0 ? excess : isfinite(spent) ? DBL_EPSILON : INFINITY;
  return fmin(excess, 0.0);
}

typedef struct point {
  double x, excess, slope, order;
} point;

/* From a point of which the excess is known to one that keeps the budget by hardly more
 * than it must: whether there is one. */
static int step_to_root(meeting *at, const dpa_orders *around, const dpa_orders *there,
                        point *now) {
  const double width = at->budget->width;
  for (int pass = 0; pass < PASSES; pass++) {
    const point before = *now;
    if (!(before.excess > FLAT && before.excess < INFINITY))
      return 0;
    now->x = before.x - before.excess / before.slope + width / 2.0;
    if (!(fabs(now->x) <= FAR))
      return 0;
    const int still = fabs(now->x - before.x) < STILL * sqrt(width);
    now->excess = excess_at(at, still ? there : around, now->x, &now->order);
    const double slope = (now->excess - before.excess) / (now->x - before.x);
    if (isfinite(slope) && slope < 0.0)
      now->slope = slope;
    const double past = now->excess / now->slope / width;
    if (past >= BETWEEN && past <= 1.0 - BETWEEN)
      return 1;
  }
  return 0;
}

/* Whether no order elsewhere is much better, as the grid says; where it knows of one in
 * another valley that is looked for, and else the point moves on from there. */
static int is_best(meeting *at, const dpa_orders *search, const dpa_orders *of_grid,
                   point *now) {
  point last = *now;
  last.order = NAN;
  excess_at(at, of_grid, now->x, &last.order);
  if (fabs(log((last.order - 1.0) / (now->order - 1.0))) <= search->step)
    return 1;
  last.order = NAN;
  last.excess = excess_at(at, search, now->x, &last.order);
  if (last.excess <= 0.0 && last.excess / last.slope <= at->budget->width)
    return 1;
  *now = last;
  return 0;
}

dpa_status dpa_meet_budget(const dpa_orders *search, const dpa_renyi_kind *kinds,
                           const dpa_ledger *ledger, const dpa_budget *budget,
                           int certain, dpa_renyi_kind *scaled, dpa_order_space *space,
                           double *x, double *order) {
  meeting at = {kinds, ledger, budget, scaled, space, DPA_OK};
  dpa_orders of_grid = *search, there = *search;
  of_grid.looks = there.looks = 0;
  of_grid.halvings = 0;
  point now = {.slope = -1.0, .order = NAN};
  int found = 0;
  now.excess = excess_at(&at, &of_grid, 0.0, &now.order);
  for (int round = 0; round < ROUNDS && !found && at.status == DPA_OK; round++) {
    if (!step_to_root(&at, search, &there, &now))
      break;
    found = !certain || is_best(&at, search, &of_grid, &now);
  }
  *x = found ? now.x : NAN;
  *order = found ? now.order : NAN;
  return at.status;
}
