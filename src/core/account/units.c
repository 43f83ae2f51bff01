#include "account/units.h"

#include "account/gaussian.h"
#include "account/zcdp.h"
#include "groups.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where divergences take long the noise may be above the least by so much. */
#define ROUGH_WIDTH 1e-4
#define MOST_ATOMS 4096.0 /* of pure losses: of more somebody else composes them */
#define STRIDE 0.25       /* in the log of the noise, towards less of it, */
#define FAR 20.0          /* as far as this */
#define PASSES 60
#define FAR_BUDGET 1.1     /* of which a likely noise is worked out anew, */
#define FARTHER_BUDGET 1.5 /* and from nothing */
#define BAND 0.1           /* of logs of budgets, in which parties turn by curvature */
#define FEW_ROWS 64        /* of so few a net tells what is known already */

void dpa_units_layout(dpa_units_room *room, dpa_arena *arena, size_t rows,
                      size_t parties) {
  memset(room, 0, sizeof *room);
  room->start = DPA_TAKE(arena, size_t, parties + 1);
  room->row = DPA_TAKE(arena, size_t, rows);
  room->slot = DPA_TAKE(arena, size_t, 2 * rows);
  room->turn = DPA_TAKE(arena, dpa_turn, parties);
  room->kind = DPA_TAKE(arena, dpa_renyi_kind, rows);
  room->scaled = DPA_TAKE(arena, dpa_renyi_kind, rows);
  room->place = DPA_TAKE(arena, int, rows);
  room->count = DPA_TAKE(arena, double, rows);
  room->loss = DPA_TAKE(arena, double, rows);
  room->losses = DPA_TAKE(arena, dpa_losses, rows);
  room->numbers = DPA_TAKE(arena, double, 4 * (size_t)MOST_ATOMS);
  room->space.norms.net = rows > FEW_ROWS ? DPA_TAKE(arena, dpa_net, 1) : NULL;
  if (room->space.norms.net) {
    memset(room->space.norms.net, 0, sizeof(dpa_net));
    room->space.norms.net->curved = 1;
  }
}

/* Of which budget what is known exactly, see dpa_gaussian_mu_at(). */
typedef struct known_mu {
  double epsilon, x;
} known_mu;

static int compare(double x, double y) {
  return (x > y) - (x < y);
}

static int by_budget(const void *a, const void *b) {
  const dpa_turn *x = a, *y = b;
  const int bands = compare(x->band, y->band), steeps = compare(x->steep, y->steep);
  const int budgets = compare(x->epsilon, y->epsilon);
  return bands     ? bands
         : steeps  ? steeps
         : budgets ? budgets
                   : (x->party > y->party) - (x->party < y->party);
}

/* Neighbours may spend about as much, and curvature costs them ever more. */
static void take_turns(const dpa_spenders *of, dpa_units_room *room) {
  for (size_t i = 0; i < of->parties; i++)
    room->turn[i] =
        (dpa_turn){floor(log(of->epsilon[i]) / BAND), of->epsilon[i], 0.0, i};
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

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* The place of an entry of this kind, or of the next one. */
static size_t place_of(dpa_units_room *room, const dpa_renyi_kind *kind, size_t slots) {
  uint64_t at = bits_of(kind->size) ^ (bits_of(kind->kappa) * 31);
  at *= UINT64_C(0x9e3779b97f4a7c15); /* the upper half is mixed */
  for (size_t s = (size_t)(at >> 32) % slots;; s = (s + 1) % slots) {
    if (room->slot[s] == SIZE_MAX)
      return room->slot[s] = room->entries;
    if (dpa_renyi_same(kind, room->kind + room->slot[s]))
      return room->slot[s];
  }
}

/* The party's releases, alike ones counted; 0 entries where one is no plain one. */
static dpa_ledger ledger_of(const dpa_spenders *of, dpa_units_room *room, size_t i) {
  const size_t from = room->start[i], to = room->start[i + 1], slots = 2 * (to - from);
  dpa_ledger ledger = {room->place, room->count, 0, NAN};
  room->entries = 0;
  for (size_t s = 0; s < slots; s++)
    room->slot[s] = SIZE_MAX;
  for (size_t k = from; k < to; k++) {
    const dpa_renyi_kind *kind = of->kind + room->row[k];
    if (!dpa_renyi_is_plain(kind))
      return ledger;
    const size_t e = place_of(room, kind, slots);
    if (e == room->entries) {
      room->kind[e] = *kind;
      room->place[e] = (int)e;
      room->count[e] = 0.0;
      room->entries++;
    }
    room->count[e] += of->count[room->row[k]];
  }
  ledger.entries = room->entries;
  return ledger;
}

/* About dpa_gaussian_mu() of one budget after another. */
static double likely_mu(const dpa_spenders *of, double epsilon, known_mu *known) {
  if (!(epsilon > 0.0))
    return NAN;
  if (!(epsilon <= FAR_BUDGET * known->epsilon)) {
    const double likely = dpa_gaussian_mu_at(epsilon, known->x);
    const double mu = epsilon <= FARTHER_BUDGET * known->epsilon
                          ? dpa_gaussian_mu_near(epsilon, of->log_delta, likely)
                          : dpa_gaussian_mu(epsilon, of->log_delta);
    *known = (known_mu){epsilon, epsilon / mu - mu / 2.0};
  }
  return dpa_gaussian_mu_at(epsilon, known->x);
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

/* ---- other accountants ------------------------------------------------------------
 */

/* Pure losses with exp(x) times the noise; `least`: of kinds of which more is known
 * what they are not below. */
static void take_losses(const dpa_ledger *ledger, double x, int least,
                        dpa_units_room *room) {
  for (size_t e = 0; e < ledger->entries; e++) {
    dpa_renyi_kind kind = room->kind[e];
    dpa_renyi_scale(&kind, exp(-x));
    room->loss[e] = least ? dpa_renyi_least_loss(&kind) : dpa_renyi_loss(&kind);
  }
}

/* Whether whoever knows these losses alone may say less than `most`. */
static int may_say_less(const dpa_ledger *ledger, double delta, double most,
                        dpa_units_room *room) {
  const dpa_floors of = dpa_pure_floors(room->loss, ledger, delta, most, room->losses);
  return dpa_floor(&of) < most;
}

/* By zero-concentrated losses, as R/privacy-account-zcdp.R has them. */
static double zcdp_of(const dpa_ledger *ledger, double log_delta,
                      const dpa_units_room *room) {
  double rho = 0.0;
  for (size_t e = 0; e < ledger->entries; e++)
    rho += ledger->count[e] * (room->loss[e] * tanh(room->loss[e] / 2.0));
  return dpa_zcdp_epsilon(rho, log_delta);
}

/* The log of what pure losses cost together, with exp(x) times the noise, over `most`;
 * NaN: there are too many. */
static double over_pure(const dpa_spenders *of, const dpa_ledger *ledger, double most,
                        double x, dpa_units_room *room) {
  take_losses(ledger, x, 0, room);
  const double delta = exp(of->log_delta);
  const dpa_pure pure = dpa_pure_of(room->loss, ledger, delta);
  if (!(pure.atoms <= MOST_ATOMS))
    return NAN;
  const double spent =
      pure.atoms == 0.0 ? pure.total
                        : dpa_pure_compose(&pure, delta, of->log_choose, room->numbers);
  return log(spent / most);
}

/* The least noise, as a log, with which pure losses keep a budget, up to a width: x or
 * less, infinite where x is too little, NaN where it is not found. */
static double meet_pure(const dpa_spenders *of, const dpa_ledger *ledger, double most,
                        double x, dpa_units_room *room) {
  double high = x, low = x, over_high = over_pure(of, ledger, most, x, room), over_low;
  if (!(over_high <= 0.0))
    return isnan(over_high) ? NAN : INFINITY;
  for (;;) {
    low = high - STRIDE;
    over_low = over_pure(of, ledger, most, low, room);
    if (over_low > 0.0)
      break;
    if (!(over_low <= over_high && low > x - FAR))
      return NAN;
    high = low;
    over_high = over_low;
  }
  /* by chords to half a width inside, and by halves */
  for (int k = 0; k < PASSES && high - low > of->width && over_high < -of->width; k++) {
    const double chord = (over_high + of->width / 2.0) / (over_high - over_low);
    const double at = high + (k % 3 == 2 ? 0.5 : chord) * (low - high);
    const double over = over_pure(of, ledger, most, at, room);
    if (isnan(over))
      return NAN;
    if (over <= -of->width / 8.0) { /* which is left to rounding */
      high = at;
      over_high = over;
    } else {
      low = at;
      over_low = over;
    }
  }
  return high;
}

/* Whether nobody says less of a party than Renyi divergences, or pure losses do, with
 * which it gets less noise. */
static int look_at_others(const dpa_spenders *of, const dpa_ledger *ledger,
                          const dpa_budget *budget, dpa_units_room *room,
                          dpa_multiple *found) {
  const double delta = exp(of->log_delta), most = budget->epsilon - budget->cost;
  int beyond = 0, losses = 1;
  take_losses(ledger, found->x, 1, room);
  for (size_t e = 0; e < ledger->entries; e++) {
    beyond |= dpa_renyi_beyond_loss(room->kind + e);
    losses &= !(room->loss[e] == INFINITY);
  }
  if (beyond && may_say_less(ledger, delta, most, room))
    return 0;
  if (!losses)
    return 1;
  take_losses(ledger, found->x, 0, room);
  if (zcdp_of(ledger, of->log_delta, room) < most)
    return 0;
  if (!may_say_less(ledger, delta, most, room))
    return 1;
  const double x = meet_pure(of, ledger, most, found->x, room);
  if (x < found->x) {
    found->x = x;
    found->order = INFINITY; /* R/privacy-account-pure.R: what it tells */
  }
  return !isnan(x);
}

dpa_status dpa_units(const dpa_orders *search, const dpa_spenders *of,
                     dpa_units_room *room, dpa_poll poll, void *poll_context,
                     double *unit, double *order) {
  dpa_multiple found = dpa_no_multiple;
  known_mu known = {NAN, NAN};
  size_t missed = 0;
  for (size_t i = 0; i < of->parties; i++)
    unit[i] = order[i] = NAN;
  if (!dpa_sort_groups(of->party, of->rows, of->parties, room->start, room->row))
    return DPA_ARGUMENT;
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
    const double mu = likely_mu(of, now->epsilon, &known);
    const dpa_ledger ledger = ledger_of(of, room, i);
    const double likely = make_likely(&ledger, mu, room->kind);
    if (!(likely > 0.0 && likely < INFINITY))
      return DPA_OK;
    const double width =
        dpa_ledger_has_rough(&ledger, room->kind) ? ROUGH_WIDTH : of->width;
    const dpa_budget budget = {now->epsilon, of->cost[i], of->log_delta, width};
    const dpa_status status = dpa_meet_budget(search, room->kind, &ledger, &budget,
                                              room->scaled, &room->space, &found);
    if (status != DPA_OK)
      return status;
    if (isnan(found.x)) {
      if (++missed > k / 2) /* somebody else looks for them, and likely for the rest */
        return DPA_OK;
      continue;
    }
    dpa_multiple least = found;
    if (of->others && !look_at_others(of, &ledger, &budget, room, &least))
      least.order = NAN;
    unit[i] = likely * exp(least.x);
    order[i] = least.order;
    if (poll(poll_context, k))
      return DPA_INTERRUPT;
  }
  return DPA_OK;
}
