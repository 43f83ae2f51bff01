#include "sample.h"

/* Selection sampling: the next one is taken with probability (still to take) / (left).
 */
void dpa_sample_fixed(dpa_rng *rng, size_t n, size_t m, int *out) {
  size_t taken = 0;
  for (size_t i = 0; i < n && taken < m; i++) {
    if (dpa_rng_below(rng, n - i) < m - taken)
      out[taken++] = (int)i;
  }
}

size_t dpa_sample_poisson(dpa_rng *rng, size_t n, double q, int *out) {
  size_t taken = 0;
  for (size_t i = 0; i < n; i++)
    if (dpa_rng_uniform(rng) < q)
      out[taken++] = (int)i;
  return taken;
}
