/* Rough divergences against those that hold, and searches that begin with them. */
#include "account/objective.h"
#include "account/orders.h"
#include "account/renyi.h"
#include "account/spherical.h"
#include "check.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void test_rough(void);

enum { ORDERS = 12, CASES = 600 };

static dpa_order_space space; /* all 0 at first */

/* Numbers that look random, in [0, 1). */
static double fraction(unsigned k, unsigned which) {
  const double x = 1.0 + k * 0.6180339887498949 * (which + 1) + which * 0.7548776662;
  return x - floor(x);
}

/* Of problems in so many dimensions: how far off the worst is, and which share of them
 * is off by more than `much`. */
static double off_by(double dim, double much, double *share) {
  double worst = 0.0, orders[ORDERS], known[ORDERS], about[ORDERS];
  int n = 0, far = 0;
  dpa_usual_norms norms = {.dim = 0.0};
  for (unsigned k = 0; k < CASES; k++) {
    const double shift = dim * pow(10.0, -3.5 + 3.0 * fraction(k, 0));
    const double kappa = k % 9 ? pow(10.0, -6.0 + 6.0 * fraction(k, 1)) : 0.0;
    dpa_free_moment moments[ORDERS] = {{0}};
    for (unsigned i = 0; i < ORDERS; i++)
      orders[i] = 1.0 + pow(10.0, -1.0 + 3.0 * fraction(k * ORDERS + i, 2));
    CHECK(dpa_rdp_objective_gamma(orders, ORDERS, shift, kappa, k % 2, dim, moments,
                                  known) == DPA_OK);
    CHECK(dpa_rdp_objective_gamma_rough(orders, ORDERS, shift, kappa, k % 2, dim,
                                        &norms, about) == DPA_OK);
    for (int i = 0; i < ORDERS; i++) {
      if ((orders[i] - 1.0) * known[i] > 60.0)
        continue;
      const double off = fabs(log(about[i] / known[i]));
      worst = off <= worst ? worst : off;
      far += !(off <= much);
      n++;
    }
  }
  *share = (double)far / n;
  return worst;
}

static void check_objectives(void) {
  static const struct {
    double dim, worst, much, share;
  } cases[] = {{1, 1e-12, 1e-12, 0},    {2, 0.1, 0.01, 0.06},   {3, 0.08, 0.01, 0.1},
               {5, 0.06, 0.01, 0.03},   {10, 0.04, 1e-3, 0.08}, {30, 0.01, 1e-4, 0.03},
               {300, 0.01, 1e-6, 0.01}, {1e5, 0.01, 1e-6, 0.01}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double share;
    CHECK(off_by(cases[k].dim, cases[k].much, &share) <= cases[k].worst);
    CHECK(share <= cases[k].share);
  }
  dpa_usual_norms norms = {.dim = 0.0};
  double order = 2.0, rdp;
  CHECK(dpa_rdp_objective_gamma_rough(&order, 1, 0.0, 0.0, 0, 5.0, &norms, &rdp) ==
        DPA_OK);
  CHECK(rdp == 0.0);
  CHECK(dpa_rdp_objective_gamma_rough(&order, 1, -1.0, 0.0, 0, 5.0, &norms, &rdp) ==
        DPA_ARGUMENT);
  CHECK(dpa_rdp_objective_gamma_rough(&order, 1, 1.0, NAN, 0, 5.0, &norms, &rdp) ==
        DPA_ARGUMENT);
}

/* What is kept from problem to problem changes nothing. */
static void check_kept(void) {
  dpa_usual_norms kept = {.dim = 0.0};
  double orders[DPA_MOST_ORDERS + 1], about[DPA_MOST_ORDERS + 1], alone[ORDERS];
  for (unsigned i = 0; i <= DPA_MOST_ORDERS; i++)
    orders[i] = 1.0 + pow(10.0, -1.0 + 3.0 * fraction(i, 4));
  for (unsigned k = 0; k < CASES; k++) {
    dpa_usual_norms own = {.dim = 0.0};
    const double shift = 0.3 * (1 + k / 9 % 5), kappa = 1e-3 * (k % 3);
    const double dim = 2.0 + 40.0 * (k / 100);
    CHECK(dpa_rdp_objective_gamma_rough(orders, ORDERS, shift, kappa, k / 3 % 3 > 0,
                                        dim, &kept, about) == DPA_OK);
    CHECK(dpa_rdp_objective_gamma_rough(orders, ORDERS, shift, kappa, k / 3 % 3 > 0,
                                        dim, &own, alone) == DPA_OK);
    for (int i = 0; i < ORDERS; i++)
      CHECK(about[i] == alone[i]);
  }
  CHECK(dpa_rdp_objective_gamma_rough(orders, DPA_MOST_ORDERS, 1.0, 0.1, 0, 5.0, &kept,
                                      about) == DPA_OK);
  CHECK(dpa_rdp_objective_gamma_rough(orders, DPA_MOST_ORDERS + 1, 1.0, 0.1, 0, 5.0,
                                      &kept, about) == DPA_ARGUMENT);
}

static dpa_net net; /* all 0 at first */

/* A net tells about the same, whatever it was asked before. */
static void check_net(void) {
  static const double dims[] = {1, 2, 3, 5, 11, 30, 101};
  for (size_t q = 0; q < sizeof dims / sizeof *dims; q++) {
    dpa_usual_norms own = {.dim = 0.0}, with = {.dim = 0.0, .net = &net};
    int far = 0;
    memset(&net, 0, sizeof net);
    for (unsigned k = 0; k < 4000; k++) {
      const double shift = dims[q] * pow(10.0, -5.0 + 5.0 * fraction(k, 0));
      const double kappa = k % 3 ? pow(10.0, -9.0 + 9.0 * fraction(k, 1)) : 0.0;
      const double orders[] = {1.0 + pow(10.0, -3.0 + 6.0 * fraction(k, 2)), 7.0};
      double about[2], alone[2];
      CHECK(dpa_rdp_objective_gamma_rough(orders, 2, shift, kappa, k % 2, dims[q],
                                          &with, about) == DPA_OK);
      CHECK(dpa_rdp_objective_gamma_rough(orders, 2, shift, kappa, k % 2, dims[q], &own,
                                          alone) == DPA_OK);
      for (int i = 0; i < 2; i++) {
        const double off = fabs(log(about[i] / alone[i]));
        CHECK(off <= 0.05);
        far += off > 1e-3;
      }
    }
    CHECK(far <= 200);
  }
  /* of one number of dimensions alone */
  dpa_usual_norms own = {.dim = 0.0}, with = {.dim = 0.0, .net = &net};
  const double order = 9.0;
  double about, alone;
  CHECK(net.dim == 101.0);
  CHECK(dpa_rdp_objective_gamma_rough(&order, 1, 0.3, 0.0, 0, 9.0, &with, &about) ==
        DPA_OK);
  CHECK(dpa_rdp_objective_gamma_rough(&order, 1, 0.3, 0.0, 0, 9.0, &own, &alone) ==
        DPA_OK);
  CHECK(about == alone && net.dim == 101.0);
}

static void check_outputs(void) {
  for (unsigned k = 0; k < CASES; k++) {
    const double dim = floor(2.0 * pow(500.0, fraction(k, 0)));
    const double shift = dim * pow(10.0, -4.0 + 4.0 * fraction(k, 1));
    const double lean = k % 2 ? fraction(k, 2) : 0.0;
    const double order = 1.0 + pow(10.0, -2.0 + 5.0 * fraction(k, 3));
    double known, about;
    CHECK(dpa_rdp_spherical(&order, 1, shift, dim, lean, &known) == DPA_OK);
    CHECK(dpa_rdp_spherical_rough(&order, 1, shift, dim, lean, &about) == DPA_OK);
    CHECK_NEAR(about / known, 1.0, 1e-3);
  }
  double orders[] = {2.0, 1e6}, known[2], about[2];
  CHECK(dpa_rdp_spherical(orders, 2, 2e-3, 1e6, 0.0, known) == DPA_OK);
  CHECK(dpa_rdp_spherical_rough(orders, 2, 2e-3, 1e6, 0.0, about) == DPA_OK);
  CHECK_NEAR(about[0] / known[0], 1.0, 1e-6);
  CHECK(about[1] == known[1]); /* the pure loss */
}

/* As R hands it over for dozens: 85 orders less one, from 1e-7 to 1e5. */
static dpa_orders walking(void) {
  static double grid[85];
  for (int i = 0; i < 85; i++)
    grid[i] = pow(10.0, -7.0 + i / 7.0);
  return (dpa_orders){.grid = grid,
                      .points = 85,
                      .stride = 6,
                      .step = log(10.0) / 7.0,
                      .halvings = 8,
                      .walks = 1,
                      .valleys = 1};
}

/* Kinds that differ in their last bits only are one, and what one ledger leaves behind
 * does not tell another. */
static void check_alike(void) {
  const dpa_orders search = walking();
  const double once[] = {1.0, 3.0}, apart[] = {1.0, 1.0, 1.0, 1.0};
  for (unsigned k = 0; k < 60; k++) {
    const dpa_renyi_kind first = {.curve = dpa_renyi_named("objective_gamma"),
                                  .size = 0.05 + fraction(k, 0),
                                  .kappa = 0.01 * fraction(k, 1),
                                  .dim = 10.0};
    dpa_renyi_kind kinds[] = {
        first, {.curve = dpa_renyi_named("pure"), .size = 0.01}, first, first};
    kinds[2] = kinds[3] = kinds[1];
    kinds[2].size *= 1.0 + 1e-15;
    const dpa_ledger one = {(const int[]){0, 1}, once, 2, NAN};
    const dpa_ledger many = {(const int[]){0, 1, 2, 3}, apart, 4, NAN};
    dpa_order_space own = {.norms = {.dim = 0.0}};
    double epsilon, order, again, alone;
    CHECK(dpa_best_order(&search, kinds, &one, -11.5, &space, &epsilon, &order) ==
          DPA_OK);
    CHECK(dpa_best_order(&search, kinds, &many, -11.5, &space, &again, &order) ==
          DPA_OK);
    CHECK_NEAR(again / epsilon, 1.0, 1e-12);
    CHECK(dpa_best_order(&search, kinds, &many, -11.5, &own, &alone, &order) == DPA_OK);
    CHECK(alone == again);
  }
  dpa_renyi_kind a = {.curve = dpa_renyi_named("pure"), .size = 1.0}, b = a;
  b.size = 1.0 + 1e-9;
  CHECK(dpa_renyi_alike(&a, &a) && !dpa_renyi_alike(&a, &b));
  b = a;
  b.curve = dpa_renyi_named("gaussian");
  CHECK(!dpa_renyi_alike(&a, &b));
}

/* One objective and outputs beside it, as a holder of PP-ADMM releases. What is found
 * holds, and is about as good as what is found by divergences that hold alone. */
static void check_searches(void) {
  dpa_orders search = walking();
  for (unsigned k = 0; k < 300; k++) {
    const double dim = floor(2.0 * pow(200.0, fraction(k, 0)));
    const double size = dim * pow(10.0, -3.0 + 2.0 * fraction(k, 1));
    const double counts[] = {1.0, 1.0 + k % 10}, log_delta = -5.0 - k % 17;
    dpa_renyi_kind kinds[] = {{.curve = dpa_renyi_named("objective_gamma"),
                               .size = size,
                               .kappa = pow(10.0, -5.0 + 3.0 * fraction(k, 2)),
                               .tied = k % 3 == 0,
                               .dim = dim},
                              {.curve = dpa_renyi_named("gamma"),
                               .size = size / 3.0,
                               .dim = dim,
                               .lean = 0.1}};
    dpa_ledger ledger = {(const int[]){0, 1}, counts, 2, NAN};
    double epsilon, order, known, best, again;
    search.walks = 1;
    CHECK(dpa_best_order(&search, kinds, &ledger, log_delta, &space, &epsilon,
                         &order) == DPA_OK);
    search.walks = 0;
    CHECK(dpa_best_order(&search, kinds, &ledger, log_delta, &space, &known, &best) ==
          DPA_OK);
    CHECK(epsilon <= known * (1.0 + 3e-3));
    /* by an order that is told, and not moved from */
    ledger.near = order;
    search.valleys = 0;
    CHECK(dpa_best_order(&search, kinds, &ledger, log_delta, &space, &again, &best) ==
          DPA_OK);
    CHECK_NEAR(again / epsilon, 1.0, 1e-9);
    /* and on from one beside it */
    ledger.near = 1.0 + (order - 1.0) * (k % 2 ? 1.08 : 0.92);
    search.walks = search.around = 1;
    CHECK(dpa_best_order(&search, kinds, &ledger, log_delta, &space, &again, &best) ==
          DPA_OK);
    CHECK(again <= epsilon * (1.0 + 1e-3));
    /* from half a step beside a bottom both sides are as high as what is told */
    ledger.near = 1.0 + (order - 1.0) * exp(k % 2 ? 0.015 : -0.015);
    CHECK(dpa_best_order(&search, kinds, &ledger, log_delta, &space, &again, &best) ==
          DPA_OK);
    CHECK(again <= epsilon * (1.0 + 1e-3));
    search.around = 0;
    search.valleys = 1;
  }
}

void test_rough(void) {
  check_objectives();
  check_kept();
  check_net();
  check_outputs();
  check_alike();
  check_searches();
}
