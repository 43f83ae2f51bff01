/* The proximal root, rows in place, samples, and the consensus driver's states against
 * each other: DENSE, SHARED and TRACED are one algorithm. */
#include "affine.h"
#include "check.h"
#include "driver_consensus.h"
#include "prox_glm.h"
#include "sample.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_consensus(void);

static void check_roots(void) {
  const double targets[] = {0.0, 1e-300, 0.3, -2.0, 50.0, -700.0, 1e6, -1e12};
  const double weights[] = {0.0, 1e-8, 0.5, 3.0, 1e4, 1e10};
  for (size_t l = 0; l < dpa_losses_count; l++) {
    const dpa_loss *loss = dpa_losses[l];
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
      for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
        for (int label = -1; label <= 1; label += 2) {
          for (int start = 0; start < 3; start++) {
            const double y = label, target = targets[t], weight = weights[w];
            double m = start == 0 ? 0.0 : start == 1 ? 1e9 : NAN;
            double s = NAN, at = NAN, bend;
            dpa_prox_glm(loss, 0.5, &y, &target, &weight, 1, &m, &s);
            loss->slope(&m, &y, 1, 0.5, &at, &bend);
            const double size = fabs(m) + fabs(weight * s) + fabs(target);
            CHECK(at == s);
            /* the root, to a few ulp of the margin and of the terms */
            const double steep = 1.0 + weight * loss->constants(0.5).curvature;
            CHECK(fabs(m + weight * s - target) <=
                  1e-15 * (4.0 * size + 2.0 * steep * fabs(m)));
          }
        }
      }
    }
  }
}

static void check_samples(void) {
  dpa_key key;
  dpa_rng rng;
  dpa_key_from_seed(&key, 5);
  int out[6], count[6] = {0};
  size_t taken = 0;
  for (uint32_t k = 0; k < 6000; k++) {
    dpa_rng_init(&rng, &key, 0, k, DPA_SAMPLING);
    dpa_sample_fixed(&rng, 6, 2, out);
    CHECK(out[0] >= 0 && out[0] < out[1] && out[1] < 6);
    count[out[0]]++;
    count[out[1]]++;
    dpa_rng_init(&rng, &key, 1, k, DPA_SAMPLING);
    taken += dpa_sample_poisson(&rng, 6, 0.25, out);
  }
  for (int i = 0; i < 6; i++)
    CHECK(fabs(count[i] - 2000.0) < 4.5 * sqrt(6000.0 * 2.0 / 9.0));
  CHECK(fabs((double)taken - 9000.0) < 4.5 * sqrt(36000.0 * 0.1875));
  dpa_rng_init(&rng, &key, 0, 1, DPA_SAMPLING);
  dpa_sample_fixed(&rng, 6, 6, out);
  for (int i = 0; i < 6; i++)
    CHECK(out[i] == i);
}

#define USERS 9
#define D 60
#define ROUNDS 25

static int go_on(void *context, size_t done) {
  (void)context;
  (void)done;
  return 0;
}

static dpa_status run_with(double lambda, size_t sample, double step_bound,
                           const dpa_rows *rows, double *history, dpa_states *states) {
  static const double none[2] = {0.0, 0.0};
  dpa_key key;
  dpa_key_from_seed(&key, 3);
  dpa_consensus run;
  memset(&run, 0, sizeof run);
  run.users = USERS;
  run.d = D;
  run.rows = rows;
  run.loss = &dpa_loss_logistic;
  run.lambda = lambda;
  run.gamma = 2.0;
  run.grad_bound = 0.4;
  run.step_bound = step_bound;
  run.penalty = &dpa_penalty_none;
  run.parameter = none;
  run.rounds = ROUNDS;
  run.sample = sample;
  run.key = &key;
  run.poll = go_on;
  run.history = history;
  dpa_arena arena = {NULL, 0, 0};
  dpa_consensus_layout(&run, &arena);
  arena.base = malloc(arena.used);
  if (!arena.base)
    return DPA_SIZE;
  arena.used = 0;
  dpa_consensus_layout(&run, &arena);
  const dpa_status status = dpa_consensus_run(&run);
  *states = run.states;
  free(arena.base);
  return status;
}

static void check_states(void) {
  static double x[USERS * D], y[USERS], scale[USERS], square[USERS];
  static double compact[D * (ROUNDS + 1)], dense[D * (ROUNDS + 1)];
  dpa_key key;
  dpa_rng rng;
  dpa_key_from_seed(&key, 1);
  dpa_rng_init(&rng, &key, 0, 0, DPA_START);
  for (size_t k = 0; k < USERS * D; k++)
    x[k] = dpa_rng_uniform(&rng) - 0.5;
  for (size_t k = 0; k < USERS; k++)
    y[k] = k % 2 ? 1.0 : -1.0;
  dpa_rows rows;
  memset(&rows, 0, sizeof rows);
  rows.n = USERS;
  rows.d = D;
  rows.dense = x;
  rows.y = y;
  rows.scale = scale;
  rows.square = square;
  dpa_rows_measure(&rows, 1.0, scale, square);
  for (size_t i = 0; i < USERS; i++) {
    double row[D], sum = 0.0;
    dpa_rows_copy(&rows, i, row);
    for (size_t j = 0; j < D; j++)
      sum += row[j] * row[j];
    CHECK(sqrt(sum) <= 1.0);
    CHECK_NEAR(sum, square[i], 1e-13);
  }
  const double lambdas[] = {0.5, 0.4, 0.25, 0.7};
  for (size_t l = 0; l < 4; l++) {
    dpa_states states;
    CHECK(run_with(lambdas[l], 0, INFINITY, &rows, compact, &states) == DPA_OK);
    CHECK(states == DPA_SHARED);
    CHECK(run_with(lambdas[l], 0, 1e300, &rows, dense, &states) == DPA_OK);
    CHECK(states == DPA_DENSE);
    double off = 0.0, size = 0.0;
    for (size_t k = 0; k < D * (ROUNDS + 1); k++) {
      off = fmax(off, fabs(compact[k] - dense[k]));
      size = fmax(size, fabs(dense[k]));
    }
    CHECK(off < 1e-13 && size > 1e-3);
    CHECK(run_with(lambdas[l], 4, INFINITY, &rows, compact, &states) == DPA_OK);
    CHECK(states == DPA_TRACED);
    CHECK(run_with(lambdas[l], 4, 1e300, &rows, dense, &states) == DPA_OK);
    CHECK(states == DPA_DENSE);
    off = size = 0.0;
    for (size_t k = 0; k < D * (ROUNDS + 1); k++) {
      off = fmax(off, fabs(compact[k] - dense[k]));
      size = fmax(size, fabs(dense[k]));
    }
    CHECK(off < 1e-13 && size > 1e-3);
  }
}

static void check_affine(void) {
  const double A[] = {1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 0.0, 1.0, -2.0}; /* by columns */
  const double b[] = {1.0, 0.0, -1.0}, u[] = {2.0, -1.0, 3.0};
  const double expected[] = {4.0, 6.5, -5.0};
  const int all[] = {1, 2, 3}, part[] = {3, 1};
  double out[3];
  dpa_affine(A, b, u, 3, all, 3, out);
  for (size_t k = 0; k < 3; k++)
    CHECK_NEAR(out[k], expected[k], 0.0);
  dpa_affine(A, b, u, 3, part, 2, out);
  CHECK_NEAR(out[0], expected[2], 0.0);
  CHECK_NEAR(out[1], expected[0], 0.0);
  dpa_affine(A, b, u, 3, NULL, 0, out);
}

void test_consensus(void) {
  check_affine();
  check_roots();
  check_samples();
  check_states();
}
