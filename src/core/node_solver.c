#include "node_solver.h"

#include "blas.h"
#include "vector.h"

#include <math.h>
#include <string.h>

/* A step pays when it shrinks the gradient to less than this fraction. */
#define PAYS 0.2
/* The line search ends at this fraction of the initial slope; after LOOSE steps on one
 * problem, at the tighter one. */
#define SLOPE_LOOSE 0.5
#define SLOPE_TIGHT 0.05
#define LOOSE 25
#define MAX_STEPS 1000
#define MAX_IDLE 40 /* steps without a smaller gradient before giving up */
#define MIN_AGE 2   /* steps a curvature serves before it may be rebuilt */
#define MAX_SEARCH 50
#define BLOCK 256
#define ROUNDING 0x1p-46 /* 64 ulp */
/* The model is not tried when a problem asks for a smaller share of the first gradient,
 * and is not believed further away than this (in margins). */
#define MODEL_SHARE 1e-6
#define MODEL_REACH 1.0
/* A new curvature for the model costs about this many steps. */
#define MODEL_PRICE 4

int dpa_solver_full(const dpa_dataset *data) {
  const size_t stored =
      data->dense ? data->n * data->d : data->row[data->n] - data->row[0];
  return data->d <= 32 || (data->d <= 8192 && data->d * data->d <= stored / 2 + 4096);
}

void dpa_solver_layout(dpa_solver *s, dpa_arena *arena, const dpa_dataset *data,
                       const dpa_loss *loss, double width, double weight) {
  const size_t n = data->n, d = data->d;
  const int full = dpa_solver_full(data);
  memset(s, 0, sizeof *s);
  s->data = data;
  s->loss = loss;
  s->width = width;
  s->weight = weight;
  s->longest = -1.0;
  s->f = DPA_TAKE(arena, double, d);
  s->data_grad = DPA_TAKE(arena, double, d);
  s->grad = DPA_TAKE(arena, double, d);
  s->old_grad = DPA_TAKE(arena, double, d);
  s->dir = DPA_TAKE(arena, double, d);
  s->margin = DPA_TAKE(arena, double, n);
  s->along = DPA_TAKE(arena, double, n);
  s->slope = DPA_TAKE(arena, double, n);
  s->curvature = DPA_TAKE(arena, double, full ? d *d : d);
  if (full) {
    s->factor = DPA_TAKE(arena, double, d *d);
    s->base = DPA_TAKE(arena, double, d);
    s->bent = DPA_TAKE(arena, double, d);
  }
  if (full && data->dense)
    s->block = DPA_TAKE(arena, double, d *DPA_HESSIAN_BLOCK);
  s->step_pair = DPA_TAKE(arena, double, d *DPA_PAIRS);
  s->grad_pair = DPA_TAKE(arena, double, d *DPA_PAIRS);
  if (arena->base)
    memset(s->f, 0, d * sizeof *s->f);
}

/* Whole-problem gradient and its norm from the data's part. The parts cancel at the
 * minimiser, so below a few ulp of their size the norm is rounding: `enough` is the
 * larger of that and the asked tolerance. */
static void refresh_gradient(dpa_solver *s) {
  const size_t d = s->data->d;
  for (size_t j = 0; j < d; j++)
    s->grad[j] = s->data_grad[j] + s->quad * s->f[j] + s->lin[j];
  s->norm = dpa_norm(s->grad, d);
  const double parts =
      dpa_norm(s->data_grad, d) + s->quad * dpa_norm(s->f, d) + dpa_norm(s->lin, d);
  s->enough = fmax(s->tol, ROUNDING * parts);
}

/* data_grad from slope. */
static void data_gradient(dpa_solver *s) {
  const size_t d = s->data->d;
  memset(s->data_grad, 0, d * sizeof *s->data_grad);
  dpa_dataset_add_gradient(s->data, s->slope, s->data_grad);
  for (size_t j = 0; j < d; j++)
    s->data_grad[j] *= s->weight;
}

/* Margins and the data's gradient from f. */
static void from_scratch(dpa_solver *s) {
  dpa_dataset_margin(s->data, s->f, s->margin);
  s->loss->slope(s->margin, s->data->y, s->data->n, s->width, s->slope, NULL);
  data_gradient(s);
  s->known = 1;
  s->travelled = 0.0;
}

/* Whether rounding in the steps may have moved the margins so far from X f that the
 * gradient is not what it seems. Rows have norm about 1. */
static int drifted(const dpa_solver *s) {
  const double sum = s->weight * (double)s->data->n;
  const double steepest = s->loss->constants(s->width).curvature;
  return 0x1p-52 * s->travelled * sum * steepest > 0.5 * s->enough;
}

static dpa_status factorise(dpa_solver *s) {
  const size_t d = s->data->d;
  s->refactor = 0;
  if (!s->factor)
    return DPA_OK;
  memcpy(s->factor, s->curvature, d * d * sizeof *s->factor);
  for (size_t j = 0; j < d; j++)
    s->factor[j * d + j] += s->quad;
  const int di = (int)d;
  int info = 0;
  F77_CALL(dpotrf)("L", &di, s->factor, &di, &info FCONE);
  return info == 0 ? DPA_OK : DPA_NUMERIC;
}

/* Curvature at the current point. `along` serves as the buffer of second derivatives.
 */
static dpa_status rebuild_curvature(dpa_solver *s) {
  const size_t n = s->data->n, d = s->data->d;
  s->loss->slope(s->margin, s->data->y, n, s->width, s->slope, s->along);
  for (size_t k = 0; k < n; k++)
    s->along[k] *= s->weight;
  memset(s->curvature, 0, (s->factor ? d * d : d) * sizeof *s->curvature);
  if (s->factor)
    dpa_dataset_add_hessian(s->data, s->along, s->curvature, s->block);
  else
    dpa_dataset_add_diagonal(s->data, s->along, s->curvature);
  /* for a tied loss |L'''| = L'' |1 - 2 |L'||, whose second factor moves by at most 1/2
   * a unit of margin */
  s->unbalance = 1.0;
  if (s->loss->constants(s->width).tied) {
    s->unbalance = 0.0;
    for (size_t k = 0; k < n; k++)
      s->unbalance = fmax(s->unbalance, fabs(1.0 - 2.0 * fabs(s->slope[k])));
  }
  s->curved = 1;
  s->age = 0;
  s->served = 0;
  if (s->factor) { /* a diagonal is only a scale: there the pairs are the curvature */
    s->pairs = 0;
    memcpy(s->bent, s->f, d * sizeof *s->bent);
    s->away = s->stretch = 0.0;
  }
  return factorise(s);
}

void dpa_solver_start(dpa_solver *s, double quad, const double *lin, double tol) {
  const size_t d = s->data->d;
  if (s->pairs && quad != s->quad) {
    /* a change of the gradient is (average Hessian) * step: move it to the new quad */
    for (size_t j = 0; j < s->pairs * d; j++)
      s->grad_pair[j] += (quad - s->quad) * s->step_pair[j];
    for (size_t p = 0; p < s->pairs; p++) {
      const double *step = s->step_pair + p * d;
      s->inner_pair[p] = dpa_dot(step, s->grad_pair + p * d, d);
      /* less than quad allows: a much larger quad has rounded the data's part away */
      if (!(s->inner_pair[p] >= 0.5 * quad * dpa_dot(step, step, d))) {
        s->pairs = 0;
        break;
      }
    }
  }
  if (s->ahead && s->known)
    memcpy(s->f, s->base, d * sizeof *s->f);
  s->ahead = 0;
  s->refactor = s->refactor || quad != s->quad;
  s->quad = quad;
  s->lin = lin;
  s->tol = tol;
  s->iterations = 0;
  s->idle = 0;
  s->best = INFINITY;
}

/* dir = -(inverse Hessian estimate) grad: the two-loop recursion around the factor. */
static void direction(dpa_solver *s) {
  const size_t d = s->data->d;
  double coefficient[DPA_PAIRS];
  for (size_t j = 0; j < d; j++)
    s->dir[j] = -s->grad[j];
  for (size_t q = 0; q < s->pairs; q++) {
    const size_t p = (s->newest + DPA_PAIRS - q) % DPA_PAIRS;
    coefficient[p] = dpa_dot(s->step_pair + p * d, s->dir, d) / s->inner_pair[p];
    for (size_t j = 0; j < d; j++)
      s->dir[j] -= coefficient[p] * s->grad_pair[p * d + j];
  }
  if (s->factor) {
    const int di = (int)d, one = 1;
    int info = 0;
    F77_CALL(dpotrs)("L", &di, &one, s->factor, &di, s->dir, &di, &info FCONE);
  } else {
    for (size_t j = 0; j < d; j++)
      s->dir[j] /= s->curvature[j] + s->quad;
  }
  for (size_t q = s->pairs; q-- > 0;) {
    const size_t p = (s->newest + DPA_PAIRS - q) % DPA_PAIRS;
    const double beta = dpa_dot(s->grad_pair + p * d, s->dir, d) / s->inner_pair[p];
    for (size_t j = 0; j < d; j++)
      s->dir[j] += (coefficient[p] - beta) * s->step_pair[p * d + j];
  }
}

/* How far f is from where the curvature belongs to. `dir` is work space. */
static void measure_distance(dpa_solver *s) {
  const size_t d = s->data->d;
  const int di = (int)d, one = 1;
  const double unit = 1.0, zero = 0.0;
  for (size_t j = 0; j < d; j++)
    s->old_grad[j] = s->f[j] - s->bent[j];
  F77_CALL(dsymv)
  ("L", &di, &unit, s->curvature, &di, s->old_grad, &one, &zero, s->dir, &one FCONE);
  s->away = sqrt(dpa_dot(s->old_grad, s->old_grad, d));
  s->stretch = sqrt(fmax(0.0, dpa_dot(s->old_grad, s->dir, d)));
}

/* What is left of the gradient at the minimiser of the quadratic model, at most. With
 * H = sum_k w_k L''_k x_k x_k' at `bent`, e = f - bent and the model's step s, the
 * data's gradient at f + s differs from the model's by
 *
 *   sum_k w_k x_k (x_k's) mean over t in [0, 1] of L''(x_k'(bent + e + t s)) - L''_k,
 *
 * and |L'''| <= rate L'' gives |L''(a) - L''_k| <= L''_k (exp(rate |a - a_k|) - 1), by
 * convexity at most L''_k |a - a_k| grow for |a - a_k| <= reach = r (||e|| + ||s||), r
 * the longest row, grow = (exp(rate reach) - 1) / reach. So by Cauchy and Schwarz its
 * norm is at most r grow (||s||_H ||e||_H + ||s||_H^2 / 2), with stretch = ||e||_H. */
static double model_error(const dpa_solver *s, double away, double stretch,
                          double length, double square) {
  const double reach = s->longest * (away + length);
  if (!(reach <= MODEL_REACH))
    return INFINITY;
  const double rate = fmin(1.0, s->unbalance + 0.5 * reach);
  const double grow = reach > 0.0 ? expm1(rate * reach) / reach : rate;
  return s->longest * grow * (sqrt(square) * stretch + 0.5 * square) * (1.0 + 1e-9);
}

/* Answer the problem by the model if that is proved to be good enough. DPA_CONTINUE: it
 * is not, take steps. */
static dpa_status try_model(dpa_solver *s) {
  const size_t d = s->data->d;
  const dpa_loss_constants loss = s->loss->constants(s->width);
  if (!s->factor || !loss.self_concordant || s->enough > s->tol ||
      s->tol < MODEL_SHARE * s->norm)
    return DPA_CONTINUE;
  if (s->longest < 0.0)
    s->longest = dpa_dataset_longest(s->data);
  for (;;) {
    if (s->away < 0.0)
      measure_distance(s);
    const int di = (int)d, one = 1;
    int info = 0;
    for (size_t j = 0; j < d; j++)
      s->dir[j] = -s->grad[j];
    F77_CALL(dpotrs)("L", &di, &one, s->factor, &di, s->dir, &di, &info FCONE);
    const double length = sqrt(dpa_dot(s->dir, s->dir, d));
    /* ||dir||_H^2, because (H + quad I) dir = -grad */
    const double pull = -dpa_dot(s->grad, s->dir, d);
    const double square = fmax(0.0, pull - s->quad * length * length) + 1e-13 * pull;
    const double allowed = (1.0 - 1e-9) * s->tol - ROUNDING * s->norm;
    const double error =
        loss.third == 0.0 ? 0.0 : model_error(s, s->away, s->stretch, length, square);
    if (error <= allowed) {
      memcpy(s->base, s->f, d * sizeof *s->base);
      for (size_t j = 0; j < d; j++)
        s->f[j] += s->dir[j];
      s->ahead = 1;
      s->served++;
      return DPA_OK;
    }
    /* A curvature of this point would help; is it worth its price? */
    if (s->away == 0.0 || model_error(s, 0.0, 0.0, length, square) > 0.25 * allowed)
      return DPA_CONTINUE;
    if (s->waited++ < s->wait)
      return DPA_CONTINUE;
    s->wait = s->served >= MODEL_PRICE ? 0 : 2 * s->wait + 1;
    s->waited = 0;
    const dpa_status status = rebuild_curvature(s);
    if (status != DPA_OK)
      return status;
  }
}

/* Slopes of the losses at margin + t along, and their part of the directional
 * derivative. In blocks, so that no second vector of n trial margins is needed. */
static double trial(dpa_solver *s, double t) {
  const size_t n = s->data->n;
  double at[BLOCK], sum = 0.0;
  for (size_t start = 0; start < n; start += BLOCK) {
    const size_t m = n - start < BLOCK ? n - start : BLOCK;
    for (size_t k = 0; k < m; k++)
      at[k] = s->margin[start + k] + t * s->along[start + k];
    s->loss->slope(at, s->data->y + start, m, s->width, s->slope + start, NULL);
    sum += dpa_dot(s->slope + start, s->along + start, m);
  }
  return s->weight * sum;
}

/* A step length at which the (increasing) directional derivative is small: secant
 * steps, kept inside a bracket. */
static double search(dpa_solver *s, double slope0) {
  const size_t d = s->data->d;
  const double dd = dpa_dot(s->dir, s->dir, d), fd = dpa_dot(s->f, s->dir, d);
  const double ld = dpa_dot(s->lin, s->dir, d);
  const double enough =
      (s->iterations < LOOSE ? SLOPE_LOOSE : SLOPE_TIGHT) * fabs(slope0);
  double low = 0.0, at_low = slope0, high = INFINITY, at_high = 0.0, t = 1.0;
  for (int tries = 0;; tries++) {
    const double at = trial(s, t) + s->quad * (fd + t * dd) + ld;
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
  const size_t p = s->pairs == 0 ? 0 : (s->newest + 1) % DPA_PAIRS;
  double *step = s->step_pair + p * d, *change = s->grad_pair + p * d;
  for (size_t j = 0; j < d; j++) {
    step[j] = t * s->dir[j];
    change[j] = s->grad[j] - s->old_grad[j];
  }
  const double inner = dpa_dot(step, change, d);
  if (!(inner > 0.0))
    return; /* rounding ate the curvature: the slot stays unused */
  s->inner_pair[p] = inner;
  s->newest = p;
  if (s->pairs < DPA_PAIRS)
    s->pairs++;
}

dpa_status dpa_solver_advance(dpa_solver *s) {
  const size_t n = s->data->n, d = s->data->d;
  dpa_status status = DPA_OK;
  if (!s->known)
    from_scratch(s);
  if (s->iterations == 0) {
    refresh_gradient(s);
    if (s->curved && s->refactor)
      status = factorise(s);
  }
  if (!isfinite(s->norm))
    return DPA_NUMERIC;
  if (s->norm <= s->enough && drifted(s)) {
    from_scratch(s);
    refresh_gradient(s);
  }
  if (s->norm <= s->enough)
    return DPA_OK;
  if (s->iterations >= MAX_STEPS)
    return DPA_STALLED;
  if (!s->curved)
    status = rebuild_curvature(s);
  if (status != DPA_OK)
    return status;
  if (s->iterations == 0) {
    status = try_model(s);
    if (status != DPA_CONTINUE)
      return status;
    status = DPA_OK;
  }

  direction(s);
  const double slope0 = dpa_dot(s->grad, s->dir, d);
  if (!(slope0 < 0.0))
    return DPA_STALLED;
  dpa_dataset_margin(s->data, s->dir, s->along);
  const double t = search(s, slope0);
  const double before = s->norm;
  s->travelled += dpa_norm(s->f, d) + t * dpa_norm(s->dir, d);
  memcpy(s->old_grad, s->grad, d * sizeof *s->grad);
  for (size_t j = 0; j < d; j++)
    s->f[j] += t * s->dir[j];
  for (size_t k = 0; k < n; k++)
    s->margin[k] += t * s->along[k];
  data_gradient(s); /* from the slopes of the accepted trial */
  refresh_gradient(s);
  remember_pair(s, t);
  s->iterations++;
  s->age++;
  s->away = -1.0;
  if (s->norm < s->best) {
    s->best = s->norm;
    s->idle = 0;
  } else if (++s->idle > MAX_IDLE) {
    return DPA_STALLED;
  }
  if (s->norm > s->enough && s->norm > PAYS * before && s->age >= MIN_AGE)
    status = rebuild_curvature(s);
  return status == DPA_OK ? DPA_CONTINUE : status;
}

const double *dpa_solver_margin(dpa_solver *s) {
  if (!s->ahead)
    return s->margin;
  dpa_dataset_margin(s->data, s->f, s->along);
  return s->along;
}
