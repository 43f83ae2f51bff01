#include "account/alike.h"

#include <string.h>

/* As if the party were in the group whose largest sizes these are. */
static double joint_total(const double *size, const double *count, size_t rows,
                          const double *largest) {
  double sum = 0.0;
  for (size_t k = 0; k < rows; k++)
    sum += count[k] * (size[k] > largest[k] ? size[k] : largest[k]);
  return sum;
}

void dpa_alike_groups(const double *size, const double *count, size_t rows,
                      const double *total, const int *order, size_t parties,
                      double width, double *largest, int *group) {
  int now = 0;
  double bound = -1.0;
  for (size_t i = 0; i < parties; i++) {
    const size_t party = (size_t)order[i] - 1;
    const double *own = size + party * rows;
    if (now == 0 || joint_total(own, count, rows, largest) > bound) {
      now++;
      memcpy(largest, own, rows * sizeof *own);
      bound = total[party] * (1.0 + width);
    } else {
      for (size_t k = 0; k < rows; k++)
        largest[k] = own[k] > largest[k] ? own[k] : largest[k];
    }
    group[party] = now;
  }
}
