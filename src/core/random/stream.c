#include "random/stream.h"

#include <math.h>
#include <string.h>

#include "clones.h"

/* ---- ChaCha20 -------------------------------------------------------------- */

static const uint32_t chacha_constants[4] = {0x61707865, 0x3320646e, 0x79622d32,
                                             0x6b206574}; /* "expand 32-byte k" */

#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define QUARTER_ROUND(a, b, c, d)                                                      \
  do {                                                                                 \
    a += b;                                                                            \
    d = ROTATE(d ^ a, 16);                                                             \
    c += d;                                                                            \
    b = ROTATE(b ^ c, 12);                                                             \
    a += b;                                                                            \
    d = ROTATE(d ^ a, 8);                                                              \
    c += d;                                                                            \
    b = ROTATE(b ^ c, 7);                                                              \
  } while (0)

/* Sixteen local variables rather than an array: compilers then keep them in registers,
 * which is worth a factor of two to three. */
static void chacha_block(const uint32_t s[16], uint32_t out[16]) {
  uint32_t x0 = s[0], x1 = s[1], x2 = s[2], x3 = s[3];
  uint32_t x4 = s[4], x5 = s[5], x6 = s[6], x7 = s[7];
  uint32_t x8 = s[8], x9 = s[9], x10 = s[10], x11 = s[11];
  uint32_t x12 = s[12], x13 = s[13], x14 = s[14], x15 = s[15];
  for (int pair = 0; pair < 10; pair++) {
    QUARTER_ROUND(x0, x4, x8, x12);
    QUARTER_ROUND(x1, x5, x9, x13);
    QUARTER_ROUND(x2, x6, x10, x14);
    QUARTER_ROUND(x3, x7, x11, x15);
    QUARTER_ROUND(x0, x5, x10, x15);
    QUARTER_ROUND(x1, x6, x11, x12);
    QUARTER_ROUND(x2, x7, x8, x13);
    QUARTER_ROUND(x3, x4, x9, x14);
  }
  const uint32_t x[16] = {x0, x1, x2,  x3,  x4,  x5,  x6,  x7,
                          x8, x9, x10, x11, x12, x13, x14, x15};
  for (int i = 0; i < 16; i++)
    out[i] = x[i] + s[i];
}

/* The same for several blocks with consecutive counters at once, lane by lane, where
 * the compiler has vectors: as words of the key stream. */
#ifdef __GNUC__
typedef uint32_t lanes __attribute__((vector_size(4 * DPA_STREAM_BLOCKS)));

DPA_WORD_CLONES static void chacha_blocks(const uint32_t s[16],
                                          uint64_t word[8 * DPA_STREAM_BLOCKS]) {
  lanes x[16], start[16];
  for (int i = 0; i < 16; i++)
    start[i] = (lanes){0} + s[i];
  for (int b = 0; b < DPA_STREAM_BLOCKS; b++)
    start[12][b] += (uint32_t)b;
  for (int i = 0; i < 16; i++)
    x[i] = start[i];
  for (int pair = 0; pair < 10; pair++) {
    QUARTER_ROUND(x[0], x[4], x[8], x[12]);
    QUARTER_ROUND(x[1], x[5], x[9], x[13]);
    QUARTER_ROUND(x[2], x[6], x[10], x[14]);
    QUARTER_ROUND(x[3], x[7], x[11], x[15]);
    QUARTER_ROUND(x[0], x[5], x[10], x[15]);
    QUARTER_ROUND(x[1], x[6], x[11], x[12]);
    QUARTER_ROUND(x[2], x[7], x[8], x[13]);
    QUARTER_ROUND(x[3], x[4], x[9], x[14]);
  }
  for (int i = 0; i < 8; i++) {
    const lanes low = x[2 * i] + start[2 * i], high = x[2 * i + 1] + start[2 * i + 1];
    for (int b = 0; b < DPA_STREAM_BLOCKS; b++)
      word[8 * b + i] = (uint64_t)high[b] << 32 | low[b];
  }
}
#else
static void chacha_blocks(const uint32_t s[16], uint64_t word[8 * DPA_STREAM_BLOCKS]) {
  uint32_t state[16], block[16];
  memcpy(state, s, sizeof state);
  for (int b = 0; b < DPA_STREAM_BLOCKS; b++, state[12]++) {
    chacha_block(state, block);
    for (int i = 0; i < 8; i++)
      word[8 * b + i] = (uint64_t)block[2 * i + 1] << 32 | block[2 * i];
  }
}
#endif

static uint32_t load32(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
         (uint32_t)p[3] << 24;
}

static void store32(unsigned char *p, uint32_t x) {
  for (int i = 0; i < 4; i++)
    p[i] = (unsigned char)(x >> (8 * i));
}

static void chacha_state(uint32_t state[16], const unsigned char key[32],
                         uint32_t counter, const uint32_t nonce[3]) {
  memcpy(state, chacha_constants, sizeof chacha_constants);
  for (int i = 0; i < 8; i++)
    state[4 + i] = load32(key + 4 * i);
  state[12] = counter;
  memcpy(state + 13, nonce, 3 * sizeof nonce[0]);
}

void dpa_chacha20_block(const unsigned char key[32], uint32_t counter,
                        const uint32_t nonce[3], unsigned char out[64]) {
  uint32_t state[16], block[16];
  chacha_state(state, key, counter, nonce);
  chacha_block(state, block);
  for (int i = 0; i < 16; i++)
    store32(out + 4 * i, block[i]);
  dpa_forget(state, sizeof state);
  dpa_forget(block, sizeof block);
}

void dpa_forget(void *what, size_t bytes) {
  /* a call that the compiler cannot see through: a plain memset of memory that is not
   * read again may be optimised away */
  static void *(*const volatile set)(void *, int, size_t) = memset;
  (void)set(what, 0, bytes);
}

/* ---- streams --------------------------------------------------------------- */

void dpa_stream_init(dpa_stream *stream, const dpa_key *key, uint32_t user,
                     uint32_t round, uint32_t purpose) {
  const uint32_t nonce[3] = {user, round, purpose};
  chacha_state(stream->state, key->byte, 0, nonce);
  stream->next = 8 * DPA_STREAM_BLOCKS;
  stream->blocks = 0;
  stream->spent = 0;
}

void dpa_stream_refill(dpa_stream *stream) {
  stream->next = 0;
  if (stream->blocks >
      UINT32_MAX) { /* the counter would start again and repeat words */
    stream->spent = 1;
    memset(stream->word, 0, sizeof stream->word);
    return;
  }
  stream->state[12] = (uint32_t)stream->blocks;
  stream->blocks += DPA_STREAM_BLOCKS;
  chacha_blocks(stream->state, stream->word);
}

dpa_status dpa_stream_status(const dpa_stream *stream) {
  return stream->spent ? DPA_SIZE : DPA_OK;
}

/* ---- draws ----------------------------------------------------------------- */

static uint64_t double_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static unsigned leading_zeros(uint64_t w) {
  unsigned zeros = 0;
  for (uint64_t bit = (uint64_t)1 << 63; bit != 0 && (w & bit) == 0; bit >>= 1)
    zeros++;
  return zeros;
}

/* The exponent when the high 12 bits of the first word are all zero: 1 draw in 4096. */
static unsigned deep_exponent(dpa_stream *stream) {
  const unsigned deepest = 1000;
  unsigned e = 13;
  uint64_t w;
  do {
    w = dpa_stream_word(stream);
    e += leading_zeros(w);
  } while (w == 0 && e < deepest);
  return e < deepest ? e : deepest;
}

double dpa_stream_uniform(dpa_stream *stream) {
  uint64_t w = dpa_stream_word(stream);
  uint64_t mantissa = w & (((uint64_t)1 << 52) - 1);
  uint64_t high = w >> 52;
  uint64_t exponent; /* biased by 1023, as a double stores it */
  if (high != 0) {
    /* Converting `high` to a double finds its leading bit without a loop or a branch:
     * the stored exponent is 1023 + 11 - zeros, and 1023 - e with e = 1 + zeros is
     * asked for. */
    exponent = (double_bits((double)high) >> 52) - 12;
  } else {
    exponent = 1023 - deep_exponent(stream);
  }
  uint64_t bits = exponent << 52 | mantissa;
  double u;
  memcpy(&u, &bits, sizeof u);
  return u;
}

double dpa_stream_exponential(dpa_stream *stream, double fine) {
  const double u = dpa_stream_uniform(stream), rest = 1.0 - u;
  if (rest >= fine)
    return -log(u);
  return -log1p(-((rest - 0x1p-53) + 0x1p-53 * dpa_stream_uniform(stream)));
}

uint64_t dpa_stream_below(dpa_stream *stream, uint64_t n) {
  uint64_t excess = (UINT64_MAX - n + 1) % n; /* 2^64 modulo n */
  uint64_t w;
  do {
    w = dpa_stream_word(stream);
  } while (w > UINT64_MAX - excess);
  return w % n;
}
