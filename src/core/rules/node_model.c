#include "rules/node_model.h"

#include "blas.h"
#include "data/record_loss.h"
#include "rules/node_pass.h"
#include "vector.h"

#include <math.h>
#include <string.h>

/* The model is not tried when a problem asks for a smaller share of the first gradient,
 * and is not believed further away than this (in margins). */
#define MODEL_SHARE 1e-6
#define MODEL_REACH 1.0
/* A curvature for the model has paid when it has answered so many problems, at about
 * two passes each. */
#define MODEL_SERVES 4.0
/* A price in passes that is paid at once, and the passes a new scale is worth. */
#define CHEAP 10.0
#define SCALE_AGE 10
/* A column that hardly varies keeps this share of its squares. */
#define LEAST_SHARE 1e-6
/* A factor of another quad serves within this ratio. */
#define FAR 2.0
#define BLOCK 256 /* records whose derivatives are taken at a time */

void dpa_solver_prices(dpa_solver *s) {
  const double d = (double)s->data->d, n = (double)s->data->n;
  const double stored = fmax(1.0, (double)dpa_records_stored(s->data));
  const int dense = dpa_is_dense(s->data);
  s->factor_price = (dense ? 0.2 : 0.05) * d * d * d / stored;
  s->price = s->factor_price + (dense ? d / 16.0 : 0.5 * stored / fmax(n, 1.0));
  if (s->data->d <= 32)
    s->price = s->factor_price = 0.0;
}

static int affordable(const dpa_solver *s, double price) {
  return s->diagonal && (price <= CHEAP || s->at.spent >= price);
}

/* A new curvature, all of it in the lower triangle, to where it is kept. */
static void keep_curvature(dpa_solver *s) {
  const size_t d = s->data->d;
  for (size_t j = 0; j < d; j++) {
    s->diagonal[j] = s->curvature[j * d + j];
    for (size_t i = j + 1; i < d; i++)
      s->curvature[i * d + j] = s->curvature[j * d + i];
  }
}

static dpa_status factorise(dpa_solver *s) {
  const size_t d = s->data->d;
  for (size_t j = 0; j < d; j++) {
    s->curvature[j * d + j] = s->diagonal[j] + s->at.quad;
    for (size_t i = j + 1; i < d; i++)
      s->curvature[j * d + i] = s->curvature[i * d + j];
  }
  const int di = (int)d;
  int info = 0;
  F77_CALL(dpotrf)("L", &di, s->curvature, &di, &info FCONE);
  s->at.factor_quad = s->at.quad;
  DPA_COUNT(s->data->work, factors, 1);
  return info == 0 ? DPA_OK : DPA_NUMERIC;
}

dpa_status dpa_solver_follow(dpa_solver *s) {
  const double ratio = s->at.quad / s->at.factor_quad;
  if (s->at.curved != DPA_FULL || ratio == 1.0 ||
      (s->factor_price > 1.0 && ratio < FAR && ratio > 1.0 / FAR))
    return DPA_OK;
  return factorise(s);
}

dpa_status dpa_solver_improve(dpa_solver *s) {
  const int full = s->at.curved == DPA_FULL;
  if (full && s->at.factor_quad != s->at.quad && affordable(s, s->factor_price)) {
    s->at.spent = 0;
    return factorise(s);
  }
  if (affordable(s, s->price) || (!full && s->at.age >= SCALE_AGE))
    return dpa_solver_rebuild(s);
  return DPA_OK;
}

/* For a tied loss |L'''| = L'' |1 - 2 |L'||, whose second factor moves by at most 1/2 a
 * unit of margin: the largest of these factors. A weight multiplies both sides. */
static double unbalance(const dpa_records *rows, const double *derivative) {
  const double *weight = rows->weight;
  double most = 0.0;
  for (size_t k = 0; k < rows->n; k++) {
    const double size = fabs(derivative[k]);
    if (!weight)
      most = fmax(most, fabs(1.0 - 2.0 * size));
    else if (weight[k] > 0.0)
      most = fmax(most, fabs(1.0 - 2.0 * size / weight[k]));
  }
  return most;
}

/* `along` becomes the second derivatives, times the weight; answers by how much the
 * third ones may exceed them. */
static double second_derivatives(dpa_solver *s) {
  const int tied = s->loss->constants(s->width).tied;
  double derivative[BLOCK], most = tied ? 0.0 : 1.0;
  for (size_t at = 0; at < s->data->n; at += BLOCK) {
    const size_t left = s->data->n - at;
    const dpa_records rows = dpa_records_part(s->data, at, left < BLOCK ? left : BLOCK);
    double *second = s->along + at;
    dpa_record_slopes(&rows, s->loss, s->width, s->margin + at, derivative, second);
    for (size_t k = 0; k < rows.n; k++)
      second[k] *= s->weight;
    if (tied)
      most = fmax(most, unbalance(&rows, derivative));
  }
  return most;
}

/* A mean row m other than 0, as of numbers between 0 and 1, makes one large eigenvalue
 * of the curvature, which its diagonal alone would spread over all columns:
 *   sum_k w_k x_k x_k' = sum_k w_k (x_k - m)(x_k - m)' + w m m',   w = sum_k w_k,
 * of whose first part the diagonal is kept. */
static void rebuild_scale(dpa_solver *s) {
  const size_t d = s->data->d;
  double *scale = s->curvature, *v = scale + d;
  memset(scale, 0, d * sizeof *scale);
  dpa_records_add_diagonal(s->data, s->along, s->threads, scale);
  const double root = sqrt(dpa_solver_pass(s, DPA_PASS_MEAN));
  for (size_t j = 0; root > 0.0 && j < d; j++) {
    v[j] /= root;
    scale[j] = fmax(scale[j] - v[j] * v[j], LEAST_SHARE * scale[j]);
  }
}

/* By Sherman and Morrison's formula. */
static void divide_by_scale(dpa_solver *s) {
  const size_t d = s->data->d;
  const double *scale = s->curvature, *v = scale + d;
  double sum = 1.0, inner = 0.0;
  for (size_t j = 0; j < d; j++) {
    const double own = scale[j] + s->at.quad;
    sum += v[j] * v[j] / own;
    s->dir[j] /= own;
    inner += v[j] * s->dir[j];
  }
  for (size_t j = 0; j < d; j++)
    s->dir[j] -= inner / sum * v[j] / (scale[j] + s->at.quad);
}

void dpa_solver_divide(dpa_solver *s) {
  const int d = (int)s->data->d, one = 1;
  int info = 0;
  if (s->at.curved == DPA_FULL)
    F77_CALL(dpotrs)("L", &d, &one, s->curvature, &d, s->dir, &d, &info FCONE);
  else
    divide_by_scale(s);
}

dpa_status dpa_solver_rebuild(dpa_solver *s) {
  const size_t d = s->data->d;
  const int full = s->at.curved == DPA_FULL || affordable(s, s->price);
  const double unbalanced = second_derivatives(s);
  s->at.age = 0;
  if (!full) { /* there the pairs are the curvature */
    s->at.curved = DPA_SCALE;
    rebuild_scale(s);
    return DPA_OK;
  }
  s->at.curved = DPA_FULL;
  memset(s->curvature, 0, d * d * sizeof *s->curvature);
  dpa_records_add_hessian(s->data, s->along, s->threads, s->curvature, s->block);
  keep_curvature(s);
  s->at.unbalance = unbalanced;
  s->at.served = 0;
  s->at.spent = 0;
  s->at.pairs = 0;
  memcpy(s->anchor, s->f, d * sizeof *s->anchor);
  s->at.distance = s->at.curved_distance = 0.0;
  return factorise(s);
}

/* out = add * out + curvature * x. The diagonals change places for it. */
static void times_curvature(dpa_solver *s, const double *x, double add, double *out) {
  const size_t d = s->data->d;
  const int di = (int)d, one = 1;
  const double unit = 1.0;
  for (int turn = 0; turn < 2; turn++) {
    for (size_t j = 0; j < d; j++) {
      const double factor = s->curvature[j * d + j];
      s->curvature[j * d + j] = s->diagonal[j];
      s->diagonal[j] = factor;
    }
    if (turn == 0)
      F77_CALL(dsymv)
    ("U", &di, &unit, s->curvature, &di, x, &one, &add, out, &one FCONE);
  }
}

/* What is left of (H + quad I) dir + grad, whose solution dir is meant to be: Cholesky
 * rounds. `old_grad` is work space. */
static double residual(dpa_solver *s) {
  const size_t d = s->data->d;
  for (size_t j = 0; j < d; j++)
    s->old_grad[j] = s->grad[j] + s->at.quad * s->dir[j];
  times_curvature(s, s->dir, 1.0, s->old_grad);
  return dpa_norm(s->old_grad, d);
}

/* How far f is from where the curvature belongs to. `dir` is work space. */
static void measure_distance(dpa_solver *s) {
  const size_t d = s->data->d;
  for (size_t j = 0; j < d; j++)
    s->old_grad[j] = s->f[j] - s->anchor[j];
  times_curvature(s, s->old_grad, 0.0, s->dir);
  s->at.distance = sqrt(dpa_dot(s->old_grad, s->old_grad, d));
  s->at.curved_distance = sqrt(fmax(0.0, dpa_dot(s->old_grad, s->dir, d)));
}

/* What is left of the gradient at the minimiser of the quadratic model, at most. With
 * H = sum_k w_k L''_k x_k x_k' at `anchor`, e = f - bent and the model's step s, the
 * data's gradient at f + s differs from the model's by
 *
 *   sum_k w_k x_k (x_k's) mean over t in [0, 1] of L''(x_k'(bent + e + t s)) - L''_k,
 *
 * and |L'''| <= rate L'' gives |L''(a) - L''_k| <= L''_k (exp(rate |a - a_k|) - 1), by
 * convexity at most L''_k |a - a_k| grow for |a - a_k| <= reach = r (||e|| + ||s||), r
 * the longest row, grow = (exp(rate reach) - 1) / reach. So by Cauchy and Schwarz its
 * norm is at most r grow (||s||_H ||e||_H + ||s||_H^2 / 2), with curved_distance =
 * ||e||_H. */
static double model_error(const dpa_solver *s, double distance, double curved_distance,
                          double length, double square) {
  /* the curvature is a rounded sum of n records' */
  const double off = 1.01 * ((double)s->data->n + 24.0) * 0x1p-53 * s->weight *
                     (double)s->data->n * s->loss->constants(s->width).curvature *
                     s->at.longest * s->at.longest;
  curved_distance = sqrt(curved_distance * curved_distance + off * distance * distance);
  square += off * length * length;
  const double reach = s->at.longest * (distance + length);
  if (!(reach <= MODEL_REACH))
    return INFINITY;
  const double rate = fmin(1.0, s->at.unbalance + 0.5 * reach);
  const double grow = reach > 0.0 ? expm1(rate * reach) / reach : rate;
  return s->at.longest * grow * (sqrt(square) * curved_distance + 0.5 * square) *
         (1.0 + 1e-9);
}

dpa_status dpa_solver_try_model(dpa_solver *s) {
  const size_t d = s->data->d;
  const dpa_loss_constants loss = s->loss->constants(s->width);
  if (s->at.curved != DPA_FULL || s->at.factor_quad != s->at.quad ||
      !loss.self_concordant || s->at.enough > s->at.tol ||
      s->at.tol < MODEL_SHARE * s->at.norm)
    return DPA_CONTINUE;
  if (s->at.longest < 0.0)
    s->at.longest = dpa_records_longest(s->data);
  for (;;) {
    if (s->at.distance < 0.0)
      measure_distance(s);
    for (size_t j = 0; j < d; j++)
      s->dir[j] = -s->grad[j];
    dpa_solver_divide(s);
    const double length = sqrt(dpa_dot(s->dir, s->dir, d));
    /* ||dir||_H^2, because (H + quad I) dir = -grad */
    const double pull = -dpa_dot(s->grad, s->dir, d);
    const double square = fmax(0.0, pull - s->at.quad * length * length) + 1e-13 * pull;
    const double allowed = (1.0 - 1e-9) * s->at.tol - DPA_ROUNDING * s->at.norm;
    const double error =
        loss.third == 0.0
            ? 0.0
            : model_error(s, s->at.distance, s->at.curved_distance, length, square);
    if (error + residual(s) <= allowed) {
      memcpy(s->base, s->f, d * sizeof *s->base);
      for (size_t j = 0; j < d; j++)
        s->f[j] += s->dir[j];
      s->at.ahead = 1;
      s->at.served++;
      return DPA_OK;
    }
    /* A curvature of this point would help; is it worth its price? */
    if (s->at.distance == 0.0 ||
        model_error(s, 0.0, 0.0, length, square) > 0.25 * allowed)
      return DPA_CONTINUE;
    const int earned = (double)s->at.served >= fmax(MODEL_SERVES, 0.5 * s->price);
    if ((!earned && !affordable(s, s->price)) || s->at.waited++ < s->at.wait)
      return DPA_CONTINUE;
    s->at.wait = earned ? 0 : 2 * s->at.wait + 1;
    s->at.waited = 0;
    const dpa_status status = dpa_solver_rebuild(s);
    if (status != DPA_OK)
      return status;
  }
}
