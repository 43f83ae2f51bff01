#include "account/meeting.h"

#include <math.h>

#define MANY 64      /* kinds, which a few stand for */
#define FAR_OFF 0.03 /* what is off by more says nothing, */
#define TRUSTED 3e-4 /* and by less what divergences that hold would say */
#define CHANGED 1e-4 /* what is said, in logs: then the best order may have, too */
#define BESIDE 0.05  /* of an order, in logs */
#define WORTH 0.25   /* of the width */

/* A few kinds in the place of many, at the noise and about the order that are expected.
 */
static void sketch(dpa_meeting *at, const dpa_trial *now) {
  const double likely = 1.0 - 2.0 * at->budget->log_delta / at->budget->epsilon;
  at->few.entries = 0;
  if (at->ledger->entries <= MANY)
    return;
  dpa_meeting_scale(at, now->x);
  if (at->status == DPA_OK)
    at->status = dpa_sketch_ledger(at->scaled, at->ledger,
                                   isnan(now->order) ? likely : now->order,
                                   &at->space->norms, &at->sketch);
  at->few = (dpa_ledger){at->sketch.kind, at->sketch.count, at->sketch.entries, NAN};
}

/* The best order near one that rough divergences tell, and how much more is spent. */
static void learn(dpa_meeting *at, dpa_trial *now) {
  static const double width = 0.05; /* a parabola does the rest */
  dpa_orders near = at->around;
  double order = now->order, rough = now->order;
  near.walks = 0;
  near.widths = &width;
  near.looks = 1;
  dpa_meeting_scale(at, now->x);
  const double spent = dpa_meeting_ask(at, &near, 0, &order);
  at->more = log(spent / dpa_meeting_ask(at, &at->alone, 1, &rough));
  at->off = log((order - 1.0) / (now->order - 1.0));
  now->order = dpa_meeting_shared_order(order);
}

/* To where a budget is just kept, by rough divergences and what is known of them;
 * order: NaN where they do not lead there. */
static void guess(dpa_meeting *at, dpa_trial *now) {
  const dpa_ledger *whole = at->ledger;
  const int told = !isnan(now->order);
  if (at->few.entries > 0)
    at->ledger = &at->few;
  if (told)
    now->order = dpa_meeting_moved(now->order, -at->off);
  at->guess = 1;
  now->excess =
      dpa_meeting_excess(at, told ? &at->around : at->search, now->x, &now->order);
  if (!dpa_meeting_step(at, 0, now))
    now->order = NAN;
  at->guess = 0;
  if ((!told || at->few.entries > 0) && !isnan(now->order))
    learn(at, now);
  else
    now->order = dpa_meeting_shared_order(dpa_meeting_moved(now->order, at->off));
  if (!(fabs(at->more) < FAR_OFF))
    at->more = 0.0;
  now->x -= at->more / now->slope;
  at->ledger = whole;
}

/* Whether of a few kinds the best valley is where it was. */
static int is_where_it_was(dpa_meeting *at, const dpa_orders *valleys,
                           const dpa_trial *now) {
  const dpa_ledger *whole = at->ledger;
  double order = NAN;
  if (at->few.entries == 0)
    return 0;
  at->ledger = &at->few;
  dpa_meeting_ask(at, valleys, 1, &order);
  at->ledger = whole;
  const double best = dpa_meeting_moved(order, at->off);
  return fabs(log((best - 1.0) / (now->order - 1.0))) <= DPA_SAME_VALLEY;
}

/* Whether no other order is better; else the point moves on from there. Valleys are
 * told apart by rough divergences, and those that may be best are looked into. */
static int is_best(dpa_meeting *at, dpa_trial *now) {
  dpa_orders valleys = *at->search;
  dpa_trial last = *now;
  valleys.halvings = 0;
  const int trusted = fabs(at->more) < TRUSTED;
  if (trusted) {
    valleys.known = dpa_meeting_moved(now->order, -at->off);
    valleys.known_epsilon = at->budget->epsilon * exp(now->excess) - at->budget->cost;
  }
  last.order = NAN;
  dpa_meeting_scale(at, now->x);
  if (trusted && is_where_it_was(at, &valleys, now))
    return 1;
  last.excess = dpa_meeting_over(at, dpa_meeting_ask(at, &valleys, 0, &last.order));
  if (!(last.excess < now->excess + now->slope * at->budget->width))
    return 1;
  *now = last;
  learn(at, now);
  return 0;
}

/* Beside a point how divergences that hold differ from rough ones: where these have the
 * best order. Whether it was worth while to move there. */
static int refine(dpa_meeting *at, dpa_trial *now) {
  double rough[3], order, said = at->budget->epsilon * exp(now->excess);
  dpa_meeting_scale(at, now->x);
  for (int k = 0; k < 3; k++) {
    order = dpa_meeting_moved(now->order, (k - 1) * BESIDE);
    rough[k] = dpa_meeting_ask(at, &at->alone, 1, &order);
  }
  order = dpa_meeting_moved(now->order, BESIDE);
  const double more =
      dpa_meeting_ask(at, &at->alone, 0, &order) + at->budget->cost - said;
  const double slope = (more - (rough[2] - rough[1])) + (rough[2] - rough[0]) / 2.0;
  const double bend = rough[2] - 2.0 * rough[1] + rough[0];
  const double by = fmax(-2.0, fmin(-slope / bend, 2.0)) * BESIDE;
  if (!(bend > 0.0 && slope * slope / (2.0 * bend) > WORTH * at->budget->width * said))
    return 0;
  dpa_trial next = *now;
  next.order = dpa_meeting_shared_order(dpa_meeting_moved(now->order, by));
  next.excess = dpa_meeting_excess(at, &at->alone, now->x, &next.order);
  if (!(next.excess < now->excess))
    return 0;
  at->off += by;
  *now = next;
  return 1;
}

int dpa_meet_roughly(dpa_meeting *at, dpa_multiple *found) {
  const int told = !isnan(found->order);
  dpa_trial now = {found->x, NAN, found->slope, dpa_meeting_likely(at, found)};
  at->off = told ? found->off : 0.0;
  at->more = told ? found->more : 0.0;
  sketch(at, &now);
  guess(at, &now);
  if (isnan(now.order))
    return 0;
  const double said = now.excess;
  now.excess = dpa_meeting_excess(at, &at->alone, now.x, &now.order);
  const double changed = fabs(now.excess - said);
  at->more += now.excess - said;
  dpa_multiple next = *found;
  int there = dpa_meeting_is_there(at, &now);
  for (int round = 0; round < DPA_MEETING_ROUNDS; round++, there = 0) {
    if (!there && !dpa_meeting_step(at, 0, &now))
      return 0;
    const dpa_likeness own = dpa_meeting_likeness(at, &now);
    if (!dpa_meeting_like(&own, found)) {
      if (told && round == 0 && changed > CHANGED && refine(at, &now) &&
          !dpa_meeting_is_there(at, &now))
        continue;
      if (!is_best(at, &now))
        continue;
      dpa_meeting_looked(at, own, &next);
    }
    next.x = now.x;
    next.slope = now.slope;
    next.order = now.order;
    next.epsilon = own.epsilon;
    next.off = at->off;
    next.more = at->more;
    next.apart = fabs(now.x - found->x);
    *found = next;
    return 1;
  }
  return 0;
}
