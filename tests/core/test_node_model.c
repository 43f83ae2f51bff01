/* The quadratic model that answers problems of loose tolerances without a pass. */
#include "check.h"
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_node_model(void);

/* A walk of problems to a loose tolerance. The promise is kept whether the quadratic
 * model answers or steps are taken; margins belong to the answer. Answers how many the
 * model solved; *used is the largest share of the tolerance that its error took. */
static int walk(problem *p, const dpa_loss *loss, double tol, double stride,
                double quad, double *used) {
  dpa_solver s;
  void *memory = problem_place(&s, p, loss, 0.4, 1.0 / (double)p->n);
  int by_model = 0, kept = 1, margins = 1;
  for (int t = 0; t < 60; t++) {
    for (size_t j = 0; j < p->d; j++)
      p->lin[j] += stride * sin(1.7 * t * (double)(j + 1) + 0.1 * t * t);
    const int steps = problem_solve(p, &s, t % 20 == 19 ? 2.0 * quad : quad, tol);
    double parts;
    const double norm = problem_gradient_norm(p, &s, &parts);
    kept &= norm <= tol;
    if (s.at.ahead) {
      kept &= steps == 0;
      by_model++;
      *used = fmax(*used, norm / tol);
    }
    const double *margin = dpa_solver_margin(&s);
    for (size_t k = 0; k < p->n; k++) {
      double at = 0.0;
      for (size_t j = 0; j < p->d; j++)
        at += p->dense[k * p->d + j] * s.f[j];
      margins &= fabs(margin[k] - at) <= 1e-12 * (1.0 + fabs(at));
    }
  }
  CHECK(kept); /* the promise of every answer, and of the model's */
  CHECK(margins);
  free(memory);
  return by_model;
}

static void check_model(void) {
  static const double tol[] = {1e-1, 1e-2, 1e-3, 1e-4};
  double used = 0.0;
  int by_model = 0;
  for (size_t l = 0; l < dpa_losses_count; l++) {
    const dpa_loss *loss = dpa_losses[l];
    int served = 0;
    for (int k = 0; k < 4; k++)
      for (int sparse = 0; sparse < 2; sparse++) {
        problem p = problem_make(200, 8, sparse ? 0.4 : 1.0, sparse, loss, 200 + l);
        served += walk(&p, loss, tol[k], 0.05, 0.2, &used);
        problem_drop(&p);
      }
    /* only where the third derivative is bounded by the second */
    CHECK((served > 0) == loss->constants(0.4).self_concordant);
    by_model += served;
  }
  CHECK(by_model > 300);
  /* one record many times over: every inequality of the bound but one is an equality */
  for (int k = 0; k < 4; k++)
    for (int labels = 0; labels < 2; labels++) {
      problem p = problem_make(30, 2, 1.0, 0, &dpa_loss_logistic, 300);
      for (size_t r = 0; r < p.n; r++) {
        p.dense[2 * r] = 1.0;
        p.dense[2 * r + 1] = 0.0;
        p.y[r] = labels && r % 3 == 0 ? -1.0 : 1.0;
      }
      p.lin[0] = -0.5;
      walk(&p, &dpa_loss_logistic, tol[k], 0.1, 0.3, &used);
      problem_drop(&p);
    }
  CHECK(used > 0.5 && used <= 1.0);
}

void test_node_model(void) {
  check_model();
}
