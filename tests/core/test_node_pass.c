/* Passes over a node's records, and the prices by which its solver chooses: against
 * sums in long double, whatever the shape, and the same to the last bit for any number
 * of threads. */
#include "check.h"
#include "data/kernels.h"
#include "data/record_loss.h"
#include "problem.h"
#include "rules/node_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_node_pass(void);

/* ---- kernels --------------------------------------------------------------------- */

static double wave(size_t k) {
  return sin(1.3 * (double)k) + 0.2 * cos(0.7 * (double)k);
}

/* x: n columns of d rows each. */
static double squares_gap(const double *x, size_t n, size_t d, double *out) {
  double gap = 0.0;
  for (size_t k = 0; k < d; k++)
    out[k] = wave(k);
  dpa_columns_squares(x, d, d, n, out);
  for (size_t k = 0; k < d; k++) {
    long double sum = wave(k);
    for (size_t j = 0; j < n; j++)
      sum += (long double)x[j * d + k] * x[j * d + k];
    gap = fmax(gap, fabs((double)(sum - out[k])));
  }
  return gap;
}

static void check_kernels(size_t n, size_t d) {
  double *x = get(1, n * d * sizeof *x), *f = get(1, d * sizeof *f),
         *w = get(1, n * sizeof *w), *out = get(1, n * sizeof *out),
         *g = get(1, d * sizeof *g), *H = get(1, d * d * sizeof *H);
  for (size_t k = 0; k < n * d; k++)
    x[k] = wave(k);
  for (size_t j = 0; j < d; j++)
    f[j] = g[j] = wave(5 * j + 1);
  for (size_t k = 0; k < n; k++)
    w[k] = wave(3 * k + 2);
  for (size_t k = 0; k < d * d; k++)
    H[k] = wave(k + 9);
  dpa_rows_times(x, n, d, f, out);
  dpa_rows_add(x, n, d, w, g);
  for (size_t j = 0; j < d; j += DPA_SQUARE_COLUMNS)
    dpa_rows_square(x, d % 2 ? w : NULL, n, d, j, H);
  double gap = 0.0;
  int alone = 1, upper = 1;
  for (size_t k = 0; k < n; k++) {
    long double sum = 0.0L;
    double single;
    for (size_t j = 0; j < d; j++)
      sum += (long double)x[k * d + j] * f[j];
    gap = fmax(gap, fabs((double)(sum - out[k])));
    dpa_rows_times(x + k * d, 1, d, f, &single);
    alone &= single == out[k];
  }
  for (size_t j = 0; j < d; j++) {
    long double sum = wave(5 * j + 1);
    for (size_t k = 0; k < n; k++)
      sum += (long double)w[k] * x[k * d + j];
    gap = fmax(gap, fabs((double)(sum - g[j])));
    for (size_t i = 0; i < d; i++) {
      sum = wave(j * d + i + 9);
      for (size_t k = 0; i >= j && k < n; k++)
        sum += (d % 2 ? (long double)w[k] : 1.0L) * x[k * d + i] * x[k * d + j];
      gap = fmax(gap, fabs((double)(sum - H[j * d + i])));
      upper &= i >= j || H[j * d + i] == wave(j * d + i + 9);
    }
  }
  gap = fmax(gap, squares_gap(x, n, d, g));
  CHECK(gap < 1e-14 * (double)(n + d));
  CHECK(alone); /* where a row lies does not matter */
  CHECK(upper); /* the other triangle is left alone */
  free(x);
  free(f);
  free(w);
  free(out);
  free(g);
  free(H);
}

/* ---- passes ---------------------------------------------------------------------- */

/* The gradient of the losses at margins + t along, in long double. */
static double gradient_gap(const problem *p, const dpa_solver *s, double t) {
  double gap = 0.0;
  for (size_t j = 0; j < p->d; j++) {
    long double sum = 0.0L;
    for (size_t k = 0; k < p->n; k++) {
      long double at = 0.0L;
      for (size_t i = 0; i < p->d; i++)
        at += (long double)p->dense[k * p->d + i] * (s->f[i] + t * s->dir[i]);
      double slope;
      const double margin = (double)at;
      s->loss->derivative(&margin, p->y + k, 1, s->width, &slope, NULL);
      sum += (long double)slope * p->dense[k * p->d + j];
    }
    gap = fmax(gap, fabs((double)(s->weight * sum - s->data_grad[j])));
  }
  return gap;
}

static void set_point(dpa_solver *s, size_t d) {
  for (size_t j = 0; j < d; j++) {
    s->f[j] = wave(j);
    s->dir[j] = 0.3 * wave(j + 40);
  }
}

static void check_passes(size_t n, size_t d, int sparse) {
  problem p = problem_make(n, d, sparse ? 0.5 : 1.0, sparse, &dpa_loss_logistic, 400);
  dpa_solver s, t;
  dpa_work work = {0}; /* of s alone */
  dpa_records counted;
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.0, 1.0 / (double)n);
  counted = *s.data;
  counted.work = &work;
  s.data = &counted;
  void *other = problem_place(&t, &p, &dpa_loss_logistic, 0.0, 1.0 / (double)n);
  set_point(&s, d);
  set_point(&t, d);
  t.threads = 3;
  CHECK(dpa_solver_pass(&s, DPA_PASS_POINT) == 0.0);
  CHECK(gradient_gap(&p, &s, 0.0) < 1e-13);
  dpa_solver_pass(&t, DPA_PASS_POINT);
  CHECK(memcmp(s.margin, t.margin, n * sizeof(double)) == 0);
  CHECK(memcmp(s.data_grad, t.data_grad, d * sizeof(double)) == 0);

  const double slope = dpa_solver_pass(&s, DPA_PASS_STEP);
  CHECK(gradient_gap(&p, &s, 1.0) < 1e-13);
  double along = 0.0;
  for (size_t j = 0; j < d; j++)
    along += s.data_grad[j] * s.dir[j];
  CHECK_NEAR(slope, along, 1e-13);
  CHECK(dpa_solver_pass(&t, DPA_PASS_STEP) == slope);
  CHECK(memcmp(s.data_grad, t.data_grad, d * sizeof(double)) == 0);

  memset(s.data_grad, 0, d * sizeof(double));
  for (size_t k = 0; k < n; k++)
    s.margin[k] += s.along[k];
  CHECK(dpa_solver_pass(&s, DPA_PASS_BACK) == 0.0);
  CHECK(memcmp(s.data_grad, t.data_grad, d * sizeof(double)) == 0);
  CHECK(work.times == 2 * n && work.back == 3 * n);
  free(memory);
  free(other);
  problem_drop(&p);
}

/* ---- prices ---------------------------------------------------------------------- */

/* A node of 250 x 80 for which a full curvature is no bargain. Columns are alike up to
 * a tenth (or not at all), so that a scale is of no use (or all that is needed). */
static problem priced(int alike) {
  problem p = problem_make(250, 80, 1.0, 0, &dpa_loss_logistic, 500);
  for (size_t k = 0; alike && k < p.n; k++) {
    double common = 0.0;
    for (size_t j = 0; j < 8; j++)
      common += p.dense[k * p.d + j];
    for (size_t j = 0; j < p.d; j++)
      p.dense[k * p.d + j] =
          0.1 * p.dense[k * p.d + j] + 0.3 * common / (double)(j + 1);
  }
  return p;
}

static void check_prices(int alike) {
  problem p = priced(alike);
  dpa_solver s;
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.0, 4.0 / (double)p.n);
  CHECK(s.diagonal && s.price > 10.0);
  dpa_work work = {0};
  dpa_records counted = *s.data;
  counted.work = &work;
  s.data = &counted;
  double quad = alike ? 1e-3 : 0.05;
  dpa_solver_start(&s, quad, p.lin, 1e-9);
  CHECK(dpa_solver_advance(&s) == DPA_CONTINUE);
  CHECK(s.at.curved == DPA_SCALE && work.squares == 0);
  int before = 0;
  for (int round = 0; round < 12; round++, quad *= 1.1) {
    for (size_t j = 0; j < p.d; j++)
      p.lin[j] = 0.1 * wave(j + 90 * (size_t)round);
    const uint64_t squares = work.squares;
    const int steps = problem_solve(&p, &s, quad, 1e-9);
    if (squares == 0 && work.squares > 0)
      CHECK(before + steps >= (int)s.price); /* not before it was worth it */
    before += steps;
  }
  CHECK((s.at.curved == DPA_FULL) == alike);
  if (alike) /* a factor of a penalty that is not far off goes on to serve */
    CHECK(work.factors < 12 && work.squares <= 3 * p.n);
  free(memory);
  problem_drop(&p);
}

void test_node_pass(void) {
  for (size_t n = 1; n < 10; n += 2)
    for (size_t d = 1; d < 40; d += n == 1 ? 1 : 5)
      check_kernels(n, d);
  check_kernels(70, 64);
  for (int sparse = 0; sparse < 2; sparse++) {
    check_passes(3, 5, sparse);
    check_passes(1100, 5, sparse);
    check_passes(20000, 3, sparse); /* more than one sum may hold */
    check_passes(300, 160, sparse);
    check_passes(3500, 40, sparse); /* threads share it */
  }
  check_prices(0);
  check_prices(1);
}
