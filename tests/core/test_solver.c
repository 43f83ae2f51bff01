/* The node problem: what the solver calls a minimiser has the gradient norm it
 * promises, computed here from the definition in long double, from cold and warm
 * starts. */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */

#include "check.h"
#include "random/key.h"
#include "rules/node_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_solver(void);

typedef struct problem {
  size_t n, d;
  double *dense, *val, *y, *lin;
  int *row, *col;
  dpa_records data;
} problem;

static void *get(size_t bytes) {
  void *piece = malloc(bytes + 1);
  if (!piece)
    abort();
  return piece;
}

static double uniform(dpa_stream *stream, double scale) {
  return scale * (2.0 * dpa_stream_uniform(stream) - 1.0);
}

/* Rows of norm at most 1 with `fill` of the entries; labels -1 and 1, or numbers. */
static problem make(size_t n, size_t d, double fill, int sparse, const dpa_loss *loss,
                    uint64_t seed) {
  problem p;
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, seed);
  dpa_stream_init(&stream, &key, 1, 2, 3);
  p.n = n;
  p.d = d;
  p.dense = get(n * d * sizeof(double));
  p.val = get(n * d * sizeof(double));
  p.col = get(n * d * sizeof(int));
  p.row = get((n + 1) * sizeof(int));
  p.y = get(n * sizeof(double));
  p.lin = get(d * sizeof(double));
  int next = 0;
  for (size_t k = 0; k < n; k++) {
    p.row[k] = next;
    double score = 0.0;
    for (size_t j = 0; j < d; j++) {
      const int there = dpa_stream_uniform(&stream) < fill;
      const double value = uniform(&stream, 1.0 / sqrt((double)d * fill));
      p.dense[k * d + j] = there ? value : 0.0;
      if (there) {
        p.val[next] = value;
        p.col[next++] = (int)j;
        score += value * (j % 3 == 0 ? 3.0 : -1.0);
      }
    }
    score += uniform(&stream, 0.5);
    p.y[k] = loss->constants(1.0).classification ? (score > 0.0 ? 1.0 : -1.0) : score;
  }
  p.row[n] = next;
  for (size_t j = 0; j < d; j++)
    p.lin[j] = uniform(&stream, 1.0);
  const dpa_records dense = {n, d, p.y, p.dense, 0, NULL, NULL, NULL, NULL, NULL};
  const dpa_records rows = {n, d, p.y, NULL, 0, p.row, p.col, p.val, NULL, NULL};
  p.data = sparse ? rows : dense;
  return p;
}

static void drop(problem *p) {
  free(p->dense);
  free(p->val);
  free(p->col);
  free(p->row);
  free(p->y);
  free(p->lin);
}

/* ||grad||, and the size of the parts it is a sum of. */
static double gradient_norm(const problem *p, const dpa_solver *s, double *parts) {
  const size_t d = p->d;
  long double norm = 0.0L, data = 0.0L, quad = 0.0L, lin = 0.0L;
  long double *g = get(d * sizeof *g);
  for (size_t j = 0; j < d; j++)
    g[j] = 0.0L;
  for (size_t k = 0; k < p->n; k++) {
    long double margin = 0.0L;
    for (size_t j = 0; j < d; j++)
      margin += (long double)p->dense[k * d + j] * s->f[j];
    const double at = (double)margin;
    double derivative;
    s->loss->derivative(&at, p->y + k, 1, s->width, &derivative, NULL);
    for (size_t j = 0; j < d; j++)
      g[j] += (long double)s->weight * derivative * p->dense[k * d + j];
  }
  for (size_t j = 0; j < d; j++) {
    data += g[j] * g[j];
    quad += (long double)(s->at.quad * s->f[j]) * (s->at.quad * s->f[j]);
    lin += (long double)s->lin[j] * s->lin[j];
    g[j] += (long double)s->at.quad * s->f[j] + s->lin[j];
    norm += g[j] * g[j];
  }
  free(g);
  *parts = (double)(sqrtl(data) + sqrtl(quad) + sqrtl(lin));
  return (double)sqrtl(norm);
}

/* Run to the end; the promise of DPA_OK is checked. Answers the number of steps. */
static int solve(const problem *p, dpa_solver *s, double quad, double tol) {
  dpa_solver_start(s, quad, p->lin, tol);
  dpa_status status = DPA_CONTINUE;
  int calls = 0;
  while (status == DPA_CONTINUE && calls++ < 5000)
    status = dpa_solver_advance(s);
  double parts;
  const double norm = gradient_norm(p, s, &parts);
  /* tol, or 64 ulp of the parts; margins drift by rounding as steps add up */
  CHECK(status == DPA_OK && norm <= fmax(tol, 0x1p-46 * parts) * 2.0 + 1e-14 * parts);
  return s->at.iterations;
}

/* The measuring and the placing pass agree, and the solver stays inside its memory. */
static void *place(dpa_solver *s, const problem *p, const dpa_loss *loss, double width,
                   double weight) {
  dpa_arena arena = {NULL, 0, 0};
  dpa_solver_layout(s, &arena, &p->data, loss, width, weight);
  const size_t needed = arena.used;
  void *memory = NULL;
  if (posix_memalign(&memory, 16, needed) != 0)
    abort();
  memset(memory, 0xa5, needed); /* nothing is read before it is written */
  arena.base = memory;
  arena.used = 0;
  dpa_solver_layout(s, &arena, &p->data, loss, width, weight);
  CHECK(arena.used == needed && !arena.overflow);
  return memory;
}

/* ---- accuracy -------------------------------------------------------------------- */

static void check_shape(size_t n, size_t d, double fill, int sparse, int full,
                        const dpa_loss *loss, double width, uint64_t seed) {
  problem p = make(n, d, fill, sparse, loss, seed);
  CHECK(dpa_solver_full(&p.data) == full);
  dpa_solver s;
  void *memory = place(&s, &p, loss, width, 50.0 / (double)n);
  CHECK((s.factor != NULL) == full);

  const int cold = solve(&p, &s, 0.05, 1e-10);
  CHECK(cold > 0);
  double *kept = get(d * sizeof(double));
  memcpy(kept, s.f, d * sizeof(double));

  /* solved already: no step, no change */
  CHECK(solve(&p, &s, 0.05, 1e-10) == 0);
  CHECK(memcmp(kept, s.f, d * sizeof(double)) == 0);

  /* a run of problems with other lin and quad, as ADMM poses them, then the first
   * again: it has one minimiser, and strong convexity says how near two answers are */
  static const double quads[] = {0.05, 0.06, 0.5, 20.0, 1e-3, 0.05};
  double *lin = get(d * sizeof(double));
  memcpy(lin, p.lin, d * sizeof(double));
  for (size_t q = 0; q < sizeof quads / sizeof *quads; q++) {
    for (size_t j = 0; j < d; j++)
      p.lin[j] = q == 5 ? lin[j] : lin[j] + 0.3 * sin((double)(j + 7 * q));
    solve(&p, &s, quads[q], 1e-10);
  }
  double gap = 0.0;
  for (size_t j = 0; j < d; j++)
    gap += (s.f[j] - kept[j]) * (s.f[j] - kept[j]);
  CHECK(sqrt(gap) <= 2.0 * 2e-10 / 0.05 + 1e-12);

  /* from a start that is far away */
  for (size_t j = 0; j < d; j++)
    s.f[j] = j % 2 ? 100.0 : -300.0;
  s.at.known = 0;
  solve(&p, &s, 0.05, 1e-10);
  gap = 0.0;
  for (size_t j = 0; j < d; j++)
    gap += (s.f[j] - kept[j]) * (s.f[j] - kept[j]);
  CHECK(sqrt(gap) <= 2.0 * 2e-10 / 0.05 + 1e-11);
  free(kept);
  free(lin);
  free(memory);
  drop(&p);
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
    problem dense = make(150, 10, 0.4, 0, loss, 60 + l);
    problem sparse = make(150, 10, 0.4, 1, loss, 60 + l);
    dpa_solver a, b;
    void *memory_a = place(&a, &dense, loss, 0.5, 0.2);
    void *memory_b = place(&b, &sparse, loss, 0.5, 0.2);
    solve(&dense, &a, 0.1, 1e-11);
    solve(&sparse, &b, 0.1, 1e-11);
    for (size_t j = 0; j < 10; j++)
      CHECK_NEAR(a.f[j], b.f[j], 1e-9);
    free(memory_a);
    free(memory_b);
    drop(&dense);
    drop(&sparse);
  }
}

/* ---- curvature ------------------------------------------------------------------- */

/* The curvature it keeps is the derivative of the data's gradient. */
static void check_hessian(int sparse) {
  problem p = make(70, 6, 0.6, sparse, &dpa_loss_logistic, 80);
  dpa_solver s;
  void *memory = place(&s, &p, &dpa_loss_logistic, 0.0, 0.5);
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
      CHECK_NEAR(s.curvature[j * 6 + i], (derivative[1] - derivative[0]) / (2.0 * step),
                 1e-9);
    }
  }
  free(memory);
  drop(&p);
}

/* ---- loose tolerances ------------------------------------------------------------ */

/* A walk of problems to a loose tolerance. The promise is kept whether the quadratic
 * model answers or steps are taken; margins belong to the answer. Answers how many the
 * model solved; *used is the largest share of the tolerance that its error took. */
static int walk(problem *p, const dpa_loss *loss, double tol, double stride,
                double quad, double *used) {
  dpa_solver s;
  void *memory = place(&s, p, loss, 0.4, 1.0 / (double)p->n);
  int by_model = 0, kept = 1, margins = 1;
  for (int t = 0; t < 60; t++) {
    for (size_t j = 0; j < p->d; j++)
      p->lin[j] += stride * sin(1.7 * t * (double)(j + 1) + 0.1 * t * t);
    const int steps = solve(p, &s, t % 20 == 19 ? 2.0 * quad : quad, tol);
    double parts;
    const double norm = gradient_norm(p, &s, &parts);
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
        problem p = make(200, 8, sparse ? 0.4 : 1.0, sparse, loss, 200 + l);
        served += walk(&p, loss, tol[k], 0.05, 0.2, &used);
        drop(&p);
      }
    /* only where the third derivative is bounded by the second */
    CHECK((served > 0) == loss->constants(0.4).self_concordant);
    by_model += served;
  }
  CHECK(by_model > 300);
  /* one record many times over: every inequality of the bound but one is an equality */
  for (int k = 0; k < 4; k++)
    for (int labels = 0; labels < 2; labels++) {
      problem p = make(30, 2, 1.0, 0, &dpa_loss_logistic, 300);
      for (size_t r = 0; r < p.n; r++) {
        p.dense[2 * r] = 1.0;
        p.dense[2 * r + 1] = 0.0;
        p.y[r] = labels && r % 3 == 0 ? -1.0 : 1.0;
      }
      p.lin[0] = -0.5;
      walk(&p, &dpa_loss_logistic, tol[k], 0.1, 0.3, &used);
      drop(&p);
    }
  CHECK(used > 0.5 && used <= 1.0);
}

/* ---- the ends of the range ------------------------------------------------------- */

static void check_extremes(void) {
  problem p = make(60, 8, 1.0, 0, &dpa_loss_logistic, 90);
  dpa_solver s;
  void *memory = place(&s, &p, &dpa_loss_logistic, 0.0, 1.0 / 60.0);

  /* noise so large that rounding alone exceeds tol: an answer all the same */
  for (size_t j = 0; j < 8; j++)
    p.lin[j] *= 1e12;
  solve(&p, &s, 0.01, 1e-10);
  /* and back to an ordinary problem */
  for (size_t j = 0; j < 8; j++)
    p.lin[j] *= 1e-12;
  s.at.known = 0;
  solve(&p, &s, 0.01, 1e-10);
  /* an asked tolerance of less than rounding */
  solve(&p, &s, 0.02, 1e-300);
  /* nearly separable: hardly any convexity but quad */
  solve(&p, &s, 1e-8, 1e-12);
  /* a penalty that drowns the data */
  solve(&p, &s, 1e10, 1e-10);

  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    const double kept = p.lin[3];
    p.lin[3] = bad[k];
    dpa_solver_start(&s, 1.0, p.lin, 1e-10);
    CHECK(dpa_solver_advance(&s) == DPA_NUMERIC);
    p.lin[3] = kept;
  }
  solve(&p, &s, 1.0, 1e-10); /* no harm done */
  free(memory);
  drop(&p);
}

/* Without records the minimiser is -lin / quad. */
static void check_empty(void) {
  problem p = make(1, 5, 1.0, 0, &dpa_loss_logistic, 95);
  p.n = p.data.n = 0;
  dpa_solver s;
  void *memory = place(&s, &p, &dpa_loss_logistic, 0.0, 1.0);
  solve(&p, &s, 2.0, 1e-13);
  for (size_t j = 0; j < 5; j++)
    CHECK_NEAR(s.f[j], -p.lin[j] / 2.0, 1e-13);
  free(memory);
  drop(&p);
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
  check_model();
  check_extremes();
  check_empty();
  check_arena();
}
