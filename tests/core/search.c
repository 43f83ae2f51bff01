#include "search.h"

#include "account/conversion.h"

#include <math.h>

enum { POINTS = 85 };

dpa_orders search_of_all(int valleys) {
  static double grid[POINTS];
  for (int i = 0; i < POINTS; i++)
    grid[i] = pow(10.0, -7.0 + i / 7.0);
  return (dpa_orders){.grid = grid,
                      .points = POINTS,
                      .stride = 6,
                      .step = log(10.0) / 7.0,
                      .halvings = 8,
                      .valleys = valleys};
}

dpa_orders search_that_looks(void) {
  static const double widths[] = {0.2, 0.03, 0.004};
  dpa_orders search = search_of_all(0);
  search.widths = widths;
  search.looks = 3;
  return search;
}

double epsilon_at(const dpa_renyi_kind *kinds, const dpa_ledger *ledger, double s,
                  double log_delta) {
  const double order = 1.0 + s;
  double total = 0.0, rdp;
  for (size_t k = 0; k < ledger->entries; k++) {
    dpa_free_moment moment = {0};
    if (dpa_renyi_outward(kinds + ledger->kind[k], &order, 1, &moment, &rdp) != DPA_OK)
      return NAN;
    total += rdp * ledger->count[k];
  }
  return dpa_conversion(s, total, log_delta);
}
