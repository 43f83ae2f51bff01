/* Units of several parties, against each one's noise found alone. */
#include "account/spherical.h"
#include "account/units.h"
#include "check.h"
#include "search.h"

#include <math.h>
#include <stdlib.h>

void test_units(void);

enum { ROWS = 40, PARTIES = 7 };

static dpa_order_space space; /* all 0 at first */

typedef struct releases {
  dpa_renyi_kind kind[ROWS];
  double count[ROWS], epsilon[PARTIES], cost[PARTIES];
  int party[ROWS];
  size_t rows;
} releases;

static dpa_spenders spenders_of(const releases *r, size_t parties) {
  return (dpa_spenders){r->kind, r->count,  r->party, r->rows, parties, r->epsilon,
                        r->cost, log(1e-6), 1e-9,     0,       NULL};
}

/* Polls that say stop from the one of this number on. */
typedef struct patience {
  int polls, most;
} patience;

static int poll(void *context, size_t done) {
  patience *own = context;
  (void)done;
  return ++own->polls > own->most;
}

static dpa_status solve(const dpa_spenders *of, patience *own, double *unit,
                        double *order) {
  const dpa_orders search = search_that_looks();
  dpa_units_room room;
  dpa_arena arena = {NULL, 0, 0};
  dpa_units_layout(&room, &arena, of->rows, of->parties);
  CHECK(!arena.overflow);
  arena.base = malloc(arena.used + 1);
  arena.used = 0;
  dpa_units_layout(&room, &arena, of->rows, of->parties);
  const dpa_status status = dpa_units(&search, of, &room, poll, own, unit, order);
  free(arena.base);
  return status;
}

/* Releases of parties in turns: the third does as the first, and the fifth as the
 * second but with another budget. */
static void fill(releases *r) {
  r->rows = 0;
  for (int round = 0; round < 4; round++)
    for (int i = 0; i < PARTIES; i++) {
      const int as = i == 2 ? 0 : i == 4 ? 1 : i;
      const double size = 0.02 * (as + 1);
      const int values = (round + as) % 2;
      r->kind[r->rows] =
          values ? (dpa_renyi_kind){.curve = dpa_renyi_named("gaussian"),
                                    .size = 0.3 * size}
                 : (dpa_renyi_kind){.curve = dpa_renyi_named("objective_gaussian"),
                                    .size = size,
                                    .kappa = 0.001 * (as + 1) / (1 + round),
                                    .tied = as % 2};
      r->count[r->rows] = 1.0 + as % 3;
      r->party[r->rows++] = i + 1;
    }
  for (int i = 0; i < PARTIES; i++) {
    r->epsilon[i] = i == 4 ? 2.0 : i % 3 == 0 || i == 2 ? 0.7 : 1.3;
    r->cost[i] = i == 5 ? 0.1 : 0.0;
  }
}

/* The unit of one party alone, from its releases one by one. */
static double alone(const releases *r, int party) {
  const dpa_orders search = search_that_looks();
  dpa_renyi_kind kind[ROWS], scaled[ROWS];
  int place[ROWS];
  double count[ROWS];
  dpa_ledger ledger = {place, count, 0, NAN};
  for (size_t k = 0; k < r->rows; k++)
    if (r->party[k] == party) {
      kind[ledger.entries] = r->kind[k];
      kind[ledger.entries].size *= 5.0; /* an odd place to start from */
      place[ledger.entries] = (int)ledger.entries;
      count[ledger.entries++] = r->count[k];
    }
  const dpa_budget budget = {r->epsilon[party - 1], r->cost[party - 1], log(1e-6),
                             1e-9};
  dpa_multiple found = dpa_no_multiple;
  CHECK(dpa_meet_budget(&search, kind, &ledger, &budget, scaled, &space, &found) ==
        DPA_OK);
  return exp(found.x) / 5.0;
}

static void check_against_alone(const releases *r) {
  double unit[PARTIES], order[PARTIES];
  patience patient = {0, 100};
  dpa_spenders of = spenders_of(r, PARTIES);
  CHECK(solve(&of, &patient, unit, order) == DPA_OK);
  for (int i = 0; i < PARTIES; i++) {
    CHECK_NEAR(unit[i] / alone(r, i + 1), 1.0, 3e-9);
    CHECK(order[i] > 1.0 && isfinite(order[i]));
  }
  /* alike ones are solved once, and get the same */
  CHECK(unit[2] == unit[0] && order[2] == order[0]);
  CHECK(unit[4] < unit[1]);
  CHECK(patient.polls == PARTIES - 1);
}

/* Rows that come in another order, or one by one, are the same. */
static void check_rows(const releases *r) {
  double unit[PARTIES], order[PARTIES], again[PARTIES];
  patience patient = {0, 100};
  releases turned = *r;
  dpa_spenders of = spenders_of(r, PARTIES);
  CHECK(solve(&of, &patient, unit, order) == DPA_OK);
  for (size_t k = 0; k < r->rows; k++) {
    const size_t from = r->rows - 1 - k;
    turned.kind[k] = r->kind[from];
    turned.count[k] = r->count[from];
    turned.party[k] = r->party[from];
  }
  for (size_t k = 0; turned.rows < ROWS; k++)
    if (turned.count[k] > 1.0) {
      turned.kind[turned.rows] = turned.kind[k];
      turned.party[turned.rows] = turned.party[k];
      turned.count[turned.rows++] = 1.0;
      turned.count[k] -= 1.0;
    }
  of = spenders_of(&turned, PARTIES);
  CHECK(solve(&of, &patient, again, order) == DPA_OK);
  for (int i = 0; i < PARTIES; i++)
    CHECK_NEAR(again[i] / unit[i], 1.0, 3e-9);
}

/* What is told when some party has none. */
static void check_none(releases r) {
  double unit[PARTIES], order[PARTIES];
  patience patient = {0, 100};
  dpa_spenders of = spenders_of(&r, PARTIES);
  const double bad[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    r.epsilon[3] = bad[k];
    CHECK(solve(&of, &patient, unit, order) == DPA_OK);
    CHECK(isnan(unit[3]) && isnan(order[3]));
  }
  r.epsilon[3] = 0.7;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    const double kept = r.kind[3].size;
    r.kind[3].size = bad[k];
    CHECK(solve(&of, &patient, unit, order) == DPA_OK);
    CHECK(bad[k] <= 0.0 || isnan(unit[3]));
    r.kind[3].size = kept;
  }
  r.kind[10].curve = dpa_renyi_named("poisson"); /* no plain one */
  CHECK(solve(&of, &patient, unit, order) == DPA_OK);
  CHECK(isnan(unit[3]) && isnan(order[3]));
  r.party[10] = 1; /* now somebody else's, and one has fewer */
  r.kind[10].curve = dpa_renyi_named("gaussian");
  CHECK(solve(&of, &patient, unit, order) == DPA_OK);
  CHECK(unit[0] > unit[2]);
  for (size_t k = 0; k < r.rows; k++)
    r.party[k] = 1; /* and nothing from six */
  CHECK(solve(&of, &patient, unit, order) == DPA_OK);
  CHECK(isnan(unit[1]));
}

static void check_patience(const releases *r) {
  double unit[PARTIES], order[PARTIES];
  for (int most = 0; most < PARTIES - 1; most++) {
    patience own = {0, most};
    dpa_spenders of = spenders_of(r, PARTIES);
    CHECK(solve(&of, &own, unit, order) == DPA_INTERRUPT);
    CHECK(own.polls == most + 1);
  }
}

static double log_choose(double n, double k) {
  return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

/* What the releases of party 1 cost with noise of a unit, by their pure losses alone.
 */
static double pure_cost(const releases *r, double unit) {
  static double numbers[4096];
  double loss[ROWS];
  int place[ROWS];
  for (size_t k = 0; k < r->rows; k++) {
    dpa_renyi_kind kind = r->kind[k];
    dpa_renyi_scale(&kind, 1.0 / unit);
    loss[k] = dpa_renyi_loss(&kind);
    place[k] = (int)k;
  }
  const dpa_ledger ledger = {place, r->count, r->rows, NAN};
  const dpa_pure pure = dpa_pure_of(loss, &ledger, 1e-6);
  CHECK(pure.atoms > 0.0 && 4.0 * pure.atoms <= 4096.0);
  return dpa_pure_compose(&pure, 1e-6, log_choose, numbers);
}

/* Gamma-norm noise in an objective, and a little that hides roundings. */
static releases gamma_releases(double dim, double count) {
  return (releases){.kind = {{.curve = dpa_renyi_named("objective_gamma"),
                              .size = 0.02,
                              .kappa = 0.003,
                              .tied = 1,
                              .dim = dim},
                             {.curve = dpa_renyi_named("pure"), .size = 1e-5}},
                    .count = {count, count},
                    .party = {1, 1},
                    .epsilon = {0.8},
                    .rows = 2};
}

/* Of few releases in few dimensions pure losses prove the most, and are asked where
 * others are: with them there is less noise, which just keeps the budget. */
static void check_pure(void) {
  double alone, unit, order;
  patience patient = {0, 1000};
  const releases r = gamma_releases(3.0, 1.0);
  dpa_spenders of = spenders_of(&r, 1);
  of.log_choose = log_choose;
  CHECK(solve(&of, &patient, &alone, &order) == DPA_OK && isfinite(order));
  of.others = 1;
  CHECK(solve(&of, &patient, &unit, &order) == DPA_OK);
  CHECK(order == INFINITY && unit < alone);
  const double spent = pure_cost(&r, unit);
  CHECK(spent <= 0.8 && spent > 0.8 * (1.0 - 1e-8));
  CHECK(pure_cost(&r, unit * (1.0 - 1e-8)) > 0.8);
  /* of many they do not */
  const releases many = gamma_releases(200.0, 200.0);
  of = spenders_of(&many, 1);
  of.log_choose = log_choose;
  CHECK(solve(&of, &patient, &alone, &order) == DPA_OK);
  of.others = 1;
  CHECK(solve(&of, &patient, &unit, &order) == DPA_OK);
  CHECK(unit == alone && isfinite(order));
}

/* Where more is known of some than their losses, somebody else may say less. */
static void check_beyond(void) {
  double unit, order;
  patience patient = {0, 1000};
  releases r = gamma_releases(3.0, 1.0);
  r.kind[0].curve = dpa_renyi_named("gamma");
  r.kind[0].lean = dpa_spherical_lean(r.kind[0].size, 3.0);
  dpa_spenders of = spenders_of(&r, 1);
  of.log_choose = log_choose;
  CHECK(solve(&of, &patient, &unit, &order) == DPA_OK && unit > 0.0);
  dpa_renyi_kind kind = r.kind[0];
  dpa_renyi_scale(&kind, 1.0 / unit);
  CHECK(kind.lean == dpa_spherical_lean(kind.size, 3.0));
  of.others = 1;
  CHECK(solve(&of, &patient, &unit, &order) == DPA_OK && isnan(order));
  r.kind[0].curve = dpa_renyi_named("laplace");
  CHECK(solve(&of, &patient, &unit, &order) == DPA_OK && isnan(order));
  /* but not where the losses of the rest alone cost more */
  r = gamma_releases(200.0, 200.0);
  r.kind[1].curve = dpa_renyi_named("gamma");
  r.kind[1].dim = 200.0;
  of = spenders_of(&r, 1);
  of.log_choose = log_choose;
  of.others = 1;
  CHECK(solve(&of, &patient, &unit, &order) == DPA_OK && unit > 0.0);
}

/* Many parties that are alike but for curvature get about the noise of each alone. */
static void check_shared(void) {
  double unit[PARTIES], order[PARTIES], each, at;
  releases all = {.rows = 0};
  patience patient = {0, 1000};
  for (int i = 0; i < PARTIES; i++) {
    const releases one = gamma_releases(20.0, 30.0);
    for (size_t k = 0; k < one.rows; k++) {
      all.kind[all.rows] = one.kind[k];
      all.kind[all.rows].kappa *= 1.0 + i;
      all.count[all.rows] = one.count[k];
      all.party[all.rows++] = i + 1;
    }
    all.epsilon[i] = i < 4 ? 0.8 : 0.5 * i;
  }
  dpa_spenders of = spenders_of(&all, PARTIES);
  CHECK(solve(&of, &patient, unit, order) == DPA_OK);
  for (int i = 0; i < PARTIES; i++) {
    releases one = gamma_releases(20.0, 30.0);
    for (size_t k = 0; k < one.rows; k++)
      one.kind[k].kappa *= 1.0 + i;
    one.epsilon[0] = all.epsilon[i];
    of = spenders_of(&one, 1);
    CHECK(solve(&of, &patient, &each, &at) == DPA_OK);
    CHECK_NEAR(unit[i] / each, 1.0, 1e-4);
    /* the order that is told proves it */
    for (size_t k = 0; k < one.rows; k++)
      dpa_renyi_scale(one.kind + k, 1.0 / unit[i]);
    const dpa_ledger ledger = {(const int[]){0, 1}, one.count, 2, NAN};
    const double spent = epsilon_at(one.kind, &ledger, order[i] - 1.0, log(1e-6));
    CHECK(spent <= one.epsilon[0] && spent > one.epsilon[0] * (1.0 - 2e-4));
  }
}

void test_units(void) {
  releases r;
  fill(&r);
  check_against_alone(&r);
  check_rows(&r);
  check_none(r);
  check_patience(&r);
  check_pure();
  check_beyond();
  check_shared();
}
