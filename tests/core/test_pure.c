/* Pure mechanisms: composed as all answers of all mechanisms one by one, and the floor
 * of what may be proved is no more. */
#include "account/pure.h"
#include "account/pure_floor.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

void test_pure(void);

static double log_choose(double n, double k) {
  return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

enum { MOST = 12 };

/* delta at epsilon: the sum over all 2^n answers of n mechanisms of what exceeds. */
static double delta_at(double epsilon, const double *loss, int n) {
  long double sum = 0.0L;
  for (unsigned answers = 0; answers < 1u << n; answers++) {
    long double total = 0.0L, mass = 1.0L;
    for (int k = 0; k < n; k++) {
      const int worst = (answers >> k & 1u) != 0;
      total += worst ? loss[k] : -loss[k];
      mass /= 1.0L + expl(worst ? -(long double)loss[k] : (long double)loss[k]);
    }
    if (total > epsilon)
      sum += mass * (1.0L - expl(epsilon - total));
  }
  return (double)sum;
}

static void check_one(const double *loss, const double *count, int kinds,
                      double delta) {
  int kind[MOST], n = 0;
  double each[MOST];
  for (int k = 0; k < kinds; k++) {
    kind[k] = k;
    for (int c = 0; c < (int)count[k]; c++)
      each[n++] = loss[k];
  }
  const dpa_ledger ledger = {kind, count, (size_t)kinds, NAN};
  const dpa_pure pure = dpa_pure_of(loss, &ledger, delta);
  double *room = malloc((4 * (size_t)pure.atoms + 1) * sizeof *room);
  dpa_losses floor_room[MOST];
  if (!room)
    abort();
  const double epsilon = dpa_pure_compose(&pure, delta, log_choose, room);
  CHECK(delta_at(epsilon, each, n) <= delta);
  if (epsilon > 1e-6 && epsilon < pure.total) /* and with less it would be more */
    CHECK(delta_at(epsilon * (1.0 - 1e-9), each, n) >= delta * (1.0 - 1e-6));
  const dpa_floors floors = dpa_pure_floors(loss, &ledger, delta, INFINITY, floor_room);
  CHECK(isnan(floors.all) != isnan(floors.some));
  CHECK(!(floors.all > epsilon * (1.0 + 1e-12)));
  CHECK(!(floors.some > epsilon * (1.0 + 1e-12)));
  CHECK(!(floors.sum > epsilon * (1.0 + 1e-12)));
  for (double share = 0.5; share < 1.6; share += 0.2) {
    const double enough = share * dpa_floor(&floors);
    const dpa_floors some = dpa_pure_floors(loss, &ledger, delta, enough, floor_room);
    CHECK((dpa_floor(&some) >= enough) == (dpa_floor(&floors) >= enough));
  }
  free(room);
}

void test_pure(void) {
  const double deltas[] = {0.3, 1e-2, 1e-5, 1e-9};
  for (int d = 0; d < 4; d++) {
    const double delta = deltas[d];
    check_one((double[]){0.5}, (double[]){1}, 1, delta);
    check_one((double[]){0.1}, (double[]){12}, 1, delta);
    check_one((double[]){0.1, 2.0, 0.7}, (double[]){4, 1, 3}, 3, delta);
    check_one((double[]){0.3, 0.3, 0.3, 1.1}, (double[]){2, 1, 2, 4}, 4, delta);
    check_one((double[]){1e-3, 5.0, 0.0}, (double[]){9, 2, 1}, 3, delta);
    check_one((double[]){0.2, 0.21, 0.22, 0.23, 0.24, 0.25, 0.26, 0.27},
              (double[]){1, 1, 1, 1, 1, 1, 1, 1}, 8, delta);
  }
  /* what is not composed one by one */
  const int kind[20] = {0,  1,  2,  3,  4,  5,  6,  7,  8, 9,
                        10, 11, 12, 13, 14, 15, 16, 17, 18};
  double loss[20], count[20];
  for (int k = 0; k < 20; k++) {
    loss[k] = 0.1 + 0.01 * k;
    count[k] = 1.0;
  }
  dpa_ledger ledger = {kind, count, 18, NAN};
  CHECK(dpa_pure_of(loss, &ledger, 1e-5).atoms == 0x1p18);
  CHECK(dpa_pure_of(loss, &ledger, 0.0).atoms == 0.0);
  ledger.entries = 19;
  CHECK(isinf(dpa_pure_of(loss, &ledger, 1e-5).atoms));
  loss[18] = 0.1;
  CHECK(dpa_pure_of(loss, &ledger, 1e-5).losses == 18);
  CHECK(isinf(dpa_pure_of(loss, &ledger, 1e-5).atoms)); /* 3 * 2^17 */
  ledger.entries = 1;
  count[0] = 1e6;
  CHECK(dpa_pure_of(loss, &ledger, 1e-5).atoms == 1e6 + 1.0);
  count[0] = 1e6 + 1.0;
  CHECK(isinf(dpa_pure_of(loss, &ledger, 1e-5).atoms));
  loss[0] = INFINITY;
  CHECK(isinf(dpa_pure_of(loss, &ledger, 1e-5).total));
  CHECK(dpa_pure_of(loss, &ledger, 1e-5).atoms == 0.0);
}
