#include "rules/sparse_vector.h"

#include "random/draw.h"

#include <math.h>

dpa_status dpa_sparse_vector_ask(const dpa_sparse_vector *test, const dpa_key *key,
                                 uint32_t user, uint32_t round, double query,
                                 int *above) {
  const dpa_mechanism *laplace = &dpa_mechanism_laplace;
  double threshold, noise;
  if (!isfinite(query))
    return DPA_NUMERIC;
  dpa_status status =
      dpa_draw(laplace, key, user, test->fresh ? round : 0, DPA_NOISE_THRESHOLD,
               test->threshold_scale, &threshold, 1);
  if (status != DPA_OK)
    return status;
  status = dpa_draw(laplace, key, user, round, DPA_NOISE_QUERY, test->query_scale,
                    &noise, 1);
  if (status == DPA_OK)
    *above = query + noise >= test->threshold + threshold;
  return status;
}
