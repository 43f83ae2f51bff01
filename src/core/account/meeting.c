#include "account/meeting.h"

#include "account/special.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PASSES 40     /* secants, */
#define AROUND 5      /* of which the first ask around the best order so far, */
#define FAR 20.0      /* in the log: beyond it somebody else looks */
#define FLAT (-3.0)   /* where so little is spent no slope is told */
#define BETWEEN 0.125 /* of the width, on both sides, is left to rounding */
#define STILL 0.3     /* times the root of the width: the best order hardly moves */
#define CLOSE 0.03    /* from here on it is told from within the second width, too, */
#define CLOSER 1e-3   /* and from all */
/* How near ledgers are at least, in logs, of which other valleys are looked into once,
 * and their orders less one; what curvature costs may differ more, and as it likes
 * where it is little. */
#define LIKE 0.005
#define SAME 0.05
#define STEEPER 0.025
#define STEEPEST 1.0
#define LITTLE 1e-6
#define BUDGETS 4.0 /* times as far apart: valleys move nearly alike with them */
/* Where divergences take long: to how many binary digits sizes, and logs of orders, are
 * told apart, so that alike ledgers share them. */
#define SIZE_DIGITS 17
#define ORDER_STEPS 0x1p14

double dpa_meeting_shared_order(double order) {
  return 1.0 + exp(floor(log(order - 1.0) * ORDER_STEPS) / ORDER_STEPS);
}

double dpa_meeting_moved(double order, double by) {
  return 1.0 + (order - 1.0) * exp(by);
}

double dpa_meeting_ask(dpa_meeting *at, const dpa_orders *search, int guess,
                       double *order) {
  dpa_ledger ledger = *at->ledger;
  dpa_orders how = *search;
  double epsilon = INFINITY;
  how.guess = guess;
  ledger.near = *order;
  if (at->status == DPA_OK)
    at->status = dpa_best_order(&how, at->scaled, &ledger, at->budget->log_delta,
                                at->space, &epsilon, order);
  return epsilon;
}

/* Where the best order is by rough divergences, from there on where those that hold
 * have it. */
static double rough_order(dpa_meeting *at, const dpa_orders *search, double near) {
  double order = dpa_meeting_moved(near, -at->off);
  dpa_meeting_ask(at, search, 1, &order);
  return dpa_meeting_shared_order(dpa_meeting_moved(order, at->off));
}

void dpa_meeting_scale(dpa_meeting *at, double x) {
  for (size_t k = 0; k < at->ledger->entries; k++) {
    dpa_renyi_kind *scaled = at->scaled + at->ledger->kind[k];
    *scaled = at->kinds[at->ledger->kind[k]];
    dpa_renyi_scale(scaled, exp(-x));
    if (at->rough &&
        dpa_renyi_is_shared(scaled)) /* who may change more may change less */
      scaled->size = dpa_to_digits(scaled->size, SIZE_DIGITS, ceil);
  }
}

double dpa_meeting_over(const dpa_meeting *at, double epsilon) {
  const double spent = epsilon + at->budget->cost, most = at->budget->epsilon;
  const double excess = log(spent) - log(most);
  if (!(spent <= most)) /* the logs may round to the same number */
    return excess > 0.0 ? excess : isfinite(spent) ? DBL_EPSILON : INFINITY;
  return fmin(excess, 0.0);
}

double dpa_meeting_excess(dpa_meeting *at, const dpa_orders *search, double x,
                          double *order) {
  dpa_orders how = *search;
  dpa_meeting_scale(at, x);
  if (at->rough && !at->guess) {
    if (isnan(*order) || how.looks > 0)
      *order = rough_order(at, search, *order);
    how.looks = 0;
    how.valleys = 0;
  }
  return dpa_meeting_over(at, dpa_meeting_ask(at, &how, at->guess, order));
}

size_t dpa_meeting_looks(const dpa_meeting *at, double step) {
  const size_t all = at->around.looks;
  const size_t looks = step < STILL * sqrt(at->budget->width) ? 0
                       : step < CLOSER                        ? all
                       : step < CLOSE                         ? 2
                                                              : 1;
  return looks < all ? looks : all;
}

int dpa_meeting_is_there(const dpa_meeting *at, const dpa_trial *now) {
  const double past = now->excess / now->slope / at->budget->width;
  return past >= BETWEEN && past <= 1.0 - BETWEEN;
}

int dpa_meeting_step(dpa_meeting *at, int everywhere, dpa_trial *now) {
  const double width = at->budget->width;
  double little = -INFINITY, enough = INFINITY; /* noise */
  dpa_orders around = at->around;
  int lost = 0;
  for (int pass = 0; pass < PASSES; pass++) {
    const dpa_trial before = *now;
    if (!(before.excess > FLAT && before.excess < INFINITY))
      return 0;
    if (before.excess <= 0.0)
      enough = before.x;
    else if (lost) /* else another order may say less */
      little = before.x;
    now->x = before.x - before.excess / before.slope + width / 2.0;
    if (isfinite(little) && little < enough && !(now->x > little && now->x < enough))
      now->x = (little + enough) / 2.0; /* of a plateau no slope tells the end */
    if (!(fabs(now->x) <= FAR))
      return 0;
    const double step = now->x - before.x;
    around.looks = dpa_meeting_looks(at, fabs(step));
    lost |= pass >= AROUND;
    /* were losses normal it would be there */
    now->order = everywhere || lost ? NAN : dpa_meeting_moved(before.order, step);
    now->excess =
        dpa_meeting_excess(at, lost ? at->search : &around, now->x, &now->order);
    if (!lost && step > 0.0 && now->excess > before.excess) { /* and it is not */
      lost = 1;
      now->order = NAN;
      now->excess = dpa_meeting_excess(at, at->search, now->x, &now->order);
    }
    const double slope = (now->excess - before.excess) / step;
    if (isfinite(slope) && slope < 0.0)
      now->slope = slope;
    const int well_looked = everywhere || lost || at->rough || around.looks == 0 ||
                            around.looks == at->around.looks;
    if (well_looked && dpa_meeting_is_there(at, now))
      return 1;
  }
  return 0;
}

/* Losses that are multiples of each other have best orders less one that are, too. */
double dpa_meeting_order_as(const dpa_likeness *other, double epsilon, double x) {
  const double by = log(other->epsilon / epsilon) + x - other->x;
  return dpa_meeting_moved(other->order, by);
}

/* Curvature that costs more makes no other valley any better, but ledgers that cost as
 * much although theirs does may have others where these are not far above the best. */
static int is_like(const dpa_likeness *own, const dpa_likeness *other) {
  const double apart = fabs(own->x - other->x), reach = other->reach;
  const double budgets = fabs(log(own->epsilon / other->epsilon));
  const int scales = reach > LIKE && !other->sharp;
  const double both = scales ? apart + budgets / BUDGETS : fmax(apart, budgets);
  if (!(both <= reach))
    return 0;
  const double order = dpa_meeting_order_as(other, own->epsilon, own->x);
  if (fabs(log((own->order - 1.0) / (order - 1.0))) > SAME)
    return 0;
  const double steeper = log((own->steep + LITTLE) / (other->steep + LITTLE));
  return steeper >= -STEEPER && steeper <= STEEPEST &&
         (steeper <= STEEPER || reach > DPA_ONE_VALLEY || apart <= LIKE / 10.0);
}

const dpa_likeness *dpa_meeting_like(const dpa_likeness *own,
                                     const dpa_multiple *found) {
  for (size_t k = 0; k < DPA_LOOKED; k++)
    if (is_like(own, found->looked + k))
      return found->looked + k;
  return NULL;
}

void dpa_meeting_looked(const dpa_meeting *at, dpa_likeness own, dpa_multiple *found) {
  memmove(found->looked + 1, found->looked, (DPA_LOOKED - 1) * sizeof own);
  own.reach = fmax(LIKE, at->space->reach);
  own.sharp = at->space->sharp;
  found->looked[0] = own;
}

dpa_likeness dpa_meeting_likeness(const dpa_meeting *at, const dpa_trial *now) {
  double steep = 0.0;
  for (size_t k = 0; k < at->ledger->entries; k++)
    steep += at->ledger->count[k] * at->kinds[at->ledger->kind[k]].kappa;
  return (dpa_likeness){now->x, at->budget->epsilon, steep, now->order, 0.0, 0};
}

double dpa_meeting_likely(const dpa_meeting *at, const dpa_multiple *told) {
  const double order =
      1.0 + (told->order - 1.0) * (told->epsilon / at->budget->epsilon);
  return order > 1.0 && order < INFINITY ? order : NAN;
}
