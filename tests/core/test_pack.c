/* Few columns are packed as rows are, but one after the other, and without what is put
 * before them; whole numbers as the same doubles, and rows that are left out as 0.
 * Sparse matrices are packed alike, however their entries lie. */
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

#define D 30
#define STORED (N * D)

/* Rows of sparse entries. */
typedef struct entries {
  int row[N + 1], col[2 * STORED];
  uint16_t narrow[2 * STORED];
  double val[2 * STORED];
} entries;

static void check_packed(const dpa_sparse *x, const int *place,
                         const dpa_recipe *recipe, const entries *expected) {
  static entries wide, narrow;
  int same = 1;
  dpa_pack_sparse(x, place, recipe, wide.row, wide.col, NULL, wide.val);
  dpa_pack_sparse(x, place, recipe, narrow.row, NULL, narrow.narrow, narrow.val);
  for (size_t k = 0; k <= N; k++)
    same &= wide.row[k] == expected->row[k] && narrow.row[k] == expected->row[k];
  for (int s = 0; same && s < expected->row[N]; s++)
    same &= wide.col[s] == expected->col[s] && narrow.narrow[s] == expected->col[s] &&
            wide.val[s] == expected->val[s] && narrow.val[s] == expected->val[s];
  CHECK(same);
}

/* Whole numbers, of which a triplet may be a part: its parts add up to the last bit. */
static void check_sparse(dpa_stream *stream, const int *place,
                         const dpa_recipe *recipe) {
  static entries expected;
  static int p[D + 1], i[STORED], first[N + 1], j[STORED];
  static int at[2 * STORED], in[2 * STORED], order[2 * STORED + D + 1];
  static double plain[N][D], x[STORED], y[STORED], z[2 * STORED];
  size_t stored = 0, parts = 0;
  for (size_t c = 0; c < D; c++) {
    p[c] = (int)stored;
    for (size_t k = 0; k < N; k++) {
      const int there = dpa_stream_uniform(stream) < 0.3 && k != 7 && c != 3;
      plain[k][c] = there ? (double)dpa_stream_below(stream, 9) - 4.0 : NAN;
      if (there) {
        i[stored] = (int)k;
        x[stored++] = plain[k][c];
      }
    }
  }
  p[D] = (int)stored;
  stored = 0;
  for (size_t k = 0; k < N; k++) {
    first[k] = (int)stored;
    for (size_t c = 0; c < D; c++)
      if (!isnan(plain[k][c])) {
        j[stored] = (int)c;
        y[stored++] = plain[k][c];
      }
  }
  first[N] = (int)stored;
  for (size_t k = 0; k < N; k++)
    for (int s = first[k]; s < first[k + 1]; s++)
      for (int part = 0; part < 1 + (s % 3 == 0); part++) {
        const size_t other = (size_t)dpa_stream_below(stream, parts + 1);
        at[parts] = at[other];
        in[parts] = in[other];
        z[parts++] = z[other];
        at[other] = (int)k;
        in[other] = j[s];
        z[other] = s % 3 ? y[s] : part ? 1.0 : y[s] - 1.0;
      }
  const dpa_sparse by_column = {N, D, stored, p, i, NULL, x, NULL};
  const dpa_sparse by_row = {N, D, stored, first, NULL, j, y, NULL};
  const dpa_sparse triplets = {N, D, parts, NULL, at, in, z, order};
  dpa_pack_sparse(&by_column, place, recipe, expected.row, expected.col, NULL,
                  expected.val);
  CHECK((size_t)expected.row[N] == stored + (recipe->intercept ? N : 0));
  CHECK(parts > stored);
  check_packed(&by_column, place, recipe, &expected);
  check_packed(&by_row, place, recipe, &expected);
  check_packed(&triplets, place, recipe, &expected);
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
  for (int way = 0; way < 8; way++) {
    const dpa_recipe recipe = {way & 1 ? 3.0 : INFINITY, way & 2, 0.5, NULL};
    check_sparse(&stream, way & 4 ? place : NULL, &recipe);
  }
}
