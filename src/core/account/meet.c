#include "account/meeting.h"

#include <math.h>

#define MISSED 1e-6 /* more noise is not for an order that is hardly better */
#define CLOSE 20.0  /* times the width: next ledgers' multiples may be as near, too */
static const double rough_widths[] = {0.1, 0.02};

/* Whether no other order is better; else the point moves on from there. Of the valley
 * that a grid has it in the bottom is known. */
static int is_best(dpa_meeting *at, dpa_trial *now) {
  dpa_trial last = *now;
  last.order = NAN;
  dpa_meeting_excess(at, &at->of_grid, now->x, &last.order);
  if (fabs(log((last.order - 1.0) / (now->order - 1.0))) <= at->search->step)
    return 1;
  last.order = NAN;
  last.excess = dpa_meeting_excess(at, at->search, now->x, &last.order);
  const double past = last.excess / last.slope;
  if (past >= 0.0 && past <= fmax(MISSED, at->budget->width))
    return 1;
  *now = last;
  return 0;
}

int dpa_meet_exactly(dpa_meeting *at, dpa_multiple *found) {
  dpa_orders around = at->around;
  around.looks = dpa_meeting_looks(at, INFINITY);
  dpa_trial now = {found->x, NAN, found->slope, dpa_meeting_likely(at, found)};
  now.excess = dpa_meeting_excess(at, isnan(now.order) ? &at->of_grid : &around, now.x,
                                  &now.order);
  dpa_likeness looked = found->looked;
  for (int round = 0;
       round < DPA_MEETING_ROUNDS && dpa_meeting_step(at, round > 0, &now); round++) {
    const dpa_likeness own = dpa_meeting_likeness(at, now.x);
    if (!dpa_is_like(&own, &looked)) {
      if (!is_best(at, &now))
        continue;
      looked = own;
    }
    *found = (dpa_multiple){.x = now.x,
                            .slope = now.slope,
                            .order = now.order,
                            .epsilon = own.epsilon,
                            .looked = looked,
                            .apart = fabs(now.x - found->x)};
    return 1;
  }
  return 0;
}

/* Ledgers one after another that hardly differ need the same noise. */
static int meet_as_last(dpa_meeting *at, dpa_multiple *found) {
  dpa_trial now = {found->x, NAN, found->slope, dpa_meeting_likely(at, found)};
  const dpa_likeness own = dpa_meeting_likeness(at, now.x);
  if (!(found->apart <= CLOSE * at->budget->width) || own.epsilon != found->epsilon ||
      !dpa_is_like(&own, &found->looked))
    return 0;
  for (int look = 0; look < 2; look++) {
    now.excess = dpa_meeting_excess(at, &at->alone, now.x, &now.order);
    if (dpa_meeting_is_there(at, &now)) {
      found->apart = fabs(now.x - found->x);
      found->x = now.x;
      found->order = now.order;
      return 1;
    }
    now.x -= now.excess / now.slope - at->budget->width / 2.0;
  }
  return 0;
}

static int meet_from(dpa_meeting *at, dpa_multiple *found) {
  return at->rough ? dpa_meet_roughly(at, found) : dpa_meet_exactly(at, found);
}

const dpa_multiple dpa_no_multiple = {NAN, NAN, NAN, NAN, NAN, NAN, {NAN, NAN, NAN},
                                      NAN};

dpa_status dpa_meet_budget(const dpa_orders *search, const dpa_renyi_kind *kinds,
                           const dpa_ledger *ledger, const dpa_budget *budget,
                           dpa_renyi_kind *scaled, dpa_order_space *space,
                           dpa_multiple *found) {
  dpa_meeting at = {.search = search,
                    .of_grid = *search,
                    .around = *search,
                    .kinds = kinds,
                    .ledger = ledger,
                    .budget = budget,
                    .scaled = scaled,
                    .space = space,
                    .rough = dpa_ledger_has_rough(ledger, kinds),
                    .status = DPA_OK};
  at.of_grid.looks = 0;
  at.of_grid.halvings = 0;
  at.around.valleys = 0;
  if (at.rough) {
    at.around.widths = rough_widths;
    at.around.looks = sizeof rough_widths / sizeof *rough_widths;
  }
  at.alone = at.around;
  at.alone.looks = 0;
  dpa_multiple any = dpa_no_multiple;
  any.x = 0.0;
  any.slope = -1.0;
  if (!isnan(found->order) && (meet_as_last(&at, found) || meet_from(&at, found)))
    return at.status;
  *found = meet_from(&at, &any) ? any : dpa_no_multiple;
  return at.status;
}
