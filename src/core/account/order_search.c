#include "account/order_search.h"

#include "account/conversion.h"

#include <math.h>
#include <string.h>

#define MANY 64        /* sizes, of which most are told by chords */
#define KINK 8.0       /* how much deeper a valley is than it would be without kinks */
#define STEPS 8        /* along a slope, at most */
#define LOOKS 64       /* in all, at most */
#define NARROWEST 1e-3 /* of an order's log: the epsilon is flat there */
#define SMOOTH 0.1     /* how far off a parabola may be */
#define CERTAIN 0.01   /* what is so much more is so whatever rounding does */

/* Whether kinds that share moments have many sizes, however they are counted. */
static int has_many_sizes(const dpa_search *at) {
  const dpa_ledger *own = at->ledger;
  double last = NAN;
  size_t sizes = 0;
  for (size_t k = 0; own->entries > MANY && k < own->entries && sizes <= MANY; k++) {
    const dpa_renyi_kind *kind = at->kinds + own->kind[k];
    if (kind->size != last && dpa_renyi_is_shared(kind)) {
      last = kind->size;
      sizes++;
    }
  }
  return sizes > MANY;
}

/* What is kept of n orders from a place on. */
static dpa_free_moment *moments_from(dpa_search *at, size_t place, size_t n, int many) {
  dpa_free_moment *moments = at->space->moments + place;
  for (size_t i = 0; i < n && !at->rough; i++) {
    dpa_chord *chord = many ? at->space->chords + i : NULL;
    if (moments[i].chord != chord)
      moments[i] = (dpa_free_moment){.s = 0.0, .chord = chord};
  }
  return moments;
}

/* Sums in long double: the order of the kinds shall not tell. Of one order what is kept
 * of each size has a place of its own: the next ledger's may be the same. */
void dpa_search_ask(dpa_search *at, size_t n) {
  const dpa_ledger *own = at->ledger;
  for (size_t i = 0; i < n; i++) {
    at->order[i] = 1.0 + at->s[i];
    at->total[i] = 0.0L;
  }
  const int many = !at->rough && has_many_sizes(at);
  size_t place = 0;
  for (size_t k = 0; k < own->entries && at->status == DPA_OK; k++) {
    const dpa_renyi_kind *kind = at->kinds + own->kind[k];
    if (n == 1 && k > 0 && kind->size != at->kinds[own->kind[k - 1]].size)
      place = (place + 1) % DPA_MOST_ORDERS;
    dpa_free_moment *moments = moments_from(at, place, n, many);
    if (!at->rough)
      at->status = dpa_renyi_outward(kind, at->order, n, moments, at->rdp);
    else if (k == 0 || !dpa_renyi_alike(at->kinds + own->kind[k - 1], kind))
      at->status =
          dpa_renyi_rough(kind, at->order, n, moments, &at->space->norms, at->rdp);
    for (size_t i = 0; i < n && at->status == DPA_OK; i++)
      at->total[i] += at->rdp[i] * own->count[k];
  }
  for (size_t i = 0; i < n; i++) {
    const double value = dpa_conversion(at->s[i], (double)at->total[i], at->log_delta);
    at->epsilon[i] = at->status == DPA_OK && isfinite(value) ? value : DPA_LARGEST;
  }
}

/* What epsilon is at least at an order less one. */
static double least_at(const dpa_search *at, double s) {
  const dpa_ledger *own = at->ledger;
  long double total = 0.0L;
  for (size_t k = 0; k < own->entries; k++)
    total += dpa_renyi_least(at->kinds + own->kind[k], 1.0 + s) * own->count[k];
  return dpa_conversion(s, (double)total, at->log_delta);
}

size_t dpa_search_least(dpa_search *at, size_t n) {
  double s[DPA_MOST_ORDERS], least[DPA_MOST_ORDERS], epsilon[DPA_MOST_ORDERS];
  size_t first = 0;
  if (n == 0)
    return 0;
  for (size_t i = 0; i < n; i++) {
    s[i] = at->s[i];
    least[i] = least_at(at, s[i]);
    epsilon[i] = DPA_LARGEST;
    if (least[i] < least[first])
      first = i;
  }
  at->s[0] = s[first];
  dpa_search_ask(at, 1);
  epsilon[first] = at->epsilon[0];
  const double enough = epsilon[first] + CERTAIN * fabs(epsilon[first]);
  size_t asked[DPA_MOST_ORDERS], some = 0;
  for (size_t i = 0; i < n; i++)
    if (i != first && !(least[i] > enough)) {
      at->s[some] = s[i];
      asked[some++] = i;
    }
  if (some > 0) /* callers' curves are not asked about none */
    dpa_search_ask(at, some);
  for (size_t k = 0; k < some; k++)
    epsilon[asked[k]] = at->epsilon[k];
  memcpy(at->epsilon, epsilon, n * sizeof *epsilon);
  for (size_t i = 0; i < n; i++)
    if (epsilon[i] < epsilon[first] || (epsilon[i] == epsilon[first] && i < first))
      first = i;
  return first;
}

void dpa_search_look(dpa_search *at, dpa_point *points, size_t n) {
  for (size_t i = 0; i < n; i++)
    at->s[i] = exp(points[i].y);
  dpa_search_ask(at, n);
  for (size_t i = 0; i < n; i++)
    points[i].epsilon = at->epsilon[i];
}

size_t dpa_point_least(const dpa_point *points, size_t n) {
  size_t best = 0;
  for (size_t i = 1; i < n; i++)
    if (points[i].epsilon < points[best].epsilon)
      best = i;
  return best;
}

/* Where it is convex, a curve is above the lines through two of three points, as far as
 * the third; where bounds cross it is not. */
double dpa_point_bound(double below, double here, double above) {
  return here - KINK * fmax(below - here, above - here);
}

/* Parabolas through three points, ever nearer: a width that halves also follows a curve
 * with a kink. */
dpa_point dpa_search_narrow(dpa_search *at, dpa_point best, double width) {
  dpa_point around[4] = {best, best, best, best};
  around[1].y -= width;
  around[2].y += width;
  dpa_search_look(at, around + 1, 2);
  const double below = around[1].epsilon, above = around[2].epsilon;
  const double sides = (double)((long double)below + above);
  double turn = (below - above) / (2.0 * (sides - 2.0 * best.epsilon));
  if (!(fabs(turn) < 1.0))
    turn = 0.0;
  around[3].y = best.y + width * turn;
  dpa_search_look(at, around + 3, 1);
  const double told = best.epsilon + turn * (above - below) / 4.0;
  dpa_point found = around[dpa_point_least(around, 4)];
  found.bound = dpa_point_bound(below, best.epsilon, above);
  found.kink = fabs(around[3].epsilon - told) / (fmax(below, above) - best.epsilon);
  return found;
}

/* As long as it may still get below `enough`. */
dpa_point dpa_search_halve(dpa_search *at, dpa_point best, double width, int times,
                           double enough) {
  for (int k = 0; k < times && best.bound < enough; k++, width /= 2.0)
    best = dpa_search_narrow(at, best, width);
  return best;
}

dpa_point dpa_search_refine(dpa_search *at, dpa_point best, double width) {
  do
    best = dpa_search_narrow(at, best, width);
  while (!(best.kink < SMOOTH) && (width /= 2.0) > NARROWEST);
  return best;
}

/* The same to `NARROWEST`, faster where there is no kink, and on along a slope, as long
 * as it may still get below `enough`. */
dpa_point dpa_search_descend(dpa_search *at, dpa_point best, double width,
                             double enough) {
  for (int k = 0; k < LOOKS && width > NARROWEST && best.bound < enough; k++) {
    const double y = best.y;
    best = dpa_search_narrow(at, best, width);
    if (k >= STEPS || fabs(best.y - y) < 0.99 * width)
      width /= best.kink < SMOOTH ? 10.0 : 2.0;
  }
  return best;
}
