/* The sparse vector test: whose noise is shared, and its edges. */
#include "check.h"
#include "random/draw.h"
#include "random/key.h"
#include "rules/sparse_vector.h"

#include <math.h>

static int ask(const dpa_sparse_vector *test, uint32_t user, uint32_t round,
               double query) {
  dpa_key key;
  dpa_key_from_seed(&key, 5);
  int above = -1;
  return dpa_sparse_vector_ask(test, &key, user, round, query, &above) == DPA_OK ? above
                                                                                 : -1;
}

/* The threshold noise as the answers show it: a query without noise, by bisection. */
static double shown_threshold(const dpa_sparse_vector *test, uint32_t round) {
  double low = -1e3, high = 1e3;
  for (int k = 0; k < 80; k++) {
    const double middle = 0.5 * (low + high);
    if (ask(test, 7, round, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

static double threshold_noise(uint32_t round) {
  dpa_key key;
  int64_t steps;
  const double grid = dpa_grid(3.0);
  dpa_key_from_seed(&key, 5);
  CHECK(dpa_draw_steps(&dpa_mechanism_laplace, &key, 7, round, DPA_NOISE_THRESHOLD,
                       (uint64_t)(3.0 / grid), &steps, 1) == DPA_OK);
  return 0.5 + grid * ((double)steps - 0.5); /* the first that rounds to it */
}

static void test_noise_is_shared_or_fresh(void) {
  dpa_sparse_vector test = {0.5, 3.0, 0.0, 2, 0};
  CHECK_NEAR(shown_threshold(&test, 1), threshold_noise(0), 1e-12);
  CHECK_NEAR(shown_threshold(&test, 9), threshold_noise(0), 1e-12);
  test.fresh = 1;
  CHECK_NEAR(shown_threshold(&test, 9), threshold_noise(9), 1e-12);
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
