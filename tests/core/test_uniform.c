/* Uniform numbers and whole numbers from a stream. */
#include "check.h"
#include "random/key.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_uniform(void);

/* ---- uniform numbers -------------------------------------------------------- */

/* A stream whose next words are the given ones (at most 8). */
static dpa_stream of_words(const uint64_t *words, unsigned n) {
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 5);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  stream.next = 8 * DPA_STREAM_BLOCKS - n;
  memcpy(stream.word + stream.next, words, n * sizeof *words);
  return stream;
}

static double uniform_of(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t words[3] = {a, b, c};
  dpa_stream stream = of_words(words, 3);
  return dpa_stream_uniform(&stream);
}

static void check_uniform_map(void) {
  const uint64_t full = ((uint64_t)1 << 52) - 1;                /* largest mantissa */
  CHECK(uniform_of(UINT64_MAX, 0, 0) == 1.0 - ldexp(1.0, -53)); /* nearest to 1 */
  CHECK(uniform_of((uint64_t)1 << 63, 0, 0) == 0.5);
  for (int zeros = 0; zeros < 12; zeros++) {
    uint64_t top = (uint64_t)1 << (63 - zeros);
    CHECK(uniform_of(top, 0, 0) == ldexp(1.0, -1 - zeros));
    CHECK(uniform_of(top | full, 0, 0) == ldexp(2.0 - ldexp(1.0, -52), -1 - zeros));
    /* high bits below the leading one do not count */
    CHECK(uniform_of((top - 1) | top, 0, 0) == uniform_of(top | full, 0, 0));
  }
  /* all 12 zero: the next word's leading zeros go on, and only they */
  CHECK(uniform_of(0, UINT64_MAX, 0) == ldexp(1.0, -13));
  CHECK(uniform_of(3, UINT64_MAX, 0) == ldexp(1.0 + 3.0 * ldexp(1.0, -52), -13));
  CHECK(uniform_of(0, (uint64_t)1 << 63, 0) == ldexp(1.0, -13));
  CHECK(uniform_of(full, 1, 0) == ldexp(2.0 - ldexp(1.0, -52), -76));
  CHECK(uniform_of(0, 0, (uint64_t)1 << 63) == ldexp(1.0, -77));
  CHECK(uniform_of(0, 0, 1) == ldexp(1.0, -140));

  /* how many words are used up */
  const uint64_t words[8] = {0, 0, 1, 7, (uint64_t)1 << 63, 11, 0, 0};
  dpa_stream stream = of_words(words, 8);
  dpa_stream_uniform(&stream);
  CHECK(dpa_stream_word(&stream) == 7);
  dpa_stream_uniform(&stream);
  CHECK(dpa_stream_word(&stream) == 11);
}

static void check_uniform_law(void) {
  enum { N = 20000 };
  static double u[N], deep[N];
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 7);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  for (int i = 0; i < N; i++) {
    u[i] = dpa_stream_uniform(&stream);
    /* given that the high 12 bits are zero it is uniform on (0, 2^-12) */
    stream.next = 8 * DPA_STREAM_BLOCKS;
    dpa_stream_word(&stream);
    stream.next = 0;
    stream.word[0] &= ((uint64_t)1 << 52) - 1;
    deep[i] = dpa_stream_uniform(&stream) * 4096.0;
  }
  int inside = 1;
  for (int i = 0; i < N; i++)
    inside = inside && u[i] > 0.0 && u[i] < 1.0 && deep[i] > 0.0 && deep[i] < 1.0;
  CHECK(inside);
  CHECK(ks_p(u, N) > 0.001);
  CHECK(ks_p(deep, N) > 0.001);
}

/* ---- whole numbers ---------------------------------------------------------- */

static uint64_t below_of(uint64_t n, uint64_t a, uint64_t b) {
  const uint64_t words[2] = {a, b};
  dpa_stream stream = of_words(words, 2);
  return dpa_stream_below(&stream, n);
}

static double chi_square(const long *count, int cells, double expected) {
  double sum = 0.0;
  for (int i = 0; i < cells; i++) {
    double off = (double)count[i] - expected;
    sum += off * off / expected;
  }
  return sum;
}

static void check_below(void) {
  const uint64_t half = (uint64_t)1 << 63;
  CHECK(below_of(1, 17, 0) == 0);
  CHECK(below_of(10, 127, 0) == 7);
  /* 2^64 - 1 is a multiple of 3: the largest word is drawn again */
  CHECK(below_of(3, UINT64_MAX, 4) == 1);
  CHECK(below_of(3, UINT64_MAX - 1, 4) == 2);
  /* a power of two divides 2^64: nothing is drawn again */
  CHECK(below_of(16, UINT64_MAX, 3) == 15);
  CHECK(below_of(half, UINT64_MAX, 3) == half - 1);
  /* only one multiple fits */
  CHECK(below_of(half + 1, half, 3) == half);
  CHECK(below_of(half + 1, half + 1, 3) == 3);
  CHECK(below_of(UINT64_MAX, UINT64_MAX, 3) == 3);
  CHECK(below_of(UINT64_MAX, UINT64_MAX - 1, 3) == UINT64_MAX - 1);

  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 8);
  dpa_stream_init(&stream, &key, 0, 0, DPA_SAMPLING);
  for (uint64_t n = 2; n <= 11; n++) {
    long count[12] = {0}; /* the last: outside */
    for (int i = 0; i < 11000; i++) {
      uint64_t k = dpa_stream_below(&stream, n);
      count[k < n ? k : 11]++;
    }
    CHECK(count[11] == 0);
    CHECK(chi_square_p(chi_square(count, (int)n, 11000.0 / (double)n),
                       (double)n - 1.0) > 0.001);
  }
  /* A plain remainder would put half of the draws into the first third here. */
  long count[3] = {0};
  for (int i = 0; i < 9000; i++)
    count[dpa_stream_below(&stream, 3 * (half / 2)) / (half / 2)]++;
  CHECK(chi_square_p(chi_square(count, 3, 3000.0), 2.0) > 0.001);
  const long biased[3] = {4500, 2250, 2250};
  CHECK(chi_square_p(chi_square(biased, 3, 3000.0), 2.0) < 1e-9);
}

void test_uniform(void) {
  check_uniform_map();
  check_uniform_law();
  check_below();
}
