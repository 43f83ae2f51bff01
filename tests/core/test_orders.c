/* The search for orders against every order of a fine grid. */
#include "account/renyi.h"
#include "account/sketch.h"
#include "account/zcdp.h"
#include "check.h"
#include "search.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void test_orders(void);

enum { FINE = 6000 };

static dpa_order_space space; /* all 0 at first */

static dpa_orders walking(int valleys) {
  dpa_orders search = search_of_all(valleys);
  search.walks = 1;
  return search;
}

static double best_of_all(const dpa_renyi_kind *kinds, const dpa_ledger *ledger,
                          double log_delta, double least, double most) {
  double best = INFINITY;
  for (int i = 0; i <= FINE; i++)
    best =
        fmin(best, epsilon_at(kinds, ledger,
                              least * pow(most / least, (double)i / FINE), log_delta));
  return fmax(0.0, best);
}

static dpa_renyi_kind kind_of(const char *name, double size) {
  dpa_renyi_kind kind = {.curve = dpa_renyi_named(name), .size = size};
  CHECK(kind.curve != NULL);
  return kind;
}

static dpa_status unknown(const dpa_renyi_kind *kind, const double *orders, size_t n,
                          dpa_free_moment *moments, double *rdp) {
  (void)moments;
  for (size_t i = 0; i < n; i++)
    rdp[i] = orders[i] > kind->size ? NAN : orders[i];
  return DPA_OK;
}

static dpa_status failing(const dpa_renyi_kind *kind, const double *orders, size_t n,
                          dpa_free_moment *moments, double *rdp) {
  (void)kind, (void)orders, (void)n, (void)moments, (void)rdp;
  return DPA_NUMERIC;
}

static void check_linear(dpa_orders search) {
  for (int i = -4; i <= 1; i++) {
    const double size = pow(10.0, i), count = 7.0, log_delta = log(1e-6);
    const dpa_renyi_kind kind = kind_of("gaussian", size);
    const dpa_ledger ledger = {(const int[]){0}, &count, 1, NAN};
    double epsilon, order;
    CHECK(dpa_best_order(&search, &kind, &ledger, log_delta, &space, &epsilon,
                         &order) == DPA_OK);
    const double known = dpa_zcdp_epsilon(count * size * size / 2.0, log_delta);
    CHECK(epsilon >= known * (1.0 - 1e-12) && epsilon <= known * (1.0 + 2e-9));
    CHECK_NEAR(epsilon_at(&kind, &ledger, order - 1.0, log_delta) / epsilon, 1.0, 1e-9);
  }
}

/* Far from the best order all cost more by about as much as it may change at least. */
static void check_reach(const dpa_renyi_kind *kind, const dpa_ledger *ledger,
                        double log_delta, double epsilon, double order) {
  CHECK(space.reach >= 0.0 && space.reach < 0.05);
  for (int i = 0; i <= 400; i++) {
    const double y = log(order - 1.0) + 0.01 * (i - 200);
    const double more = epsilon_at(kind, ledger, exp(y), log_delta) / epsilon - 1.0;
    CHECK(abs(i - 200) < 30 || more >= 0.7 * space.reach);
  }
}

/* Bounds that cross: narrow valleys. What is found is no worse than the best of a fine
 * grid, and without a look into valleys it is. */
static void check_valleys(dpa_orders search) {
  /* shift, kappa, dimensions, how often, the log of delta, tied */
  static const double cases[][6] = {{0.18, 0.021, 20, 2, -16.1, 0},
                                    {0.317, 0.013, 5, 15, -18.4, 1},
                                    {0.892, 0.173, 20, 1, -6.9, 1},
                                    {0.688, 0.0088, 500, 1, -11.5, 1}};
  const dpa_orders shallow = search_of_all(0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double *k = cases[i];
    dpa_renyi_kind kind = kind_of("objective_gamma", k[0]);
    kind.kappa = k[1];
    kind.dim = k[2];
    kind.tied = k[5] > 0.0;
    const dpa_ledger ledger = {(const int[]){0}, &k[3], 1, NAN};
    double epsilon, order, plain;
    CHECK(dpa_best_order(&search, &kind, &ledger, k[4], &space, &epsilon, &order) ==
          DPA_OK);
    CHECK_NEAR(epsilon_at(&kind, &ledger, order - 1.0, k[4]) / epsilon, 1.0, 1e-12);
    CHECK_NEAR(epsilon / best_of_all(&kind, &ledger, k[4], 0.5, 500.0), 1.0, 1e-3);
    check_reach(&kind, &ledger, k[4], epsilon, order);
    const dpa_renyi_kind smooth = kind_of("gaussian", k[0]);
    CHECK(dpa_best_order(&search, &smooth, &ledger, k[4], &space, &plain, &order) ==
          DPA_OK);
    CHECK(space.reach > 0.005 && !space.sharp);
    check_reach(&smooth, &ledger, k[4], plain, order);
    CHECK(dpa_best_order(&shallow, &kind, &ledger, k[4], &space, &plain, &order) ==
          DPA_OK);
    CHECK(epsilon < 0.99 * plain);
  }
}

/* A valley narrower than the points that are looked at are apart lies just below where
 * its curve turns. */
static void check_turns(dpa_orders search) {
  const double counts[] = {1.0, 1.0}, log_delta = log(1e-4);
  dpa_renyi_kind kinds[2] = {kind_of("objective_gamma", 0.0), kind_of("pure", 0.0022)};
  kinds[0].kappa = 0.0037;
  kinds[0].dim = 101.0;
  kinds[0].tied = 1;
  const dpa_ledger ledger = {(const int[]){0, 1}, counts, 2, NAN};
  for (int i = 0; i < 12; i++) {
    kinds[0].size = 2.134 + 1e-4 * i;
    double epsilon, order;
    CHECK(dpa_best_order(&search, kinds, &ledger, log_delta, &space, &epsilon,
                         &order) == DPA_OK);
    const double turn = dpa_renyi_turn(kinds);
    CHECK(order - 1.0 < turn && order - 1.0 > 0.9 * turn);
    CHECK(space.sharp);
    CHECK_NEAR(epsilon / best_of_all(kinds, &ledger, log_delta, 8.0, 30.0), 1.0, 1e-4);
  }
  /* the moment's two peaks, at the mean norm and at that of the shift, are as high */
  const double turn = dpa_objective_gamma_turn(2.0, 101.0), pull = 2.0 * turn;
  const double dear = 100.0 * log(pull) - pull - lgamma(101.0) + 2.0 * pull;
  const double c = turn * (1.0 + turn) * 4.0;
  CHECK_NEAR(dear, c / (101.0 + sqrt(101.0 * 101.0 - c)), 1e-4);
  CHECK(isinf(dpa_objective_gamma_turn(1e-320, 1.0)));
  CHECK(isinf(dpa_objective_gamma_turn(0.0, 10.0)));
  const dpa_renyi_kind plain = kind_of("gaussian", 1.0);
  CHECK(isinf(dpa_renyi_turn(&plain)));
}

/* Kinds add up, in any order. */
static void check_sums(dpa_orders search) {
  dpa_renyi_kind kinds[3] = {kind_of("objective_gamma", 0.3), kind_of("pure", 0.01),
                             kind_of("objective_gaussian", 0.2)};
  kinds[0].dim = 20.0;
  kinds[0].kappa = kinds[2].kappa = 0.01;
  const double counts[] = {3.0, 40.0, 2.0}, turned[] = {2.0, 40.0, 3.0};
  const dpa_ledger ledger = {(const int[]){0, 1, 2}, counts, 3, NAN};
  const dpa_ledger other = {(const int[]){2, 1, 0}, turned, 3, NAN};
  double epsilon, order, again;
  CHECK(dpa_best_order(&search, kinds, &ledger, -11.5, &space, &epsilon, &order) ==
        DPA_OK);
  CHECK(dpa_best_order(&search, kinds, &other, -11.5, &space, &again, &order) ==
        DPA_OK);
  CHECK_NEAR(again / epsilon, 1.0, 1e-14);
  CHECK_NEAR(epsilon / best_of_all(kinds, &ledger, -11.5, 0.1, 1e3), 1.0, 1e-4);
}

/* Where the best order lies between two of the grid, at a kink, or beyond all. */
static void check_walks(void) {
  const dpa_orders search = walking(0), whole = search_of_all(0);
  for (int i = 0; i < 200; i++) {
    dpa_renyi_kind kind =
        kind_of(i % 2 ? "objective_gaussian" : "laplace", pow(10.0, -4.0 + i / 40.0));
    kind.kappa = 1e-3 * (i % 7);
    kind.tied = i % 3 == 0;
    const double count = 1.0 + i % 30, log_delta = -4.0 - i % 20;
    const dpa_ledger ledger = {(const int[]){0}, &count, 1, NAN};
    double epsilon, order, known;
    CHECK(dpa_best_order(&search, &kind, &ledger, log_delta, &space, &epsilon,
                         &order) == DPA_OK);
    CHECK(dpa_best_order(&whole, &kind, &ledger, log_delta, &space, &known, &order) ==
          DPA_OK);
    CHECK(isfinite(epsilon) == isfinite(known) && (epsilon > 0.0) == (known > 0.0));
    if (!(isfinite(known) && known > 0.0))
      continue;
    /* a kink lies between the orders that the other looks at */
    const double least = best_of_all(&kind, &ledger, log_delta, 1e-3, 1e6);
    CHECK(epsilon <= known * (1.0 + 1e-4));
    CHECK_NEAR(epsilon / least, 1.0, 1e-3);
  }
}

enum { KINDS = 60 };

static double rough_total(const dpa_renyi_kind *kinds, const dpa_ledger *ledger,
                          double order) {
  dpa_usual_norms norms = {.dim = 0.0};
  double total = 0.0, rdp;
  for (size_t k = 0; k < ledger->entries; k++) {
    dpa_free_moment moment = {0};
    CHECK(dpa_renyi_rough(kinds + ledger->kind[k], &order, 1, &moment, &norms, &rdp) ==
          DPA_OK);
    total += rdp * ledger->count[k];
  }
  return total;
}

/* As M-ADMM releases: modulus and noise grow from one to the next. */
static void fill_growing(dpa_renyi_kind *kinds, int *places, double *counts,
                         double growth) {
  for (int k = 0; k < KINDS; k++) {
    const double grown = pow(growth, k / 2);
    kinds[k] = k % 2 ? kind_of("pure", 1e-4) : kind_of("objective_gamma", 0.1 / grown);
    kinds[k].kappa = k % 2 ? 0.0 : 0.05 / grown;
    kinds[k].dim = 20.0;
    places[k] = k;
    counts[k] = 1.0 + k % 3;
  }
}

static void check_sketches(void) {
  dpa_renyi_kind kinds[KINDS];
  int places[KINDS];
  double counts[KINDS];
  const dpa_orders search = walking(1), whole = search_of_all(1);
  dpa_usual_norms norms = {.dim = 0.0};
  for (int i = 0; i < 24; i++) {
    fill_growing(kinds, places, counts, 1.0 + 0.01 * (i % 12));
    const dpa_ledger ledger = {places, counts, KINDS, NAN};
    const double log_delta = i < 12 ? log(1e-5) : log(1e-9), order = 8.0;
    dpa_sketch some;
    CHECK(dpa_sketch_ledger(kinds, &ledger, order, &norms, &some) == DPA_OK);
    CHECK(some.entries <= 2 * DPA_SKETCH_KINDS && some.entries >= 12);
    const dpa_ledger fewer = {some.kind, some.count, some.entries, NAN};
    CHECK_NEAR(rough_total(kinds, &fewer, order) / rough_total(kinds, &ledger, order),
               1.0, 1e-12);
    double epsilon, best, known;
    CHECK(dpa_best_order(&search, kinds, &ledger, log_delta, &space, &epsilon, &best) ==
          DPA_OK);
    CHECK_NEAR(epsilon_at(kinds, &ledger, best - 1.0, log_delta) / epsilon, 1.0, 1e-12);
    CHECK(dpa_best_order(&whole, kinds, &ledger, log_delta, &space, &known, &best) ==
          DPA_OK);
    CHECK_NEAR(epsilon / known, 1.0, 1e-3);
  }
  /* what is not known, or hardly fewer, has none */
  dpa_sketch some;
  dpa_ledger ledger = {places, counts, KINDS, NAN};
  kinds[4].size = INFINITY;
  CHECK(dpa_sketch_ledger(kinds, &ledger, 8.0, &norms, &some) == DPA_OK &&
        some.entries == 0);
  double epsilon, order;
  CHECK(dpa_best_order(&search, kinds, &ledger, -10.0, &space, &epsilon, &order) ==
        DPA_OK);
  CHECK(isinf(epsilon) && isnan(order));
  for (int k = 0; k < KINDS; k += 2)
    kinds[k].curve = failing;
  CHECK(dpa_sketch_ledger(kinds, &ledger, 8.0, &norms, &some) == DPA_NUMERIC);
  ledger.entries = 4;
  CHECK(dpa_sketch_ledger(kinds, &ledger, 8.0, &norms, &some) == DPA_OK &&
        some.entries == 0);
}

static void check_told(void) {
  const double widths[] = {0.2, 0.05, 0.0125}, count = 30.0, log_delta = log(1e-5);
  dpa_renyi_kind kind = kind_of("objective_gaussian", 0.1);
  kind.kappa = 0.01;
  dpa_orders search = search_of_all(0);
  dpa_ledger ledger = {(const int[]){0}, &count, 1, NAN};
  double best, order, there, at;
  CHECK(dpa_best_order(&search, &kind, &ledger, log_delta, &space, &best, &order) ==
        DPA_OK);
  /* without widths the order that is told is taken */
  ledger.near = 1.15 * order;
  CHECK(dpa_best_order(&search, &kind, &ledger, log_delta, &space, &there, &at) ==
        DPA_OK);
  CHECK_NEAR(at, ledger.near, 1e-12 * at);
  CHECK_NEAR(there / epsilon_at(&kind, &ledger, at - 1.0, log_delta), 1.0, 1e-12);
  CHECK(there > best);
  search.widths = widths;
  search.looks = 3;
  CHECK(dpa_best_order(&search, &kind, &ledger, log_delta, &space, &there, &at) ==
        DPA_OK);
  CHECK_NEAR(there / best, 1.0, 1e-6);
}

static void check_bad(dpa_orders search) {
  const double count = 1.0;
  const dpa_ledger ledger = {(const int[]){0}, &count, 1, NAN};
  double epsilon = 0.0, order = 0.0;
  dpa_renyi_kind kind = kind_of("gaussian", INFINITY);
  CHECK(dpa_best_order(&search, &kind, &ledger, -10.0, &space, &epsilon, &order) ==
        DPA_OK);
  CHECK(isinf(epsilon) && isnan(order));
  /* known at low orders only */
  kind = (dpa_renyi_kind){.curve = unknown, .size = 3.0};
  CHECK(dpa_best_order(&search, &kind, &ledger, -10.0, &space, &epsilon, &order) ==
        DPA_OK);
  CHECK(isfinite(epsilon) && order <= 3.0);
  kind.curve = failing;
  CHECK(dpa_best_order(&search, &kind, &ledger, -10.0, &space, &epsilon, &order) ==
        DPA_NUMERIC);
  search.points = 0;
  CHECK(dpa_best_order(&search, &kind, &ledger, -10.0, &space, &epsilon, &order) ==
        DPA_ARGUMENT);
  search.points = DPA_MOST_ORDERS + 1;
  CHECK(dpa_best_order(&search, &kind, &ledger, -10.0, &space, &epsilon, &order) ==
        DPA_ARGUMENT);
  search.points = search_of_all(0).points;
  search.stride = 0;
  CHECK(dpa_best_order(&search, &kind, &ledger, -10.0, &space, &epsilon, &order) ==
        DPA_ARGUMENT);
}

void test_orders(void) {
  check_told();
  check_walks();
  check_sketches();
  for (int walks = 0; walks < 2; walks++) {
    check_linear(walks ? walking(0) : search_of_all(0));
    check_valleys(walks ? walking(1) : search_of_all(1));
    check_turns(walks ? walking(1) : search_of_all(1));
    check_sums(walks ? walking(1) : search_of_all(1));
    check_bad(walks ? walking(0) : search_of_all(0));
  }
}
