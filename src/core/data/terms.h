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

/* The entries of row k that are not 0, and their features; answers how many. x, col:
 * room for one of each term. */
size_t dpa_terms_row(const dpa_records *records, size_t k, double *x, int *col);

#endif
