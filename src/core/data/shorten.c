#include "data/shorten.h"

#include <float.h>
#include <math.h>

/* With u = 2^-53, a sum of d squares of quotients is off by at most (d + 2) u, its root
 * by half of that and one u, and each product that follows by u: (d + 8) u covers it
 * all and the rounding of the shortened entries too. */
static double slack(size_t d) {
  return ((double)d + 8.0) * 0x1p-53;
}

dpa_length dpa_length_from(double squares, size_t d) {
  const int trusted = squares > 1e-280 && squares < 1e280;
  const dpa_length length = {1.0, trusted ? sqrt(squares) * (1.0 + slack(d)) : -1.0};
  return length;
}

dpa_length dpa_length_in(double biggest, double squares, size_t d) {
  const dpa_length length = {biggest,
                             biggest > 0.0 ? sqrt(squares) * (1.0 + slack(d)) : 0.0};
  return length;
}

dpa_length dpa_length_of(const double *x, size_t count, size_t stride, size_t d) {
  double sum = 0.0;
  for (size_t j = 0; j < count; j++)
    sum += x[j * stride] * x[j * stride];
  const dpa_length length = dpa_length_from(sum, d);
  if (length.root >= 0.0)
    return length;
  double biggest = 0.0;
  for (size_t j = 0; j < count; j++)
    biggest = fmax(biggest, fabs(x[j * stride]));
  sum = 0.0;
  for (size_t j = 0; biggest > 0.0 && j < count; j++) {
    const double share = x[j * stride] / biggest;
    sum += share * share;
  }
  return dpa_length_in(biggest, sum, d);
}

double dpa_length_value(dpa_length length) {
  const double value = length.unit * length.root;
  /* below the normal range a product may have been rounded down, by less than this */
  return value < 0x1p-1022 && value > 0.0 ? value + 0x1p-1074 : value;
}

double dpa_shortening(dpa_length length, size_t d, double bound) {
  if (isinf(bound) || dpa_length_value(length) <= bound)
    return 1.0;
  const double factor = bound / length.unit / length.root * (1.0 - slack(d));
  /* a factor below the normal range may have been rounded up: by less than this */
  return fmin(fmax(factor - 3 * 0x1p-1074, 0.0), 1.0);
}

double dpa_shorten(double *x, size_t d, double bound) {
  if (isinf(bound))
    return 1.0;
  const double factor = dpa_shortening(dpa_length_of(x, d, 1, d), d, bound);
  if (factor < 1.0)
    for (size_t j = 0; j < d; j++)
      x[j] *= factor;
  return factor;
}

double dpa_clip(double derivative, double norm, double clip) {
  const double size = fabs(derivative);
  if (norm == 0.0 || size * norm * (1.0 + 0x1p-50) <= clip)
    return norm == 0.0 ? 0.0 : derivative;
  if (isnan(derivative))
    return derivative;
  const double most = clip / norm * (1.0 - 0x1p-50);
  return copysign(fmin(fmin(most, size), DBL_MAX), derivative);
}
