#include "account/order_valleys.h"

#include "account/conversion.h"
#include "account/renyi.h"

#include <math.h>
#include <string.h>

#define AS_DEEP 1.1      /* how much less deep than the deepest is looked into */
#define FARTHEST 8.0     /* a bottom is from where its valley may begin, as a ratio */
#define BEFORE_TURN 0.03 /* of a curve, in its log, an order may be best */
#define STEPS 8          /* from one valley to the next, at most */
#define AROUND 4         /* points on either side */
#define APART 0.03       /* of each other */
#define BESIDE 3         /* points on either side of one that is told, */
#define STRIDE 0.04      /* of each other */
#define SHALLOW 3e-3     /* a valley is in another, as a share of epsilon */
#define LITTLE 5e-5      /* that a bottom may be deeper than it seems, as a share */
#define PER_REACH 3.0    /* of a point's distance, 1 at most: farther costs are huge */
#define PER_BOTTOM 4.0   /* and of where another valley is */
#define SHARP 1.5 /* times the distance squared no smooth valley rises, as a share */
#define LEAST_REACH 0.01 /* what is less is none */
#define MANY 64          /* kinds */

/* Points in their order, and one more, but where one is just below. */
static size_t insert(dpa_point *points, size_t n, double y, double just) {
  size_t at = n;
  while (at > 0 && points[at - 1].y > y)
    at--;
  if (at > 0 && points[at - 1].y > y - just)
    return n;
  for (size_t k = n; k > at; k--)
    points[k] = points[k - 1];
  points[at].y = y;
  return n + 1;
}

static const dpa_renyi_kind *kind_of(const dpa_search *at, size_t k) {
  return at->kinds + at->ledger->kind[k];
}

/* Where the kind before it does. */
static int turns_as_before(const dpa_search *at, size_t k) {
  return k > 0 && dpa_renyi_turn_alike(kind_of(at, k - 1), kind_of(at, k));
}

static double per_reach(double y) {
  return PER_REACH * fmin(1.0, fabs(y));
}

/* Points in their order, but for those that cannot be below `most`, or what it is for
 * tell_reach() of the best: divergences do not fall, and epsilon is the divergence and
 * what falls. How many are left. */
static size_t look_below(dpa_search *at, double most, double best, dpa_point *points,
                         size_t n) {
  double divergence = 0.0;
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    const double rest = dpa_conversion(exp(points[i].y), 0.0, at->log_delta);
    const double far = DPA_FARTHEST_REACH * per_reach(points[i].y - best);
    if (i > 0 && rest + divergence >= most * (1.0 + far))
      continue;
    points[kept] = points[i];
    dpa_search_look(at, points + kept, 1);
    divergence = fmax(divergence, points[kept++].epsilon - rest);
  }
  return kept;
}

/* The points from the least order on at which log(1 / delta) alone is not too much.
 * Divergence r and L = log(1 / delta) cost about r + L / s, at s* = sqrt(L / r) about
 * 2 sqrt(r L) + r, so s* is 2 to 3 times the least s whose L / s is not too much. */
static size_t valley(dpa_search *at, dpa_point best, double width, int walks,
                     dpa_point *points) {
  const dpa_orders *orders = at->orders;
  const double most = fmax(0.0, best.epsilon);
  size_t first = 0, n = 0;
  for (size_t end = orders->points; first < end;) { /* it falls with the order */
    const size_t i = first + (end - first) / 2;
    if (dpa_conversion_inverse(orders->grid[i], most, at->log_delta) > 0.0)
      end = i;
    else
      first = i + 1;
  }
  const double from = log(orders->grid[first > 0 ? first - 1 : 0]);
  for (; n < DPA_MOST_ORDERS && (double)n * width <= log(FARTHEST); n++)
    points[n].y = from + (double)n * width;
  const double to = points[n - 1].y;
  double y = INFINITY;
  for (size_t k = 0; k < at->ledger->entries && n < DPA_MOST_ORDERS; k++) {
    if (!turns_as_before(at, k))
      y = log(dpa_renyi_turn(kind_of(at, k))) - BEFORE_TURN;
    if (y > from && y < to)
      n = insert(points, n, y, walks ? BEFORE_TURN / 2.0 : 0.0);
  }
  if (walks)
    return look_below(at, most, best.y, points, n);
  dpa_search_look(at, points, n);
  return n;
}

/* What is no bottom is taken away. */
static void keep_bottoms(dpa_point *points, size_t n) {
  double before = INFINITY;
  for (size_t i = 0; i < n; i++) {
    const double here = points[i].epsilon;
    const double after = i + 1 < n ? points[i + 1].epsilon : INFINITY;
    points[i].bound = dpa_point_bound(before, here, after);
    if (!(here <= before && here <= after))
      points[i].epsilon = DPA_LARGEST;
    before = here;
  }
}

/* From which point on, on one side of the best, epsilon rises less than before: those
 * up to it are of one valley, down which the best order is found again. n: from none.
 */
static size_t bend_of(const dpa_point *points, size_t n, dpa_point best, int side) {
  double y = best.y, epsilon = best.epsilon, slope = 0.0;
  for (size_t i = 0; i < n; i++) {
    const size_t k = side > 0 ? i : n - 1 - i;
    const double u = side * (points[k].y - y);
    if (!(side * (points[k].y - best.y) > 0.0 && u > 0.0))
      continue;
    const double next = (points[k].epsilon - epsilon) / u;
    if (next < slope)
      return k;
    y = points[k].y;
    epsilon = points[k].epsilon;
    slope = next;
  }
  return n;
}

/* How far, in logs, noise and budget may change so that no other of some points, in
 * their order, becomes the best. One at a distance u from it gets nearer by about twice
 * u times as much, as a share, were losses normal, and by as much where the change is
 * for curvature, which other bounds feel less. 0: valleys are near; the
 * least that counts: it is sharp. */
static void tell_reach(const dpa_point *points, size_t n, dpa_point best, double width,
                       dpa_order_space *out) {
  const size_t low = bend_of(points, n, best, -1), high = bend_of(points, n, best, 1);
  double reach = DPA_FARTHEST_REACH;
  out->sharp = 0;
  for (size_t k = 0; k < n; k++) {
    const double u = fabs(points[k].y - best.y), here = points[k].epsilon;
    const double more = here / best.epsilon - 1.0;
    const int bottom = k > 0 && k + 1 < n && points[k - 1].epsilon > here &&
                       points[k + 1].epsilon > here;
    const int within = points[k].y < best.y ? low == n || k > low : k < high;
    if (u > 0.5 * width && u < 4.0 * width && more > SHARP * u * u)
      out->sharp = 1;
    if (!within && u > (bottom ? 0.5 : 1.5) * width)
      reach = fmin(reach, more / fmax(bottom ? PER_BOTTOM : 1.0, per_reach(u)));
  }
  out->reach = reach < LEAST_REACH ? 0.0 : out->sharp ? LEAST_REACH : reach;
}

size_t dpa_search_valleys(dpa_search *at, dpa_point best, int told, int walks,
                          dpa_point *found) {
  const double width = at->orders->step / 3.0;
  dpa_point points[DPA_MOST_ORDERS], asked[DPA_MOST_ORDERS], bottom[DPA_MOST_VALLEYS];
  const size_t n = valley(at, best, width, walks, points);
  size_t bottoms = 0;
  memcpy(asked, points, n * sizeof *points);
  keep_bottoms(points, n);
  for (; bottoms < DPA_MOST_VALLEYS; bottoms++) {
    const dpa_point deep = points[dpa_point_least(points, n)];
    if (bottoms > 0 && !(deep.epsilon < AS_DEEP * bottom[0].epsilon))
      break;
    bottom[bottoms] = deep;
    for (size_t i = 0; i < n; i++)
      if (points[i].epsilon == deep.epsilon)
        points[i].epsilon = DPA_LARGEST;
  }
  const double there = told ? 1.5 * width : walks ? 0.55 * width : -1.0;
  size_t looked = 0;
  for (size_t k = 0; k < bottoms; k++) {
    if (fabs(bottom[k].y - best.y) <= there)
      continue;
    /* from a third of the grid's step: two halvings less */
    const double enough = told || walks ? best.epsilon : INFINITY;
    const dpa_point now = walks ? dpa_search_descend(at, bottom[k], width, enough)
                                : dpa_search_halve(at, bottom[k], width,
                                                   at->orders->halvings - 2, enough);
    if (now.epsilon < best.epsilon)
      best = now;
    found[looked++] = now;
  }
  tell_reach(asked, n, best, width, at->space);
  return looked;
}

int dpa_search_turns_apart(const dpa_search *at) {
  const size_t entries = at->ledger->entries;
  double first = INFINITY, last = 0.0;
  for (size_t k = 0; entries <= MANY && k < entries && !(last > 1.01 * first); k++) {
    const double s = turns_as_before(at, k) ? INFINITY : dpa_renyi_turn(kind_of(at, k));
    first = fmin(first, s);
    last = isfinite(s) ? fmax(last, s) : last;
  }
  return last > 1.01 * first;
}

/* The least of some points on one side of another that is not above the one before it,
 * and not far above the centre; the centre: there is none. */
static const dpa_point *least_dip(const dpa_point *centre, int side, int points) {
  double before = centre->epsilon, least = before + SHALLOW * fabs(before);
  const dpa_point *dip = centre;
  for (int k = 1; k <= points; k++) {
    const dpa_point *here = centre + side * k;
    if (here->epsilon <= before && here->epsilon < least) {
      dip = here;
      least = here->epsilon;
    }
    before = here->epsilon;
  }
  return dip;
}

/* The deeper one of both sides; the centre: there is none. */
static const dpa_point *next_dip(const dpa_point *centre, int points) {
  const dpa_point *low = least_dip(centre, -1, points);
  const dpa_point *high = least_dip(centre, 1, points);
  return low == centre || (high != centre && high->epsilon < low->epsilon) ? high : low;
}

dpa_point dpa_search_around(dpa_search *at, dpa_point best) {
  for (int step = 0; step < STEPS; step++) {
    dpa_point points[2 * AROUND + 1], *const centre = points + AROUND;
    for (int k = -AROUND; k <= AROUND; k++)
      centre[k].y = best.y + k * APART;
    dpa_search_look(at, points, AROUND);
    dpa_search_look(at, centre + 1, AROUND);
    *centre = best;
    dpa_point other = *next_dip(centre, AROUND);
    if (other.y == best.y)
      break;
    other.bound = -INFINITY;
    other = dpa_search_descend(at, other, APART / 2.0, INFINITY);
    if (!(other.epsilon < best.epsilon))
      break;
    best = other;
  }
  return best;
}

#define REACH (STEPS * BESIDE) /* on either side of a point that is told */

/* Points a stride from each other around one that is told, in the midst. */
typedef struct row {
  dpa_point points[2 * REACH + 1];
  size_t from, end; /* of which these are looked at */
} row;

static row row_of(double told) {
  row out = {.from = 0, .end = 0};
  for (int k = 0; k <= 2 * REACH; k++)
    out.points[k].y = told + (k - REACH) * STRIDE;
  return out;
}

/* At a point, and up to BESIDE on either side. */
static void look_beside(dpa_search *at, row *row, size_t centre) {
  const size_t from = centre - BESIDE, end = centre + BESIDE + 1;
  if (row->end == 0) /* all at once */
    row->from = row->end = from;
  if (from < row->from) {
    dpa_search_look(at, row->points + from, row->from - from);
    row->from = from;
  }
  if (end > row->end) {
    dpa_search_look(at, row->points + row->end, end - row->end);
    row->end = end;
  }
}

/* Whether a parabola through it and the points beside it is hardly any deeper. */
static int is_bottom(const dpa_point *here) {
  const double below = here[-1].epsilon, above = here[1].epsilon;
  const double bend = below + above - 2.0 * here->epsilon, tilt = above - below;
  return !(bend > 0.0 && tilt * tilt > 8.0 * LITTLE * bend * fabs(here->epsilon));
}

dpa_point dpa_search_along(dpa_search *at, double told) {
  row row = row_of(told);
  const dpa_point *best = row.points + REACH;
  look_beside(at, &row, REACH);
  dpa_point found = *best; /* the least so far, as near as it is known */
  int near = is_bottom(best);
  while (best - row.points >= BESIDE && best - row.points <= 2 * REACH - BESIDE) {
    look_beside(at, &row, (size_t)(best - row.points));
    const dpa_point *const dip = next_dip(best, BESIDE);
    if (dip == best)
      break;
    if (dip->epsilon < found.epsilon) {
      found = *dip;
      near = 0;
    } else { /* it may be deeper than it seems */
      const dpa_point other = dpa_search_refine(at, *dip, STRIDE / 2.0);
      if (!near)
        found = dpa_search_refine(at, found, STRIDE / 2.0);
      near = 1;
      if (!(other.epsilon < found.epsilon))
        break;
      found = other;
    }
    best = dip;
  }
  return near ? found : dpa_search_refine(at, found, STRIDE / 2.0);
}
