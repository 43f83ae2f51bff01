#include "data/record_loss.h"

#include <string.h>

#define BLOCK 256 /* margins with offsets, or labels of a byte, at a time */

const double *dpa_record_labels(const dpa_records *records, double *room) {
  if (!records->sign)
    return records->y;
  for (size_t k = 0; k < records->n; k++)
    room[k] = (double)records->sign[k];
  return room;
}

void dpa_record_shift(const dpa_records *records, double *x) {
  if (records->offset)
    for (size_t k = 0; k < records->n; k++)
      x[k] += records->offset[k];
}

void dpa_record_weigh(const dpa_records *records, double *x) {
  if (records->weight)
    for (size_t k = 0; k < records->n; k++)
      x[k] *= records->weight[k];
}

/* The predictors of these records: their margins, or those and offsets in `room`. */
static const double *predictors(const dpa_records *part, const double *margin,
                                double *room) {
  if (!part->offset)
    return margin;
  memcpy(room, margin, part->n * sizeof *room);
  dpa_record_shift(part, room);
  return room;
}

/* Records from `first` on that are looked at together. */
static dpa_records next_part(const dpa_records *records, size_t first) {
  const size_t left = records->n - first;
  const int some = records->offset || records->sign;
  return dpa_records_part(records, first, some && left > BLOCK ? BLOCK : left);
}

void dpa_record_values(const dpa_records *records, const dpa_loss *loss, double width,
                       const double *margin, double *value) {
  double room[BLOCK], label[BLOCK];
  for (size_t first = 0; first < records->n;) {
    const dpa_records part = next_part(records, first);
    loss->value(predictors(&part, margin + first, room),
                dpa_record_labels(&part, label), part.n, width, value + first);
    first += part.n;
  }
  dpa_record_weigh(records, value);
}

void dpa_record_slopes(const dpa_records *records, const dpa_loss *loss, double width,
                       const double *margin, double *derivative, double *curvature) {
  double room[BLOCK], label[BLOCK];
  for (size_t first = 0; first < records->n;) {
    const dpa_records part = next_part(records, first);
    loss->derivative(predictors(&part, margin + first, room),
                     dpa_record_labels(&part, label), part.n, width, derivative + first,
                     curvature ? curvature + first : NULL);
    first += part.n;
  }
  dpa_record_weigh(records, derivative);
  if (curvature)
    dpa_record_weigh(records, curvature);
}
