/* Dense rows that lie column by column, as a matrix of R does, or as terms of one
 * column each: the sums are in the order of rows that lie one after the other
 * (kernels.h). */
#ifndef DPA_COLUMNS_H
#define DPA_COLUMNS_H

#include "data/records.h"

/* As many rows at most: a column of terms is written out. */
#define DPA_COLUMN_ROWS 1024

static inline int dpa_by_columns(const dpa_records *records) {
  return records->full || (records->dense && records->lead);
}

/* The products of the rows as they are stored with f, length n. */
void dpa_columns_times(const dpa_records *records, const double *f, double *out);

/* g += the rows as they are stored, w[k] times row k, of DPA_COLUMN_ROWS rows at most.
 */
void dpa_columns_add(const dpa_records *records, const double *w, double *g);

/* Rows first, ..., first + count - 1, of DPA_COLUMN_ROWS at most, one after the other.
 */
void dpa_columns_rows(const dpa_records *records, size_t first, size_t count,
                      double *out);

#endif
