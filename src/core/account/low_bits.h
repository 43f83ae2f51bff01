/* What the last bits of released doubles say against values that they may come from. */
#ifndef DPA_ACCOUNT_LOW_BITS_H
#define DPA_ACCOUNT_LOW_BITS_H

#include <stddef.h>

#define DPA_LOW_BITS 5 /* numbers a row */

/* Of n rows of d values each, over the entries in which `truth`, which they may come
 * from, is unlike `other`; matrices are column-major, out n x DPA_LOW_BITS:
 * the share of entries that no noise scale * z can have made of the truth, z a double;
 * the share of grids, powers of two well below the scale, that the rest is not on;
 * the mean place of the last bit of the rest, and of the value; the least of the
 * latter. 0 where there are no such entries. `scale` is one for all or, where they are
 * not `alike`, one a row. */
void dpa_low_bits(size_t n, size_t d, const double *values, const double *truth,
                  const double *other, const double *scale, int alike, double *out);

#endif
