/* Masks of secure sums. Two parties that share a key add and subtract the same words,
 * so that the sum over all parties has none of them, and what one sends is uniform to
 * whoever lacks its keys. Whole numbers modulo 2^64. */
#ifndef DPA_MASK_H
#define DPA_MASK_H

#include "random/stream.h"

/* `word` plus (or minus) the first d words of the stream of (key, attempt, round,
 * DPA_MASK); a status that is not DPA_OK: there are not so many, and no mask. */
dpa_status dpa_mask(uint64_t *word, size_t d, const dpa_key *key, uint32_t round,
                    uint32_t attempt, int minus);

#endif
