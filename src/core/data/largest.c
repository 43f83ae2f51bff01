#include "data/largest.h"

#include <stdint.h>
#include <string.h>

#include "clones.h"

#define PIECE ((int64_t)1 << 16) /* numbers that a thread looks at in one go */
#define LANES 8                  /* side by side, which compilers do at once */

/* The larger of a size, by its bits, and of a number's size: bits are in the same
 * order. */
DPA_INLINE int64_t larger_size(int64_t most, const double *value) {
  int64_t bits;
  memcpy(&bits, value, sizeof bits);
  bits &= INT64_MAX;
  return bits > most ? bits : most;
}

DPA_WORD_CLONES static int64_t largest_of(const double *x, size_t n) {
  int64_t most[LANES] = {0};
  size_t k = 0;
  for (; k + LANES <= n; k += LANES)
    for (size_t l = 0; l < LANES; l++)
      most[l] = larger_size(most[l], x + k + l);
  for (; k < n; k++)
    most[0] = larger_size(most[0], x + k);
  for (size_t l = 1; l < LANES; l++)
    most[0] = most[l] > most[0] ? most[l] : most[0];
  return most[0];
}

double dpa_largest(const double *x, size_t n, int threads) {
  (void)threads;
  const int64_t count = (int64_t)n;
  int64_t most = 0;
  double size;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads)                         \
    reduction(max                                                                      \
              : most) if (threads > 1 && count > PIECE)
#endif
  for (int64_t first = 0; first < count; first += PIECE) {
    const int64_t left = count - first;
    const int64_t found = largest_of(x + first, (size_t)(left < PIECE ? left : PIECE));
    most = found > most ? found : most;
  }
  memcpy(&size, &most, sizeof size);
  return size;
}
