/* Weights and offsets: what they do to a loss, record by record; a weight counts as
 * rows repeated, an offset as a column whose coefficient is held at 1. */
#include "check.h"
#include "data/record_loss.h"
#include "problem.h"
#include "rules/gradient_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_record_loss(void);

static double width_of(const dpa_loss *loss) {
  return loss->default_width > 0.0 ? loss->default_width : 1.0;
}

static double wave(size_t k) {
  return sin((double)k * 1.7) + 0.3 * cos((double)k * 0.37);
}

/* 0, 1/4, ..., 1 */
static double quarter(size_t k) {
  return (double)(k % 5) / 4.0;
}

/* ---- record by record ------------------------------------------------------------ */

static void check_each(const dpa_loss *loss, int weighted, int shifted) {
  enum { N = 600 }; /* more than are looked at together */
  double y[N], weight[N], offset[N], margin[N], value[N], slope[N], bend[N], alone[N];
  for (size_t k = 0; k < N; k++) {
    y[k] = wave(3 * k) > 0.0 ? 1.0 : -1.0;
    weight[k] = quarter(k);
    offset[k] = 2.0 * wave(k + 7);
    margin[k] = wave(k);
  }
  const dpa_records all = {.n = N,
                           .d = 1,
                           .y = y,
                           .weight = weighted ? weight : NULL,
                           .offset = shifted ? offset : NULL};
  dpa_record_values(&all, loss, width_of(loss), margin, value);
  dpa_record_slopes(&all, loss, width_of(loss), margin, slope, bend);
  dpa_record_slopes(&all, loss, width_of(loss), margin, alone, NULL);
  /* labels of a byte */
  int8_t sign[N];
  double other[N], bent[N];
  for (size_t k = 0; k < N; k++)
    sign[k] = y[k] > 0.0 ? 1 : -1;
  dpa_records signs = all;
  signs.y = NULL;
  signs.sign = sign;
  dpa_record_slopes(&signs, loss, width_of(loss), margin, other, bent);
  CHECK(memcmp(other, slope, sizeof other) == 0 &&
        memcmp(bent, bend, sizeof bent) == 0);
  dpa_record_values(&signs, loss, width_of(loss), margin, other);
  CHECK(memcmp(other, value, sizeof other) == 0);
  const dpa_records part = dpa_records_part(&signs, 100, 5);
  CHECK(dpa_record_labels(&part, other) == other && memcmp(other, y + 100, 40) == 0);
  int same = 1;
  for (size_t k = 0; k < N; k++) {
    const double at = margin[k] + (shifted ? offset[k] : 0.0);
    const double w = weighted ? weight[k] : 1.0;
    double v, d1, d2;
    loss->value(&at, y + k, 1, width_of(loss), &v);
    loss->derivative(&at, y + k, 1, width_of(loss), &d1, &d2);
    same &= value[k] == w * v && slope[k] == w * d1 && bend[k] == w * d2;
    same &= fabs(alone[k] - slope[k]) <= 1e-15;
  }
  CHECK(same);
}

/* ---- whole problems -------------------------------------------------------------- */

/* The rows of p, row k k % 5 times. */
static problem repeated(const problem *p, const double *offset, double **offsets) {
  problem r;
  size_t n = 0;
  for (size_t k = 0; k < p->n; k++)
    n += k % 5;
  r.n = n;
  r.d = p->d;
  r.dense = get(1, n * p->d * sizeof(double));
  r.y = get(1, n * sizeof(double));
  r.lin = get(1, p->d * sizeof(double));
  *offsets = get(1, n * sizeof(double));
  memcpy(r.lin, p->lin, p->d * sizeof(double));
  r.val = NULL;
  r.row = r.col = NULL;
  size_t at = 0;
  for (size_t k = 0; k < p->n; k++)
    for (size_t copy = 0; copy < k % 5; copy++, at++) {
      memcpy(r.dense + at * p->d, p->dense + k * p->d, p->d * sizeof(double));
      r.y[at] = p->y[k];
      (*offsets)[at] = offset[k];
    }
  const dpa_records data = {
      .n = n, .d = p->d, .y = r.y, .dense = r.dense, .offset = *offsets};
  r.data = data;
  return r;
}

static void check_repeated(const dpa_loss *loss, int sparse, size_t n, size_t d) {
  problem p = problem_make(n, d, 0.5, sparse, loss, 11);
  double *weight = get(1, n * sizeof(double)), *offset = get(1, n * sizeof(double)),
         *offsets;
  for (size_t k = 0; k < n; k++) {
    weight[k] = quarter(k);
    offset[k] = wave(k);
  }
  p.data.weight = weight;
  p.data.offset = offset;
  problem r = repeated(&p, offset, &offsets);
  dpa_solver s, t;
  void *one = problem_place(&s, &p, loss, width_of(loss), 8.0 / (double)n);
  void *many = problem_place(&t, &r, loss, width_of(loss), 2.0 / (double)n);
  /* a loose tolerance too, which the model may serve */
  static const double tolerances[] = {1e-10, 1e-3, 1e-10};
  for (size_t q = 0; q < 3; q++) {
    problem_solve(&p, &s, 0.1, tolerances[q]);
    problem_solve(&r, &t, 0.1, tolerances[q]);
    double gap = 0.0;
    for (size_t j = 0; j < d; j++)
      gap += (s.f[j] - t.f[j]) * (s.f[j] - t.f[j]);
    CHECK(sqrt(gap) <= 2.0 * tolerances[q] / 0.1 + 1e-12);
    for (size_t j = 0; j < d; j++)
      p.lin[j] = r.lin[j] += 0.01 * wave(j);
  }
  free(one);
  free(many);
  free(weight);
  free(offset);
  free(offsets);
  free(r.dense);
  free(r.y);
  free(r.lin);
  problem_drop(&p);
}

/* The gradient at f with offsets o is that of the rows (x, o) at (f, 1), without the
 * last entry. Each record's is cut to the clip as it counts. */
static void check_column(const dpa_loss *loss, double clip) {
  enum { N = 900, D = 4 };
  static double x[N * D], wide[N * (D + 1)], y[N], weight[N], offset[N], norm[N];
  double f[D + 1], expected[D] = {0}, out[D];
  for (size_t k = 0; k < N; k++) {
    y[k] = wave(3 * k) > 0.0 ? 1.0 : -1.0;
    weight[k] = quarter(k);
    offset[k] = wave(k + 7);
    for (size_t j = 0; j < D; j++)
      wide[k * (D + 1) + j] = x[k * D + j] = 0.5 * wave(k * D + j);
    wide[k * (D + 1) + D] = offset[k];
  }
  for (size_t j = 0; j < D; j++)
    f[j] = wave(j + 100);
  f[D] = 1.0;
  const dpa_records columns = {.n = N, .d = D + 1, .y = y, .dense = wide};
  dpa_records data = {
      .n = N, .d = D, .y = y, .dense = x, .weight = weight, .offset = offset};
  dpa_records_norms(&data, norm);
  for (size_t k = 0; k < N; k++) {
    const double at = dpa_records_dot(&columns, k, f);
    double slope;
    loss->derivative(&at, y + k, 1, width_of(loss), &slope, NULL);
    slope *= weight[k];
    if (fabs(slope) * norm[k] > clip)
      slope *= clip / (fabs(slope) * norm[k]);
    for (size_t j = 0; j < D; j++)
      expected[j] += slope * x[k * D + j] / N;
  }
  dpa_gradient gradient;
  memset(&gradient, 0, sizeof gradient);
  gradient.data = &data;
  gradient.loss = loss;
  gradient.width = width_of(loss);
  gradient.weight = 1.0 / N;
  gradient.clip = clip;
  gradient.threads = 1;
  dpa_arena arena = {NULL, 0, 0};
  dpa_gradient_layout(&gradient, &arena);
  arena.base = get(1, arena.used);
  arena.used = 0;
  dpa_gradient_layout(&gradient, &arena);
  CHECK(gradient.chunks > 1);
  dpa_gradient_prepare(&gradient);
  dpa_gradient_at(&gradient, f, out);
  for (size_t j = 0; j < D; j++)
    CHECK_NEAR(out[j], expected[j], 1e-13);
  free(arena.base);
}

void test_record_loss(void) {
  for (size_t l = 0; l < dpa_losses_count; l++) {
    for (int kind = 0; kind < 4; kind++)
      check_each(dpa_losses[l], kind & 1, kind & 2);
    check_repeated(dpa_losses[l], 0, 400, 6);
    check_repeated(dpa_losses[l], 1, 300, 60);
    check_column(dpa_losses[l], INFINITY);
    check_column(dpa_losses[l], 0.1);
  }
}
