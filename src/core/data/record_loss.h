/* The losses of records: record k counts weight[k] L(y[k], margin[k] + offset[k]). This
 * is the one place where weights and offsets meet a loss. Margins are those of the rows
 * alone, as dpa_records_margin() has them: an offset is added last, with one rounding
 * relative to the sum. */
#ifndef DPA_RECORD_LOSS_H
#define DPA_RECORD_LOSS_H

#include "data/loss.h"
#include "data/records.h"

/* The labels of these records: where they are, or in `room`, as many numbers. */
const double *dpa_record_labels(const dpa_records *records, double *room);

/* value[k] of every record. */
void dpa_record_values(const dpa_records *records, const dpa_loss *loss, double width,
                       const double *margin, double *value);

/* derivative[k] of every record in its margin; curvature[k] the second one, unless
 * curvature is NULL. */
void dpa_record_slopes(const dpa_records *records, const dpa_loss *loss, double width,
                       const double *margin, double *derivative, double *curvature);

/* x[k] += offset[k], and x[k] *= weight[k]: for a loss that is met elsewhere. */
void dpa_record_shift(const dpa_records *records, double *x);
void dpa_record_weigh(const dpa_records *records, double *x);

#endif
