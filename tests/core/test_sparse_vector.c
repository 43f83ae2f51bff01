/* The sparse vector test: whose noise is shared, and its edges. */
#include "check.h"
#include "noise.h"
#include "sparse_vector.h"

#include <math.h>

static int ask(const dpa_sparse_vector *test, uint32_t node, uint32_t iteration,
               double query) {
  dpa_key key;
  dpa_key_from_seed(&key, 5);
  int above = -1;
  CHECK(dpa_sparse_vector_ask(test, &key, node, iteration, query, &above) == DPA_OK);
  return above;
}

/* The threshold noise as the answers show it: a query without noise, by bisection. */
static double shown_threshold(const dpa_sparse_vector *test, uint32_t iteration) {
  double low = -1e3, high = 1e3;
  for (int k = 0; k < 80; k++) {
    const double middle = 0.5 * (low + high);
    if (ask(test, 7, iteration, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

static void test_noise_is_shared_or_fresh(void) {
  dpa_sparse_vector test = {0.5, 3.0, 0.0, 2, 0};
  dpa_key key;
  dpa_rng rng;
  dpa_key_from_seed(&key, 5);
  dpa_rng_init(&rng, &key, 7, 0, DPA_NOISE_THRESHOLD);
  const double drawn = 0.5 + dpa_noise_laplace(&rng, 3.0);
  CHECK_NEAR(shown_threshold(&test, 1), drawn, 1e-12);
  CHECK_NEAR(shown_threshold(&test, 9), drawn, 1e-12);
  test.fresh = 1;
  dpa_rng_init(&rng, &key, 7, 9, DPA_NOISE_THRESHOLD);
  CHECK_NEAR(shown_threshold(&test, 9), 0.5 + dpa_noise_laplace(&rng, 3.0), 1e-12);
  CHECK(shown_threshold(&test, 1) != shown_threshold(&test, 9));
}

static void test_edges(void) {
  const dpa_sparse_vector test = {0.25, 0.0, 0.0, 1, 0};
  dpa_key key;
  int above = -1;
  dpa_key_from_seed(&key, 5);
  CHECK(ask(&test, 0, 1, 0.25) == 1);
  CHECK(ask(&test, 0, 1, 0.2499) == 0);
  CHECK(dpa_sparse_vector_ask(&test, &key, 0, 1, NAN, &above) == DPA_NUMERIC);
  CHECK(dpa_sparse_vector_ask(&test, &key, 0, 1, INFINITY, &above) == DPA_NUMERIC);
}

void test_sparse_vector(void) {
  test_noise_is_shared_or_fresh();
  test_edges();
}
