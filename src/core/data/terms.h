/* Rows as terms: passes over them, term by term, with the sums of sparse rows: a term
 * adds at most one number to a row, so each sum has the same numbers in the same order.
 */
#ifndef DPA_TERMS_H
#define DPA_TERMS_H

#include "data/records.h"

size_t dpa_terms_stored(const dpa_records *records);

/* The products of the rows as they are stored with f, length n. */
void dpa_terms_times(const dpa_records *records, const double *f, double *out);

/* g += the rows as they are stored, w[k] times row k. */
void dpa_terms_add(const dpa_records *records, const double *w, double *g);

/* The codes of rows from `first` on, of its arrays, where a byte each tells its
 * `value`; else NULL. */
const uint8_t *dpa_term_codes(const dpa_term *term, size_t first);

/* What the term puts into rows first, ..., first + n - 1, of its arrays: where it is,
 * or in `room`. */
const double *dpa_term_values(const dpa_term *term, size_t first, size_t n,
                              double *room);

/* The entries of row k that are not 0, and their features; answers how many. x, col:
 * room for one of each term. */
size_t dpa_terms_row(const dpa_records *records, size_t k, double *x, int *col);

#endif
