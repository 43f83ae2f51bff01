/* Noise against its law, two-sided: with the scale that was asked for the test passes,
 * with two thirds and three halves of it the same test fails. */
#include "draws.h"
#include "random/mechanism.h"

#include <math.h>

void test_noise(void);

/* Computed from the definitions in mechanism.h with 40 digits in another language. */
static void check_known(void) {
  static const double gaussian[5] = {-0.3367461846532937, -1.1490474577507108,
                                     0.90788627684156797, -2.0037184808929456,
                                     -1.279304693786494};
  static const double gamma[5] = {-1.1535679263683531, -2.0905603356783415,
                                  -1.5627426221730112, -3.4894258901554873,
                                  -4.6215843890672526};
  static const double laplace[4] = {-0.5251286302864866, -0.44113776422442963,
                                    -0.084354871134611834, -0.12013761857509142};
  double out[6];
  dpa_stream stream = stream_of(42);
  out[5] = 99.0;
  dpa_mechanism_gaussian.draw(&stream, 2.5, out, 5);
  for (int i = 0; i < 5; i++)
    CHECK_NEAR(out[i], gaussian[i], 2e-15);
  CHECK(out[5] == 99.0); /* an odd length: the last sine is not written */
  stream = stream_of(42);
  dpa_mechanism_gamma.draw(&stream, 0.8, out, 5);
  for (int i = 0; i < 5; i++)
    CHECK_NEAR(out[i], gamma[i], 2e-15);
  CHECK(out[5] == 99.0);
  stream = stream_of(42);
  dpa_mechanism_laplace.draw(&stream, 1.5, out, 4);
  for (int i = 0; i < 4; i++)
    CHECK_NEAR(out[i], laplace[i], 2e-15);
}

/* ---- Gaussian --------------------------------------------------------------- */

enum { N = 5000 };

static double gaussian_ks(const double *x, double sigma) {
  static double u[N];
  for (int i = 0; i < N; i++)
    u[i] = normal_cdf(x[i] / sigma);
  return ks_p(u, N);
}

/* Two-sided p-value of the variance: the log of its estimate has sd sqrt(2 / N). */
static double gaussian_variance(const double *x, double sigma) {
  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += x[i] * x[i];
  return 2.0 * normal_cdf(-fabs(log(sum / N / (sigma * sigma))) * sqrt(N / 2.0));
}

static void check_gaussian(void) {
  static double x[N];
  const double sigma = 0.4;
  for (size_t d = 1; d <= 8; d++) { /* vectors of d, each from the same stream */
    dpa_stream stream = stream_of(100 + d);
    for (size_t i = 0; i + d <= N; i += d)
      dpa_mechanism_gaussian.draw(&stream, sigma, x + i, d);
    dpa_mechanism_gaussian.draw(&stream, sigma, x + N - N % d, N % d);
    PASSES(gaussian_ks(x, sigma));
    FAILS(gaussian_ks(x, sigma / 1.5));
    FAILS(gaussian_ks(x, sigma * 1.5));
    PASSES(gaussian_variance(x, sigma));
    FAILS(gaussian_variance(x, sigma / 1.5));
    FAILS(gaussian_variance(x, sigma * 1.5));
  }
  /* the two numbers of a pair are uncorrelated, and so are their squares */
  dpa_stream stream = stream_of(110);
  dpa_mechanism_gaussian.draw(&stream, 1.0, x, N);
  double product = 0.0, squares = 0.0;
  for (int i = 0; i < N; i += 2) {
    product += x[i] * x[i + 1];
    squares += (x[i] * x[i] - 1.0) * (x[i + 1] * x[i + 1] - 1.0);
  }
  PASSES(2.0 * normal_cdf(-fabs(product) / sqrt(N / 2.0)));
  PASSES(2.0 * normal_cdf(-fabs(squares) / sqrt(4.0 * N / 2.0)));
}

/* ---- Gamma-norm ------------------------------------------------------------- */

enum { VECTORS = 4000, MOST = 20 };

static double norm_of(const double *x, size_t d) {
  double sum = 0.0;
  for (size_t i = 0; i < d; i++)
    sum += x[i] * x[i];
  return sqrt(sum);
}

static double norm_ks(const double *norm, size_t d, double alpha) {
  static double u[VECTORS];
  for (int i = 0; i < VECTORS; i++)
    u[i] = gamma_cdf(alpha * norm[i], (double)d);
  return ks_p(u, VECTORS);
}

static void check_gamma(size_t d) {
  static double norm[VECTORS], first[VECTORS];
  const double alpha = 1.7, dim = (double)d;
  dpa_stream stream = stream_of(200 + d);
  double mean[MOST] = {0.0}, second[MOST][MOST] = {{0.0}}, with_norm = 0.0;
  for (int k = 0; k < VECTORS; k++) {
    double w[MOST];
    dpa_mechanism_gamma.draw(&stream, alpha, w, d);
    norm[k] = norm_of(w, d);
    for (size_t i = 0; i < d; i++) {
      w[i] /= norm[k];
      mean[i] += w[i];
    }
    for (size_t i = 0; i < d; i++)
      for (size_t j = 0; j <= i; j++)
        second[i][j] += w[i] * w[j];
    first[k] = w[0];
    with_norm += w[0] * (alpha * norm[k] - dim);
  }

  PASSES(norm_ks(norm, d, alpha));
  FAILS(norm_ks(norm, d, alpha / 1.5));
  FAILS(norm_ks(norm, d, alpha * 1.5));

  /* A uniform direction: E w = 0, E w w' = I/d; the fourth moments E w_i^4 =
   * 3/(d(d+2)) and E w_i^2 w_j^2 = 1/(d(d+2)) give the standard errors. */
  double mean_square = 0.0;
  for (size_t i = 0; i < d; i++)
    mean_square += mean[i] * mean[i] * dim / VECTORS;
  PASSES(chi_square_p(mean_square, dim));
  const double moment = 1.0 / (dim * (dim + 2.0));
  double largest = 0.0;
  for (size_t i = 0; i < d && d > 1; i++) {
    for (size_t j = 0; j <= i; j++) {
      double off = second[i][j] - (i == j ? VECTORS / dim : 0.0);
      double variance = i == j ? 3.0 * moment - 1.0 / (dim * dim) : moment;
      largest = fmax(largest, fabs(off) / sqrt(VECTORS * variance));
    }
  }
  PASSES(dim * (dim + 1.0) * normal_cdf(-largest)); /* d(d+1)/2 two-sided tests */

  /* norm and direction are independent */
  PASSES(2.0 * normal_cdf(-fabs(with_norm) / sqrt(VECTORS)));

  if (d == 1) { /* the sign */
    long negative = 0, unit = 0;
    for (int k = 0; k < VECTORS; k++) {
      unit += fabs(first[k]) == 1.0;
      negative += first[k] < 0.0;
    }
    CHECK(unit == VECTORS);
    double z = ((double)negative - VECTORS / 2.0) / sqrt(VECTORS / 4.0);
    PASSES(2.0 * normal_cdf(-fabs(z)));
  }
  if (d == 3) { /* a coordinate of a point on the sphere is uniform on (-1, 1) */
    for (int k = 0; k < VECTORS; k++)
      first[k] = (1.0 + first[k]) / 2.0;
    PASSES(ks_p(first, VECTORS));
  }
}

/* ---- Laplace ---------------------------------------------------------------- */

static double laplace_ks(const double *x, double scale) {
  static double u[N];
  for (int i = 0; i < N; i++) {
    double tail = 0.5 * exp(-fabs(x[i]) / scale);
    u[i] = x[i] < 0.0 ? tail : 1.0 - tail;
  }
  return ks_p(u, N);
}

static void check_laplace(void) {
  static double x[N];
  const double scale = 2.5;
  dpa_stream stream = stream_of(300);
  dpa_mechanism_laplace.draw(&stream, scale, x, N);
  PASSES(laplace_ks(x, scale));
  FAILS(laplace_ks(x, scale / 1.5));
  FAILS(laplace_ks(x, scale * 1.5));
}

void test_noise(void) {
  check_known();
  check_gaussian();
  check_gamma(1);
  check_gamma(2);
  check_gamma(3);
  check_gamma(20);
  check_laplace();
}
