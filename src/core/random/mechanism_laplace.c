/* Independent Laplace entries of scale `scale`. */
#include "random/discrete.h"
#include "random/mechanism.h"

#include <math.h>

static void draw(dpa_stream *stream, double scale, double *out, size_t d) {
  for (size_t i = 0; i < d; i++) {
    const int negative = (int)(dpa_stream_word(stream) >> 63);
    const double size = scale * dpa_stream_exponential(stream, 0.5);
    out[i] = negative ? -size : size;
  }
}

static double sd(double scale, size_t d) {
  (void)d;
  return sqrt(2.0) * scale;
}

const dpa_mechanism dpa_mechanism_laplace = {"laplace", draw, sd, dpa_discrete_laplace,
                                             NULL,      NULL};
