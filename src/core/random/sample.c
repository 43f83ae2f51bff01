#include "random/sample.h"

#include <string.h>

/* Selection sampling: the next one is taken with probability (still to take) / (left).
 */
void dpa_sample_fixed(dpa_stream *stream, size_t n, size_t m, int *out) {
  size_t taken = 0;
  for (size_t i = 0; i < n && taken < m; i++)
    if (dpa_stream_below(stream, n - i) < m - taken)
      out[taken++] = (int)i;
}

size_t dpa_sample_poisson(dpa_stream *stream, size_t n, double q, int *out) {
  size_t taken = 0;
  for (size_t i = 0; i < n; i++)
    if (dpa_stream_uniform(stream) < q)
      out[taken++] = (int)i;
  return taken;
}

void dpa_permutation(dpa_stream *stream, size_t n, int *out) {
  for (size_t i = 0; i < n; i++)
    out[i] = (int)i;
  for (size_t i = n; i-- > 1;) {
    const size_t j = (size_t)dpa_stream_below(stream, i + 1);
    const int swap = out[i];
    out[i] = out[j];
    out[j] = swap;
  }
}

void dpa_deal(const dpa_key *key, const int *size, size_t holders, size_t n, int *room,
              int *holder) {
  int *lacking = room + n;
  size_t left = 0;
  dpa_stream stream;
  dpa_stream_init(&stream, key, 0, 0, DPA_SAMPLING);
  dpa_permutation(&stream, n, room);
  dpa_forget(&stream, sizeof stream);
  for (size_t i = 0; i < holders; i++)
    if (size[i] > 0)
      lacking[left++] = (int)i;
  const int *place = room;
  for (int round = 1; left > 0; round++) {
    size_t still = 0;
    for (size_t k = 0; k < left; k++) {
      const int i = lacking[k];
      holder[*place++] = i + 1;
      if (size[i] > round)
        lacking[still++] = i;
    }
    left = still;
  }
}

void dpa_walk(dpa_stream *stream, size_t n, size_t steps, int *out) {
  for (size_t t = 0; t < steps; t++)
    out[t] = (int)dpa_stream_below(stream, n);
}

void dpa_participants(const dpa_key *key, uint32_t round, size_t n, size_t m,
                      int *out) {
  dpa_stream stream;
  dpa_stream_init(&stream, key, 0, round, DPA_SAMPLING);
  dpa_sample_fixed(&stream, n, m, out);
  dpa_forget(&stream, sizeof stream);
}

dpa_status dpa_participation(const dpa_key *key, size_t n, size_t m, size_t K,
                             int *count, int *most, int *out, dpa_poll poll,
                             void *context) {
  int largest = 0;
  memset(count, 0, n * sizeof *count);
  for (size_t t = 0; t < K; t++) {
    if (poll(context, t))
      return DPA_INTERRUPT;
    dpa_participants(key, (uint32_t)(t + 1), n, m, out);
    for (size_t i = 0; i < m; i++) {
      const int so_far = ++count[out[i]];
      largest = so_far > largest ? so_far : largest;
    }
    most[t] = largest;
  }
  return DPA_OK;
}
