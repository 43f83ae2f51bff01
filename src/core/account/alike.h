/* Releases that are nearly alike and so share an account: a larger size costs no less.
 */
#ifndef DPA_ACCOUNT_ALIKE_H
#define DPA_ACCOUNT_ALIKE_H

#include <stddef.h>

/* Groups, from 1 on, of parties that release the same things of other sizes: `size` has
 * a column of `rows` sizes a party, of which each row counts `count` times. Parties are
 * taken in the given order, of what their sizes add up to, `total`: of a group the
 * largest sizes, row by row, add up to at most 1 + `width` times the total of its first
 * one. `largest`: as many numbers as there are rows, to work in. */
void dpa_alike_groups(const double *size, const double *count, size_t rows,
                      const double *total, const int *order, size_t parties,
                      double width, double *largest, int *group);

#endif
