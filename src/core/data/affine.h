/* The affine map A u + b, whole or at some entries: a block update costs its rows only.
 */
#ifndef DPA_AFFINE_H
#define DPA_AFFINE_H

#include <stddef.h>

/* out[k] = (A u + b)[at[k] - 1], k < count. A: d x d, column-major. */
void dpa_affine(const double *A, const double *b, const double *u, size_t d,
                const int *at, size_t count, double *out);

#endif
