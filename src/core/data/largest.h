/* The largest of many numbers by size, to see whether all are finite in one pass. */
#ifndef DPA_LARGEST_H
#define DPA_LARGEST_H

#include <stddef.h>

/* Not finite where one of the n numbers is not; 0 of none. */
double dpa_largest(const double *x, size_t n, int threads);

#endif
