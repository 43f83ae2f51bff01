/* The common scale of the entries of Gamma-norm noise on whole numbers. */
#include "random/discrete.h"
#include "random/wide.h"

#define FINER 12 /* bits: so much finer than the noise is its scale drawn */

/* The largest whole number whose square is at most high 2^64 + low. */
static uint64_t root(uint64_t high, uint64_t low) {
  uint64_t r = 0;
  for (uint64_t bit = UINT64_C(1) << 63; bit > 0; bit >>= 1) {
    uint64_t rest;
    const uint64_t square = dpa_multiply(r | bit, r | bit, &rest);
    if (square < high || (square == high && rest <= low))
      r |= bit;
  }
  return r;
}

uint64_t dpa_gamma_spread(dpa_stream *stream, uint64_t s, size_t d) {
  uint64_t high = 0, low = 0;
  /* no entry is beyond 18.2 standard deviations: their squares stay below 2^128 */
  if (d >> 26 != 0 || (double)s * (double)s * ((double)d + 1.0) > 0x1.1p95)
    return 0;
  for (size_t i = 0; i <= d; i++) {
    const int64_t h = dpa_discrete_gaussian(stream, s << FINER);
    const uint64_t size = h < 0 ? 0 - (uint64_t)h : (uint64_t)h;
    uint64_t rest;
    high += dpa_multiply(size, size, &rest);
    low += rest;
    high += low < rest;
  }
  return 2 + (root(high, low) >> FINER);
}
