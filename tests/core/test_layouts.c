/* Rows wherever they lie: column by column, row by row, in a file, with an intercept.
 */
#include "check.h"
#include "data/pack.h"
#include "data/records.h"
#include "random/key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_layouts(void);

/* A matrix, dense and compressed by column, and what its passes need. */
typedef struct numbers {
  size_t n, d;
  int *place;
  double *plain, *dense, *x, *y, *w, *f;
  int *p, *i;
} numbers;

/* A share `fill` of the entries is not zero, of size up to 2. */
static numbers make(size_t n, size_t d, double fill) {
  numbers r = {.n = n, .d = d};
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 7);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  r.place = get(n, sizeof(int));
  r.plain = get(n * d, sizeof(double));
  r.dense = get(n * d, sizeof(double));
  r.x = get(n * d, sizeof(double));
  r.i = get(n * d, sizeof(int));
  r.p = get(d + 1, sizeof(int));
  r.y = get(n, sizeof(double));
  r.w = get(n, sizeof(double));
  r.f = get(d, sizeof(double));
  int stored = 0;
  for (size_t j = 0; j < d; j++) {
    r.f[j] = 2.0 * dpa_stream_uniform(&stream) - 1.0;
    r.p[j] = stored;
    for (size_t k = 0; k < n; k++) {
      const double value = 4.0 * dpa_stream_uniform(&stream) - 2.0;
      const int there = dpa_stream_uniform(&stream) < fill;
      r.plain[j * n + k] = there ? value : 0.0;
      if (there) {
        r.i[stored] = (int)k;
        r.x[stored++] = value;
      }
    }
  }
  r.p[d] = stored;
  for (size_t k = 0; k < n; k++) {
    r.place[k] = (int)k;
    r.y[k] = 1.0;
    r.w[k] = dpa_stream_uniform(&stream);
  }
  return r;
}

static void drop(numbers *r) {
  void *all[] = {r->place, r->plain, r->dense, r->x, r->i, r->p, r->y, r->w, r->f};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
}

static void count_bytes(void *context, const void *from, size_t bytes) {
  (void)from;
  *(size_t *)context += bytes;
}

/* Rows of one matrix column by column, row by row and from a file that is told what has
 * been passed give the same sums to the last bit, with a factor and shortened. */
static void check_one_order(size_t n, size_t d) {
  numbers r = make(n, d, 1.0);
  const dpa_recipe as_is = {INFINITY, 0, 0.0, NULL};
  size_t seen = 0;
  const dpa_pager pager = {.passed = count_bytes, .context = &seen};
  double *scale = get(n, sizeof(double)), *norm = get(n, sizeof(double));
  double *m[3], *g[3], *H[3], *h[3],
      *block = get(d * DPA_HESSIAN_BLOCK, sizeof(double));
  dpa_pack_dense(&(dpa_matrix){n, d, r.plain, NULL, NULL}, r.place, &as_is, 2, r.dense);
  dpa_records lies[3] = {
      {.n = n, .d = d, .y = r.y, .dense = r.plain, .lead = n},
      {.n = n, .d = d, .y = r.y, .dense = r.dense},
      {.n = n, .d = d, .y = r.y, .dense = r.dense, .pager = &pager},
  };
  for (int l = 0; l < 3; l++) {
    dpa_measure(&lies[l], 0.75, 1.0, l == 1 ? 2 : 1, scale, norm);
    lies[l].scale = scale;
    m[l] = get(n, sizeof(double));
    g[l] = get(d, sizeof(double));
    h[l] = get(d, sizeof(double));
    H[l] = get(d * d, sizeof(double));
    memset(g[l], 0, d * sizeof(double));
    memset(h[l], 0, d * sizeof(double));
    memset(H[l], 0, d * d * sizeof(double));
    dpa_records_margin(&lies[l], r.f, m[l]);
    dpa_records_add_gradient(&lies[l], r.w, g[l]);
    dpa_records_add_hessian(&lies[l], r.w, l == 1 ? 2 : 1, H[l], block);
    dpa_records_add_diagonal(&lies[l], r.w, l == 1 ? 3 : 1, h[l]);
    CHECK(memcmp(m[l], m[0], n * sizeof(double)) == 0);
    int same = 1;
    for (size_t k = 0; k < n; k++)
      same &= dpa_records_dot(&lies[l], k, r.f) == m[l][k];
    CHECK(same);
    CHECK(memcmp(g[l], g[0], d * sizeof(double)) == 0);
    CHECK(memcmp(H[l], H[0], d * d * sizeof(double)) == 0);
    CHECK(memcmp(h[l], h[0], d * sizeof(double)) == 0);
  }
  CHECK(seen == 5 * n * d * sizeof(double)); /* with the measuring */
  int within = 1;
  for (size_t k = 0; k < n; k++)
    within &= norm[k] <= 1.0;
  CHECK(within);
  for (int l = 0; l < 3; l++) {
    free(m[l]);
    free(g[l]);
    free(h[l]);
    free(H[l]);
  }
  free(scale);
  free(norm);
  free(block);
  drop(&r);
}

/* With an intercept rows are shortened first, and then have an entry more. */
static void check_intercept(void) {
  numbers r = make(40, 6, 0.5);
  const dpa_recipe recipe = {1.0, 1, 3.5, NULL}, without = {1.0, 0, 0.0, NULL};
  const size_t n = r.n, d = r.d, stored = (size_t)r.p[d] + n;
  double *dense = get(n * (d + 1), sizeof(double)), *val = get(stored, sizeof(double));
  double *val0 = get(stored, sizeof(double));
  int *row = get(n + 1, sizeof(int)), *col = get(stored, sizeof(int)), same = 1;
  int *row0 = get(n + 1, sizeof(int)), *col0 = get(stored, sizeof(int));
  dpa_pack_dense(&(dpa_matrix){n, d, r.plain, NULL, NULL}, r.place, &recipe, 1, dense);
  dpa_pack_dense(&(dpa_matrix){n, d, r.plain, NULL, NULL}, r.place, &without, 1,
                 r.dense);
  const dpa_sparse x = {
      .n = n, .d = d, .p = r.p, .i = r.i, .x = r.x, .stored = stored - n};
  dpa_pack_sparse(&x, r.place, &recipe, row, col, NULL, val);
  dpa_pack_sparse(&x, r.place, &without, row0, col0, NULL, val0);
  CHECK((size_t)row[n] == stored);
  for (size_t k = 0; k < n; k++) {
    same &= dense[k * (d + 1)] == 3.5 && val[row[k]] == 3.5 && col[row[k]] == 0;
    same &= memcmp(dense + k * (d + 1) + 1, r.dense + k * d, d * sizeof(double)) == 0;
    for (int s = row[k] + 1; s < row[k + 1]; s++) {
      const int s0 = row0[k] + s - row[k] - 1;
      same &= val[s] == val0[s0] && col[s] == col0[s0] + 1;
    }
  }
  CHECK(same);
  void *all[] = {dense, val, val0, row, col, row0, col0};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
  drop(&r);
}

/* Rows are measured alike along them and down the columns, far ones and rows without
 * entries too; and the longest is told, which a part of the rows does not know. */
static void check_measures(double size) {
  numbers r = make(300, 7, 0.3);
  const size_t n = r.n, d = r.d;
  for (int s = 0; s < r.p[d]; s++)
    if (r.i[s] % 3 == 0)
      r.x[s] *= size;
  for (size_t k = 0; k < n * d; k++)
    if (k % n % 3 == 0)
      r.plain[k] *= size;
  dpa_records rows = {.n = n, .d = d, .y = r.y, .dense = r.plain, .lead = n};
  double *scale = get(n, sizeof(double)), *norm = get(n, sizeof(double));
  double *columns = get(n, sizeof(double)), *unit = get(n, sizeof(double));
  for (double bound = 1e-250; bound < 1e260; bound *= 1e50) {
    const double longest = dpa_measure(&rows, 1.0, bound, 1, scale, norm);
    dpa_measure_columns(n, d, r.p, r.i, r.x, bound, columns, unit);
    CHECK(memcmp(columns, scale, n * sizeof *scale) == 0);
    CHECK(dpa_measure(&rows, 1.0, bound, 1, columns, NULL) == longest);
    double most = 0.0;
    for (size_t k = 0; k < n; k++)
      most = fmax(most, norm[k]);
    CHECK(most == longest && longest <= bound);
  }
  rows.longest = 2.0;
  CHECK(dpa_records_longest(&rows) == 2.0);
  rows = dpa_records_part(&rows, 0, n - 1);
  CHECK(rows.longest == 0.0);
  void *all[] = {scale, norm, columns, unit};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
  drop(&r);
}

/* What passes over rows give: margins, a gradient, a curvature and its diagonal. */
static double *passes(const dpa_records *rows, const numbers *r, double *block) {
  const size_t n = r->n, d = r->d;
  double *out = get(n + 2 * d + d * d, sizeof(double));
  memset(out, 0, (n + 2 * d + d * d) * sizeof(double));
  dpa_records_margin(rows, r->f, out);
  dpa_records_add_gradient(rows, r->w, out + n);
  dpa_records_add_diagonal(rows, r->w, 1, out + n + d);
  dpa_records_add_hessian(rows, r->w, 1, out + n + 2 * d, block);
  return out;
}

/* Factors of a few kinds are those of a list, also of a part of the rows. The columns
 * of a sparse matrix are its rows here. */
static void check_kinds(size_t n, size_t d, int sparse) {
  numbers r = sparse ? make(d, n, 0.3) : make(n, d, 1.0);
  const numbers its = {
      .n = n, .d = d, .f = sparse ? r.w : r.f, .w = sparse ? r.f : r.w};
  const double table[] = {0.75, 1.0, 0x1.fffp-1};
  double *scale = get(n, sizeof(double));
  double *block = get(d * DPA_HESSIAN_BLOCK, sizeof(double));
  uint8_t *kind = get(n, 1);
  for (size_t k = 0; k < n; k++) {
    kind[k] = (uint8_t)(k * k % 7 % 3);
    scale[k] = table[kind[k]];
    its.w[k] = fabs(its.w[k]);
  }
  dpa_records list = {.n = n, .d = d, .dense = r.plain, .lead = n}, few;
  if (sparse)
    list = (dpa_records){.n = n, .d = d, .row = r.p, .col = r.i, .val = r.x};
  few = list;
  list.scale = scale;
  few.scale = table;
  few.kind = kind;
  double *a = passes(&list, &its, block), *b = passes(&few, &its, block);
  CHECK(memcmp(a, b, (n + 2 * d + d * d) * sizeof(double)) == 0);
  const dpa_records part = dpa_records_part(&few, 2, 3);
  int same = 1;
  for (size_t k = 0; k < 3; k++)
    same &= dpa_records_dot(&part, k, its.f) == a[k + 2];
  CHECK(same);
  void *taken[] = {a, b, scale, kind, block};
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
    free(taken[k]);
  drop(&r);
}

void test_layouts(void) {
  check_kinds(70, 9, 0);
  check_kinds(1100, 6, 0);
  check_kinds(60, 40, 1);
  check_measures(1.0);
  check_measures(1e200);
  check_measures(1e-200);
  check_one_order(1, 3);
  check_one_order(70, 9);
  check_one_order(9001, 6);
  check_one_order(1400, 50); /* threads share its curvature */
  check_intercept();
}
