/* Keyed random streams: ChaCha20 (RFC 8439) in counter mode.
 *
 * A stream is named by (key, node, iteration, purpose): the key is the cipher's 256-bit
 * key and the other three, as little-endian 32-bit words in that order, its 96-bit
 * nonce; the block counter starts at 0. Draws therefore do not depend on the number of
 * threads, on the order of the nodes' work or on where a node runs. */
#ifndef DPA_RNG_H
#define DPA_RNG_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* What a stream's draws are for. One table: two uses never share a stream. */
typedef enum dpa_purpose {
  DPA_NOISE_OBJECTIVE = 0, /* linear term of a node's objective */
  DPA_NOISE_OUTPUT = 1,    /* added to a value before it is sent */
  DPA_NOISE_THRESHOLD = 2, /* sparse vector test: its one threshold */
  DPA_NOISE_QUERY = 3,     /* sparse vector test: each query */
  DPA_SAMPLING = 4,        /* who takes part */
  DPA_START = 5,           /* a random public start */
  DPA_NOISE_RELEASE = 6    /* fresh objective noise of a released solution */
} dpa_purpose;

typedef struct dpa_key {
  unsigned char byte[32];
} dpa_key;

typedef struct dpa_rng {
  uint32_t state[16]; /* constants, key, counter, nonce */
  uint64_t word[8];   /* current block of the key stream, made when first asked for */
  unsigned next;      /* which of them is drawn next; 8: a new block is due */
  uint64_t blocks;    /* blocks made so far, at most 2^32 */
  int spent;          /* more was asked for than the 2^32 blocks of this stream */
} dpa_rng;

/* One block of RFC 8439, section 2.3. */
void dpa_chacha20_block(const unsigned char key[32], uint32_t counter,
                        const uint32_t nonce[3], unsigned char out[64]);

/* 32 bytes from the operating system: getrandom, arc4random_buf or BCryptGenRandom.
 * DPA_ENTROPY when they cannot be had; never a fallback. */
dpa_status dpa_key_from_entropy(dpa_key *key);

/* A reproducible key: the first 32 bytes of the ChaCha20 block with counter 0, nonce 0
 * and this key: the seed's 8 bytes, little-endian, then the 24 ASCII bytes of
 * `dpadmm seeded simulation`. */
void dpa_key_from_seed(dpa_key *key, uint64_t seed);

/* Overwrite a key or a stream so that it does not stay in memory. */
void dpa_forget(void *what, size_t bytes);

void dpa_rng_init(dpa_rng *rng, const dpa_key *key, uint32_t node, uint32_t iteration,
                  uint32_t purpose);

/* The next 8 bytes of the key stream as a little-endian word. A stream has 2^38 bytes;
 * after that `spent` is set and words are 0: check it with dpa_rng_status(). */
uint64_t dpa_rng_word(dpa_rng *rng);
dpa_status dpa_rng_status(const dpa_rng *rng);

/* Uniform on (0, 1) with full precision near 0: with w a word, mantissa = its low 52
 * bits, e = 1 + the number of leading zeros of its high 12 bits; when those are all
 * zero, e = 13 + leading zeros of further words (64 a word, going on to the next while
 * they are zero and e < 1000; e is at most 1000); the value is (1 + mantissa 2^-52)
 * 2^-e. Never 0 or 1. */
double dpa_rng_uniform(dpa_rng *rng);

/* A whole number uniform on 0, ..., n - 1 (n >= 1): words are drawn until one is below
 * the largest multiple of n that is at most 2^64, then reduced modulo n. */
uint64_t dpa_rng_below(dpa_rng *rng, uint64_t n);

#endif
