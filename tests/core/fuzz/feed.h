/* What the fuzz targets (tools/fuzz-core) make of libFuzzer's bytes: numbers of all
 * sizes, zeros when there are no bytes left. */
#ifndef FEED_H
#define FEED_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct feed {
  const uint8_t *at;
  size_t left;
} feed;

/* A finding, unless it holds. */
#define MUST(ok)                                                                       \
  do {                                                                                 \
    if (!(ok)) {                                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #ok);                 \
      abort();                                                                         \
    }                                                                                  \
  } while (0)

static inline unsigned feed_byte(feed *from) {
  if (from->left == 0)
    return 0;
  from->left--;
  return *from->at++;
}

static inline size_t feed_below(feed *from, size_t n) {
  const size_t high = feed_byte(from);
  return (high << 8 | feed_byte(from)) % n;
}

/* Half of them usual, the others of any size, an end of the range, or any bits. */
static inline double feed_double(feed *from) {
  static const double ends[] = {0.0, 0x1p-1074, DBL_MIN, DBL_MAX, INFINITY, NAN};
  const unsigned how = feed_byte(from);
  double x = ((double)feed_below(from, 65536) - 32768.0) / 8192.0;
  if (how < 128)
    return x;
  if (how < 192)
    return ldexp(x, (int)feed_below(from, 2100) - 1080);
  if (how < 208)
    return copysign(ends[feed_below(from, sizeof ends / sizeof *ends)], x);
  uint64_t bits = 0;
  for (int k = 0; k < 8; k++)
    bits = bits << 8 | feed_byte(from);
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline double feed_finite(feed *from) {
  const double x = feed_double(from);
  return isfinite(x) ? x : 1.0;
}

static inline double feed_positive(feed *from) {
  const double x = fabs(feed_finite(from));
  return x > 0.0 ? x : DBL_MIN;
}

static inline double feed_share(feed *from) {
  const double x = feed_positive(from);
  return x > 1.0 ? 1.0 / x : x;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
