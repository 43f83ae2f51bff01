/* The chunked gradient against sums in long double, with and without clipping, and the
 * split relay on a problem whose optimum is known by hand. */
#include "check.h"
#include "rules/gradient_sum.h"
#include "setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000, WIDTH = 7 };

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
  int *row, *col;
} records;

/* The same rows, dense and sparse; every third entry is zero. */
static records make_records(void) {
  records r;
  r.dense = taken(sizeof(double) * N * WIDTH);
  r.y = taken(sizeof(double) * N);
  r.val = taken(sizeof(double) * N * WIDTH);
  r.row = taken(sizeof(int) * (N + 1));
  r.col = taken(sizeof(int) * N * WIDTH);
  int at = 0;
  for (size_t k = 0; k < N; k++) {
    r.row[k] = at;
    r.y[k] = wave(k) > 0.2 ? 1.0 : -1.0;
    for (size_t j = 0; j < WIDTH; j++) {
      const double x = (k + j) % 3 == 0 ? 0.0 : wave(k * WIDTH + j) / 3.0;
      r.dense[k * WIDTH + j] = x;
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
  long double sum[WIDTH] = {0};
  for (size_t k = 0; k < N; k++) {
    const double *x = r->dense + k * WIDTH;
    long double margin = 0, square = 0;
    for (size_t j = 0; j < WIDTH; j++) {
      margin += (long double)x[j] * f[j];
      square += (long double)x[j] * x[j];
    }
    long double slope = -r->y[k] / (1.0L + expl(r->y[k] * margin));
    const long double norm = fabsl(slope) * sqrtl(square);
    if (norm > clip)
      slope *= clip / norm;
    for (size_t j = 0; j < WIDTH; j++)
      sum[j] += slope * x[j];
  }
  for (size_t j = 0; j < WIDTH; j++)
    out[j] = (double)(sum[j] / N);
}

static void check_gradient(const records *r, int sparse, double clip) {
  dpa_records data = {.n = N,
                      .d = WIDTH,
                      .y = r->y,
                      .dense = sparse ? NULL : r->dense,
                      .row = sparse ? r->row : NULL,
                      .col = r->col,
                      .val = r->val};
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
  double f[WIDTH], out[WIDTH], expected[WIDTH];
  for (size_t j = 0; j < WIDTH; j++)
    f[j] = 2.0 * wave(j + 100);
  dpa_gradient_at(&gradient, f, out);
  expected_gradient(r, f, clip, expected);
  int near = 1;
  for (size_t j = 0; j < WIDTH; j++)
    near &= fabs(out[j] - expected[j]) <= 1e-11;
  CHECK(near);
  free(arena.base);
}

static int after_two(void *context, size_t done) {
  (void)context;
  return done >= 2;
}

/* min (x - 3)^2 / 2 + |x|: x = 2, and y = x. One record of squared loss. */
static void check_split(int accelerated, dpa_poll poll, dpa_status expected) {
  enum { T = 400 };
  static int rule[T];
  static double iterates[T], gap[T], moved[T];
  const double one = 1.0, label = 3.0, minus = -1.0, zero = 0.0;
  const double lambda[DPA_PENALTY_PARAMETERS] = {1.0, 0.0};
  const dpa_records data = {.n = 1, .d = 1, .y = &label, .dense = &one};
  const dpa_records A = {.n = 1, .d = 1, .dense = &one};
  const dpa_holding holding = {data, 1, NULL};
  dpa_plan plan;
  dpa_key key;
  memset(&plan, 0, sizeof plan);
  dpa_key_from_seed(&key, 1);
  for (size_t k = 0; k < dpa_rules_count; k++)
    if (dpa_rules[k] == &dpa_rule_gradient)
      for (size_t t = 0; t < T; t++)
        rule[t] = (int)k;
  plan.parties = plan.d = 1;
  plan.threads = 1;
  plan.rounds = T;
  plan.relay = &dpa_relay_split;
  plan.loss = dpa_loss_find("squared");
  plan.weight = &one;
  plan.clip = INFINITY;
  plan.rule = rule;
  plan.penalty = dpa_penalty_find("l1");
  plan.parameter = lambda;
  plan.split.A = A;
  plan.split.b = &minus;
  plan.split.c = &zero;
  plan.split.weights = &one;
  plan.split.eta = plan.split.rho = 1.0;
  plan.split.gamma = 2.0;
  plan.split.accelerated = accelerated;
  plan.split.restart = 1;
  double x = 0.0, y = 0.0, u = 0.0, mean_x = 0.0, mean_y = 0.0;
  dpa_trace trace;
  memset(&trace, 0, sizeof trace);
  trace.f = &x;
  trace.iterates = iterates;
  trace.kept = T;
  trace.gap = gap;
  trace.step = moved;
  trace.y = &y;
  trace.u = &u;
  trace.mean_x = &mean_x;
  trace.mean_y = &mean_y;
  CHECK(run_plan(&plan, &holding, &key, &trace, poll, NULL) == expected);
  if (expected == DPA_OK) {
    CHECK_NEAR(x, 2.0, 1e-9);
    CHECK_NEAR(y, 2.0, 1e-9);
    CHECK_NEAR(u, 1.0, 1e-9);
    CHECK(trace.done == T);
    CHECK(iterates[T - 1] == x);
  } else {
    CHECK(trace.done == 2 && trace.begun == 2);
  }
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
  check_split(0, NULL, DPA_OK);
  check_split(1, NULL, DPA_OK);
  check_split(0, after_two, DPA_INTERRUPT);
  check_penalties();
}
