/* Where keys come from. */
#ifndef DPA_KEY_H
#define DPA_KEY_H

#include "random/stream.h"

/* The party that is none of the others: who collects the messages. */
#define DPA_HUB UINT32_MAX

/* 32 bytes from the operating system: getrandom, arc4random_buf or BCryptGenRandom.
 * DPA_ENTROPY when they cannot be had; never a fallback. */
dpa_status dpa_key_from_entropy(dpa_key *key);

/* A reproducible key: the first 32 bytes of the ChaCha20 block with counter 0, nonce 0
 * and this key: the seed's 8 bytes, little-endian, then the 24 ASCII bytes of
 * `dpadmm seeded simulation`. */
void dpa_key_from_seed(dpa_key *key, uint64_t seed);

/* The key of a party in a simulation that has one key for all: the first 32 bytes of
 * the block with counter 0 and nonce (party, 0, DPA_DERIVE) under the run's key. */
void dpa_key_party(const dpa_key *run, uint32_t party, dpa_key *key);

#endif
