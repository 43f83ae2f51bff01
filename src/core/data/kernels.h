/* Products with a dense block of rows, row after row in memory. Sums are taken in an
 * order that depends on the sizes alone, so they are the same for any number of threads
 * and on every machine whose compiler knows GNU's vectors, as those do with which R is
 * built; wherever the processor has wide ones they are used. */
#ifndef DPA_KERNELS_H
#define DPA_KERNELS_H

#include <stddef.h>

/* out[k] = (row k)'f for n rows of d: each a function of its row and f alone. */
void dpa_rows_times(const double *x, size_t n, size_t d, const double *f, double *out);

/* g += sum_k w[k] (row k) */
void dpa_rows_add(const double *x, size_t n, size_t d, const double *w, double *g);

/* n rows of d whole numbers as doubles, row k times times[k] (NULL: 1), behind *front
 * where that is not NULL. */
void dpa_whole_write(const int *x, size_t n, size_t d, const double *times,
                     const double *front, double *out);

/* sum[k] += a[k] fa and, unless b is NULL, then b[k] fb, of n rows of a column. */
void dpa_columns_sum(const double *a, const double *b, size_t n, double fa, double fb,
                     double *sum);

/* out[k] += sum_j (x[j * lead + k])^2, in the order of the columns j. */
void dpa_columns_squares(const double *x, size_t n, size_t lead, size_t d, double *out);

#define DPA_SQUARE_COLUMNS 4

/* H += sum_k w[k] (row k)(row k)' (w NULL: 1), the lower triangle of a d x d
 * column-major matrix: columns j, ..., j + DPA_SQUARE_COLUMNS - 1 of it, as far as
 * there are any. */
void dpa_rows_square(const double *x, const double *w, size_t n, size_t d, size_t j,
                     double *H);

#endif
