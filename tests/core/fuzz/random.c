/* Releases, parts of secure sums, samples and masks, with any scale and any value. */
#include "feed.h"
#include "random/draw.h"
#include "random/mask.h"
#include "random/sample.h"

enum { D = 9, N = 200 };

static void release(feed *from, const dpa_key *key) {
  const dpa_mechanism *mechanism =
      dpa_mechanisms[feed_below(from, dpa_mechanisms_count)];
  const double scale = fabs(feed_double(from));
  double value[D], out[D];
  int64_t steps[D];
  for (size_t j = 0; j < D; j++)
    value[j] = feed_double(from);
  const uint32_t round = (uint32_t)feed_below(from, 1000);
  const dpa_status status =
      dpa_release(mechanism, key, 0, round, DPA_NOISE_OUTPUT, scale, value, out, D);
  for (size_t j = 0; j < D && (status != DPA_OK || scale > 0.0); j++)
    MUST(isfinite(out[j]) && (status == DPA_OK || out[j] == 0.0));
  if (dpa_draw(mechanism, key, 0, round, DPA_NOISE_OBJECTIVE, scale, out, D) != DPA_OK)
    for (size_t j = 0; j < D; j++)
      MUST(out[j] == 0.0);
  const uint64_t whole = scale < 0x1p60 ? (uint64_t)scale : UINT64_MAX;
  dpa_share(mechanism, key, 0, round, feed_positive(from), whole, value, steps, D);
}

static void sample(feed *from, const dpa_key *key) {
  const size_t n = 1 + feed_below(from, N), m = feed_below(from, n + 1);
  int out[N], seen[N] = {0};
  dpa_stream stream;
  dpa_stream_init(&stream, key, 0, (uint32_t)n, DPA_SAMPLING);
  dpa_sample_fixed(&stream, n, m, out);
  size_t count = m;
  if (feed_below(from, 2))
    count = dpa_sample_poisson(&stream, n, feed_double(from), out);
  for (size_t k = 0; k < count; k++)
    MUST(out[k] >= 0 && (size_t)out[k] < n && (k == 0 || out[k] > out[k - 1]));
  dpa_permutation(&stream, n, out);
  for (size_t k = 0; k < n; k++)
    MUST(seen[out[k]]++ == 0);
}

static void mask(feed *from, const dpa_key *key) {
  uint64_t word[D], before[D];
  for (size_t j = 0; j < D; j++)
    before[j] = word[j] = (uint64_t)feed_below(from, 65536) << 48;
  const uint32_t round = (uint32_t)feed_below(from, 1000);
  MUST(dpa_mask(word, D, key, round, 1, 0) == DPA_OK);
  MUST(memcmp(word, before, sizeof word) != 0);
  MUST(dpa_mask(word, D, key, round, 1, 1) == DPA_OK);
  MUST(memcmp(word, before, sizeof word) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  feed from = {data, size};
  dpa_key key;
  for (size_t k = 0; k < sizeof key.byte; k++)
    key.byte[k] = (unsigned char)feed_byte(&from);
  release(&from, &key);
  sample(&from, &key);
  mask(&from, &key);
  return 0;
}
