/* A ledger of few kinds in the place of one of many: what that costs at an order, and
 * about what it costs at others. No bound: it tells where to look. */
#ifndef DPA_ACCOUNT_SKETCH_H
#define DPA_ACCOUNT_SKETCH_H

#include "account/orders.h"
#include "account/renyi.h"

#include <stddef.h>

/* So many curves at most, and so many kinds of each. */
#define DPA_SKETCH_CURVES 8
#define DPA_SKETCH_KINDS 8

typedef struct dpa_sketch {
  int kind[DPA_SKETCH_CURVES * DPA_SKETCH_KINDS];
  double count[DPA_SKETCH_CURVES * DPA_SKETCH_KINDS];
  size_t entries;
} dpa_sketch;

/* Each kind of the sketch stands for a part of the kinds of its curve, about as dear as
 * the others' parts, and is as dear at `order`, by rough divergences. No entries: not
 * all costs are known, or there would hardly be fewer. */
dpa_status dpa_sketch_ledger(const dpa_renyi_kind *kinds, const dpa_ledger *ledger,
                             double order, dpa_usual_norms *norms, dpa_sketch *out);

#endif
