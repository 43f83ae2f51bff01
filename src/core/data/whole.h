/* Dense rows of whole numbers, four bytes each as R has them: they are written out as
 * doubles some at a time, so that sums are those of such rows, to the last bit. */
#ifndef DPA_WHOLE_H
#define DPA_WHOLE_H

#include "data/records.h"

/* A row of so many at most is put together on the stack. */
#define DPA_MOST_WHOLE DPA_MOST_TERMS

/* Rows first, ..., first + count - 1, one after the other. */
void dpa_whole_rows(const dpa_records *records, size_t first, size_t count,
                    double *out);

/* The products of the rows as they are stored with f, length n. */
void dpa_whole_times(const dpa_records *records, const double *f, double *out);

/* g += the rows as they are stored, w[k] times row k. */
void dpa_whole_add(const dpa_records *records, const double *w, double *g);

/* The same rows, written out to `room` (n * d) where they are whole numbers. */
dpa_records dpa_whole_written(const dpa_records *records, double *room);

#endif
