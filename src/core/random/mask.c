#include "random/mask.h"

dpa_status dpa_mask(uint64_t *word, size_t d, const dpa_key *key, uint32_t round,
                    uint32_t attempt, int minus) {
  dpa_stream stream;
  dpa_stream_init(&stream, key, attempt, round, DPA_MASK);
  for (size_t j = 0; j < d; j++) {
    const uint64_t mask = dpa_stream_word(&stream);
    word[j] += minus ? ~mask + 1 : mask;
  }
  const dpa_status status = dpa_stream_status(&stream);
  dpa_forget(&stream, sizeof stream);
  return status;
}
