#include "driver_gradient.h"

#include <math.h>
#include <string.h>

/* The residual must fall by this factor, or momentum starts anew (Goldstein et al.
 * 2014, Algorithm 8). */
#define DPA_RESTART 0.999

void dpa_gradient_run_layout(dpa_gradient_run *run, dpa_arena *arena) {
  const size_t d = run->gradient.data->d, m = run->A->n;
  dpa_gradient_layout(&run->gradient, arena);
  run->slope = DPA_TAKE(arena, double, d);
  run->noise = DPA_TAKE(arena, double, d);
  run->ahead = DPA_TAKE(arena, double, d);
  run->image = DPA_TAKE(arena, double, m);
  run->image_new = DPA_TAKE(arena, double, m);
  run->image_ahead = DPA_TAKE(arena, double, m);
  run->dual_ahead = DPA_TAKE(arena, double, m);
  run->shift = DPA_TAKE(arena, double, m);
  run->step = DPA_TAKE(arena, double, m);
}

/* run->slope = grad f(at) + noise of iteration t. */
static dpa_status noisy_gradient(dpa_gradient_run *run, const double *at, size_t t) {
  const size_t d = run->gradient.data->d;
  dpa_gradient_at(&run->gradient, at, run->slope);
  if (!run->mechanism || !(run->scale[t] > 0.0))
    return DPA_OK;
  dpa_rng rng;
  dpa_rng_init(&rng, run->key, 0, (uint32_t)t, DPA_NOISE_OBJECTIVE);
  run->mechanism->draw(&rng, run->scale[t], run->noise, d);
  const dpa_status status = dpa_rng_status(&rng);
  dpa_forget(&rng, sizeof rng);
  for (size_t j = 0; j < d; j++)
    run->slope[j] += run->noise[j];
  return status;
}

/* u = -(A')^+ g / rho with (A')^+ = A (A'A)^+ and g a noisy gradient. */
static dpa_status start_dual(dpa_gradient_run *run, const double *x, double *u) {
  const size_t d = run->gradient.data->d, m = run->A->n;
  memset(u, 0, m * sizeof *u);
  if (!run->inverse)
    return DPA_OK;
  const dpa_status status = noisy_gradient(run, x, 0);
  for (size_t i = 0; i < d; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
      sum += run->inverse[i + j * d] * run->slope[j];
    run->noise[i] = -sum / run->rho;
  }
  dpa_dataset_margin(run->A, run->noise, u);
  return status;
}

/* y = argmin g(y) + rho/2 ||A x-hat + B y - c + u-hat||^2, runs of equal steps at once;
 * leaves A x-hat + B y - c + u-hat in shift. */
static void split_step(dpa_gradient_run *run, double *y) {
  const size_t m = run->A->n;
  for (size_t i = 0; i < m; i++) {
    run->shift[i] = run->image_ahead[i] - run->c[i] + run->dual_ahead[i];
    y[i] = -run->shift[i] / run->b[i];
  }
  for (size_t i = 0; i < m;) {
    size_t end = i + 1;
    while (end < m && run->step[end] == run->step[i])
      end++;
    run->penalty->prox(y + i, end - i, run->step[i], run->parameter, y + i);
    i = end;
  }
  for (size_t i = 0; i < m; i++)
    run->shift[i] += run->b[i] * y[i];
}

static void keep(const dpa_gradient_run *run, dpa_gradient_trace *trace, size_t t) {
  const size_t d = run->gradient.data->d, m = run->A->n;
  const double share = 1.0 / (double)(t + 1);
  for (size_t j = 0; j < d; j++)
    trace->mean_x[j] += share * (trace->x[j] - trace->mean_x[j]);
  for (size_t i = 0; i < m; i++)
    trace->mean_y[i] += share * (trace->y[i] - trace->mean_y[i]);
  if (trace->iterates)
    for (size_t j = 0; j < d; j++)
      trace->iterates[t + j * run->iterations] = trace->x[j];
}

/* Nesterov's weight of step t, (theta_t - 1) / theta_(t+1), or 0 where there is none. A
 * restart begins the sequence anew when the residual has not fallen. */
static double next_momentum(dpa_gradient_run *run, double residual) {
  if (!run->accelerated)
    return 0.0;
  if (run->restart && residual > DPA_RESTART * run->residual) {
    run->theta = 1.0;
    return 0.0;
  }
  run->residual = residual;
  const double theta = run->theta;
  run->theta = (1.0 + sqrt(1.0 + 4.0 * theta * theta)) / 2.0;
  return (theta - 1.0) / run->theta;
}

/* Algorithm 2 of the paper, Algorithm 3 with momentum: y before x, then u. */
static dpa_status iterate(dpa_gradient_run *run, dpa_gradient_trace *trace, size_t t) {
  const size_t d = run->gradient.data->d, m = run->A->n;
  split_step(run, trace->y);
  const dpa_status status = noisy_gradient(run, run->ahead, t + 1);
  if (status != DPA_OK)
    return status;
  for (size_t i = 0; i < m; i++)
    run->shift[i] *= run->rho;
  dpa_dataset_add_gradient(run->A, run->shift, run->slope);
  const double length = run->eta / run->gamma;
  double moved = 0.0, gap = 0.0, pulled = 0.0;
  for (size_t j = 0; j < d; j++) {
    const double x = run->ahead[j] - length * run->slope[j];
    const double change = x - trace->x[j];
    moved += change * change;
    pulled += (x - run->ahead[j]) * (x - run->ahead[j]);
    run->slope[j] = change;
    trace->x[j] = x;
  }
  dpa_dataset_margin(run->A, trace->x, run->image_new);
  for (size_t i = 0; i < m; i++) {
    run->shift[i] = run->image_new[i] + run->b[i] * trace->y[i] - run->c[i];
    gap += run->shift[i] * run->shift[i];
  }
  const double momentum = next_momentum(run, run->rho * gap + pulled / length);
  for (size_t j = 0; j < d; j++)
    run->ahead[j] = trace->x[j] + momentum * run->slope[j];
  for (size_t i = 0; i < m; i++) {
    const double dual = run->dual_ahead[i] + run->shift[i];
    run->image_ahead[i] =
        run->image_new[i] + momentum * (run->image_new[i] - run->image[i]);
    run->dual_ahead[i] = dual + momentum * (dual - trace->u[i]);
    run->image[i] = run->image_new[i];
    trace->u[i] = dual;
  }
  trace->gap[t] = sqrt(gap);
  trace->moved[t] = sqrt(moved);
  keep(run, trace, t);
  return isfinite(moved) && isfinite(gap) ? DPA_OK : DPA_NUMERIC;
}

dpa_status dpa_gradient_run_all(dpa_gradient_run *run, dpa_gradient_trace *trace) {
  const size_t d = run->gradient.data->d, m = run->A->n;
  trace->begun = trace->done = 0;
  dpa_gradient_prepare(&run->gradient);
  for (size_t i = 0; i < m; i++)
    run->step[i] = run->weight[i] / (run->rho * run->b[i] * run->b[i]);
  memset(trace->mean_x, 0, d * sizeof(double));
  memset(trace->mean_y, 0, m * sizeof(double));
  dpa_status status = start_dual(run, trace->x, trace->u);
  if (status != DPA_OK)
    return status;
  memcpy(run->ahead, trace->x, d * sizeof(double));
  dpa_dataset_margin(run->A, trace->x, run->image);
  memcpy(run->image_ahead, run->image, m * sizeof(double));
  memcpy(run->dual_ahead, trace->u, m * sizeof(double));
  run->theta = 1.0;
  run->residual = INFINITY;
  for (size_t t = 0; t < run->iterations; t++) {
    if (run->poll(run->context, t))
      return DPA_INTERRUPT;
    trace->begun = t + 1;
    status = iterate(run, trace, t);
    if (status != DPA_OK)
      return status;
    trace->done = t + 1;
  }
  return run->poll(run->context, trace->done) ? DPA_INTERRUPT : DPA_OK;
}
