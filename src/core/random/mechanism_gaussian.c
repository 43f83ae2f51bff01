/* Independent normal entries of standard deviation `scale`. */
#include "random/discrete.h"
#include "random/mechanism.h"

#include <math.h>

/* Two independent standard normals by Box-Muller. */
static void normal_pair(dpa_stream *stream, double *first, double *second) {
  const double two_pi = 6.283185307179586476925;
  const double r = sqrt(2.0 * dpa_stream_exponential(stream, 0x1p-20));
  const double angle = two_pi * dpa_stream_uniform(stream);
  *first = r * cos(angle);
  *second = r * sin(angle);
}

static void draw(dpa_stream *stream, double scale, double *out, size_t d) {
  for (size_t i = 0; i < d; i += 2) {
    double first, second;
    normal_pair(stream, &first, &second);
    out[i] = scale * first;
    if (i + 1 < d)
      out[i + 1] = scale * second;
  }
}

static double sd(double scale, size_t d) {
  (void)d;
  return scale;
}

const dpa_mechanism dpa_mechanism_gaussian = {
    "gaussian", draw, sd, dpa_discrete_gaussian, NULL, NULL};
