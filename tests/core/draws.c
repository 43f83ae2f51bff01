#include "draws.h"

#include "random/key.h"

#include <math.h>

dpa_stream stream_of(uint64_t seed) {
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, seed);
  dpa_stream_init(&stream, &key, 3, 7, 1);
  return stream;
}

double draw_between(dpa_stream *from, double lowest, double highest) {
  return lowest * pow(highest / lowest, dpa_stream_uniform(from));
}
