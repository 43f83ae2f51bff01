#include "account/low_bits.h"

#include <math.h>
#include <stdint.h>

/* Steps of the grids: so far below the scale, in bits, and so far apart. */
#define GRIDS 6
#define SHALLOWEST 24
#define APART 4

/* The double k steps away from x, away from 0 for k > 0. */
static double steps_from(double x, int k) {
  for (; k > 0 && x != 0.0; k--)
    x = nextafter(x, copysign(INFINITY, x));
  for (; k < 0; k++)
    x = nextafter(x, 0.0);
  return x;
}

/* Whether some z gives it: both operations, the product and the sum, are rounded. */
static int is_reached(double value, double truth, double noise, double scale) {
  const double z = noise / scale;
  return truth + noise == value &&
         (scale * z == noise || scale * steps_from(z, 1) == noise ||
          scale * steps_from(z, -1) == noise);
}

static int is_impossible(double value, double truth, double scale) {
  static const int around[] = {0, -1, 1, -2, 2};
  const double rest = value - truth;
  /* noise so small that a sum hides its last bits */
  if (fabs(rest) < fabs(value) / 4.0)
    return 0;
  for (size_t k = 0; k < sizeof around / sizeof *around; k++)
    if (is_reached(value, truth, steps_from(rest, around[k]), scale))
      return 0;
  return 1;
}

/* The exponent of the last bit that is set; for 0 that of the largest double, and for
 * what is beyond it. */
static int last_bit(double x) {
  int exponent;
  if (x == 0.0 || !isfinite(x))
    return 1023;
  const uint64_t bits = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
  return exponent - 53 + ilogb((double)(bits & (~bits + 1)));
}

void dpa_low_bits(size_t n, size_t d, const double *values, const double *truth,
                  const double *other, const double *scale, int alike, double *out) {
  for (size_t k = 0; k < n; k++) {
    const double s = scale[alike ? 0 : k];
    const int unit = isfinite(s) && s > 0.0 ? (int)floor(log2(s)) : 0;
    double count = 0.0, off[GRIDS] = {0}, found[DPA_LOW_BITS] = {0};
    found[4] = INFINITY;
    for (size_t j = k; j < n * d; j += n) {
      if (truth[j] == other[j])
        continue;
      const double rest = values[j] - truth[j];
      const int own = last_bit(values[j]);
      count += 1.0;
      found[0] += is_impossible(values[j], truth[j], s);
      double at = ldexp(rest, SHALLOWEST - unit);
      for (int g = 0; g < GRIDS; g++, at *= 1 << APART)
        off[g] += fabs(at - rint(at));
      found[2] += last_bit(rest);
      found[3] += own;
      found[4] = fmin(found[4], own);
    }
    /* entries on no grid are 1/4 away; those on one by rounding only */
    for (int g = 0; g < GRIDS; g++)
      found[1] += off[g] > 0.02 * count;
    found[0] /= fmax(count, 1.0);
    found[1] /= GRIDS;
    found[2] /= fmax(count, 1.0);
    found[3] /= fmax(count, 1.0);
    if (count == 0.0)
      found[4] = 0.0;
    for (size_t c = 0; c < DPA_LOW_BITS; c++)
      out[c * n + k] = found[c];
  }
}
