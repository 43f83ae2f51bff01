#include "account/orders.h"

#include "account/conversion.h"
#include "account/order_search.h"
#include "account/order_valleys.h"
#include "account/sketch.h"

#include <math.h>

#define STRIDE 0.5    /* of a walk, in the log */
#define STRIDES 60    /* at most: the grid is not as wide */
#define COARSE 8      /* orders at once */
#define AS_GOOD 1.05  /* what stands for others may be off by */
#define AS_CLOSE 1.02 /* and what is about right, to be looked at beside the best */
#define OFF 1e-3      /* it may be off by so much, as a share; */
#define FAR_OFF 0.05  /* what is not right */

static dpa_point look_near(dpa_search *at, double order) {
  dpa_point best = {.y = log(order - 1.0)};
  dpa_search_look(at, &best, 1);
  for (size_t k = 0; k < at->orders->looks; k++)
    best = dpa_search_narrow(at, best, at->orders->widths[k]);
  return best;
}

/* The grid's points first, first + stride, ...: the least of them that is finite, or
 * `points`. */
static size_t look_coarsely(dpa_search *at) {
  const dpa_orders *orders = at->orders;
  size_t n = 0;
  for (size_t i = 0; i < orders->points; i += orders->stride)
    at->s[n++] = orders->grid[i];
  const size_t best = dpa_search_least(at, n);
  return at->epsilon[best] < DPA_LARGEST ? best * orders->stride : orders->points;
}

static dpa_point look_everywhere(dpa_search *at) {
  const dpa_orders *orders = at->orders;
  const size_t some = look_coarsely(at), reach = orders->stride;
  size_t from = 0, end = orders->points;
  double y[DPA_MOST_ORDERS];
  if (some < end) {
    from = some > reach ? some - reach : 0;
    end = some + reach < end ? some + reach + 1 : end;
  }
  for (size_t i = 0; i < end - from; i++) {
    y[i] = log(orders->grid[from + i]);
    at->s[i] = exp(y[i]);
  }
  const size_t least = dpa_search_least(at, end - from);
  const dpa_point best = {y[least], at->epsilon[least], -INFINITY, 0.0};
  return dpa_search_halve(at, best, orders->step, orders->halvings, INFINITY);
}

/* The least point of a coarse grid, but for those at which log(1 / delta) alone is more
 * than another costs. */
static dpa_point least_of_grid(dpa_search *at) {
  const dpa_orders *orders = at->orders;
  dpa_point best = {.epsilon = DPA_LARGEST, .bound = -INFINITY};
  for (size_t left = orders->points; left > 0;) {
    dpa_point next[COARSE];
    size_t n = 0;
    for (; n < COARSE && left > 0;
         left -= left < orders->stride ? left : orders->stride) {
      const double s = orders->grid[left - 1];
      if (dpa_conversion(s, 0.0, at->log_delta) < best.epsilon)
        next[n++].y = log(s);
    }
    if (n == 0) /* nor is any further down */
      break;
    dpa_search_look(at, next, n);
    for (size_t i = 0; i < n; i++)
      if (next[i].epsilon < best.epsilon) {
        best.y = next[i].y;
        best.epsilon = next[i].epsilon;
      }
  }
  return best;
}

static double width_of_grid(const dpa_orders *orders) {
  return (double)orders->stride * orders->step;
}

static dpa_point descend_from_grid(dpa_search *at) {
  const dpa_point best = least_of_grid(at);
  if (best.epsilon >= DPA_LARGEST)
    return look_everywhere(at);
  return dpa_search_descend(at, best, width_of_grid(at->orders) / 2.0, INFINITY);
}

/* Instead where an order is known that the grid has the best one beside: whether it is
 * at least as good. */
static int is_beside_grid(dpa_search *at, dpa_point *found) {
  *found = (dpa_point){.y = log(at->orders->known - 1.0), .bound = -INFINITY};
  const dpa_point best = least_of_grid(at);
  if (!(fabs(found->y - best.y) < width_of_grid(at->orders)))
    return 0;
  dpa_search_look(at, found, 1);
  return found->epsilon <= best.epsilon;
}

/* Were the loss normal, whose divergence is proportional to the order, the best one
 * less one would be sqrt(log(1 / delta) / the factor). */
static double likely_order(dpa_search *at) {
  const double *grid = at->orders->grid, most = grid[at->orders->points - 1];
  double s = fmin(64.0, most);
  for (int k = 0; k < 3; k++) {
    at->s[0] = s;
    dpa_search_ask(at, 1);
    const double loss = (double)at->total[0];
    s = isfinite(loss) ? sqrt(-at->log_delta * (1.0 + s) / loss) : s / 8.0;
    s = isfinite(s) ? fmin(fmax(s, grid[0]), most) : most;
  }
  return s;
}

/* Down from a likely order: what epsilon is of divergences is convex over the order
 * less one, so that there is one valley; or, where no order there is known, everywhere.
 */
static dpa_point walk(dpa_search *at) {
  const double ends[2] = {log(at->orders->grid[0]),
                          log(at->orders->grid[at->orders->points - 1])};
  const double y = log(likely_order(at));
  dpa_point points[3] = {{.y = y - STRIDE}, {.y = y}, {.y = y + STRIDE}};
  dpa_search_look(at, points, 3);
  for (int k = 0; k < STRIDES && at->status == DPA_OK; k++) {
    const size_t to = dpa_point_least(points, 3);
    if (points[to].epsilon >= DPA_LARGEST)
      return look_everywhere(at);
    if (points[1].epsilon <= points[to].epsilon)
      break;
    const int up = to == 2;
    if (up ? points[2].y > ends[1] : points[0].y < ends[0])
      break;
    const dpa_point next = {.y = points[to].y + (up ? STRIDE : -STRIDE)};
    points[up ? 0 : 2] = points[1];
    points[1] = points[to];
    points[to] = next;
    dpa_search_look(at, points + to, 1);
  }
  points[1].bound = -INFINITY;
  return dpa_search_descend(at, points[1], STRIDE / 2.0, INFINITY);
}

static double epsilon_of(dpa_point best) {
  return best.epsilon < DPA_LARGEST ? fmax(0.0, best.epsilon) : INFINITY;
}

static dpa_point look_first(dpa_search *at) {
  const dpa_orders *orders = at->orders;
  const double near = at->ledger->near;
  if (!isnan(near))
    return orders->around ? dpa_search_along(at, log(near - 1.0)) : look_near(at, near);
  if (!orders->walks)
    return look_everywhere(at);
  return orders->valleys ? descend_from_grid(at) : walk(at);
}

/* Bottoms, of which the first is where it is looked for first: at most DPA_MOST_VALLEYS
 * + 1. */
static size_t look_for(dpa_search *at, dpa_point *found) {
  const dpa_orders *orders = at->orders;
  const int told = !isnan(at->ledger->near), walks = orders->walks && !told;
  if (walks && orders->valleys && orders->known > 1.0 && is_beside_grid(at, found)) {
    const size_t n = 1 + dpa_search_valleys(at, found[0], told, walks, found + 1);
    if (at->space->reach > 0.0) /* else the way down may lead to another valley */
      return n;
  }
  found[0] = look_first(at);
  if (!orders->valleys) {
    if (!told) { /* there is one */
      at->space->reach = DPA_ONE_VALLEY;
      at->space->sharp = 0;
    }
    return 1;
  }
  return 1 + dpa_search_valleys(at, found[0], told, walks, found + 1);
}

/* Whether more than a valley is asked for. */
static int closely(const dpa_search *at) {
  return at->orders->halvings > 0 && !at->orders->guess;
}

static dpa_point best_of(const dpa_point *found, size_t n) {
  dpa_point best = found[0];
  for (size_t k = 1; k < n; k++)
    if (epsilon_of(found[k]) < epsilon_of(best))
      best = found[k];
  return best;
}

/* Where a sketch is best, and there the ledger itself. */
static size_t look_by_sketch(dpa_search *at, const dpa_ledger *some, dpa_point *found) {
  const dpa_ledger *whole = at->ledger;
  at->ledger = some;
  const size_t n = look_for(at, found);
  at->ledger = whole;
  dpa_search_look(at, found, n);
  const double enough = AS_GOOD * epsilon_of(best_of(found, n));
  for (size_t k = 0; k < n && closely(at); k++)
    if (found[k].epsilon <= enough)
      found[k] = dpa_search_descend(at, found[k], STRIDE / 20.0, INFINITY);
  return best_of(found, n).epsilon < DPA_LARGEST ? n : look_for(at, found);
}

/* By a sketch where there is one. */
static size_t look_anyhow(dpa_search *at, const dpa_sketch *sketch, dpa_point *found) {
  if (sketch->entries == 0)
    return look_for(at, found);
  const dpa_ledger some = {sketch->kind, sketch->count, sketch->entries, NAN};
  size_t n = look_by_sketch(at, &some, found);
  if (at->orders->valleys && closely(at) && dpa_search_turns_apart(at)) {
    found[0] = dpa_search_around(at, best_of(found, n));
    n = 1;
  }
  return n;
}

static int is_known(const dpa_orders *orders, double y) {
  return orders->known > 1.0 && fabs(y - log(orders->known - 1.0)) <= DPA_SAME_VALLEY;
}

/* What was found by rough divergences, by those that hold: those that may be best are
 * looked at, and around the best one where it is not what it was said to be. Whether it
 * is near that. */
static int confirm(dpa_search *at, dpa_point *found, size_t *n) {
  const double enough = AS_CLOSE * epsilon_of(best_of(found, *n));
  size_t kept = 0, best = 0;
  double off = INFINITY;
  for (size_t k = 0; k < *n; k++) {
    if (!(found[k].epsilon <= enough))
      continue;
    const double said = found[k].epsilon;
    dpa_point now = found[k];
    if (is_known(at->orders, now.y))
      now.epsilon = at->orders->known_epsilon;
    else
      dpa_search_look(at, &now, 1);
    if (kept == 0 || now.epsilon < found[best].epsilon) {
      best = kept;
      off = fabs((now.epsilon - said) / said);
    }
    found[kept++] = now;
  }
  *n = kept;
  if (!(off < FAR_OFF))
    return 0;
  if (off > OFF && isnan(at->ledger->near) && closely(at)) {
    found[best].bound = -INFINITY;
    found[best] = dpa_search_descend(at, found[best], STRIDE / 20.0, INFINITY);
  }
  return 1;
}

/* Kinds, where those that are alike but for rounding are one. */
static size_t unlike_kinds(const dpa_search *at) {
  const dpa_ledger *own = at->ledger;
  size_t n = 0;
  for (size_t k = 0; k < own->entries; k++)
    n += k == 0 ||
         !dpa_renyi_alike(at->kinds + own->kind[k - 1], at->kinds + own->kind[k]);
  return n;
}

int dpa_ledger_has_rough(const dpa_ledger *ledger, const dpa_renyi_kind *kinds) {
  for (size_t k = 0; k < ledger->entries; k++)
    if (dpa_renyi_has_rough(kinds + ledger->kind[k]))
      return 1;
  return 0;
}

dpa_status dpa_best_order(const dpa_orders *orders, const dpa_renyi_kind *kinds,
                          const dpa_ledger *ledger, double log_delta,
                          dpa_order_space *space, double *epsilon, double *order) {
  if (orders->points == 0 || orders->points > DPA_MOST_ORDERS || orders->stride == 0)
    return DPA_ARGUMENT;
  dpa_search at;
  at.space = space;
  at.orders = orders;
  at.kinds = kinds;
  at.ledger = ledger;
  at.log_delta = log_delta;
  at.status = DPA_OK;
  const int told = !isnan(ledger->near),
            looks = orders->looks > 0 || orders->valleys || orders->around;
  at.rough = (orders->guess || (orders->walks && (!told || looks))) &&
             dpa_ledger_has_rough(ledger, kinds);
  dpa_point found[DPA_MOST_VALLEYS + 1];
  dpa_sketch sketch = {.entries = 0};
  if (orders->walks && !told && unlike_kinds(&at) > DPA_SKETCH_KINDS)
    at.status = dpa_sketch_ledger(kinds, ledger, 1.0 + likely_order(&at), &space->norms,
                                  &sketch);
  size_t n = look_anyhow(&at, &sketch, found);
  if (at.rough && !orders->guess) {
    at.rough = 0;
    if (!confirm(&at, found, &n))
      n = look_anyhow(&at, &sketch, found);
  }
  const dpa_point best = best_of(found, n);
  *epsilon = epsilon_of(best);
  *order = best.epsilon < DPA_LARGEST ? 1.0 + exp(best.y) : NAN;
  return at.status;
}
