#include "random/discrete.h"

#define WORDS 4 /* 256 bits of a uniform number */

/* ---- whole numbers ----------------------------------------------------------- */

/* a b = high 2^64 + *low */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  const wide product = (wide)a * b;
  *low = (uint64_t)product;
  return (uint64_t)(product >> 64);
#else
  const uint64_t half = UINT64_C(0xffffffff);
  const uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
  const uint64_t low0 = a0 * b0, cross = a1 * b0 + (low0 >> 32);
  const uint64_t other = a0 * b1 + (cross & half);
  *low = other << 32 | (low0 & half);
  return a1 * b1 + (cross >> 32) + (other >> 32);
#endif
}

/* Uniform on 0, ..., n - 1, by one multiplication (Lemire 2019). */
static uint64_t below(dpa_stream *stream, uint64_t n) {
  uint64_t low, high = multiply(dpa_stream_word(stream), n, &low);
  if (low < n) {
    const uint64_t excess = (UINT64_MAX - n + 1) % n; /* 2^64 modulo n */
    while (low < excess)
      high = multiply(dpa_stream_word(stream), n, &low);
  }
  return high;
}

/* ---- uniform numbers, drawn word by word -------------------------------------- */

typedef struct lazy {
  uint64_t word[WORDS];
  int drawn;
} lazy;

static uint64_t word_of(dpa_stream *stream, lazy *u, int k) {
  if (k == u->drawn) {
    u->word[k] = dpa_stream_word(stream);
    u->drawn++;
  }
  return u->word[k];
}

static int undecided(dpa_stream *stream) {
  stream->spent = 1;
  return 0;
}

/* u < a / b, for 0 <= a <= b < 2^63. With w the next word of u, u b < a when what w
 * leaves of it, (a 2^64 - w b) / 2^64, exceeds b times the rest of u. */
static int less_than_ratio(dpa_stream *stream, lazy *u, uint64_t a, uint64_t b) {
  for (int k = 0; k < WORDS; k++) {
    uint64_t low;
    const uint64_t high = multiply(word_of(stream, u, k), b, &low);
    if (high >= a)
      return 0;
    if (a - high > 1 || low == 0 || UINT64_MAX - low + 1 >= b)
      return 1;
    a = UINT64_MAX - low + 1;
  }
  return undecided(stream);
}

static int less_than(dpa_stream *stream, lazy *u, lazy *v) {
  for (int k = 0; k < WORDS; k++) {
    const uint64_t one = word_of(stream, u, k), other = word_of(stream, v, k);
    if (one != other)
      return one < other;
  }
  return undecided(stream);
}

/* ---- trials --------------------------------------------------------------------- */

/* True with probability exp(-a / b), 0 <= a <= b (von Neumann): uniform numbers fall
 * from a / b on n times in a row with probability (a / b)^n / n!, and the answer is
 * whether n is even. With `half`, every fall must pass a second trial, of
 * a / (2 b), which makes it exp(-(a / b)^2 / 2). */
static int exponential_trial(dpa_stream *stream, uint64_t a, uint64_t b, int half) {
  lazy u[2];
  u[0].drawn = 0;
  if (!less_than_ratio(stream, &u[0], a, b))
    return 1;
  for (int n = 0;; n++) {
    if (half) {
      lazy v = {{0}, 0};
      if (!less_than_ratio(stream, &v, a, 2 * b))
        return n % 2 == 0;
    }
    u[(n + 1) % 2].drawn = 0;
    if (!less_than(stream, &u[(n + 1) % 2], &u[n % 2]) || stream->spent)
      return n % 2 != 0;
  }
}

/* P(q <= k), k = 0, ..., 17, for P(q) proportional to exp(-q^2 / 2): 256 bits, rounded
 * down. What is left, 2^-234, is q = 18; larger ones have 2^-261 together. */
static const uint64_t steps[][WORDS] = {
    {UINT64_C(0x92025b19482ce72b), UINT64_C(0xd40241fe3d8503e0),
     UINT64_C(0xa90d8b163a7013a0), UINT64_C(0x107b472853e41665)},
    {UINT64_C(0xea91798547a0ef93), UINT64_C(0xd55d4ff9ab842149),
     UINT64_C(0xf683a406378219ad), UINT64_C(0x5454e189748261d8)},
    {UINT64_C(0xfe5415c6e9da4bae), UINT64_C(0xeabab39c56d419be),
     UINT64_C(0x38e0391598c1226c), UINT64_C(0xf905de3f0a36d09d)},
    {UINT64_C(0xfff3523319908c11), UINT64_C(0xd937bd03927c2f09),
     UINT64_C(0x5527786a3cee4bef), UINT64_C(0x63131e4073b96c3f)},
    {UINT64_C(0xffffdc31b8ef5942), UINT64_C(0x488c43f4219a48e8),
     UINT64_C(0xd9e24cd12330590e), UINT64_C(0x4ea317abcaf86381)},
    {UINT64_C(0xffffffdaa2d72344), UINT64_C(0xf06d574f25e26ea2),
     UINT64_C(0xec37a2aba678cdd3), UINT64_C(0x39aaa05044453fee)},
    {UINT64_C(0xfffffffff1a20da4), UINT64_C(0x272e392479b0e3d6),
     UINT64_C(0x7d2ebf8fa0204b66), UINT64_C(0x02c8f790d9225265)},
    {UINT64_C(0xfffffffffffdf76c), UINT64_C(0x4ac9d6ef19667473),
     UINT64_C(0xd18eea62a41cce87), UINT64_C(0xfd974de970697b33)},
    {UINT64_C(0xffffffffffffffe4), UINT64_C(0xe341e1b0f4764936),
     UINT64_C(0xe37cd09a5f8a1551), UINT64_C(0x1cd14cf6a68a64f8)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xff7b01dedd7a579c),
     UINT64_C(0xa89dc75e2c0bf374), UINT64_C(0x357abb30b436397d)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffff100072148c),
     UINT64_C(0x64e7b694974e5607), UINT64_C(0xed8aea0bfac4c797)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffff60ab69),
     UINT64_C(0xa129848782cfed83), UINT64_C(0xf007059c71137169)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffd9),
     UINT64_C(0x163aa7dfb77b6057), UINT64_C(0xe5b7aff21103343e)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
     UINT64_C(0xfffc80f6bc17fffe), UINT64_C(0x80136cfb470d0178)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
     UINT64_C(0xffffffffe26a9bf5), UINT64_C(0x5655bf1321ed936b)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
     UINT64_C(0xffffffffffffffa3), UINT64_C(0xe952cea666182215)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
     UINT64_C(0xffffffffffffffff), UINT64_C(0xffff968b8ca5a58b)},
    {UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffffffff),
     UINT64_C(0xffffffffffffffff), UINT64_C(0xffffffffffd3930c)},
};
static const int steps_count = (int)(sizeof steps / sizeof *steps);

static int below_step(dpa_stream *stream, lazy *u, const uint64_t step[WORDS]) {
  for (int k = 0; k < WORDS; k++) {
    const uint64_t word = word_of(stream, u, k);
    if (word != step[k])
      return word < step[k];
  }
  return undecided(stream);
}

static int coarse_part(dpa_stream *stream) {
  lazy u;
  u.drawn = 0;
  int q = 0;
  while (q < steps_count && !below_step(stream, &u, steps[q]))
    q++;
  return q;
}

static int negative(dpa_stream *stream) {
  return (int)(dpa_stream_word(stream) >> 63);
}

/* ---- laws ------------------------------------------------------------------------ */

static int keep_fraction(dpa_stream *stream, int q, uint64_t r, uint64_t s) {
  if (!exponential_trial(stream, r, s, 1))
    return 0;
  for (int k = 0; k < q; k++)
    if (!exponential_trial(stream, r, s, 0))
      return 0;
  return 1;
}

int64_t dpa_discrete_gaussian(dpa_stream *stream, uint64_t s) {
  while (!stream->spent) {
    const int q = coarse_part(stream);
    const uint64_t r = below(stream, s);
    if (!keep_fraction(stream, q, r, s))
      continue;
    const int64_t size = (int64_t)((uint64_t)q * s + r);
    if (!negative(stream))
      return size;
    if (size > 0)
      return -size;
  }
  return 0;
}

int64_t dpa_discrete_laplace(dpa_stream *stream, uint64_t t) {
  while (!stream->spent) {
    const uint64_t r = below(stream, t);
    if (!exponential_trial(stream, r, t, 0))
      continue;
    uint64_t v = 0;
    while (v < 1000 && exponential_trial(stream, 1, 1, 0))
      v++;
    const int64_t size = (int64_t)(v * t + r);
    if (!negative(stream))
      return size;
    if (size > 0)
      return -size;
  }
  return 0;
}
