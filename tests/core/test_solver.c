/* The node problem: what the solver calls a minimiser has the gradient norm it
 * promises, computed here from the definition in long double, from cold and warm
 * starts. */
#include "check.h"
#include "problem.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_solver(void);

/* ---- accuracy -------------------------------------------------------------------- */

static void check_shape(size_t n, size_t d, double fill, int sparse, int full,
                        const dpa_loss *loss, double width, uint64_t seed) {
  problem p = problem_make(n, d, fill, sparse, loss, seed);
  CHECK(dpa_solver_full(&p.data) == full);
  dpa_solver s;
  void *memory = problem_place(&s, &p, loss, width, 50.0 / (double)n);
  CHECK((s.diagonal != NULL) == full);

  const int cold = problem_solve(&p, &s, 0.05, 1e-10);
  CHECK(cold > 0);
  double *kept = get(1, d * sizeof(double));
  memcpy(kept, s.f, d * sizeof(double));

  /* solved already: no step, no change */
  CHECK(problem_solve(&p, &s, 0.05, 1e-10) == 0);
  CHECK(memcmp(kept, s.f, d * sizeof(double)) == 0);

  /* a run of problems with other lin and quad, as ADMM poses them, then the first
   * again: it has one minimiser, and strong convexity says how near two answers are */
  static const double quads[] = {0.05, 0.06, 0.5, 20.0, 1e-3, 0.05};
  double *lin = get(1, d * sizeof(double));
  memcpy(lin, p.lin, d * sizeof(double));
  for (size_t q = 0; q < sizeof quads / sizeof *quads; q++) {
    for (size_t j = 0; j < d; j++)
      p.lin[j] = q == 5 ? lin[j] : lin[j] + 0.3 * sin((double)(j + 7 * q));
    problem_solve(&p, &s, quads[q], 1e-10);
  }
  double gap = 0.0;
  for (size_t j = 0; j < d; j++)
    gap += (s.f[j] - kept[j]) * (s.f[j] - kept[j]);
  CHECK(sqrt(gap) <= 2.0 * 2e-10 / 0.05 + 1e-12);

  /* from a start that is far away */
  for (size_t j = 0; j < d; j++)
    s.f[j] = j % 2 ? 100.0 : -300.0;
  s.at.known = 0;
  problem_solve(&p, &s, 0.05, 1e-10);
  gap = 0.0;
  for (size_t j = 0; j < d; j++)
    gap += (s.f[j] - kept[j]) * (s.f[j] - kept[j]);
  CHECK(sqrt(gap) <= 2.0 * 2e-10 / 0.05 + 1e-11);
  free(kept);
  free(lin);
  free(memory);
  problem_drop(&p);
}

static void check_accuracy(void) {
  for (size_t l = 0; l < dpa_losses_count; l++) {
    const dpa_loss *loss = dpa_losses[l];
    const double width = 0.6 * loss->default_width;
    check_shape(300, 12, 1.0, 0, 1, loss, width, 1 + l);
    check_shape(300, 12, 0.3, 1, 1, loss, width, 11 + l);
    check_shape(40, 100, 0.1, 1, 0, loss, width, 21 + l); /* diagonal, sparse */
    check_shape(20, 90, 1.0, 0, 0, loss, width, 31 + l);  /* diagonal, dense */
    check_shape(1, 1, 1.0, 0, 1, loss, width, 41 + l);
  }
}

/* Sparse and dense records pose one problem. */
static void check_layouts(void) {
  for (size_t l = 0; l < dpa_losses_count; l++) {
    const dpa_loss *loss = dpa_losses[l];
    problem dense = problem_make(150, 10, 0.4, 0, loss, 60 + l);
    problem sparse = problem_make(150, 10, 0.4, 1, loss, 60 + l);
    dpa_solver a, b;
    void *memory_a = problem_place(&a, &dense, loss, 0.5, 0.2);
    void *memory_b = problem_place(&b, &sparse, loss, 0.5, 0.2);
    problem_solve(&dense, &a, 0.1, 1e-11);
    problem_solve(&sparse, &b, 0.1, 1e-11);
    for (size_t j = 0; j < 10; j++)
      CHECK_NEAR(a.f[j], b.f[j], 1e-9);
    free(memory_a);
    free(memory_b);
    problem_drop(&dense);
    problem_drop(&sparse);
  }
}

/* ---- curvature ------------------------------------------------------------------- */

/* The curvature it keeps is the derivative of the data's gradient. */
static void check_hessian(int sparse) {
  problem p = problem_make(70, 6, 0.6, sparse, &dpa_loss_logistic, 80);
  dpa_solver s;
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.0, 0.5);
  dpa_solver_start(&s, 1.0, p.lin, 1e-12);
  CHECK(dpa_solver_advance(&s) == DPA_CONTINUE); /* curvature at f = 0 */
  for (size_t j = 0; j < 6; j++) {
    const double step = 1e-5;
    for (size_t i = j; i < 6; i++) {
      double derivative[2];
      for (int side = 0; side < 2; side++) {
        derivative[side] = 0.0;
        for (size_t k = 0; k < p.n; k++) {
          const double at = (side ? step : -step) * p.dense[k * 6 + j];
          double l;
          dpa_loss_logistic.derivative(&at, p.y + k, 1, 0.0, &l, NULL);
          derivative[side] += 0.5 * l * p.dense[k * 6 + i];
        }
      }
      const double kept = i == j ? s.diagonal[j] : s.curvature[i * 6 + j];
      CHECK_NEAR(kept, (derivative[1] - derivative[0]) / (2.0 * step), 1e-9);
    }
  }
  free(memory);
  problem_drop(&p);
}

/* Steps against the gradient alone arrive, in as many as the plan counts on. */
static void check_plain(void) {
  const double quads[] = {1.0, 0.1, 0.01};
  for (int k = 0; k < 3; k++) {
    problem p = problem_make(60, 8, 1.0, 0, &dpa_loss_logistic, 85);
    dpa_solver s;
    void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.0, 1.0 / 60.0);
    const double longest = dpa_records_longest(&p.data);
    const double most = quads[k] + 0.25 * longest * longest, tol = 1e-10;
    /* |f| at the solution, from the slopes and the linear term */
    const double far = (longest + dpa_norm(p.lin, 8)) / quads[k];
    s.roam = 1e6;
    dpa_solver_start(&s, quads[k], p.lin, tol);
    s.at.plain = 1;
    dpa_status status = dpa_solver_advance(&s);
    double steps = 1.0;
    for (; status == DPA_CONTINUE; steps++)
      status = dpa_solver_advance(&s);
    CHECK(status == DPA_OK && s.at.norm <= tol);
    CHECK(steps <= most / quads[k] * log(10.0 * most * far / tol));
    CHECK(steps > 10.0);
    free(memory);
    problem_drop(&p);
  }
}

/* Where rounding hides the tolerance from them, they end when they must be as near as
 * it says: by their number. */
static void check_arrived(void) {
  const double quad = 1e-4, tol = 1e-17;
  problem p = problem_make(60, 8, 1.0, 0, &dpa_loss_logistic, 85);
  dpa_solver exact, s;
  void *other = problem_place(&exact, &p, &dpa_loss_logistic, 0.0, 1.0 / 60.0);
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.0, 1.0 / 60.0);
  CHECK(problem_solve(&p, &exact, quad, 1e-13) >= 0);
  s.roam = 2.0 * dpa_norm(exact.f, 8);
  dpa_solver_start(&s, quad, p.lin, tol);
  s.at.plain = 1;
  dpa_status status = DPA_CONTINUE;
  double steps = 0.0;
  for (; status == DPA_CONTINUE; steps++)
    status = dpa_solver_advance(&s);
  const double longest = dpa_records_longest(&p.data);
  const double share = 1.0 - quad / (quad + 0.25 * longest * longest);
  CHECK(status == DPA_OK && s.at.norm > tol);
  CHECK(pow(share, steps - 2.0) * 2.0 * s.roam <= tol / (2.0 * quad));
  CHECK(pow(share, steps + 2.0) * 2.0 * s.roam >= 0.5 * tol / (2.0 * quad));
  double gap = 0.0;
  for (size_t j = 0; j < 8; j++)
    gap += (s.f[j] - exact.f[j]) * (s.f[j] - exact.f[j]);
  CHECK(sqrt(gap) <= 2e-13 / quad);
  free(other);
  free(memory);
  problem_drop(&p);
}

/* ---- the ends of the range ------------------------------------------------------- */

static void check_extremes(void) {
  problem p = problem_make(60, 8, 1.0, 0, &dpa_loss_logistic, 90);
  dpa_solver s;
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.0, 1.0 / 60.0);

  /* noise so large that rounding alone exceeds tol: an answer all the same */
  for (size_t j = 0; j < 8; j++)
    p.lin[j] *= 1e12;
  problem_solve(&p, &s, 0.01, 1e-10);
  /* and back to an ordinary problem */
  for (size_t j = 0; j < 8; j++)
    p.lin[j] *= 1e-12;
  s.at.known = 0;
  problem_solve(&p, &s, 0.01, 1e-10);
  /* an asked tolerance of less than rounding */
  problem_solve(&p, &s, 0.02, 1e-300);
  /* nearly separable: hardly any convexity but quad */
  problem_solve(&p, &s, 1e-8, 1e-12);
  /* a penalty that drowns the data */
  problem_solve(&p, &s, 1e10, 1e-10);

  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    const double kept = p.lin[3];
    p.lin[3] = bad[k];
    dpa_solver_start(&s, 1.0, p.lin, 1e-10);
    dpa_status status = DPA_CONTINUE;
    for (int step = 0; step < 3 && status == DPA_CONTINUE; step++)
      status = dpa_solver_advance(&s);
    CHECK(status == DPA_NUMERIC);
    p.lin[3] = kept;
  }
  problem_solve(&p, &s, 1.0, 1e-10); /* no harm done */
  free(memory);
  problem_drop(&p);
}

/* Without records the minimiser is -lin / quad. */
static void check_empty(void) {
  problem p = problem_make(1, 5, 1.0, 0, &dpa_loss_logistic, 95);
  p.n = p.data.n = 0;
  dpa_solver s;
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.0, 1.0);
  problem_solve(&p, &s, 2.0, 1e-13);
  for (size_t j = 0; j < 5; j++)
    CHECK_NEAR(s.f[j], -p.lin[j] / 2.0, 1e-13);
  free(memory);
  problem_drop(&p);
}

static void check_arena(void) {
  dpa_arena arena = {NULL, 0, 0};
  CHECK(dpa_take(&arena, 3, 8) == NULL);
  CHECK(arena.used == 32 && !arena.overflow); /* pieces are aligned to 16 */
  dpa_take(&arena, SIZE_MAX / 8, 16);
  CHECK(arena.overflow && arena.used == 32);
  arena.overflow = 0;
  dpa_take(&arena, SIZE_MAX, 1);
  CHECK(arena.overflow);
}

void test_solver(void) {
  check_accuracy();
  check_layouts();
  check_hessian(0);
  check_hessian(1);
  check_plain();
  check_arrived();
  check_extremes();
  check_empty();
  check_arena();
}
