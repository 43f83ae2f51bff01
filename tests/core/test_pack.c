/* Few columns are packed as rows are, but one after the other, and without what is put
 * before them; whole numbers as the same doubles, and rows that are left out as 0. */
#include "check.h"
#include "data/pack.h"
#include "random/key.h"

#include <limits.h>
#include <math.h>

void test_pack(void);

#define N 50

typedef struct rows {
  double x[N * (DPA_FEW_COLUMNS + 1)];
} rows;

static rows packed(const dpa_matrix *x, const int *place, const dpa_recipe *recipe) {
  rows out;
  dpa_pack_dense(x, place, recipe, 1, out.x);
  return out;
}

/* The same of columns, with what is before them. */
static rows by_columns(const dpa_matrix *x, const int *place,
                       const dpa_recipe *recipe) {
  rows out;
  double columns[N * DPA_FEW_COLUMNS];
  dpa_pack_columns(x, place, recipe, columns);
  for (size_t k = 0; k < N; k++) {
    out.x[k * (x->d + 1)] = recipe->first;
    for (size_t j = 0; j < x->d; j++)
      out.x[k * (x->d + 1) + j + 1] = columns[j * N + k];
  }
  return out;
}

static int are_same(const rows *a, const rows *b, size_t d) {
  int same = 1;
  for (size_t s = 0; s < N * (d + 1); s++)
    same &= a->x[s] == b->x[s];
  return same;
}

void test_pack(void) {
  double x[N * DPA_FEW_COLUMNS];
  int whole[N * DPA_FEW_COLUMNS], left[N], place[N];
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 3);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  for (int k = 0; k < N; k++) {
    place[k] = (7 * k + 3) % N;
    left[k] = k % 9 == 4;
  }
  for (size_t d = 1; d <= DPA_FEW_COLUMNS; d++)
    for (int bounded = 0; bounded < 2; bounded++) {
      const dpa_recipe recipe = {bounded ? 0.9 : INFINITY, 1, 0.5, NULL};
      int shorter = 0;
      for (size_t s = 0; s < N * d; s++)
        x[s] = 4.0 * dpa_stream_uniform(&stream) - 2.0;
      const dpa_matrix plain = {N, d, x, NULL, NULL};
      const rows made = packed(&plain, place, &recipe),
                 columns = by_columns(&plain, place, &recipe);
      CHECK(are_same(&made, &columns, d));
      for (size_t k = 0; k < N; k++)
        for (size_t j = 0; j < d; j++)
          shorter |= made.x[(size_t)place[k] * (d + 1) + j + 1] != x[j * N + k];
      CHECK(shorter == bounded);

      for (size_t s = 0; s < N * d; s++) {
        whole[s] = s % 11 == 5 ? INT_MIN : (int)(1e3 * x[s]);
        x[s] = whole[s];
        if (left[s % N])
          x[s] = 0.0;
      }
      const dpa_matrix held = {N, d, NULL, whole, left};
      const rows same = packed(&plain, place, &recipe),
                 numbers = packed(&held, place, &recipe),
                 one_by_one = by_columns(&held, place, &recipe);
      CHECK(are_same(&same, &numbers, d));
      CHECK(are_same(&same, &one_by_one, d));
      /* whatever is left out */
      for (size_t s = 0; s < N * d; s++)
        if (left[s % N])
          x[s] = NAN;
      const dpa_matrix spoilt = {N, d, x, NULL, left};
      const rows without = packed(&spoilt, place, &recipe);
      CHECK(are_same(&same, &without, d));
    }
}
