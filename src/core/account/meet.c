#include "account/meeting.h"

#include <math.h>

#define MISSED 1e-6 /* more noise is not for an order that is hardly better */
#define CLOSE 20.0  /* times the width: next ledgers' multiples may be as near, too */
#define NEAR 0.005  /* of one of which the best order is known */
#define NEXT 0.002  /* where that tells it near enough, and of budgets */
#define NEXT_BUDGET 0.02
#define ROUGHLY 1e-5 /* widths for which likely orders are near enough the best */
#define GUESSES 3
#define LOOKS 3
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
  dpa_multiple next = *found;
  for (int round = 0;
       round < DPA_MEETING_ROUNDS && dpa_meeting_step(at, round > 0, &now); round++) {
    const dpa_likeness own = dpa_meeting_likeness(at, &now);
    if (!dpa_meeting_like(&own, found)) {
      if (!is_best(at, &now))
        continue;
      dpa_meeting_looked(at, own, &next);
    }
    next.x = now.x;
    next.slope = now.slope;
    next.order = now.order;
    next.epsilon = own.epsilon;
    next.apart = fabs(now.x - found->x);
    *found = next;
    return 1;
  }
  return 0;
}

/* A step from there to where the budget is kept, as far as the slope tells; `more`:
 * what is spent besides. */
static double step_on(dpa_meeting *at, const dpa_orders *search, double more,
                      dpa_trial *now) {
  now->excess = dpa_meeting_excess(at, search, now->x, &now->order);
  return at->budget->width / 2.0 - (now->excess + more) / now->slope;
}

static void move(dpa_trial *now, double step) {
  now->x += step;
  now->order = dpa_meeting_moved(now->order, step);
}

/* Whether the best order of one tells the other's. */
static int has_order_as(const dpa_likeness *other, const dpa_likeness *own) {
  return !other->sharp && fabs(own->x - other->x) <= NEXT &&
         fabs(log(own->epsilon / other->epsilon)) <= NEXT_BUDGET;
}

/* Ledgers that are like one before need about the same noise, by about the same order:
 * a parabola through orders around it does, rough ones where divergences take long. */
static int meet_as_other(dpa_meeting *at, dpa_multiple *found) {
  static const double smooth[] = {0.05}, sharp[] = {0.03, 0.01, 0.003};
  const double width = at->budget->width;
  dpa_orders near = at->alone;
  dpa_trial now = {found->x, NAN, found->slope, found->order};
  dpa_likeness own = dpa_meeting_likeness(at, &now);
  own.order = NAN;
  const dpa_likeness *other = dpa_meeting_like(&own, found);
  if (!other)
    return 0;
  const int as_last = found->apart <= CLOSE * width && own.epsilon == found->epsilon &&
                      fabs(now.x - other->x) <= NEAR;
  if (!as_last && width < ROUGHLY)
    return 0;
  near.widths = other->sharp ? sharp : smooth;
  near.looks = other->sharp ? sizeof sharp / sizeof *sharp : 1;
  if (!as_last)
    now.order = dpa_meeting_order_as(other, own.epsilon, now.x);
  if (!as_last && at->rough) {
    double step = INFINITY;
    at->guess = 1;
    now.order = dpa_meeting_moved(now.order, -found->off);
    for (int k = 0; k < GUESSES && fabs(step) > width; k++) {
      step = step_on(at, k == 0 ? &near : &at->alone, found->more, &now);
      move(&now, step);
    }
    at->guess = 0;
    now.order = dpa_meeting_moved(now.order, found->off);
  }
  for (int look = 0; look < LOOKS; look++) {
    if (at->rough)
      now.order = dpa_meeting_shared_order(now.order);
    const int look_near =
        look == 0 && !as_last && !at->rough && !has_order_as(other, &own);
    const double step = step_on(at, look_near ? &near : &at->alone, 0.0, &now);
    own.x = now.x;
    own.order = now.order;
    if (dpa_meeting_is_there(at, &now)) {
      if (!dpa_meeting_like(&own, found))
        return 0;
      found->apart = fabs(now.x - found->x);
      found->x = now.x;
      found->order = now.order;
      found->epsilon = own.epsilon;
      return 1;
    }
    if (as_last)
      now.x += step;
    else
      move(&now, step);
  }
  return 0;
}

static int meet_from(dpa_meeting *at, dpa_multiple *found) {
  return at->rough ? dpa_meet_roughly(at, found) : dpa_meet_exactly(at, found);
}

const dpa_multiple dpa_no_multiple = {
    .x = NAN, .slope = NAN, .order = NAN, .epsilon = NAN, .apart = NAN};

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
  if (!isnan(found->order) && (meet_as_other(&at, found) || meet_from(&at, found)))
    return at.status;
  *found = meet_from(&at, &any) ? any : dpa_no_multiple;
  return at.status;
}
