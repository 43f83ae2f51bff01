/* Few columns are packed as rows are, but one after the other, and without what is put
 * before them. */
#include "check.h"
#include "data/pack.h"
#include "random/key.h"

#include <math.h>

void test_pack(void);

#define N 50

void test_pack(void) {
  double x[N * DPA_FEW_COLUMNS], columns[N * DPA_FEW_COLUMNS];
  double rows[N * (DPA_FEW_COLUMNS + 1)];
  int place[N];
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 3);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  for (int k = 0; k < N; k++)
    place[k] = (7 * k + 3) % N;
  for (size_t d = 1; d <= DPA_FEW_COLUMNS; d++)
    for (int bounded = 0; bounded < 2; bounded++) {
      const dpa_recipe recipe = {bounded ? 0.9 : INFINITY, 1, 0.5, NULL};
      int same = 1, shorter = 0;
      for (size_t s = 0; s < N * d; s++)
        x[s] = 4.0 * dpa_stream_uniform(&stream) - 2.0;
      dpa_pack_dense(N, d, x, place, &recipe, 1, rows);
      dpa_pack_columns(N, d, x, place, &recipe, columns);
      for (size_t k = 0; k < N; k++)
        for (size_t j = 0; j < d; j++) {
          same &= columns[j * N + k] == rows[k * (d + 1) + j + 1];
          shorter |= columns[j * N + (size_t)place[k]] != x[j * N + k];
        }
      CHECK(same);
      CHECK(shorter == bounded);
    }
}
