/* Gamma-norm noise: a uniform direction times a Gamma norm of rate `scale`. */
#include "random/mechanism.h"

#include <math.h>

static void draw(dpa_stream *stream, double scale, double *out, size_t d) {
  dpa_mechanism_gaussian.draw(stream, 1.0, out, d);
  double squares = 0.0, norm = 0.0;
  for (size_t i = 0; i < d; i++)
    squares += out[i] * out[i];
  for (size_t i = 0; i < d; i++)
    norm -= log(dpa_stream_uniform(stream));
  norm /= scale;
  const double length = sqrt(squares);
  for (size_t i = 0; i < d; i++)
    out[i] = norm * (out[i] / length);
}

/* The mean square of the norm is d (d + 1) / alpha^2, shared by d entries alike. */
static double sd(double scale, size_t d) {
  return sqrt((double)d + 1.0) / scale;
}

const dpa_mechanism dpa_mechanism_gamma = {"gamma", draw, sd};
