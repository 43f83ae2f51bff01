#include "account/units.h"

#include "account/gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where divergences take long the noise may be above the least by so much. */
#define ROUGH_WIDTH 1e-4

void dpa_units_layout(dpa_units_room *room, dpa_arena *arena, size_t rows,
                      size_t parties) {
  memset(room, 0, sizeof *room);
  room->start = DPA_TAKE(arena, size_t, parties + 1);
  room->row = DPA_TAKE(arena, size_t, rows);
  room->turn = DPA_TAKE(arena, dpa_turn, parties);
  room->kind = DPA_TAKE(arena, dpa_renyi_kind, rows);
  room->scaled = DPA_TAKE(arena, dpa_renyi_kind, rows);
  room->place = DPA_TAKE(arena, int, rows);
  room->count = DPA_TAKE(arena, double, rows);
}

/* Rows go party by party, in the order they come in. */
static void sort_rows(const dpa_spenders *of, dpa_units_room *room) {
  size_t *start = room->start;
  memset(start, 0, (of->parties + 1) * sizeof *start);
  for (size_t k = 0; k < of->rows; k++)
    start[of->party[k]]++;
  for (size_t i = 0; i < of->parties; i++)
    start[i + 1] += start[i];
  for (size_t k = of->rows; k-- > 0;) /* from the last one on */
    room->row[--start[of->party[k]]] = k;
  for (size_t i = 0; i < of->parties; i++)
    start[i] = start[i + 1];
  start[of->parties] = of->rows;
}

static int compare(double x, double y) {
  return (x > y) - (x < y);
}

static int by_budget(const void *a, const void *b) {
  const dpa_turn *x = a, *y = b;
  const int budgets = compare(x->epsilon, y->epsilon);
  const int steeps = compare(x->steep, y->steep);
  return budgets  ? budgets
         : steeps ? steeps
                  : (x->party > y->party) - (x->party < y->party);
}

/* Neighbours are alike in what they may spend, and then in what curvature costs. */
static void take_turns(const dpa_spenders *of, dpa_units_room *room) {
  for (size_t i = 0; i < of->parties; i++)
    room->turn[i] = (dpa_turn){of->epsilon[i], 0.0, i};
  for (size_t k = 0; k < of->rows; k++)
    room->turn[of->party[k] - 1].steep += of->count[k] * of->kind[k].kappa;
  qsort(room->turn, of->parties, sizeof *room->turn, by_budget);
}

/* Whether two parties release the same in the same order. */
static int release_alike(const dpa_spenders *of, const dpa_units_room *room, size_t i,
                         size_t j) {
  const size_t *own = room->row + room->start[i], *other = room->row + room->start[j];
  const size_t rows = room->start[i + 1] - room->start[i];
  if (room->start[j + 1] - room->start[j] != rows)
    return 0;
  for (size_t k = 0; k < rows; k++)
    if (of->count[own[k]] != of->count[other[k]] ||
        !dpa_renyi_same(of->kind + own[k], of->kind + other[k]))
      return 0;
  return 1;
}

/* The party's releases, alike ones counted; 0 entries where one is no plain one. */
static dpa_ledger ledger_of(const dpa_spenders *of, dpa_units_room *room, size_t i) {
  size_t entries = 0;
  dpa_ledger ledger = {room->place, room->count, 0, NAN};
  for (size_t k = room->start[i]; k < room->start[i + 1]; k++) {
    const dpa_renyi_kind *kind = of->kind + room->row[k];
    const double count = of->count[room->row[k]];
    size_t e = 0;
    if (!dpa_renyi_is_plain(kind))
      return ledger;
    while (e < entries && !dpa_renyi_same(kind, room->kind + e))
      e++;
    if (e == entries) {
      room->kind[e] = *kind;
      room->place[e] = (int)e;
      room->count[e] = 0.0;
      entries++;
    }
    room->count[e] += count;
  }
  ledger.entries = entries;
  return ledger;
}

/* Kinds with the noise that would do were it Gaussian, composed exactly, and curvature
 * cost nothing; answers its unit. Gamma-norm noise of scale 1 in `dim` dimensions costs
 * about as much as Gaussian noise of standard deviation sqrt(dim). */
static double make_likely(const dpa_ledger *ledger, double mu, dpa_renyi_kind *kind) {
  double squares = 0.0;
  for (size_t e = 0; e < ledger->entries; e++) {
    const double size = kind[e].size, wide = fmax(1.0, kind[e].dim);
    squares += ledger->count[e] * (size * size / wide);
  }
  const double unit = sqrt(squares) / mu;
  for (size_t e = 0; e < ledger->entries; e++)
    kind[e].size /= unit;
  return unit;
}

static int takes_long(const dpa_ledger *ledger, const dpa_renyi_kind *kind) {
  for (size_t e = 0; e < ledger->entries; e++)
    if (dpa_renyi_has_rough(kind + e))
      return 1;
  return 0;
}

dpa_status dpa_units(const dpa_orders *search, const dpa_spenders *of,
                     dpa_units_room *room, dpa_poll poll, void *poll_context,
                     double *unit, double *order) {
  dpa_multiple found = dpa_no_multiple;
  double mu = NAN;
  for (size_t i = 0; i < of->parties; i++)
    unit[i] = order[i] = NAN;
  sort_rows(of, room);
  take_turns(of, room);
  for (size_t k = 0; k < of->parties; k++) {
    const dpa_turn *now = room->turn + k, *last = k > 0 ? now - 1 : NULL;
    const size_t i = now->party;
    const int as_last = last && last->epsilon == now->epsilon;
    if (as_last && of->cost[i] == of->cost[last->party] &&
        release_alike(of, room, i, last->party)) {
      unit[i] = unit[last->party];
      order[i] = order[last->party];
      continue;
    }
    if (!as_last)
      mu = now->epsilon > 0.0 ? dpa_gaussian_mu(now->epsilon, of->log_delta) : NAN;
    const dpa_ledger ledger = ledger_of(of, room, i);
    const double likely = make_likely(&ledger, mu, room->kind);
    if (!(likely > 0.0 && likely < INFINITY))
      return DPA_OK;
    const double width = takes_long(&ledger, room->kind) ? ROUGH_WIDTH : of->width;
    const dpa_budget budget = {now->epsilon, of->cost[i], of->log_delta, width};
    const dpa_status status = dpa_meet_budget(search, room->kind, &ledger, &budget,
                                              room->scaled, &room->space, &found);
    if (status != DPA_OK || isnan(found.x))
      return status;
    unit[i] = likely * exp(found.x);
    order[i] = found.order;
    if (poll(poll_context, k))
      return DPA_INTERRUPT;
  }
  return DPA_OK;
}
