/* The chunked gradient against sums in long double, with and without clipping, and the
 * driver on a problem whose optimum is known by hand. */
#include "check.h"
#include "driver_gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000, D = 7 };

void test_gradient(void);

static double wave(size_t k) {
  return sin((double)k * 1.7) + 0.3 * cos((double)k * 0.37);
}

static void *taken(size_t bytes) {
  void *block = malloc(bytes);
  if (!block)
    abort();
  return block;
}

typedef struct records {
  double *dense, *y, *val;
  size_t *row;
  int *col;
} records;

/* The same rows, dense and sparse; every third entry is zero. */
static records make_records(void) {
  records r;
  r.dense = taken(sizeof(double) * N * D);
  r.y = taken(sizeof(double) * N);
  r.val = taken(sizeof(double) * N * D);
  r.row = taken(sizeof(size_t) * (N + 1));
  r.col = taken(sizeof(int) * N * D);
  size_t at = 0;
  for (size_t k = 0; k < N; k++) {
    r.row[k] = at;
    r.y[k] = wave(k) > 0.2 ? 1.0 : -1.0;
    for (size_t j = 0; j < D; j++) {
      const double x = (k + j) % 3 == 0 ? 0.0 : wave(k * D + j) / 3.0;
      r.dense[k * D + j] = x;
      if (x != 0.0) {
        r.col[at] = (int)j;
        r.val[at++] = x;
      }
    }
  }
  r.row[N] = at;
  return r;
}

static void free_records(records *r) {
  free(r->dense);
  free(r->y);
  free(r->val);
  free(r->row);
  free(r->col);
}

static void expected_gradient(const records *r, const double *f, double clip,
                              double *out) {
  long double sum[D] = {0};
  for (size_t k = 0; k < N; k++) {
    const double *x = r->dense + k * D;
    long double margin = 0, square = 0;
    for (size_t j = 0; j < D; j++) {
      margin += (long double)x[j] * f[j];
      square += (long double)x[j] * x[j];
    }
    long double slope = -r->y[k] / (1.0L + expl(r->y[k] * margin));
    const long double norm = fabsl(slope) * sqrtl(square);
    if (norm > clip)
      slope *= clip / norm;
    for (size_t j = 0; j < D; j++)
      sum[j] += slope * x[j];
  }
  for (size_t j = 0; j < D; j++)
    out[j] = (double)(sum[j] / N);
}

static void check_gradient(const records *r, int sparse, double clip) {
  dpa_dataset data = {
      N, D, r->y, sparse ? NULL : r->dense, sparse ? r->row : NULL, r->col, r->val};
  dpa_gradient gradient;
  memset(&gradient, 0, sizeof gradient);
  gradient.data = &data;
  gradient.loss = dpa_loss_find("logistic");
  gradient.weight = 1.0 / N;
  gradient.clip = clip;
  gradient.threads = 1;
  dpa_arena arena = {NULL, 0, 0};
  dpa_gradient_layout(&gradient, &arena);
  CHECK(!arena.overflow);
  arena.base = taken(arena.used);
  arena.used = 0;
  dpa_gradient_layout(&gradient, &arena);
  CHECK(gradient.chunks > 1);
  dpa_gradient_prepare(&gradient);
  double f[D], out[D], expected[D];
  for (size_t j = 0; j < D; j++)
    f[j] = 2.0 * wave(j + 100);
  dpa_gradient_at(&gradient, f, out);
  expected_gradient(r, f, clip, expected);
  for (size_t j = 0; j < D; j++)
    CHECK_NEAR(out[j], expected[j], 1e-11);
  free(arena.base);
}

static int never(void *context, size_t done) {
  (void)context;
  (void)done;
  return 0;
}

static int after_two(void *context, size_t done) {
  (void)context;
  return done >= 2;
}

/* min (x - 3)^2 / 2 + |x|: x = 2, and y = x. One record of squared loss. */
static void check_driver(int accelerated, dpa_poll poll, dpa_status expected) {
  enum { T = 400 };
  const double one = 1.0, label = 3.0, minus = -1.0, zero = 0.0;
  const double lambda[DPA_PENALTY_PARAMETERS] = {1.0, 0.0};
  const dpa_dataset data = {1, 1, &label, &one, NULL, NULL, NULL};
  const dpa_dataset A = {1, 1, &zero, &one, NULL, NULL, NULL};
  dpa_gradient_run run;
  memset(&run, 0, sizeof run);
  run.gradient.data = &data;
  run.gradient.loss = dpa_loss_find("squared");
  run.gradient.weight = 1.0;
  run.gradient.clip = INFINITY;
  run.gradient.threads = 1;
  run.A = &A;
  run.b = &minus;
  run.c = &zero;
  run.weight = &one;
  run.penalty = dpa_penalty_find("l1");
  run.parameter = lambda;
  run.eta = run.rho = 1.0;
  run.gamma = 2.0;
  run.accelerated = accelerated;
  run.restart = 1;
  run.iterations = T;
  run.poll = poll;
  dpa_arena arena = {NULL, 0, 0};
  dpa_gradient_run_layout(&run, &arena);
  arena.base = taken(arena.used);
  arena.used = 0;
  dpa_gradient_run_layout(&run, &arena);
  double x = 0.0, y = 0.0, u = 0.0, mean_x = 0.0, mean_y = 0.0;
  double iterates[T], gap[T], moved[T];
  dpa_gradient_trace trace = {&x, &y, &u, &mean_x, &mean_y, iterates, gap, moved, 0, 0};
  CHECK(dpa_gradient_run_all(&run, &trace) == expected);
  if (expected == DPA_OK) {
    CHECK_NEAR(x, 2.0, 1e-9);
    CHECK_NEAR(y, 2.0, 1e-9);
    CHECK_NEAR(u, 1.0, 1e-9);
    CHECK(trace.done == T);
    CHECK(iterates[T - 1] == x);
  } else {
    CHECK(trace.done == 2 && trace.begun == 2);
  }
  free(arena.base);
}

static void check_penalties(void) {
  const double v[3] = {2.0, -0.5, 0.2}, parameter[DPA_PENALTY_PARAMETERS] = {0.3, 1.0};
  double out[3];
  CHECK(dpa_penalty_find("no such") == NULL);
  dpa_penalty_find("elastic_net")->prox(v, 3, 2.0, parameter, out);
  CHECK_NEAR(out[0], 1.4 / 3.0, 1e-15);
  CHECK_NEAR(out[1], 0.0, 0.0);
  CHECK_NEAR(dpa_penalty_find("elastic_net")->value(v, 3, parameter),
             0.3 * 2.7 + 0.5 * 4.29, 1e-14);
  dpa_penalty_find("box")->prox(v, 3, 1.0, parameter, out);
  CHECK_NEAR(out[0], 1.0, 0.0);
  CHECK_NEAR(out[1], 0.3, 0.0);
}

void test_gradient(void) {
  records r = make_records();
  for (int sparse = 0; sparse < 2; sparse++) {
    check_gradient(&r, sparse, INFINITY);
    check_gradient(&r, sparse, 0.1);
  }
  free_records(&r);
  check_driver(0, never, DPA_OK);
  check_driver(1, never, DPA_OK);
  check_driver(0, after_two, DPA_INTERRUPT);
  check_penalties();
}
