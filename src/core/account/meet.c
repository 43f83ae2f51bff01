#include "account/meet.h"

#include <float.h>
#include <math.h>

#define PASSES 20     /* secants, */
#define ROUNDS 3      /* as often as a better order is found elsewhere */
#define FAR 20.0      /* in the log: beyond it somebody else looks */
#define FLAT (-3.0)   /* where so little is spent no slope is told */
#define BETWEEN 0.125 /* of the width, on both sides, is left to rounding */
#define MISSED                                                                         \
  1e-6              /* more noise than this is not for an order that is hardly better  \
                     */
#define STILL 0.3   /* times the root of the width: the best order hardly moves */
#define CLOSE 0.03  /* from here on it is told from within the second width, too, */
#define CLOSER 1e-3 /* and from all */
/* Where divergences take long: to how many binary digits sizes, and logs of orders, are
 * told apart, so that alike ledgers share them. */
#define SIZE_DIGITS 17
#define ORDER_STEPS 0x1p14
#define LIKE 0.02 /* alike parties' multiples are within it, in logs */
static const double rough_widths[] = {0.1, 0.02};

typedef struct meeting {
  const dpa_orders *search;
  dpa_orders of_grid; /* the grid's alone, */
  dpa_orders around;  /* around an order that is told, */
  dpa_orders alone;   /* and there alone */
  const dpa_renyi_kind *kinds;
  const dpa_ledger *ledger;
  const dpa_budget *budget;
  dpa_renyi_kind *scaled;
  dpa_order_space *space;
  int rough;  /* whether divergences take long, of which rough ones are known; */
  int guess;  /* whether these do for now; */
  double off; /* and from where they have the best order it is so far, in logs */
  dpa_status status;
} meeting;

/* The next size above: who may change more may change less. */
static double shared_size(double size) {
  int exponent;
  const double digits = ldexp(frexp(size, &exponent), SIZE_DIGITS);
  return ldexp(ceil(digits), exponent - SIZE_DIGITS);
}

/* The next order below: just above there may be another valley. */
static double shared_order(double order) {
  return 1.0 + exp(floor(log(order - 1.0) * ORDER_STEPS) / ORDER_STEPS);
}

static double moved(double order, double by) {
  return 1.0 + (order - 1.0) * exp(by);
}

static double ask(meeting *at, const dpa_orders *search, int guess, double *order) {
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
static double rough_order(meeting *at, const dpa_orders *search, double near) {
  double order = moved(near, -at->off);
  ask(at, search, 1, &order);
  return shared_order(moved(order, at->off));
}

/* Noise of exp(x) times the size. */
static void scale_to(meeting *at, double x) {
  for (size_t k = 0; k < at->ledger->entries; k++) {
    dpa_renyi_kind *scaled = at->scaled + at->ledger->kind[k];
    *scaled = at->kinds[at->ledger->kind[k]];
    dpa_renyi_scale(scaled, exp(-x));
    if (at->rough && dpa_renyi_is_shared(scaled))
      scaled->size = shared_size(scaled->size);
  }
}

/* log(spent / budget), above 0 exactly when the budget is exceeded. */
static double over(const meeting *at, double epsilon) {
  const double spent = epsilon + at->budget->cost, most = at->budget->epsilon;
  const double excess = log(spent) - log(most);
  if (!(spent <= most)) /* the logs may round to the same number */
    return excess > 0.0 ? excess : isfinite(spent) ? DBL_EPSILON : INFINITY;
  return fmin(excess, 0.0);
}

/* The same with exp(x) times the noise. `order` is where it is looked for, NaN
 * everywhere, and then the best. */
static double excess_at(meeting *at, const dpa_orders *search, double x,
                        double *order) {
  dpa_orders how = *search;
  scale_to(at, x);
  if (at->rough && !at->guess) {
    if (isnan(*order) || how.looks > 0)
      *order = rough_order(at, search, *order);
    how.looks = 0;
    how.valleys = 0;
  }
  return over(at, ask(at, &how, at->guess, order));
}

typedef struct point {
  double x, excess, slope, order;
} point;

/* In so many widths the best order is looked for after so long a step. */
static size_t looks_after(const meeting *at, double step) {
  const size_t all = at->around.looks;
  const size_t looks = step < STILL * sqrt(at->budget->width) ? 0
                       : step < CLOSER                        ? all
                       : step < CLOSE                         ? 2
                                                              : 1;
  return looks < all ? looks : all;
}

/* Whether a point keeps the budget by hardly more than it must. */
static int is_there(const meeting *at, const point *now) {
  const double past = now->excess / now->slope / at->budget->width;
  return past >= BETWEEN && past <= 1.0 - BETWEEN;
}

/* From a point of which the excess is known to one that keeps the budget by hardly more
 * than it must: whether there is one. The best orders are looked for around those so
 * far, or everywhere. */
static int step_to_root(meeting *at, int everywhere, point *now) {
  const double width = at->budget->width;
  dpa_orders around = at->around;
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
    const int well_looked = everywhere || at->rough || around.looks == 0 ||
                            around.looks == at->around.looks;
    if (well_looked && is_there(at, now))
      return 1;
  }
  return 0;
}

/* Whether no other order is better; else the point moves on from there. Of the valley
 * that a grid has it in the bottom is known. */
static int is_best(meeting *at, point *now) {
  point last = *now;
  last.order = NAN;
  excess_at(at, &at->of_grid, now->x, &last.order);
  if (fabs(log((last.order - 1.0) / (now->order - 1.0))) <= at->search->step)
    return 1;
  last.order = NAN;
  last.excess = excess_at(at, at->search, now->x, &last.order);
  const double past = last.excess / last.slope;
  if (past >= 0.0 && past <= fmax(MISSED, at->budget->width))
    return 1;
  *now = last;
  return 0;
}

/* The best order near one that rough divergences tell. */
static void learn(meeting *at, point *now) {
  static const double width = 0.05; /* a parabola does the rest */
  dpa_orders near = at->around;
  double order = now->order;
  near.walks = 0;
  near.widths = &width;
  near.looks = 1;
  scale_to(at, now->x);
  ask(at, &near, 0, &order);
  at->off += log((order - 1.0) / (now->order - 1.0));
  now->order = shared_order(order);
}

/* The same where divergences take long: valleys are told apart by them, and then the
 * best one is looked into. */
static int is_best_roughly(meeting *at, point *now) {
  dpa_orders valleys = *at->search;
  point last = *now;
  valleys.halvings = 0;
  last.order = NAN;
  scale_to(at, now->x);
  last.excess = over(at, ask(at, &valleys, 0, &last.order));
  if (!(last.excess < now->excess + now->slope * at->budget->width))
    return 1;
  *now = last;
  learn(at, now);
  return 0;
}

/* By rough divergences, from where nothing is known: where to begin. */
static point guess_from(meeting *at, double x) {
  point now = {x, NAN, -1.0, NAN};
  at->guess = 1;
  now.excess = excess_at(at, at->search, x, &now.order);
  if (!step_to_root(at, 0, &now))
    now.order = NAN;
  at->guess = 0;
  if (!isnan(now.order))
    learn(at, &now);
  return now;
}

/* The best order less one is about 2 log(1 / delta) / epsilon. NaN: none is known. */
static double likely_order(const meeting *at, const dpa_multiple *told) {
  const double order =
      1.0 + (told->order - 1.0) * (told->epsilon / at->budget->epsilon);
  return order > 1.0 && order < INFINITY ? order : NAN;
}

static int meet_exactly(meeting *at, dpa_multiple *found) {
  dpa_orders around = at->around;
  around.looks = looks_after(at, INFINITY);
  point now = {found->x, NAN, found->slope, likely_order(at, found)};
  now.excess =
      excess_at(at, isnan(now.order) ? &at->of_grid : &around, now.x, &now.order);
  for (int round = 0; round < ROUNDS && step_to_root(at, round > 0, &now); round++)
    if (is_best(at, &now)) {
      *found =
          (dpa_multiple){now.x, now.slope, now.order, at->budget->epsilon, 0.0, now.x};
      return 1;
    }
  return 0;
}

static int meet_roughly(meeting *at, dpa_multiple *found) {
  const int told = !isnan(found->order), alike = found->epsilon == at->budget->epsilon;
  point now = {found->x, NAN, found->slope, likely_order(at, found)};
  at->off = told ? found->off : 0.0;
  if (!told)
    now = guess_from(at, now.x);
  if (isnan(now.order))
    return 0;
  now.excess =
      excess_at(at, told && !alike ? &at->around : &at->alone, now.x, &now.order);
  for (int round = 0; round < ROUNDS; round++) {
    const int there = round == 0 && is_there(at, &now);
    if (!there && !step_to_root(at, 0, &now))
      return 0;
    /* what is good for another party is good for one that is so much like it */
    const int like = told && alike && fabs(now.x - found->looked) <= LIKE;
    if (like || is_best_roughly(at, &now)) {
      *found = (dpa_multiple){now.x,     now.slope,
                              now.order, at->budget->epsilon,
                              at->off,   like ? found->looked : now.x};
      return 1;
    }
  }
  return 0;
}

static int meet_from(meeting *at, dpa_multiple *found) {
  return at->rough ? meet_roughly(at, found) : meet_exactly(at, found);
}

const dpa_multiple dpa_no_multiple = {NAN, NAN, NAN, NAN, NAN, NAN};

dpa_status dpa_meet_budget(const dpa_orders *search, const dpa_renyi_kind *kinds,
                           const dpa_ledger *ledger, const dpa_budget *budget,
                           dpa_renyi_kind *scaled, dpa_order_space *space,
                           dpa_multiple *found) {
  meeting at = {.search = search,
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
  if (!isnan(found->order) && meet_from(&at, found))
    return at.status;
  *found = meet_from(&at, &any) ? any : dpa_no_multiple;
  return at.status;
}
