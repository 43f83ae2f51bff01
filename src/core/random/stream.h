/* Keyed random streams: ChaCha20 (RFC 8439) in counter mode.
 *
 * A stream is named by (key, user, round, purpose): the key is the cipher's 256-bit key
 * and the other three, as little-endian 32-bit words in that order, its 96-bit nonce;
 * the block counter starts at 0. Each party has a key of its own; `user` is 0 but where
 * a party acts for many. Draws therefore do not depend on the number of threads, on the
 * order of the parties' work or on where a party runs. */
#ifndef DPA_STREAM_H
#define DPA_STREAM_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* What a stream's draws are for. One table: two uses never share a stream. */
typedef enum dpa_purpose {
  DPA_NOISE_OBJECTIVE = 0, /* linear term of a party's objective */
  DPA_NOISE_OUTPUT = 1,    /* added to a value before it is sent */
  DPA_NOISE_THRESHOLD = 2, /* sparse vector test: its one threshold */
  DPA_NOISE_QUERY = 3,     /* sparse vector test: each query */
  DPA_SAMPLING = 4,        /* who takes part */
  DPA_NOISE_RELEASE = 6,   /* fresh objective noise of a released solution */
  DPA_NOISE_SERVER = 7,    /* a server's, on the mean of what it was sent */
  DPA_DERIVE = 8,          /* a party's key: never drawn from otherwise */
  DPA_NOISE_SHARE = 9,     /* a party's part of a sum's noise; user: which attempt */
  DPA_MASK = 10            /* hides a message in a sum: keys of pairs of parties only */
} dpa_purpose;

typedef struct dpa_key {
  unsigned char byte[32];
} dpa_key;

#define DPA_STREAM_BLOCKS 8 /* made at once, side by side */

typedef struct dpa_stream {
  uint32_t state[16];                   /* constants, key, counter, nonce */
  uint64_t word[8 * DPA_STREAM_BLOCKS]; /* current blocks of the key stream, made when
                                           first asked for */
  unsigned next;   /* which of them is drawn next; all: new blocks are due */
  uint64_t blocks; /* blocks made so far, at most 2^32 */
  int spent;       /* more was asked for than the 2^32 blocks of this stream */
} dpa_stream;

/* One block of RFC 8439, section 2.3. */
void dpa_chacha20_block(const unsigned char key[32], uint32_t counter,
                        const uint32_t nonce[3], unsigned char out[64]);

/* Overwrite a key or a stream so that it does not stay in memory. */
void dpa_forget(void *what, size_t bytes);

void dpa_stream_init(dpa_stream *stream, const dpa_key *key, uint32_t user,
                     uint32_t round, uint32_t purpose);

/* New blocks: for dpa_stream_word() alone. */
void dpa_stream_refill(dpa_stream *stream);

/* The next 8 bytes of the key stream as a little-endian word. A stream has 2^38 bytes;
 * after that `spent` is set and words are 0: check it with dpa_stream_status(). */
static inline uint64_t dpa_stream_word(dpa_stream *stream) {
  if (stream->next == 8 * DPA_STREAM_BLOCKS)
    dpa_stream_refill(stream);
  return stream->word[stream->next++];
}
dpa_status dpa_stream_status(const dpa_stream *stream);

/* Uniform on (0, 1) with full precision near 0: with w a word, mantissa = its low 52
 * bits, e = 1 + the number of leading zeros of its high 12 bits; when those are all
 * zero, e = 13 + leading zeros of further words (64 a word, going on to the next while
 * they are zero and e < 1000; e is at most 1000); the value is (1 + mantissa 2^-52)
 * 2^-e. Never 0 or 1. */
double dpa_stream_uniform(dpa_stream *stream);

/* Exponential of mean 1: -log(u) for a uniform u. Near 1 there are few u: where 1 - u
 * is below `fine`, it is replaced by (1 - u) - 2^-53 (1 - v), v another uniform. With
 * fine = 1/2 the relative error is a few ulp however small the result; with 2^-20 its
 * square root is within 2^-42. */
double dpa_stream_exponential(dpa_stream *stream, double fine);

/* A whole number uniform on 0, ..., n - 1 (n >= 1): words are drawn until one is below
 * the largest multiple of n that is at most 2^64, then reduced modulo n. */
uint64_t dpa_stream_below(dpa_stream *stream, uint64_t n);

#endif
