#include "sparse_vector.h"

#include "noise.h"

#include <math.h>

static dpa_status laplace(const dpa_key *key, uint32_t node, uint32_t iteration,
                          dpa_purpose purpose, double scale, double *out) {
  *out = 0.0;
  if (!(scale > 0.0))
    return DPA_OK;
  dpa_rng rng;
  dpa_rng_init(&rng, key, node, iteration, purpose);
  *out = dpa_noise_laplace(&rng, scale);
  const dpa_status status = dpa_rng_status(&rng);
  dpa_forget(&rng, sizeof rng);
  return status;
}

dpa_status dpa_sparse_vector_ask(const dpa_sparse_vector *test, const dpa_key *key,
                                 uint32_t node, uint32_t iteration, double query,
                                 int *above) {
  double threshold, noise;
  dpa_status status = laplace(key, node, test->fresh ? iteration : 0,
                              DPA_NOISE_THRESHOLD, test->threshold_scale, &threshold);
  if (status != DPA_OK)
    return status;
  status = laplace(key, node, iteration, DPA_NOISE_QUERY, test->query_scale, &noise);
  if (!isfinite(query))
    return DPA_NUMERIC;
  *above = query + noise >= test->threshold + threshold;
  return status;
}
