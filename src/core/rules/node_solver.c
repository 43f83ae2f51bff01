#include "rules/node_solver.h"

#include "blas.h"
#include "data/record_loss.h"
#include "rules/node_model.h"
#include "rules/node_pass.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#define PAYS 0.2 /* to what share of the gradient a step that pays shrinks it */
/* The line search ends at this fraction of the initial derivative; after LOOSE steps on
 * one problem, at the tighter one. */
#define SEARCH_LOOSE 0.5
#define SEARCH_TIGHT 0.05
#define LOOSE 25
#define MAX_STEPS 1000
#define MAX_IDLE 40 /* steps without a smaller gradient before giving up */
/* Plain steps before giving up. Where public points are cut (private runs), the plan
 * has seen to it that fewer than SURE are enough: R/plan-graph-rounding.R. */
#define MAX_PLAIN 100000
#define SURE_PLAIN 10000000
#define MIN_AGE 2 /* steps a curvature serves before it may be replaced */
#define FREE 2    /* steps on a problem that no curvature would spare */
#define MAX_SEARCH 50
#define BLOCK 256
#define PAIR_SHARE 10 /* numbers of the records for each of a pair */

int dpa_solver_full(const dpa_records *data) {
  const size_t stored = dpa_records_stored(data);
  return data->d <= 32 || (data->d <= 8192 && data->d * data->d <= stored / 2 + 4096);
}

/* A pair costs what two numbers a column cost in a pass, and as much memory. */
static size_t pairs_kept(const dpa_records *data) {
  const size_t worth = dpa_records_stored(data) / PAIR_SHARE / data->d;
  return worth > DPA_PAIRS ? DPA_PAIRS : worth > DPA_FEW_PAIRS ? worth : DPA_FEW_PAIRS;
}

void dpa_solver_layout(dpa_solver *s, dpa_arena *arena, const dpa_records *data,
                       const dpa_loss *loss, double width, double weight) {
  const size_t d = data->d;
  const int full = dpa_solver_full(data);
  memset(s, 0, sizeof *s);
  s->data = data;
  s->threads = 1;
  s->roam = INFINITY;
  s->loss = loss;
  s->width = width;
  s->f = DPA_TAKE(arena, double, d);
  s->data_grad = DPA_TAKE(arena, double, d);
  s->margin = DPA_TAKE(arena, double, data->n);
  s->curvature = DPA_TAKE(arena, double, full ? d *d : 2 * d);
  if (full) {
    s->diagonal = DPA_TAKE(arena, double, d);
    s->base = DPA_TAKE(arena, double, d);
    s->anchor = DPA_TAKE(arena, double, d);
  }
  s->most_pairs = pairs_kept(data);
  s->step_pair = DPA_TAKE(arena, double, d * s->most_pairs);
  s->grad_pair = DPA_TAKE(arena, double, d * s->most_pairs);
  if (arena->base)
    memset(s->f, 0, d * sizeof *s->f);
  dpa_solver_use(s, data, weight);
}

void dpa_solver_room(dpa_solver *s, dpa_arena *arena) {
  const size_t n = s->data->n, d = s->data->d;
  s->grad = DPA_TAKE(arena, double, d);
  s->old_grad = DPA_TAKE(arena, double, d);
  s->dir = DPA_TAKE(arena, double, d);
  s->along = DPA_TAKE(arena, double, n);
  dpa_pass_layout(s, arena);
  if (dpa_solver_full(s->data))
    s->block = DPA_TAKE(arena, double, dpa_hessian_room(s->data));
}

void dpa_solver_use(dpa_solver *s, const dpa_records *data, double weight) {
  memset(&s->at, 0, sizeof s->at);
  s->data = data;
  s->weight = weight;
  s->at.longest = -1.0;
  dpa_solver_prices(s);
}

/* Whole-problem gradient and its norm from the data's part. The parts cancel at the
 * minimiser, so below a few ulp of their size the norm is rounding: `enough` is the
 * larger of that and the asked tolerance. */
static void refresh_gradient(dpa_solver *s) {
  const size_t d = s->data->d;
  for (size_t j = 0; j < d; j++)
    s->grad[j] = s->data_grad[j] + s->at.quad * s->f[j] + s->lin[j];
  s->at.norm = dpa_norm(s->grad, d);
  const double parts =
      dpa_norm(s->data_grad, d) + s->at.quad * dpa_norm(s->f, d) + dpa_norm(s->lin, d);
  s->at.enough = isfinite(s->roam) ? s->at.tol : fmax(s->at.tol, DPA_ROUNDING * parts);
}

/* Margins and the data's gradient from f. */
static void from_scratch(dpa_solver *s) {
  dpa_solver_pass(s, DPA_PASS_POINT);
  s->at.known = 1;
  s->at.travelled = dpa_norm(s->f, s->data->d);
}

/* Whether rounding in the steps may have moved the margins so far from X f that the
 * gradient is not what it seems. Rows have norm about 1. */
static int drifted(const dpa_solver *s) {
  const double sum = s->weight * (double)s->data->n;
  const double steepest = s->loss->constants(s->width).curvature;
  return s->at.travelled > s->roam ||
         0x1p-52 * s->at.travelled * sum * steepest > 0.5 * s->at.enough;
}

void dpa_solver_start(dpa_solver *s, double quad, const double *lin, double tol) {
  const size_t d = s->data->d;
  if (s->at.pairs && quad != s->at.quad) {
    /* a change of the gradient is (average Hessian) * step: move it to the new quad */
    for (size_t j = 0; j < s->at.pairs * d; j++)
      s->grad_pair[j] += (quad - s->at.quad) * s->step_pair[j];
    for (size_t p = 0; p < s->at.pairs; p++) {
      const double *step = s->step_pair + p * d;
      s->at.inner_pair[p] = dpa_dot(step, s->grad_pair + p * d, d);
      /* less than quad allows: a much larger quad has rounded the data's part away */
      if (!(s->at.inner_pair[p] >= 0.5 * quad * dpa_dot(step, step, d))) {
        s->at.pairs = 0;
        break;
      }
    }
  }
  if (s->at.ahead && s->at.known)
    memcpy(s->f, s->base, d * sizeof *s->f);
  s->at.ahead = 0;
  s->at.quad = quad;
  s->lin = lin;
  s->at.tol = tol;
  s->at.iterations = 0;
  s->at.idle = 0;
  s->at.plain = 0;
  s->at.best = INFINITY;
}

/* dir = -(inverse Hessian estimate) grad: the two-loop recursion around the curvature.
 */
static void direction(dpa_solver *s) {
  const size_t d = s->data->d;
  double coefficient[DPA_PAIRS];
  for (size_t j = 0; j < d; j++)
    s->dir[j] = -s->grad[j];
  for (size_t q = 0; q < s->at.pairs; q++) {
    const size_t p = (s->at.newest + s->most_pairs - q) % s->most_pairs;
    coefficient[p] = dpa_dot(s->step_pair + p * d, s->dir, d) / s->at.inner_pair[p];
    for (size_t j = 0; j < d; j++)
      s->dir[j] -= coefficient[p] * s->grad_pair[p * d + j];
  }
  dpa_solver_divide(s);
  for (size_t q = s->at.pairs; q-- > 0;) {
    const size_t p = (s->at.newest + s->most_pairs - q) % s->most_pairs;
    const double beta = dpa_dot(s->grad_pair + p * d, s->dir, d) / s->at.inner_pair[p];
    for (size_t j = 0; j < d; j++)
      s->dir[j] += (coefficient[p] - beta) * s->step_pair[p * d + j];
  }
}

/* The losses' part of the directional derivative at margin + t along. In blocks, so
 * that no second vector of n trial margins is needed. */
static double trial(dpa_solver *s, double t) {
  const size_t n = s->data->n;
  double at[BLOCK], derivative[BLOCK], sum = 0.0;
  for (size_t start = 0; start < n; start += BLOCK) {
    const size_t m = n - start < BLOCK ? n - start : BLOCK;
    const dpa_records part = dpa_records_part(s->data, start, m);
    for (size_t k = 0; k < m; k++)
      at[k] = s->margin[start + k] + t * s->along[start + k];
    dpa_record_slopes(&part, s->loss, s->width, at, derivative, NULL);
    sum += dpa_dot(derivative, s->along + start, m);
  }
  return s->weight * sum;
}

/* A step length at which the (increasing) directional derivative is small, the losses'
 * part of which is `full` at 1: secant steps, kept inside a bracket. */
static double search(dpa_solver *s, double descent, double full) {
  const size_t d = s->data->d;
  const double dd = dpa_dot(s->dir, s->dir, d), fd = dpa_dot(s->f, s->dir, d);
  const double ld = dpa_dot(s->lin, s->dir, d);
  const double enough =
      (s->at.iterations < LOOSE ? SEARCH_LOOSE : SEARCH_TIGHT) * fabs(descent);
  double low = 0.0, at_low = descent, high = INFINITY, at_high = 0.0, t = 1.0;
  for (int tries = 0;; tries++) {
    const double at =
        (tries == 0 ? full : trial(s, t)) + s->at.quad * (fd + t * dd) + ld;
    if (!(fabs(at) > enough) || tries == MAX_SEARCH)
      return t;
    if (at < 0.0) {
      low = t;
      at_low = at;
    } else {
      high = t;
      at_high = at;
    }
    if (isinf(high)) {
      t *= 4.0;
    } else {
      const double width = high - low;
      t = low - at_low * width / (at_high - at_low);
      t = fmin(fmax(t, low + 0.1 * width), high - 0.1 * width);
    }
  }
}

static void remember_pair(dpa_solver *s, double t) {
  const size_t d = s->data->d;
  const size_t p = s->at.pairs == 0 ? 0 : (s->at.newest + 1) % s->most_pairs;
  double *step = s->step_pair + p * d, *change = s->grad_pair + p * d;
  for (size_t j = 0; j < d; j++) {
    step[j] = t * s->dir[j];
    change[j] = s->grad[j] - s->old_grad[j];
  }
  const double inner = dpa_dot(step, change, d);
  if (!(inner > 0.0))
    return; /* rounding ate the curvature: the slot stays unused */
  s->at.inner_pair[p] = inner;
  s->at.newest = p;
  if (s->at.pairs < s->most_pairs)
    s->at.pairs++;
}

/* When Newton's method is stuck, or has left the range of numbers: from 0, steps
 * against the gradient over its Lipschitz constant, all from scratch. Each takes a
 * fixed share off the distance to the minimiser, which in private runs is at most 2
 * roam: once tol / (2 quad) is left, this is an answer like one whose gradient is below
 * tol, however large rounding lets its gradient look. So whether an answer is found
 * says nothing about a record. */
static dpa_status plain_step(dpa_solver *s) {
  const size_t d = s->data->d;
  if (s->at.longest < 0.0)
    s->at.longest = dpa_records_longest(s->data);
  const double steepest = s->loss->constants(s->width).curvature;
  const double most = s->at.quad + s->weight * (double)s->data->n * steepest *
                                       s->at.longest * s->at.longest;
  if (isfinite(s->roam)) {
    const double farther = fmax(1.0, 4.0 * s->at.quad * s->roam / s->at.tol);
    if (s->at.plain > 1.0 + most / s->at.quad * log(farther))
      return DPA_OK;
  }
  if (s->at.plain++ >= (isfinite(s->roam) ? SURE_PLAIN : MAX_PLAIN))
    return DPA_STALLED;
  for (size_t j = 0; j < d; j++)
    s->f[j] = s->at.plain == 1 ? 0.0 : s->f[j] - s->grad[j] / most;
  s->at.pairs = 0;
  s->at.curved = DPA_NO_CURVATURE;
  from_scratch(s);
  refresh_gradient(s);
  s->at.iterations++;
  return DPA_CONTINUE;
}

/* What a step adds to `travelled`. Margins are off by d + 3 roundings of what a step
 * adds to them and by two of themselves, of which the public bound knows; without one,
 * drifted() goes by both alike. */
static double carried(const dpa_solver *s, double length) {
  const double size = dpa_norm(s->f, s->data->d) + length;
  return isfinite(s->roam) ? length + 2.0 / ((double)s->data->d + 6.0) * size : size;
}

/* Along dir, as far as it pays. */
static void take_step(dpa_solver *s, double descent) {
  const size_t n = s->data->n, d = s->data->d;
  const double t = search(s, descent, dpa_solver_pass(s, DPA_PASS_STEP));
  s->at.travelled += carried(s, t * dpa_norm(s->dir, d));
  memcpy(s->old_grad, s->grad, d * sizeof *s->grad);
  for (size_t j = 0; j < d; j++)
    s->f[j] += t * s->dir[j];
  for (size_t k = 0; k < n; k++)
    s->margin[k] += t * s->along[k];
  if (t != 1.0) /* the gradient of the accepted trial */
    dpa_solver_pass(s, DPA_PASS_BACK);
  refresh_gradient(s);
  remember_pair(s, t);
  s->at.iterations++;
  s->at.age++;
  s->at.spent += s->at.iterations > FREE;
  s->at.distance = -1.0;
}

/* What a new problem, or a point with none, needs before a step. */
static dpa_status prepare(dpa_solver *s) {
  if (!s->at.known || (s->at.iterations == 0 && s->at.travelled > s->roam))
    from_scratch(s);
  if (s->at.iterations > 0)
    return DPA_OK;
  refresh_gradient(s);
  return dpa_solver_follow(s);
}

dpa_status dpa_solver_advance(dpa_solver *s) {
  dpa_status status = prepare(s);
  if (!isfinite(s->at.norm) || status != DPA_OK)
    return s->at.plain == 0 ? plain_step(s) : DPA_NUMERIC;
  if (s->at.norm <= s->at.enough && drifted(s)) {
    from_scratch(s);
    refresh_gradient(s);
  }
  if (s->at.norm <= s->at.enough)
    return DPA_OK;
  if (s->at.plain > 0 || s->at.iterations >= MAX_STEPS)
    return plain_step(s);
  if (s->at.curved == DPA_NO_CURVATURE)
    status = dpa_solver_rebuild(s);
  if (status == DPA_OK && s->at.iterations == 0) {
    const dpa_status solved = dpa_solver_try_model(s);
    if (solved == DPA_OK)
      return DPA_OK;
    if (solved != DPA_CONTINUE)
      status = solved;
  }
  if (status != DPA_OK) /* rounding has left the curvature indefinite */
    return plain_step(s);

  direction(s);
  const double descent = dpa_dot(s->grad, s->dir, s->data->d);
  if (!(descent < 0.0))
    return plain_step(s);
  const double before = s->at.norm;
  take_step(s, descent);
  if (s->at.norm < s->at.best) {
    s->at.best = s->at.norm;
    s->at.idle = 0;
  } else if (++s->at.idle > MAX_IDLE) {
    return plain_step(s);
  }
  if (s->at.norm > s->at.enough && s->at.norm > PAYS * before && s->at.age >= MIN_AGE)
    status = dpa_solver_improve(s);
  return status == DPA_OK ? DPA_CONTINUE : plain_step(s);
}

const double *dpa_solver_margin(dpa_solver *s) {
  if (!s->at.ahead)
    return s->margin;
  dpa_records_margin(s->data, s->f, s->along);
  return s->along;
}
