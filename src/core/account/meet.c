#include "account/meet.h"

#include <float.h>
#include <math.h>

#define PASSES 20     /* secants, */
#define ROUNDS 3      /* as often as a better order is found elsewhere */
#define FAR 20.0      /* in the log: beyond it somebody else looks */
#define FLAT (-3.0)   /* where so little is spent no slope is told */
#define BETWEEN 0.125 /* of the width, on both sides, is left to rounding */
#define STILL 0.3     /* times the root of the width: the best order hardly moves */
#define CLOSE 0.03    /* from here on it is told from within the second width, too, */
#define CLOSER 1e-3   /* and from all */

typedef struct meeting {
  const dpa_orders *search;
  dpa_orders of_grid; /* the grid's alone */
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

/* In so many widths the best order is looked for after so long a step. */
static size_t looks_after(const meeting *at, double step) {
  const size_t all = at->search->looks;
  const size_t looks = step < STILL * sqrt(at->budget->width) ? 0
                       : step < CLOSER                        ? all
                       : step < CLOSE                         ? 2
                                                              : 1;
  return looks < all ? looks : all;
}

/* From a point of which the excess is known to one that keeps the budget by hardly more
 * than it must: whether there is one. The best orders are looked for around those so
 * far, or everywhere. */
static int step_to_root(meeting *at, int everywhere, point *now) {
  const double width = at->budget->width;
  dpa_orders around = *at->search;
  for (int pass = 0; pass < PASSES; pass++) {
    const point before = *now;
    if (!(before.excess > FLAT && before.excess < INFINITY))
      return 0;
    now->x = before.x - before.excess / before.slope + width / 2.0;
    if (!(fabs(now->x) <= FAR))
      return 0;
    const double step = now->x - before.x;
    around.looks = looks_after(at, fabs(step));
    /* were losses normal it would be there */
    now->order = everywhere ? NAN : 1.0 + (before.order - 1.0) * exp(step);
    now->excess = excess_at(at, &around, now->x, &now->order);
    const double slope = (now->excess - before.excess) / step;
    if (isfinite(slope) && slope < 0.0)
      now->slope = slope;
    const double past = now->excess / now->slope / width;
    const int well_looked =
        everywhere || around.looks == 0 || around.looks == at->search->looks;
    if (well_looked && past >= BETWEEN && past <= 1.0 - BETWEEN)
      return 1;
  }
  return 0;
}

/* Whether no other order is better; else the point moves on from there. */
static int is_best(meeting *at, point *now) {
  point last = *now;
  last.order = NAN;
  last.excess = excess_at(at, at->search, now->x, &last.order);
  const double past = last.excess / last.slope / at->budget->width;
  if (past >= 0.0 && past <= 1.0)
    return 1;
  *now = last;
  return 0;
}

static int meet_from(meeting *at, dpa_multiple *found) {
  dpa_orders around = *at->search;
  around.looks = looks_after(at, INFINITY);
  point now = {found->x, NAN, found->slope, found->order};
  now.excess =
      excess_at(at, isnan(now.order) ? &at->of_grid : &around, now.x, &now.order);
  for (int round = 0; round < ROUNDS && step_to_root(at, round > 0, &now); round++)
    if (is_best(at, &now)) {
      *found = (dpa_multiple){now.x, now.slope, now.order};
      return 1;
    }
  return 0;
}

dpa_status dpa_meet_budget(const dpa_orders *search, const dpa_renyi_kind *kinds,
                           const dpa_ledger *ledger, const dpa_budget *budget,
                           dpa_renyi_kind *scaled, dpa_order_space *space,
                           dpa_multiple *found) {
  meeting at = {search, *search, kinds, ledger, budget, scaled, space, DPA_OK};
  at.of_grid.looks = 0;
  at.of_grid.halvings = 0;
  dpa_multiple any = {0.0, -1.0, NAN};
  if (!isnan(found->order) && meet_from(&at, found))
    return at.status;
  *found = meet_from(&at, &any) ? any : (dpa_multiple){NAN, NAN, NAN};
  return at.status;
}
