/* The least epsilon of some orders, asked for only where it may be, against all of
 * them. */
#include "account/order_search.h"
#include "check.h"
#include "draws.h"
#include "search.h"

#include <math.h>
#include <stddef.h>

void test_least(void);

enum { KINDS = 4, TIMES = 400 };

static dpa_order_space space; /* all 0 at first */

static dpa_renyi_kind any_kind(dpa_stream *from) {
  static const char *const names[] = {"pure", "laplace", "gaussian",
                                      "objective_gaussian", "objective_gaussian"};
  const size_t of = dpa_stream_word(from) % (sizeof names / sizeof *names);
  return (dpa_renyi_kind){.curve = dpa_renyi_named(names[of]),
                          .size = draw_between(from, 1e-4, 30.0),
                          .kappa = draw_between(from, 1e-5, 10.0),
                          .tied = dpa_stream_word(from) % 2 == 0};
}

/* Of callers' curves it is not asked about none. */
static dpa_status counting(const dpa_renyi_kind *kind, const double *orders, size_t n,
                           dpa_free_moment *moments, double *rdp) {
  (void)moments;
  CHECK(n > 0);
  for (size_t i = 0; i < n; i++)
    rdp[i] = kind->size * orders[i];
  return DPA_OK;
}

static void check_one(dpa_search *at, dpa_stream *from) {
  const dpa_orders grid = search_of_all(0);
  double s[DPA_MOST_ORDERS], all[DPA_MOST_ORDERS];
  const size_t n = 1 + dpa_stream_word(from) % 30,
               start = dpa_stream_word(from) % (grid.points - n + 1);
  for (size_t i = 0; i < n; i++)
    s[i] = at->s[i] = grid.grid[start + i];
  dpa_search_ask(at, n);
  size_t least = 0, left = 0;
  for (size_t i = 0; i < n; i++) {
    all[i] = at->epsilon[i];
    if (all[i] < all[least])
      least = i;
    for (size_t k = 0; k < at->ledger->entries; k++) {
      const dpa_renyi_kind *kind = at->kinds + at->ledger->kind[k];
      const double order = 1.0 + s[i];
      dpa_free_moment moment = {0};
      double rdp;
      CHECK(dpa_renyi_outward(kind, &order, 1, &moment, &rdp) == DPA_OK);
      CHECK(dpa_renyi_least(kind, order) <= rdp);
    }
    at->s[i] = s[i];
  }
  CHECK(dpa_search_least(at, n) == least);
  for (size_t i = 0; i < n; i++) {
    CHECK(at->epsilon[i] == all[i] || at->epsilon[i] == DPA_LARGEST);
    left += at->epsilon[i] != all[i];
  }
  CHECK(at->epsilon[least] == all[least] && left < n);
}

void test_least(void) {
  dpa_stream from = stream_of(11);
  for (int k = 0; k < TIMES; k++) {
    dpa_renyi_kind kinds[KINDS];
    double count[KINDS];
    for (size_t i = 0; i < KINDS; i++) {
      kinds[i] = any_kind(&from);
      count[i] = 1.0 + (double)(dpa_stream_word(&from) % 20);
    }
    if (k % 4 == 0)
      kinds[0].curve = counting;
    const dpa_ledger ledger = {(const int[]){0, 1, 2, 3}, count,
                               1 + dpa_stream_word(&from) % KINDS, NAN};
    dpa_search at = {.kinds = kinds,
                     .ledger = &ledger,
                     .log_delta = log(draw_between(&from, 1e-12, 0.5)),
                     .space = &space};
    check_one(&at, &from);
  }
}
