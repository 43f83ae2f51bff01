/* Discrete noise: answers known from another language, the law at small scales by
 * chi-square, its size at large ones; and values as they are sent. */
#include "draws.h"
#include "random/discrete.h"
#include "random/draw.h"
#include "random/key.h"

#include <math.h>
#include <stdlib.h>

void test_discrete(void);

/* From tests/reference/streams.py. */
static void check_known(void) {
  static const uint64_t scale[3] = {3, 1000, UINT64_C(1099511640121)};
  static const int64_t gaussian[3][4] = {
      {-4, -8, 2, 4},
      {1601, 1733, 971, -1601},
      {INT64_C(-1760614799138), INT64_C(-1905941769065), INT64_C(-1068067467167),
       INT64_C(1761199881333)}};
  static const int64_t laplace[3][4] = {
      {-2, -1, -2, -7},
      {-1860, -1303, 1229, 672},
      {INT64_C(-2045420020520), INT64_C(-1433573094068), INT64_C(1351615323332),
       INT64_C(739065868754)}};
  for (int k = 0; k < 3; k++) {
    dpa_stream stream = stream_of(42);
    for (int i = 0; i < 4; i++)
      CHECK(dpa_discrete_gaussian(&stream, scale[k]) == gaussian[k][i]);
    stream = stream_of(42);
    for (int i = 0; i < 4; i++)
      CHECK(dpa_discrete_laplace(&stream, scale[k]) == laplace[k][i]);
  }
}

enum { N = 20000, REACH = 60 };

/* p-value of N draws at scale s against the law at scale `claimed`; cells of fewer than
 * 5 expected draws are joined. */
static double law_p(int gaussian, uint64_t s, double claimed) {
  static double count[2 * REACH + 1];
  double total = 0.0, statistic = 0.0, cells = 0.0;
  dpa_stream stream = stream_of(300 + s);
  for (int k = 0; k <= 2 * REACH; k++)
    count[k] = 0.0;
  for (int i = 0; i < N; i++) {
    const int64_t k =
        gaussian ? dpa_discrete_gaussian(&stream, s) : dpa_discrete_laplace(&stream, s);
    if (llabs(k) <= REACH)
      count[k + REACH] += 1.0;
  }
  for (int k = -2000; k <= 2000; k++)
    total +=
        gaussian ? exp(-k * k / (2.0 * claimed * claimed)) : exp(-abs(k) / claimed);
  double rest = 0.0, rest_expected = 0.0;
  for (int k = -REACH; k <= REACH; k++) {
    const double mass =
        gaussian ? exp(-k * k / (2.0 * claimed * claimed)) : exp(-abs(k) / claimed);
    const double expected = N * mass / total;
    if (expected < 5.0) {
      rest += count[k + REACH];
      rest_expected += expected;
      continue;
    }
    statistic += pow(count[k + REACH] - expected, 2.0) / expected;
    cells += 1.0;
  }
  if (rest_expected > 5.0) {
    statistic += pow(rest - rest_expected, 2.0) / rest_expected;
    cells += 1.0;
  }
  return chi_square_p(statistic, cells - 1.0);
}

static void check_laws(void) {
  for (int gaussian = 0; gaussian <= 1; gaussian++)
    for (uint64_t s = 1; s <= 5; s++) {
      PASSES(law_p(gaussian, s, (double)s));
      FAILS(law_p(gaussian, s, 1.1 * (double)s));
      FAILS(law_p(gaussian, s, (double)s / 1.1));
    }
}

/* On a fine grid the law is the continuous one. */
static void check_fine(void) {
  static double u[N];
  const uint64_t s = (UINT64_C(1) << 40) + 12345;
  dpa_stream stream = stream_of(7);
  for (int i = 0; i < N; i++)
    u[i] = normal_cdf((double)dpa_discrete_gaussian(&stream, s) / (double)s);
  PASSES(ks_p(u, N));
  for (int i = 0; i < N; i++) {
    const double x = (double)dpa_discrete_laplace(&stream, s) / (double)s;
    u[i] = x < 0.0 ? 0.5 * exp(x) : 1.0 - 0.5 * exp(-x);
  }
  PASSES(ks_p(u, N));
}

static void check_release(void) {
  static const double value[3] = {0.1, -2.0, 1e9};
  static const double known[3] = {-0.38038094411035672, -2.5200331764172006,
                                  999999999.70857954};
  dpa_key key;
  double out[3];
  dpa_key_from_seed(&key, 42);
  CHECK(dpa_release(&dpa_mechanism_gaussian, &key, 3, 7, 1, 0.3, value, out, 3) ==
        DPA_OK);
  const double grid = dpa_grid(0.3);
  CHECK(grid == 0x1p-42);
  for (int i = 0; i < 3; i++) {
    CHECK(out[i] == known[i]);
    CHECK(fmod(out[i], grid) == 0.0);
  }
  /* values that round alike are sent alike */
  const double rounded[2] = {3e11 * grid, -2.0},
               near[2] = {(3e11 + 0.4) * grid, -2.0 - 0.4 * grid};
  double first[2], again[2];
  CHECK(dpa_release(&dpa_mechanism_gaussian, &key, 3, 7, 1, 0.3, rounded, first, 2) ==
        DPA_OK);
  CHECK(dpa_release(&dpa_mechanism_gaussian, &key, 3, 7, 1, 0.3, near, again, 2) ==
        DPA_OK);
  CHECK(rounded[0] != near[0] && again[0] == first[0] && again[1] == first[1]);
  /* no noise: the value itself; noise below the range of grids: refused */
  CHECK(dpa_release(NULL, &key, 3, 7, 1, 0.0, value, out, 3) == DPA_OK);
  CHECK(out[0] == 0.1 && out[2] == 1e9);
  CHECK(dpa_release(&dpa_mechanism_gamma, &key, 3, 7, 1, 1e-310, value, out, 3) ==
        DPA_ARGUMENT);
  CHECK(dpa_release(&dpa_mechanism_gaussian, &key, 3, 7, 1, 1e-318, value, out, 3) ==
        DPA_ARGUMENT);
  const double huge[1] = {1.7e308};
  CHECK(dpa_release(&dpa_mechanism_gaussian, &key, 3, 7, 1, 1e308, huge, out, 1) ==
            DPA_NUMERIC ||
        isfinite(out[0]));
  CHECK(dpa_release(&dpa_mechanism_gaussian, &key, 3, 7, 1, 1e-280, huge, out, 1) ==
            DPA_OK &&
        out[0] == huge[0]);
}

void test_discrete(void) {
  check_known();
  check_laws();
  check_fine();
  check_release();
}
