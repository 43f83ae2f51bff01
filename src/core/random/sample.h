/* Random subsets, orders and walks of 0, ..., n - 1. */
#ifndef DPA_SAMPLE_H
#define DPA_SAMPLE_H

#include "poll.h"
#include "random/stream.h"

/* m of them without replacement, every subset equally likely (m <= n); increasing. */
void dpa_sample_fixed(dpa_stream *stream, size_t n, size_t m, int *out);

/* Each with probability q on its own; returns how many. out has room for n. */
size_t dpa_sample_poisson(dpa_stream *stream, size_t n, double q, int *out);

/* A random order of all (Fisher and Yates). */
void dpa_permutation(dpa_stream *stream, size_t n, int *out);

/* holder[k] = whose record k is, from 1, of n = size[0] + ... records, size[i] >= 0: at
 * random, from the stream (key, 0, 0, DPA_SAMPLING). In the order of a permutation they
 * are dealt out, one to each holder that lacks some, in turn. room: n + holders. */
void dpa_deal(const dpa_key *key, const int *size, size_t holders, size_t n, int *room,
              int *holder);

/* `steps` of them, uniform and independent: a walk on the complete graph with itself.
 */
void dpa_walk(dpa_stream *stream, size_t n, size_t steps, int *out);

/* The users of a round: dpa_sample_fixed() from the stream (key, 0, round,
 * DPA_SAMPLING).
 */
void dpa_participants(const dpa_key *key, uint32_t round, size_t n, size_t m, int *out);

/* count[i] = how many of rounds 1, ..., K user i takes part in; most[t] = the largest
 * of these counts after round t + 1. out: room for m. DPA_INTERRUPT when poll says so.
 */
dpa_status dpa_participation(const dpa_key *key, size_t n, size_t m, size_t K,
                             int *count, int *most, int *out, dpa_poll poll,
                             void *context);

#endif
