/* Rows of whole numbers are the doubles that they stand for, in every pass and to the
 * last bit. */
#include "check.h"
#include "data/pack.h"
#include "data/whole.h"
#include "random/key.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_whole(void);

/* One matrix, n x width, as both kinds of rows, of d entries. */
typedef struct both {
  size_t n, width, d;
  int *number, *left, *place, *packed;
  double *times, *dense, *w, *f;
  dpa_records as_whole, as_dense;
} both;

static both make(size_t n, size_t width, int intercept, double bound, int threads) {
  both b = {.n = n, .width = width, .d = width + (intercept ? 1 : 0)};
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 5 + n);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  b.number = get(n * width, sizeof(int));
  b.left = get(n, sizeof(int));
  b.place = get(n, sizeof(int));
  b.packed = get(n * width, sizeof(int));
  b.times = get(n, sizeof(double));
  b.dense = get(n * b.d, sizeof(double));
  b.w = get(n, sizeof(double));
  b.f = get(b.d, sizeof(double));
  for (size_t s = 0; s < n * width; s++)
    b.number[s] = s % 17 == 3   ? INT_MIN
                  : s % 19 == 5 ? INT_MAX
                                : (int)dpa_stream_below(&stream, 9) - 4;
  for (size_t k = 0; k < n; k++) {
    b.left[k] = k % 7 == 6;
    b.place[k] = (int)(n - 1 - k);
    b.w[k] = k % 5 == 2 ? 0.0 : dpa_stream_uniform(&stream);
  }
  for (size_t j = 0; j < b.d; j++)
    b.f[j] = 2.0 * dpa_stream_uniform(&stream) - 1.0;
  const dpa_recipe recipe = {bound, intercept, 0.7, NULL};
  const dpa_matrix x = {n, width, NULL, b.number, b.left};
  dpa_pack_whole(&x, b.place, &recipe, threads, b.packed,
                 isinf(bound) ? NULL : b.times);
  dpa_pack_dense(&x, b.place, &recipe, threads, b.dense);
  b.as_dense = (dpa_records){.n = n, .d = b.d, .dense = b.dense};
  b.as_whole = (dpa_records){.n = n,
                             .d = b.d,
                             .whole = b.packed,
                             .times = isinf(bound) ? NULL : b.times,
                             .fronted = intercept,
                             .front = 0.7};
  return b;
}

static void drop(both *b) {
  void *all[] = {b->number, b->left,  b->place, b->packed,
                 b->times,  b->dense, b->w,     b->f};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
}

static int are_same(const double *a, const double *b, size_t n) {
  return memcmp(a, b, n * sizeof *a) == 0;
}

static void check_rows(const both *b) {
  const size_t d = b->d;
  double *one = get(d, sizeof(double)), *other = get(d, sizeof(double));
  int *at = get(d, sizeof(int));
  size_t count = 0;
  for (size_t j = 0; j < d; j += 3)
    at[count++] = (int)j;
  int same = 1;
  for (size_t k = 0; k < b->n; k++) {
    dpa_records_copy(&b->as_whole, k, one);
    dpa_records_copy(&b->as_dense, k, other);
    same &= are_same(one, other, d) && are_same(one, b->dense + k * d, d);
    same &= dpa_records_dot(&b->as_whole, k, b->f) ==
            dpa_records_dot(&b->as_dense, k, b->f);
    dpa_records_add_row(&b->as_whole, k, b->w[k], one);
    dpa_records_add_row(&b->as_dense, k, b->w[k], other);
    same &= are_same(one, other, d);
    dpa_records_gather(&b->as_whole, k, at, count, one);
    dpa_records_gather(&b->as_dense, k, at, count, other);
    same &= are_same(one, other, count);
  }
  CHECK(same);
  free(one);
  free(other);
  free(at);
}

static void check_passes(const dpa_records *whole, const dpa_records *dense,
                         const both *b, int threads) {
  const size_t n = whole->n, d = whole->d;
  double *one = get(n, sizeof(double)), *other = get(n, sizeof(double));
  double *g = get(d * d, sizeof(double)), *h = get(d * d, sizeof(double));
  double *block = get(dpa_hessian_room(whole), sizeof(double));
  CHECK(dpa_records_stored(whole) == n * d && dpa_is_dense(whole));
  dpa_records_margin(whole, b->f, one);
  dpa_records_margin(dense, b->f, other);
  CHECK(are_same(one, other, n));
  dpa_records_norms(whole, one);
  dpa_records_norms(dense, other);
  CHECK(are_same(one, other, n));
  CHECK(dpa_records_longest(whole) == dpa_records_longest(dense));
  CHECK(dpa_measure(whole, 0.5, 0.4, threads, one, NULL) ==
        dpa_measure(dense, 0.5, 0.4, threads, other, NULL));
  CHECK(are_same(one, other, n));
  memset(g, 0, d * d * sizeof *g);
  memset(h, 0, d * d * sizeof *h);
  dpa_records_add_gradient(whole, b->w, g);
  dpa_records_add_gradient(dense, b->w, h);
  CHECK(are_same(g, h, d));
  dpa_records_add_diagonal(whole, b->w, threads, g);
  dpa_records_add_diagonal(dense, b->w, threads, h);
  CHECK(are_same(g, h, d));
  dpa_records_add_hessian(whole, b->w, threads, g, block);
  dpa_records_add_hessian(dense, b->w, threads, h, NULL);
  int same = 1;
  for (size_t j = 0; j < d; j++)
    same &= are_same(g + j * d + j, h + j * d + j, d - j);
  CHECK(same);
  void *all[] = {one, other, g, h, block};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
}

void test_whole(void) {
  /* of the fifth two thirds are worth several threads */
  static const size_t sizes[][2] = {{1, 1},    {7, 5},     {130, 6},
                                    {300, 37}, {9000, 12}, {70, DPA_MOST_WHOLE - 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int how = 0; how < 4; how++) {
      const size_t n = sizes[s][0];
      both b = make(n, sizes[s][1], how % 2, how < 2 ? INFINITY : 3.0, 1 + how);
      check_rows(&b);
      check_passes(&b.as_whole, &b.as_dense, &b, 1);
      /* used shorter than they are, from somewhere on, and by several threads */
      double *scale = get(n, sizeof(double));
      dpa_measure(&b.as_dense, 1.0, 0.5, 1, scale, NULL);
      b.as_whole.scale = b.as_dense.scale = scale;
      const dpa_records whole = dpa_records_part(&b.as_whole, n / 3, n - n / 3),
                        dense = dpa_records_part(&b.as_dense, n / 3, n - n / 3);
      CHECK(dpa_worth_sharing(&whole, 3) == (n == 9000 ? 3 : 1));
      check_passes(&whole, &dense, &b, 3);
      free(scale);
      drop(&b);
    }
  /* what is written out is used as it was, and doubles stay where they are */
  both b = make(40, 6, 1, 2.0, 1);
  double *room = get(40 * 7, sizeof(double));
  const dpa_records written = dpa_whole_written(&b.as_whole, room),
                    held = dpa_whole_written(&b.as_dense, room);
  CHECK(written.dense == room && !written.whole && are_same(room, b.dense, 40 * 7));
  CHECK(held.dense == b.dense);
  free(room);
  drop(&b);
}
