#include "rules/sparse_vector.h"

#include "random/draw.h"

#include <math.h>

#define MOST_STEPS 0x1p50 /* of a scale: no sum leaves the range of whole numbers */
#define MOST_VALUE 0x1p60 /* of a query or a threshold */

double dpa_sparse_vector_grid(const dpa_sparse_vector *test) {
  const double a = test->threshold_scale, b = test->query_scale;
  const double least = a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b);
  double grid = dpa_grid(least);
  while (grid > 0.0 && fmax(a, b) / grid > MOST_STEPS)
    grid *= 2.0;
  while (grid > 0.0 && fabs(test->threshold) / grid > MOST_VALUE / 2.0)
    grid *= 2.0;
  return grid;
}

/* Noise of a scale in steps of the grid, rounded up; 0 for none. */
static dpa_status steps_of(const dpa_key *key, uint32_t user, uint32_t round,
                           dpa_purpose purpose, double scale, double grid,
                           int64_t *out) {
  *out = 0;
  if (scale == 0.0)
    return DPA_OK;
  return dpa_draw_steps(&dpa_mechanism_laplace, key, user, round, purpose,
                        (uint64_t)ceil(scale / grid), out, 1);
}

dpa_status dpa_sparse_vector_ask(const dpa_sparse_vector *test, const dpa_key *key,
                                 uint32_t user, uint32_t round, double query,
                                 int *above) {
  const double grid = dpa_sparse_vector_grid(test);
  int64_t threshold, noise;
  if (!isfinite(query))
    return DPA_NUMERIC;
  if (grid == 0.0) { /* no noise */
    *above = query >= test->threshold;
    return test->threshold_scale == 0.0 && test->query_scale == 0.0 ? DPA_OK
                                                                    : DPA_ARGUMENT;
  }
  dpa_status status = steps_of(key, user, test->fresh ? round : 0, DPA_NOISE_THRESHOLD,
                               test->threshold_scale, grid, &threshold);
  if (status == DPA_OK)
    status =
        steps_of(key, user, round, DPA_NOISE_QUERY, test->query_scale, grid, &noise);
  if (status != DPA_OK)
    return status;
  /* far beyond the threshold a query may as well be nearer */
  const double most = MOST_VALUE;
  const double asked = fmin(fmax(query / grid, -most), most);
  *above =
      (int64_t)rint(asked) + noise >= (int64_t)rint(test->threshold / grid) + threshold;
  return DPA_OK;
}
