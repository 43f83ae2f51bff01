/* Gamma-norm noise: a uniform direction times a Gamma norm of rate `scale`. */
#include "random/discrete.h"
#include "random/mechanism.h"

#include <math.h>

/* Two independent standard normals, each with a small relative error of the pair's
 * length, the second with one of its own: the angle is drawn in a quarter turn from 0,
 * where uniform numbers are fine, and the signs apart. */
static void normal_pair(dpa_stream *stream, double *first, double *second) {
  const double half_pi = 1.57079632679489661923;
  const double r = sqrt(2.0 * dpa_stream_exponential(stream, 0.5));
  const double angle = half_pi * dpa_stream_uniform(stream);
  const uint64_t signs = dpa_stream_word(stream);
  *first = signs >> 63 ? -r * cos(angle) : r * cos(angle);
  *second = signs >> 62 & 1 ? -r * sin(angle) : r * sin(angle);
}

/* An odd one out is the second of its pair. */
static void direction(dpa_stream *stream, double *out, size_t d) {
  double first, squares = 0.0;
  for (size_t i = 0; i + 1 < d; i += 2)
    normal_pair(stream, &out[i], &out[i + 1]);
  if (d % 2 == 1)
    normal_pair(stream, &first, &out[d - 1]);
  for (size_t i = 0; i < d; i++)
    squares += out[i] * out[i];
  const double length = sqrt(squares);
  for (size_t i = 0; i < d; i++)
    out[i] /= length;
}

static void draw(dpa_stream *stream, double scale, double *out, size_t d) {
  direction(stream, out, d);
  double norm = 0.0;
  for (size_t i = 0; i < d; i++)
    norm += dpa_stream_exponential(stream, 0.5);
  norm /= scale;
  for (size_t i = 0; i < d; i++)
    out[i] *= norm;
}

/* The mean square of the norm is d (d + 1) / alpha^2, shared by d entries alike. */
static double sd(double scale, size_t d) {
  return sqrt((double)d + 1.0) / scale;
}

static double length(double scale) {
  return 1.0 / scale;
}

const dpa_mechanism dpa_mechanism_gamma = {
    "gamma", draw, sd, dpa_discrete_gaussian, dpa_gamma_spread, length};
