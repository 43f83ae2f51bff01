/* What is done with rows, counted one by one where somebody counts. It depends on the
 * records, so it must not leave a private run. */
#ifndef DPA_WORK_H
#define DPA_WORK_H

#include <stdint.h>

typedef struct dpa_work {
  uint64_t times;    /* products with a vector */
  uint64_t back;     /* products back: rows that were added up */
  uint64_t squares;  /* rows in full curvatures */
  uint64_t diagonal; /* rows in diagonals */
  uint64_t read;     /* rows that were measured or copied */
  uint64_t factors;  /* Cholesky factors */
} dpa_work;

/* Several threads may count at once. */
static inline void dpa_add_work(uint64_t *counter, uint64_t more) {
#ifdef _OPENMP
#pragma omp atomic
#endif
  *counter += more;
}

/* work: NULL where nobody counts. */
#define DPA_COUNT(work, what, more)                                                    \
  do {                                                                                 \
    if (work)                                                                          \
      dpa_add_work(&(work)->what, (uint64_t)(more));                                   \
  } while (0)

#endif
