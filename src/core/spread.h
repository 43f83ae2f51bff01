/* Work that threads share: work(context, k) for k = 0, ..., count - 1, in no order. A
 * piece may spread work of its own: threads that have nothing else to do then help with
 * it, so that pieces of unlike length, or one too many, keep nobody waiting. Needs an
 * order of sums that does not hang on who does what. */
#ifndef DPA_SPREAD_H
#define DPA_SPREAD_H

#ifdef _OPENMP
#include <omp.h>
#endif

typedef void dpa_piece(void *context, int k);

static inline void dpa_spread(int count, int threads, dpa_piece *work, void *context) {
#if defined(_OPENMP) && _OPENMP >= 201511 /* since then tasks come in loops */
  if (threads > 1 && count > 1) {
    if (omp_in_parallel()) {
#pragma omp taskloop grainsize(1)
      for (int k = 0; k < count; k++)
        work(context, k);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
      for (int k = 0; k < count; k++)
        work(context, k);
    }
    return;
  }
#endif
  (void)threads;
  for (int k = 0; k < count; k++)
    work(context, k);
}

#endif
