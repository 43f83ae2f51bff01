#include "draws.h"

#include "random/key.h"

dpa_stream stream_of(uint64_t seed) {
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, seed);
  dpa_stream_init(&stream, &key, 3, 7, 1);
  return stream;
}
