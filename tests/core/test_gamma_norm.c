/* Gamma-norm noise on whole numbers: answers known from another language; its law,
 * worked out from its definition, by chi-square at small scales; at large ones the
 * continuous law; and values as they are sent with it. A shape that is off by 1/2
 * fails. */
#include "draws.h"
#include "random/discrete.h"
#include "random/draw.h"
#include "random/key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_gamma_norm(void);

/* The stream of draws.h, for functions that open it themselves. */
static dpa_key key_of(uint64_t seed) {
  dpa_key key;
  dpa_key_from_seed(&key, seed);
  return key;
}

/* Where nothing is drawn, entries that fail whatever is tested of them. */
static void draw(const dpa_key *key, uint32_t round, uint64_t s, int64_t *x, size_t d) {
  if (dpa_draw_steps(&dpa_mechanism_gamma, key, 3, round, 1, s, x, d) != DPA_OK)
    for (size_t j = 0; j < d; j++)
      x[j] = INT64_MAX;
}

/* From tests/reference/streams.py. */
static void check_known(void) {
  static const struct {
    uint64_t s;
    size_t d;
    uint64_t spread;
    int64_t first;
  } known[] = {
      {1, 1, 4, -5},
      {3, 2, 9, 4},
      {1000, 5, 3627, -907},
      {UINT64_C(1099511640121), 3, UINT64_C(3312849473557), INT64_C(5107709097411)},
      {UINT64_C(1) << 34, 1000, UINT64_C(533621021815), INT64_C(531965569465)}};
  static int64_t x[1000];
  const dpa_key key = key_of(42);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    dpa_stream stream = stream_of(42);
    CHECK(dpa_gamma_spread(&stream, known[k].s, known[k].d) == known[k].spread);
    draw(&key, 7, known[k].s, x, known[k].d);
    CHECK(x[0] == known[k].first);
  }
  dpa_stream stream = stream_of(1);
  CHECK(dpa_gamma_spread(&stream, 1, (size_t)1 << 26) == 0);
  CHECK(dpa_gamma_spread(&stream, UINT64_C(1) << 48, 1) == 0);
}

/* ---- the law on a coarse grid ---------------------------------------------------- */

enum { N = 30000, REACH = 40, SIDE = 2 * REACH + 1, SPREADS = 120 };

/* P(s chi < n) where chi^2 / 2 is of the Gamma law of `shape`. */
static double chi_cdf(double n, double s, double shape) {
  return gamma_cdf(n * n / (2.0 * s * s), shape);
}

/* P(x) = sum over n of P(n) exp(-||x||^2 / (2 n^2)) / theta(n)^d for d = 1 or 2, with
 * the common scale n = 2 + floor(s chi) and chi^2 / 2 of the Gamma law of `shape`. */
static void law_of(size_t d, double s, double shape, double *mass) {
  memset(mass, 0, SIDE * SIDE * sizeof *mass);
  for (int n = 2; n < SPREADS; n++) {
    double weight = chi_cdf(n - 1, s, shape) - chi_cdf(n - 2, s, shape), theta = 0.0;
    for (int k = -10 * SPREADS; k <= 10 * SPREADS; k++)
      theta += exp(-k * k / (2.0 * n * n));
    weight /= pow(theta, (double)d);
    for (int i = -REACH; i <= REACH; i++)
      for (int j = d > 1 ? -REACH : 0; j <= (d > 1 ? REACH : 0); j++)
        mass[(i + REACH) * SIDE + j + REACH] +=
            weight * exp(-(i * i + j * j) / (2.0 * n * n));
  }
}

static void count_draws(size_t d, uint64_t s, double *count) {
  const dpa_key key = key_of(500 + 10 * d + s);
  memset(count, 0, SIDE * SIDE * sizeof *count);
  for (uint32_t i = 0; i < N; i++) {
    int64_t x[2] = {0, 0};
    draw(&key, i, s, x, d);
    if (llabs(x[0]) <= REACH && llabs(x[1]) <= REACH)
      count[(x[0] + REACH) * SIDE + x[1] + REACH] += 1.0;
  }
}

/* Cells of fewer than 5 expected draws are one, with all that is outside. */
static double fit_p(const double *count, const double *mass) {
  double statistic = 0.0, cells = 0.0, rest = N, rest_expected = N;
  for (int k = 0; k < SIDE * SIDE; k++) {
    const double expected = N * mass[k];
    if (expected < 5.0)
      continue;
    statistic += pow(count[k] - expected, 2.0) / expected;
    cells += 1.0;
    rest -= count[k];
    rest_expected -= expected;
  }
  if (rest_expected > 1.0) {
    statistic += pow(rest - rest_expected, 2.0) / rest_expected;
    cells += 1.0;
  }
  return chi_square_p(statistic, cells - 1.0);
}

static void check_law(size_t d, uint64_t s) {
  static double count[SIDE * SIDE], mass[SIDE * SIDE];
  const double shape = ((double)d + 1.0) / 2.0, scale = (double)s;
  count_draws(d, s, count);
  law_of(d, scale, shape, mass);
  PASSES(fit_p(count, mass));
  law_of(d, scale, shape + 0.5, mass);
  FAILS(fit_p(count, mass));
  law_of(d, scale, shape - 0.5, mass);
  FAILS(fit_p(count, mass));
  law_of(d, 1.15 * scale, shape, mass);
  FAILS(fit_p(count, mass));
}

/* ---- on a fine grid ---------------------------------------------------------------
 */

enum { VECTORS = 4000, MOST = 20 };

/* The norm is Gamma distributed, and of every direction an entry's share of the square
 * is half of a Beta variate's: entry 0's square is on average 1 / d of it. */
static void check_fine(size_t d) {
  static double own[VECTORS], u[VECTORS];
  const uint64_t s = (UINT64_C(1) << 40) + 12345;
  const dpa_key key = key_of(600 + d);
  const double dim = (double)d;
  double share = 0.0, sign = 0.0;
  for (uint32_t i = 0; i < VECTORS; i++) {
    int64_t x[MOST];
    double square = 0.0;
    draw(&key, i, s, x, d);
    for (size_t j = 0; j < d; j++)
      square += pow((double)x[j] / (double)s, 2.0);
    own[i] = sqrt(square);
    share += pow((double)x[0] / (double)s, 2.0) / square;
    sign += x[0] < 0 ? -1.0 : 1.0;
  }
  for (int wrong = -1; wrong <= 1; wrong++) {
    for (int i = 0; i < VECTORS; i++)
      u[i] = gamma_cdf(own[i] * pow(1.5, wrong), dim);
    if (wrong == 0)
      PASSES(ks_p(u, VECTORS));
    else
      FAILS(ks_p(u, VECTORS));
  }
  PASSES(2.0 * normal_cdf(-fabs(sign) / sqrt(VECTORS)));
  if (d > 1) {
    const double variance = 3.0 / (dim * (dim + 2.0)) - 1.0 / (dim * dim);
    const double off = share - VECTORS / dim;
    PASSES(2.0 * normal_cdf(-fabs(off) / sqrt(VECTORS * variance)));
  }
}

/* ---- values ------------------------------------------------------------------------
 */

static void check_release(void) {
  static const double value[3] = {0.1, -2.0, 1e9};
  static const double known[3] = {-1.2936302930409056, -3.175898680308137,
                                  999999999.7738601};
  const dpa_key key = key_of(42);
  const dpa_mechanism *gamma = &dpa_mechanism_gamma;
  double out[3];
  CHECK(dpa_release(gamma, &key, 3, 7, 1, 1.0 / 0.3, value, out, 3) == DPA_OK);
  const double grid = dpa_grid(0.3);
  for (int i = 0; i < 3; i++)
    CHECK(out[i] == known[i] && fmod(out[i], grid) == 0.0);
  /* values that round alike are sent alike */
  const double rounded[2] = {3e11 * grid, -2.0},
               near[2] = {(3e11 + 0.4) * grid, -2.0 - 0.4 * grid};
  double first[2], again[2];
  CHECK(dpa_release(gamma, &key, 3, 7, 1, 1.0 / 0.3, rounded, first, 2) == DPA_OK);
  CHECK(dpa_release(gamma, &key, 3, 7, 1, 1.0 / 0.3, near, again, 2) == DPA_OK);
  CHECK(memcmp(first, again, sizeof first) == 0);
}

/* Of many entries the grid is coarser: no number of steps is beyond 2^53. */
static void check_many(void) {
  enum { D = 200000 };
  static double out[D];
  const dpa_key key = key_of(1);
  const double grid = dpa_grid(0.3 * sqrt((D + 1) / 8192.0));
  double most = 0.0;
  int on_grid = 1;
  memset(out, 0, sizeof out);
  CHECK(grid == 4.0 * dpa_grid(0.3));
  CHECK(dpa_release(&dpa_mechanism_gamma, &key, 3, 7, 1, 1.0 / 0.3, out, out, D) ==
        DPA_OK);
  for (int i = 0; i < D; i++) {
    on_grid &= fmod(out[i], grid) == 0.0;
    most = fmax(most, fabs(out[i]));
  }
  CHECK(on_grid && most / grid < 0x1p53 && most > 0.3 * sqrt(D));
}

void test_gamma_norm(void) {
  check_known();
  for (uint64_t s = 1; s <= 3; s++) {
    check_law(1, s);
    check_law(2, s);
  }
  check_fine(1);
  check_fine(2);
  check_fine(5);
  check_fine(20);
  check_release();
  check_many();
}
