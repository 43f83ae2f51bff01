/* The quadratic model that answers problems of loose tolerances without a pass, and the
 * scale that steps begin with. */
#include "check.h"
#include "problem.h"
#include "rules/node_model.h"

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

/* Numbers that vary by `spread` about `mean`, the last of a row being `mean` itself. */
static problem about(double mean, double spread, int sparse) {
  problem p = problem_make(60, 100, 1.0, sparse, &dpa_loss_logistic, 17);
  for (size_t k = 0; k < p.n; k++)
    for (size_t j = 0; j < p.d; j++) {
      double *x = sparse ? &p.val[k * p.d + j] : &p.dense[k * p.d + j];
      *x = mean + (j + 1 < p.d ? spread * sin((double)(k * p.d + j) * sqrt(2.0)) : 0.0);
      p.dense[k * p.d + j] = *x;
    }
  return p;
}

/* sum_k w_k (x_k - m)(x_k - m)' for the diagonal, and the mean row m, with equal w. */
static void check_scale(int sparse) {
  const double quad = 1e-3;
  problem p = about(0.07, 0.03, sparse);
  dpa_solver s;
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.4, 1.0);
  dpa_solver_start(&s, quad, p.lin, 1e-9);
  CHECK(dpa_solver_advance(&s) == DPA_CONTINUE && s.at.curved == DPA_SCALE);
  const double *scale = s.curvature, *v = scale + p.d, w = 0.25;
  int right = 1, solves = 1;
  for (size_t j = 0; j < p.d; j++) {
    double mean = 0.0, squares = 0.0, about_mean = 0.0;
    for (size_t k = 0; k < p.n; k++)
      mean += p.dense[k * p.d + j] / (double)p.n;
    for (size_t k = 0; k < p.n; k++) {
      const double x = p.dense[k * p.d + j];
      squares += w * x * x;
      about_mean += w * (x - mean) * (x - mean);
    }
    right &= fabs(v[j] - mean * sqrt(w * (double)p.n)) <= 1e-13;
    right &= fabs(scale[j] - fmax(about_mean, 1e-6 * squares)) <= 1e-14;
  }
  CHECK(right);

  double *given = get(p.d, sizeof(double)), along = 0.0;
  for (size_t j = 0; j < p.d; j++)
    s.dir[j] = given[j] = cos((double)(j * j));
  dpa_solver_divide(&s);
  for (size_t j = 0; j < p.d; j++)
    along += v[j] * s.dir[j];
  for (size_t j = 0; j < p.d; j++)
    solves &= fabs((scale[j] + quad) * s.dir[j] + v[j] * along - given[j]) <= 1e-9;
  CHECK(solves);
  free(given);
  free(memory);
  problem_drop(&p);
}

static int steps_about(double mean) {
  problem p = about(mean, 0.03, 0);
  dpa_solver s;
  void *memory = problem_place(&s, &p, &dpa_loss_logistic, 0.4, 1.0);
  const int steps = problem_solve(&p, &s, 0.01, 1e-6);
  free(memory);
  problem_drop(&p);
  return steps;
}

void test_node_model(void) {
  check_model();
  check_scale(0);
  check_scale(1);
  /* a mean row costs no steps */
  CHECK(steps_about(0.09) <= steps_about(0.0) + 2);
}
