#include "account/sketch.h"

#include <math.h>
#include <string.h>

typedef struct book {
  const dpa_renyi_kind *kinds;
  const dpa_ledger *ledger;
  double order;
  dpa_free_moment moment;
  dpa_usual_norms *norms;
  dpa_status status;
} book;

static dpa_renyi_curve *curve_of(const book *at, size_t k) {
  return at->kinds[at->ledger->kind[k]].curve;
}

static double cost_of(book *at, size_t k) {
  double rdp = NAN;
  if (at->status == DPA_OK)
    at->status = dpa_renyi_rough(at->kinds + at->ledger->kind[k], &at->order, 1,
                                 &at->moment, at->norms, &rdp);
  return rdp * at->ledger->count[k];
}

/* Kinds of one curve as they are. */
static void copy_curve(const book *at, dpa_renyi_curve *curve, dpa_sketch *out) {
  for (size_t k = 0; k < at->ledger->entries; k++) {
    if (curve_of(at, k) != curve)
      continue;
    out->kind[out->entries] = at->ledger->kind[k];
    out->count[out->entries++] = at->ledger->count[k];
  }
}

/* Kinds of one curve in parts, each told by the one in its midst; whether that goes. */
static int sketch_curve(book *at, dpa_renyi_curve *curve, dpa_sketch *out) {
  double total = 0.0, before = 0.0, part = -1.0, within = 0.0, alone = 1.0;
  for (size_t k = 0; k < at->ledger->entries; k++)
    if (curve_of(at, k) == curve)
      total += cost_of(at, k);
  if (!(total > 0.0 && isfinite(total)))
    return 0;
  int midst = 0;
  for (size_t k = 0; k < at->ledger->entries; k++) {
    if (curve_of(at, k) != curve)
      continue;
    const double cost = cost_of(at, k);
    const double place = (before + cost / 2.0) / total * DPA_SKETCH_KINDS;
    const double own = fmin(floor(place), DPA_SKETCH_KINDS - 1.0);
    if (own > part) {
      part = own;
      within = 0.0;
      midst = 0;
      out->entries++;
    }
    const size_t entry = out->entries - 1;
    if (!midst) {
      out->kind[entry] = at->ledger->kind[k];
      alone = cost / at->ledger->count[k];
      midst = place - own >= 0.5;
    }
    within += cost;
    before += cost;
    out->count[entry] = within / alone;
  }
  return 1;
}

dpa_status dpa_sketch_ledger(const dpa_renyi_kind *kinds, const dpa_ledger *ledger,
                             double order, dpa_usual_norms *norms, dpa_sketch *out) {
  book at = {.kinds = kinds, .ledger = ledger, .order = order, .norms = norms};
  at.status = DPA_OK;
  memset(&at.moment, 0, sizeof at.moment);
  dpa_renyi_curve *curves[DPA_SKETCH_CURVES];
  size_t members[DPA_SKETCH_CURVES], n = 0, fewer = 0;
  out->entries = 0;
  for (size_t k = 0; k < ledger->entries; k++) {
    size_t c = 0;
    while (c < n && curves[c] != curve_of(&at, k))
      c++;
    if (c == DPA_SKETCH_CURVES)
      return DPA_OK;
    if (c == n) {
      curves[n] = curve_of(&at, k);
      members[n++] = 0;
    }
    members[c]++;
  }
  for (size_t c = 0; c < n; c++)
    fewer += members[c] < DPA_SKETCH_KINDS ? members[c] : DPA_SKETCH_KINDS;
  if (5 * fewer > 4 * ledger->entries)
    return DPA_OK;
  for (size_t c = 0; c < n; c++) {
    if (members[c] <= DPA_SKETCH_KINDS) {
      copy_curve(&at, curves[c], out);
    } else if (!sketch_curve(&at, curves[c], out)) {
      out->entries = 0;
      return at.status;
    }
  }
  return at.status;
}
