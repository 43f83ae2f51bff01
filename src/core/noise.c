#include "noise.h"

#include <math.h>

/* Two independent standard normals by Box-Muller. */
static void normal_pair(dpa_rng *rng, double *first, double *second) {
  const double two_pi = 6.283185307179586476925;
  double u1 = dpa_rng_uniform(rng);
  double u2 = dpa_rng_uniform(rng);
  double r = sqrt(-2.0 * log(u1));
  *first = r * cos(two_pi * u2);
  *second = r * sin(two_pi * u2);
}

void dpa_noise_gaussian(dpa_rng *rng, double sigma, double *out, size_t d) {
  for (size_t i = 0; i < d; i += 2) {
    double first, second;
    normal_pair(rng, &first, &second);
    out[i] = sigma * first;
    if (i + 1 < d) {
      out[i + 1] = sigma * second;
    }
  }
}

void dpa_noise_gamma(dpa_rng *rng, double alpha, double *out, size_t d) {
  dpa_noise_gaussian(rng, 1.0, out, d);
  double squares = 0.0, norm = 0.0;
  for (size_t i = 0; i < d; i++) {
    squares += out[i] * out[i];
  }
  for (size_t i = 0; i < d; i++) {
    norm -= log(dpa_rng_uniform(rng));
  }
  norm /= alpha;
  double length = sqrt(squares);
  for (size_t i = 0; i < d; i++) {
    out[i] = norm * (out[i] / length);
  }
}

double dpa_noise_laplace(dpa_rng *rng, double scale) {
  int negative = (int)(dpa_rng_word(rng) >> 63);
  double size = -scale * log(dpa_rng_uniform(rng));
  return negative ? -size : size;
}
