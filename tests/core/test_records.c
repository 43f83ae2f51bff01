/* Records: packing into node order, shortening, and the passes over them, sparse
 * against dense against sums written out. */
#include "check.h"
#include "data/pack.h"
#include "data/records.h"
#include "data/shorten.h"
#include "random/key.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_records(void);

/* One n x d matrix in all its layouts. */
typedef struct records {
  size_t n, d;
  int *place;
  double *plain; /* n x d column-major, as R has it */
  double *dense, *val, *y, *w, *f;
  int *p, *i, *row, *col;
  double *x;
  dpa_records as_dense, as_sparse;
} records;

static double entry(const records *r, size_t k, size_t j) {
  return r->plain[j * r->n + k];
}

/* A share `fill` of the entries is not zero, of size up to `scale`; record 0 and
 * feature 0 are all zero when there are others. */
static records make(size_t n, size_t d, double fill, double scale, double bound,
                    uint64_t seed) {
  records r;
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, seed);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  r.n = n;
  r.d = d;
  r.plain = get(n * d, sizeof(double));
  r.p = get(d + 1, sizeof(int));
  r.i = get(n * d, sizeof(int));
  r.x = get(n * d, sizeof(double));
  int stored = 0;
  for (size_t j = 0; j < d; j++) {
    r.p[j] = stored;
    for (size_t k = 0; k < n; k++) {
      const int there =
          dpa_stream_uniform(&stream) < fill && (k > 0 || n == 1) && (j > 0 || d == 1);
      const double value = scale * (2.0 * dpa_stream_uniform(&stream) - 1.0);
      r.plain[j * n + k] = there ? value : 0.0;
      if (there) {
        r.i[stored] = (int)k;
        r.x[stored++] = value;
      }
    }
  }
  r.p[d] = stored;
  r.place = get(n, sizeof(int));
  for (size_t k = 0; k < n; k++)
    r.place[k] = (int)k;
  for (size_t k = n; k-- > 1;) {
    const size_t other = (size_t)dpa_stream_below(&stream, k + 1);
    const int swap = r.place[k];
    r.place[k] = r.place[other];
    r.place[other] = swap;
  }
  r.y = get(n, sizeof(double));
  r.w = get(n, sizeof(double));
  r.f = get(d, sizeof(double));
  for (size_t k = 0; k < n; k++) {
    r.y[k] = dpa_stream_uniform(&stream) < 0.5 ? -1.0 : 1.0;
    r.w[k] = k % 5 == 2 ? 0.0 : dpa_stream_uniform(&stream);
  }
  for (size_t j = 0; j < d; j++)
    r.f[j] = 2.0 * dpa_stream_uniform(&stream) - 1.0;
  r.dense = get(n * d, sizeof(double));
  r.row = get(n + 1, sizeof(int));
  r.col = get((size_t)stored, sizeof(int));
  r.val = get((size_t)stored, sizeof(double));
  const dpa_recipe recipe = {bound, 0, 0.0, NULL};
  dpa_pack_dense(&(dpa_matrix){n, d, r.plain, NULL, NULL}, r.place, &recipe, 1,
                 r.dense);
  const dpa_sparse sparse = {n, d, (size_t)stored, r.p, r.i, NULL, r.x, NULL};
  dpa_pack_sparse(&sparse, r.place, &recipe, r.row, r.col, NULL, r.val);
  r.as_dense = (dpa_records){.n = n, .d = d, .y = r.y, .dense = r.dense};
  r.as_sparse =
      (dpa_records){.n = n, .d = d, .y = r.y, .row = r.row, .col = r.col, .val = r.val};
  return r;
}

static void drop(records *r) {
  void *all[] = {r->plain, r->p, r->i,     r->x,   r->place, r->y,
                 r->w,     r->f, r->dense, r->row, r->col,   r->val};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
}

/* ---- packing --------------------------------------------------------------------- */

static void check_packing(const records *r, double bound) {
  int same = 1, ordered = 1, placed = 1, within = 1, untouched = 1, parallel = 1;
  CHECK(r->row[0] == 0 && r->row[r->n] == r->p[r->d]);
  for (size_t k = 0; k < r->n; k++) {
    const size_t at = (size_t)r->place[k];
    const double *packed = r->dense + at * r->d;
    int next = r->row[at];
    long double before = 0.0L, after = 0.0L, inner = 0.0L;
    for (size_t j = 0; j < r->d; j++) {
      const double plain = entry(r, k, j);
      before += (long double)plain * plain;
      after += (long double)packed[j] * packed[j];
      inner += (long double)plain * packed[j];
      if (plain != 0.0) {
        placed &= next < r->row[at + 1] && r->col[next] == (int)j;
        same &= r->val[next] == packed[j];
        next++;
      } else {
        placed &= packed[j] == 0.0;
      }
    }
    placed &= next == r->row[at + 1];
    for (int s = r->row[at] + 1; s < r->row[at + 1]; s++)
      ordered &= r->col[s - 1] < r->col[s];
    within &= sqrtl(after) <= (long double)bound;
    if (sqrtl(before) <=
        bound * (1.0L - 4.0L * (long double)(r->d + 4) * DBL_EPSILON)) {
      for (size_t j = 0; j < r->d; j++)
        untouched &= packed[j] == entry(r, k, j);
    } else if (before > 0.0L) {
      /* same direction, and no shorter than it has to be */
      parallel &= fabsl(inner / sqrtl(before) / sqrtl(after) - 1.0L) < 1e-14L;
      const long double rounding = 1.5L * (long double)(r->d + 16) * DBL_EPSILON;
      parallel &= sqrtl(after) >= bound * (1.0L - rounding) || sqrtl(before) <= bound;
    }
  }
  CHECK(same);
  CHECK(ordered);
  CHECK(placed);
  CHECK(within);
  CHECK(untouched);
  CHECK(parallel);
}

/* In place, each row is that of the packed copy, up to the rounding of one factor, and
 * every pass and every row function agrees. */
static void check_in_place(const records *r, double bound) {
  const size_t n = r->n, d = r->d;
  double *scale = get(n, sizeof(double)), *norm = get(n, sizeof(double));
  double *row = get(d, sizeof(double)), *some = get(d, sizeof(double));
  double *w = get(n, sizeof(double)), *m = get(n, sizeof(double));
  double *m2 = get(n, sizeof(double)), *g = get(d, sizeof(double));
  double *g2 = get(d, sizeof(double)), *g3 = get(d, sizeof(double));
  int *at = get(d, sizeof(int));
  dpa_records rows = {.n = n, .d = d, .y = r->y, .dense = r->plain, .lead = n};
  rows.scale = scale;
  rows.norm = norm;
  dpa_measure(&rows, 1.0, bound, 1, scale, norm);
  int same = 1, within = 1, norms = 1, dots = 1, gathered = 1;
  size_t count = 0;
  for (size_t j = 0; j < d; j += 3)
    at[count++] = (int)j;
  memset(g, 0, d * sizeof *g);
  memset(g2, 0, d * sizeof *g2);
  memset(g3, 0, d * sizeof *g3);
  dpa_records_margin(&rows, r->f, m);
  dpa_records_margin(&r->as_sparse, r->f, m2);
  for (size_t k = 0; k < n; k++) {
    const double *packed = r->dense + (size_t)r->place[k] * d;
    long double after = 0.0L;
    dpa_records_copy(&rows, k, row);
    dpa_records_gather(&rows, k, at, count, some);
    for (size_t a = 0; a < count; a++)
      gathered &= some[a] == row[at[a]];
    dpa_records_gather(&r->as_sparse, (size_t)r->place[k], at, count, some);
    for (size_t a = 0; a < count; a++)
      gathered &= some[a] == packed[at[a]];
    for (size_t j = 0; j < d; j++) {
      after += (long double)row[j] * row[j];
      same &=
          fabs(row[j] - packed[j]) <= (double)(d + 8) * DBL_EPSILON * fabs(packed[j]);
    }
    within &= sqrtl(after) <= (long double)bound;
    norms &=
        norm[k] >= sqrtl(after) &&
        norm[k] <= sqrtl(after) * (1.0L + 4.0L * (long double)(d + 8) * DBL_EPSILON);
    dots &= fabs(dpa_records_dot(&rows, k, r->f) - m[k]) <= 1e-13 * (double)d;
    dots &= fabs(m[k] - m2[r->place[k]]) <= 1e-12 * (double)d;
    w[k] = r->w[r->place[k]];
    dpa_records_add_row(&rows, k, w[k], g2);
  }
  dpa_records_add_gradient(&rows, w, g);
  dpa_records_add_gradient(&r->as_dense, r->w, g3);
  for (size_t j = 0; j < d; j++) {
    dots &= fabs(g[j] - g2[j]) <= 1e-12 * (double)n;
    dots &= fabs(g[j] - g3[j]) <= 1e-12 * (double)n;
  }
  CHECK(same);
  CHECK(within);
  CHECK(norms);
  CHECK(dots);
  CHECK(gathered);
  void *all[] = {scale, norm, row, some, w, m, m2, g, g2, g3, at};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    free(all[k]);
}

/* Rows near the ends of the doubles, and exactly at the bound. */
static void check_extremes(void) {
  static const double rows[][3] = {
      {1.5e308, 1.5e308, -1.5e308},
      {1.7e308, 0.0, 0.0},
      {1e200, 1e-200, 1e200},
      {5e-324, 5e-324, 5e-324},
      {0.6, 0.8, 0.0},
      {0.0, 0.0, 0.0},
      {1.0, 0x1p-40, 0.0},
      {3e-5, 4e-5, 1.0},
      {-1.0, 0.0, 0.0},
      {0x1.fffffffffffffp-1, 0x1p-27, 0.0},
  };
  const size_t n = sizeof rows / sizeof *rows;
  const dpa_recipe recipe = {1.0, 0, 0.0, NULL};
  for (size_t k = 0; k < n; k++) {
    double out[3], in_place[3], scale, length;
    dpa_pack_dense(&(dpa_matrix){1, 3, rows[k], NULL, NULL}, NULL, &recipe, 1, out);
    const dpa_records one = {
        .n = 1, .d = 3, .dense = rows[k], .lead = 1, .scale = &scale, .norm = &length};
    dpa_measure(&one, 1.0, 1.0, 1, &scale, &length);
    dpa_records_copy(&one, 0, in_place);
    CHECK(memcmp(in_place, out, sizeof out) == 0); /* one factor for both */
    const double most = fmax(fabs(out[0]), fmax(fabs(out[1]), fabs(out[2])));
    long double exact = 0.0L;
    for (int j = 0; j < 3 && most > 0.0; j++)
      exact += ((long double)out[j] / most) * ((long double)out[j] / most);
    exact = most * sqrtl(exact);
    CHECK(exact <= 1.0L && length >= exact && length <= 1.0);
    const double norm = (double)exact;
    const int zeros = rows[k][0] == 0.0 && rows[k][1] == 0.0 && rows[k][2] == 0.0;
    if (fmax(fabs(rows[k][0]), fmax(fabs(rows[k][1]), fabs(rows[k][2]))) >= 1.0)
      CHECK_NEAR(norm, 1.0, 1e-14);
    if (zeros)
      CHECK(norm == 0.0);
    if (rows[k][0] == 5e-324)
      CHECK(out[0] == 5e-324);
    CHECK(!isnan(out[0]) && !isnan(out[1]) && !isnan(out[2]));
    for (int j = 0; j < 3; j++)
      CHECK(out[j] * rows[k][j] >= 0.0);
  }
}

/* ---- passes ---------------------------------------------------------------------- */

static double largest_gap(const double *a, const double *b, size_t n) {
  double gap = 0.0;
  for (size_t k = 0; k < n; k++)
    gap = fmax(gap,
               fabs(a[k] - b[k]) > gap || isnan(a[k] - b[k]) ? fabs(a[k] - b[k]) : gap);
  return isnan(gap) ? INFINITY : gap;
}

static void check_passes(const records *r) {
  const size_t n = r->n, d = r->d;
  const dpa_records *layout[] = {&r->as_dense, &r->as_sparse};
  double *margin = get(n, sizeof(double)), *gradient = get(d, sizeof(double));
  double *hessian = get(d * d, sizeof(double)), *diagonal = get(d, sizeof(double));
  for (size_t k = 0; k < n; k++) {
    margin[k] = 0.0;
    for (size_t j = 0; j < d; j++)
      margin[k] += r->dense[k * d + j] * r->f[j];
  }
  for (size_t j = 0; j < d; j++) {
    gradient[j] = (double)j; /* passes add to what is there */
    for (size_t k = 0; k < n; k++)
      gradient[j] += r->w[k] * r->dense[k * d + j];
    for (size_t i = 0; i < d; i++) {
      hessian[j * d + i] = i < j ? -7.0 : 0.5; /* the upper triangle stays */
      if (i >= j)
        for (size_t k = 0; k < n; k++)
          hessian[j * d + i] += r->w[k] * r->dense[k * d + j] * r->dense[k * d + i];
    }
    diagonal[j] = hessian[j * d + j] - 0.5 + (double)j;
  }
  double *m = get(n, sizeof(double)), *g = get(d, sizeof(double));
  double *H = get(d * d, sizeof(double)), *h = get(d, sizeof(double));
  double *block = get(d * DPA_HESSIAN_BLOCK, sizeof(double));
  for (size_t l = 0; l < 2; l++) {
    for (size_t j = 0; j < d; j++) {
      g[j] = h[j] = (double)j;
      for (size_t i = 0; i < d; i++)
        H[j * d + i] = i < j ? -7.0 : 0.5;
    }
    dpa_records_margin(layout[l], r->f, m);
    dpa_records_add_gradient(layout[l], r->w, g);
    dpa_records_add_hessian(layout[l], r->w, 1, H, l == 0 ? block : NULL);
    dpa_records_add_diagonal(layout[l], r->w, 1, h);
    const double tolerance = 1e-13 * (double)(n + d);
    CHECK_NEAR(largest_gap(m, margin, n), 0.0, tolerance);
    CHECK_NEAR(largest_gap(g, gradient, d), 0.0, tolerance);
    CHECK_NEAR(largest_gap(H, hessian, d * d), 0.0, tolerance);
    CHECK_NEAR(largest_gap(h, diagonal, d), 0.0, tolerance);
  }
  free(margin);
  free(gradient);
  free(hessian);
  free(diagonal);
  free(m);
  free(g);
  free(H);
  free(h);
  free(block);
}

void test_records(void) {
  static const size_t shapes[][2] = {{1, 1},  {1, 9},  {9, 1},    {63, 5},
                                     {64, 5}, {65, 5}, {200, 40}, {30, 70}};
  static const double fills[] = {0.0, 0.2, 1.0};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (size_t q = 0; q < sizeof fills / sizeof *fills; q++) {
      records r = make(shapes[s][0], shapes[s][1], fills[q], 2.0, 1.0, 10 * s + q);
      check_packing(&r, 1.0);
      check_passes(&r);
      check_in_place(&r, 1.0);
      drop(&r);
    }
  }
  static const double bounds[] = {1e-3, 0.7, 3.0, 1e6};
  for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
    records r = make(500, 30, 0.5, 0.4, bounds[b], 100 + b);
    check_packing(&r, bounds[b]);
    drop(&r);
  }
  records wide = make(20, 4000, 0.9, 1.0, 1.0, 200);
  check_packing(&wide, 1.0);
  check_in_place(&wide, 1.0);
  drop(&wide);
  check_extremes();
}
