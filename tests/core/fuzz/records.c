/* Packing, shortening and passes over records of all sizes: sparse against dense rows,
 * rows against columns, bounds that must hold. */
#include "data/records.h"
#include "data/loss.h"
#include "data/network.h"
#include "data/pack.h"
#include "data/penalty.h"
#include "data/record_loss.h"
#include "feed.h"

enum { MOST_N = 70, MOST_D = 12 };

typedef struct matrix {
  size_t n, d;
  int place[MOST_N];
  double plain[MOST_N * MOST_D]; /* column by column */
  int p[MOST_D + 1], i[MOST_N * MOST_D];
  double x[MOST_N * MOST_D];
  /* as rows */
  double dense[MOST_N * (MOST_D + 1)], val[MOST_N * (MOST_D + 1)];
  int row[MOST_N + 1], col[MOST_N * (MOST_D + 1)];
  uint16_t narrow[MOST_N * (MOST_D + 1)];
} matrix;

static void make(matrix *m, feed *from) {
  m->n = 1 + feed_below(from, MOST_N);
  m->d = 1 + feed_below(from, MOST_D);
  int stored = 0;
  for (size_t j = 0; j < m->d; j++) {
    m->p[j] = stored;
    for (size_t k = 0; k < m->n; k++) {
      const int there = feed_byte(from) % 3 > 0;
      const double value = there ? feed_finite(from) : 0.0;
      m->plain[j * m->n + k] = value;
      m->i[stored] = (int)k;
      m->x[stored] = value;
      stored += there;
    }
  }
  m->p[m->d] = stored;
  const size_t turn = feed_below(from, m->n);
  for (size_t k = 0; k < m->n; k++)
    m->place[k] = (int)((k + turn) % m->n);
}

static int close_to(double a, double b, double size) {
  return (isnan(a) && isnan(b)) || a == b || !isfinite(size) ||
         fabs(a - b) <= 1e-12 * size + 1e-300;
}

static void passes(const matrix *m, const dpa_records *dense, const dpa_records *sparse,
                   feed *from) {
  double f[MOST_D + 1], margin[2][MOST_N], size[MOST_N] = {0.0}, w[MOST_N];
  double gradient[2][MOST_D + 1] = {{0.0}}, one[MOST_D + 1], other[MOST_D + 1];
  const size_t d = dense->d;
  for (size_t j = 0; j < d; j++)
    f[j] = feed_finite(from);
  for (size_t k = 0; k < m->n; k++)
    w[k] = feed_finite(from);
  dpa_records_margin(dense, f, margin[0]);
  dpa_records_margin(sparse, f, margin[1]);
  dpa_records_add_gradient(dense, w, gradient[0]);
  dpa_records_add_gradient(sparse, w, gradient[1]);
  for (size_t k = 0; k < m->n; k++) {
    dpa_records_copy(dense, k, one);
    dpa_records_copy(sparse, k, other);
    for (size_t j = 0; j < d; j++) {
      MUST(one[j] == other[j]);
      size[k] += fabs(one[j] * f[j]);
    }
    MUST(close_to(margin[0][k], margin[1][k], size[k]));
    MUST(close_to(margin[0][k], dpa_records_dot(dense, k, f), size[k]));
  }
  for (size_t j = 0; j < d; j++) {
    double most = 0.0;
    for (size_t k = 0; k < m->n; k++)
      most += fabs(m->dense[k * d + j] * w[k]);
    MUST(close_to(gradient[0][j], gradient[1][j], most));
  }
}

/* Rows are no longer than the bound, and norms no smaller than the rows. */
static void bounds(const dpa_records *records, feed *from) {
  double scale[MOST_N], norm[MOST_N];
  const double bound = fmax(feed_positive(from), 1e-280);
  dpa_measure(records, feed_share(from), bound, 1, scale, norm);
  for (size_t k = 0; k < records->n; k++) {
    MUST(scale[k] >= 0.0);
    MUST(norm[k] <= bound);
  }
  dpa_records used = *records;
  used.scale = scale;
  used.norm = norm;
  MUST(dpa_records_longest(&used) <= bound);
}

static void losses(feed *from) {
  const dpa_loss *loss = dpa_losses[feed_below(from, dpa_losses_count)];
  const double width =
      loss->default_width > 0.0 ? pow(10.0, 100.0 * feed_share(from) - 50.0) : 0.0;
  const double y = loss->constants(1.0).classification
                       ? copysign(1.0, feed_finite(from))
                       : feed_finite(from);
  const double a = feed_finite(from);
  double value, slope, curvature;
  loss->value(&a, &y, 1, width, &value);
  loss->derivative(&a, &y, 1, width, &slope, &curvature);
  const dpa_loss_constants most = loss->constants(width);
  MUST(value >= 0.0 && curvature >= 0.0);
  MUST(fabs(slope) <= most.lipschitz * (1.0 + 1e-12));
  MUST(curvature <= most.curvature * (1.0 + 1e-12));
}

static void penalties(feed *from) {
  const dpa_penalty *penalty = dpa_penalties[feed_below(from, dpa_penalties_count)];
  double parameter[2] = {feed_positive(from), feed_positive(from)}, z;
  if (penalty == &dpa_penalty_box)
    parameter[0] = -parameter[0];
  const double v = feed_finite(from);
  penalty->prox(&v, 1, fabs(feed_finite(from)), parameter, &z);
  MUST(!isnan(z));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static matrix m;
  feed from = {data, size};
  make(&m, &from);
  const dpa_recipe recipe = {feed_below(&from, 2) ? fmax(feed_positive(&from), 1e-280)
                                                  : INFINITY,
                             (int)feed_below(&from, 2), 1.0, NULL};
  dpa_pack_dense(&(dpa_matrix){m.n, m.d, m.plain, NULL, NULL}, m.place, &recipe, 1,
                 m.dense);
  const int wide = (int)feed_below(&from, 2);
  const dpa_sparse x = {
      .n = m.n, .d = m.d, .stored = (size_t)m.p[m.d], .p = m.p, .i = m.i, .x = m.x};
  dpa_pack_sparse(&x, m.place, &recipe, m.row, wide ? m.col : NULL, m.narrow, m.val);
  const size_t d = m.d + (size_t)recipe.intercept;
  const dpa_records dense = {.n = m.n, .d = d, .dense = m.dense};
  const dpa_records sparse = {.n = m.n,
                              .d = d,
                              .row = m.row,
                              .col = wide ? m.col : NULL,
                              .narrow = wide ? NULL : m.narrow,
                              .val = m.val};
  passes(&m, &dense, &sparse, &from);
  bounds(&dense, &from);
  bounds(&sparse, &from);
  losses(&from);
  penalties(&from);
  return 0;
}
