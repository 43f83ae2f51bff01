/* Noise that just keeps a budget, against every order of a fine grid. */
#include "account/meet.h"
#include "check.h"
#include "search.h"

#include <math.h>
#include <stddef.h>

void test_meet(void);

enum { FINE = 1000, FINER = 300, PARTIES = 12, KINDS = 6 };

static dpa_order_space space; /* all 0 at first */

static void scale_kinds(const dpa_renyi_kind *kinds, double x, dpa_renyi_kind *scaled) {
  for (int k = 0; k < KINDS; k++) {
    scaled[k] = kinds[k];
    scaled[k].size *= exp(-x);
  }
}

/* What a ledger spends with exp(x) times the noise at the best of many orders, and of
 * more around every bottom among them. */
static double spent_at(const dpa_renyi_kind *kinds, const dpa_ledger *ledger, double x,
                       double log_delta) {
  const double width = 6.0 / FINE;
  double best = INFINITY, at[FINE + 1];
  dpa_renyi_kind scaled[KINDS];
  scale_kinds(kinds, x, scaled);
  int known = 1;
  for (int i = 0; i <= FINE; i++) {
    at[i] = epsilon_at(scaled, ledger, pow(10.0, -2.0 + width * i), log_delta);
    known &= !isnan(at[i]);
    best = fmin(best, at[i]);
  }
  CHECK(known);
  const double close = 1.01 * best;
  for (int i = 1; i < FINE; i++)
    for (int k = -FINER; at[i] <= fmin(close, fmin(at[i - 1], at[i + 1])) && k <= FINER;
         k++) {
      const double y = -2.0 + width * (i + (double)k / FINER);
      best = fmin(best, epsilon_at(scaled, ledger, pow(10.0, y), log_delta));
    }
  return best;
}

/* As MR-ADMM releases, of ever smaller parties. */
static void fill_kinds(dpa_renyi_kind *kinds, double size) {
  for (int k = 0; k < KINDS; k++) {
    kinds[k] = (dpa_renyi_kind){
        .curve = dpa_renyi_named(k % 2 ? "gaussian" : "objective_gaussian"),
        .size = k % 2 ? 0.03 * size : size,
        .kappa = k % 2 ? 0.0 : 0.02 * size / pow(1.1, k),
        .tied = k % 4 == 0};
    CHECK(dpa_renyi_is_plain(kinds + k));
  }
}

/* Parties one after another start where the one before ended. One may be `kinked`: its
 * best order lies at a kink of its bounds, and is not found to the last digit. */
static void check_parties(double epsilon, double log_delta, double cost, int kinked) {
  const dpa_orders search = search_that_looks();
  const int places[KINDS] = {0, 1, 2, 3, 4, 5};
  const double counts[KINDS] = {1.0, 2.0, 3.0, 1.0, 5.0, 1.0};
  const dpa_ledger ledger = {places, counts, KINDS, NAN};
  const dpa_budget budget = {epsilon, cost, log_delta, 1e-9};
  dpa_renyi_kind kinds[KINDS], scaled[KINDS];
  dpa_multiple found = dpa_no_multiple;
  for (int i = 0; i < PARTIES; i++) {
    fill_kinds(kinds, 0.1 * pow(1.07, i));
    CHECK(dpa_meet_budget(&search, kinds, &ledger, &budget, scaled, &space, &found) ==
          DPA_OK);
    const double spent = spent_at(kinds, &ledger, found.x, log_delta) + cost;
    CHECK(spent <= epsilon * (1.0 + 1e-6));
    CHECK(spent >= epsilon * (1.0 - (i == kinked ? 5e-5 : 1e-6)));
    /* with less noise it is too much */
    const double less = found.x - (i == kinked ? 5e-5 : 3e-6);
    CHECK(spent_at(kinds, &ledger, less, log_delta) + cost > epsilon);
    /* the order that is told proves it, to the last bit */
    dpa_ledger there = ledger;
    double proved, order;
    dpa_orders at = search;
    at.looks = 0;
    there.near = found.order;
    scale_kinds(kinds, found.x, scaled);
    CHECK(dpa_best_order(&at, scaled, &there, log_delta, &space, &proved, &order) ==
          DPA_OK);
    CHECK(proved + cost <= epsilon && proved + cost >= epsilon * (1.0 - 3e-9));
    dpa_multiple alone = dpa_no_multiple;
    CHECK(dpa_meet_budget(&search, kinds, &ledger, &budget, scaled, &space, &alone) ==
          DPA_OK);
    /* from elsewhere it ends as far off at most */
    CHECK_NEAR(alone.x, found.x, i == kinked ? 5e-5 : 3e-6);
  }
}

/* What is no multiple within reach is none, and a start far off does no harm. */
static void check_odd(void) {
  const dpa_orders search = search_that_looks();
  const double count = 1.0;
  const dpa_ledger ledger = {(const int[]){0}, &count, 1, NAN};
  dpa_renyi_kind kind = {.curve = dpa_renyi_named("gaussian"), .size = 0.2}, scaled;
  dpa_budget budget = {1.0, 0.0, log(1e-6), 1e-9};
  dpa_multiple known = dpa_no_multiple, found;
  CHECK(dpa_meet_budget(&search, &kind, &ledger, &budget, &scaled, &space, &known) ==
        DPA_OK);
  CHECK(fabs(known.x) < 1.0);
  const dpa_multiple starts[] = {
      {.x = 15.0, .slope = -1.0, .order = 2.0, .epsilon = 1.0},
      {.x = -15.0, .slope = -1.0, .order = 900.0, .epsilon = 1.0},
      {.x = 0.0, .slope = -1e-6, .order = 5.0, .epsilon = 9.0},
      {.x = 0.0, .slope = -50.0, .order = 5.0, .epsilon = 1.0}};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    found = starts[i];
    CHECK(dpa_meet_budget(&search, &kind, &ledger, &budget, &scaled, &space, &found) ==
          DPA_OK);
    CHECK_NEAR(found.x, known.x, 1e-9);
  }
  /* whatever the noise the rest costs more, or curvature does */
  budget.cost = 1.1;
  found = known;
  CHECK(dpa_meet_budget(&search, &kind, &ledger, &budget, &scaled, &space, &found) ==
            DPA_OK &&
        isnan(found.x) && isnan(found.order));
  budget.cost = 0.0;
  kind = (dpa_renyi_kind){
      .curve = dpa_renyi_named("objective_gaussian"), .size = 0.1, .kappa = 50.0};
  found = known;
  CHECK(dpa_meet_budget(&search, &kind, &ledger, &budget, &scaled, &space, &found) ==
            DPA_OK &&
        isnan(found.x));
  kind = (dpa_renyi_kind){.curve = dpa_renyi_named("gaussian"), .size = NAN};
  CHECK(dpa_meet_budget(&search, &kind, &ledger, &budget, &scaled, &space, &found) ==
            DPA_OK &&
        isnan(found.x));
}

void test_meet(void) {
  check_parties(1.0, log(1e-5), 0.0, -1);
  check_parties(0.1, log(1e-9), 0.02, 5);
  check_parties(8.0, log(1e-3), 1e-12, -1);
  check_odd();
  static const char *const others[] = {"poisson", "poisson_replace", "fixed"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const dpa_renyi_kind kind = {.curve = dpa_renyi_named(others[i])};
    CHECK(kind.curve && !dpa_renyi_is_plain(&kind));
  }
  const dpa_renyi_kind called = {.curve = NULL};
  CHECK(!dpa_renyi_is_plain(&called));
}
