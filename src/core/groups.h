/* Rows that belong to groups, sorted by these. */
#ifndef DPA_GROUPS_H
#define DPA_GROUPS_H

#include <stddef.h>
#include <string.h>

/* The rows of group g, from 1 on, are row[k], start[g - 1] <= k < start[g], in the
 * order they come in. `start` has room for groups + 1. 0 when a row is of none. */
static inline int dpa_sort_groups(const int *group, size_t rows, size_t groups,
                                  size_t *start, size_t *row) {
  memset(start, 0, (groups + 1) * sizeof *start);
  for (size_t k = 0; k < rows; k++) {
    if (group[k] < 1 || (size_t)group[k] > groups)
      return 0;
    start[group[k]]++;
  }
  for (size_t g = 0; g < groups; g++)
    start[g + 1] += start[g];
  for (size_t k = rows; k-- > 0;) /* from the last one on */
    row[--start[group[k]]] = k;
  for (size_t g = 0; g < groups; g++)
    start[g] = start[g + 1];
  start[groups] = rows;
  return 1;
}

#endif
