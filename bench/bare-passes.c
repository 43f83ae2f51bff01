/* What two threads can gain at most where memory is the limit: passes over dense rows
 * and nothing else, with the core's own kernels, by one thread and by two that share
 * each pass. Prints the two times of a pass in milliseconds, a line a round.
 * bare-passes <rows> <columns> <rounds>; bench/dense.R builds and runs it. */
#include "data/kernels.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { BLOCK = 32, TIMES = 15, PAGE = 1 << 21 };

static void pass(const double *x, size_t n, size_t d, const double *v, double *margin,
                 double *sum) {
  for (size_t k = 0; k < n; k += BLOCK) {
    const size_t m = n - k < BLOCK ? n - k : BLOCK;
    dpa_rows_times(x + k * d, m, d, v, margin + k);
    dpa_rows_add(x + k * d, m, d, margin + k, sum);
  }
}

static double passes(const double *x, size_t n, size_t d, const double *v,
                     double *margin, double *sum, int threads) {
  const double begin = omp_get_wtime();
#pragma omp parallel num_threads(threads)
  {
    const size_t own = (size_t)omp_get_thread_num(), share = n / (size_t)threads;
    for (int k = 0; k < TIMES; k++) {
      pass(x + own * share * d, share, d, v, margin + own * share,
           sum + own * (d + 64));
#pragma omp barrier
    }
  }
  return 1e3 * (omp_get_wtime() - begin) / TIMES;
}

int main(int count, char **given) {
  if (count != 4)
    return 2;
  const size_t n = (size_t)atol(given[1]), d = (size_t)atol(given[2]);
  double *x = aligned_alloc(PAGE, (n * d * sizeof *x / PAGE + 1) * PAGE);
  double *v = calloc(d, sizeof *v), *margin = calloc(n, sizeof *margin);
  double *sum = calloc(2 * (d + 64), sizeof *sum);
  if (!x || !v || !margin || !sum)
    return 1;
#ifdef MADV_HUGEPAGE
  madvise(x, n * d * sizeof *x / PAGE * PAGE, MADV_HUGEPAGE);
#endif
  for (size_t k = 0; k < n * d; k++)
    x[k] = 1e-3 * (double)(k % 7);
  for (int round = 0; round < atoi(given[3]); round++) {
    const double one = passes(x, n, d, v, margin, sum, 1);
    printf("%.4f %.4f\n", one, passes(x, n, d, v, margin, sum, 2));
  }
  return 0;
}
