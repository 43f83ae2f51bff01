/* Gradient ADMM: min f(x) + sum_j w_j h(y_j) subject to A x + B y = c, one (noisy)
 * gradient of f a round, plain or with Nesterov's momentum (Algorithms 2 and 3 of
 * dp-admm-accadmm: y before x, then u). gap: ||A x + B y - c||; step: how far x moved.
 */
#include "run/relay.h"

#include <math.h>
#include <string.h>

/* The residual must fall by this factor, or momentum starts anew (Goldstein et al.
 * 2014, Algorithm 8). */
#define RESTART 0.999

static void place(dpa_hub *hub, dpa_arena *arena) {
  dpa_split *run = &hub->split;
  const size_t d = hub->plan->d, m = hub->plan->split.A.n;
  run->ahead = DPA_TAKE(arena, double, d);
  run->gradient = DPA_TAKE(arena, double, d);
  run->change = DPA_TAKE(arena, double, d);
  run->image = DPA_TAKE(arena, double, m);
  run->image_new = DPA_TAKE(arena, double, m);
  run->image_ahead = DPA_TAKE(arena, double, m);
  run->dual_ahead = DPA_TAKE(arena, double, m);
  run->shift = DPA_TAKE(arena, double, m);
  run->step = DPA_TAKE(arena, double, m);
}

/* Everything at x and u as they are. */
static void begin_at(dpa_hub *hub) {
  dpa_split *run = &hub->split;
  const dpa_split_plan *plan = &hub->plan->split;
  const size_t d = hub->plan->d, m = plan->A.n;
  memcpy(run->ahead, hub->trace->f, d * sizeof(double));
  memcpy(hub->inbox, hub->trace->f, d * sizeof(double));
  dpa_records_margin(&plan->A, hub->trace->f, run->image);
  memcpy(run->image_ahead, run->image, m * sizeof(double));
  memcpy(run->dual_ahead, hub->trace->u, m * sizeof(double));
  run->theta = 1.0;
  run->residual = INFINITY;
}

static void start(dpa_hub *hub) {
  dpa_split *run = &hub->split;
  dpa_trace *trace = hub->trace;
  const dpa_split_plan *plan = &hub->plan->split;
  const size_t d = hub->plan->d, m = plan->A.n;
  for (size_t i = 0; i < m; i++)
    run->step[i] = plan->weights[i] / (plan->rho * plan->b[i] * plan->b[i]);
  if (hub->plan->start)
    memcpy(trace->f, hub->plan->start, d * sizeof(double));
  else
    memset(trace->f, 0, d * sizeof(double));
  memset(trace->y, 0, m * sizeof(double));
  memset(trace->u, 0, m * sizeof(double));
  memset(trace->mean_x, 0, d * sizeof(double));
  memset(trace->mean_y, 0, m * sizeof(double));
  begin_at(hub);
}

/* u = -(A')^+ g / rho with (A')^+ = A (A'A)^+ and g the noisy gradient of round 0. */
static void start_dual(dpa_hub *hub) {
  dpa_split *run = &hub->split;
  const dpa_split_plan *plan = &hub->plan->split;
  const size_t d = hub->plan->d;
  for (size_t i = 0; i < d; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
      sum += plan->inverse[i + j * d] * run->gradient[j];
    run->change[i] = -sum / plan->rho;
  }
  dpa_records_margin(&plan->A, run->change, hub->trace->u);
  begin_at(hub);
}

/* y = argmin g(y) + rho/2 ||A x-hat + B y - c + u-hat||^2, runs of equal steps at once;
 * leaves A x-hat + B y - c + u-hat in shift. */
static void split_step(dpa_hub *hub) {
  dpa_split *run = &hub->split;
  const dpa_split_plan *plan = &hub->plan->split;
  const size_t m = plan->A.n;
  double *y = hub->trace->y;
  for (size_t i = 0; i < m; i++) {
    run->shift[i] = run->image_ahead[i] - plan->c[i] + run->dual_ahead[i];
    y[i] = -run->shift[i] / plan->b[i];
  }
  for (size_t i = 0; i < m;) {
    size_t end = i + 1;
    while (end < m && run->step[end] == run->step[i])
      end++;
    hub->plan->penalty->prox(y + i, end - i, run->step[i], hub->plan->parameter, y + i);
    i = end;
  }
  for (size_t i = 0; i < m; i++)
    run->shift[i] += plan->b[i] * y[i];
}

/* Nesterov's weight of step t, (theta_t - 1) / theta_(t+1), or 0 where there is none. A
 * restart begins the sequence anew when the residual has not fallen. */
static double next_momentum(dpa_hub *hub, double residual) {
  dpa_split *run = &hub->split;
  const dpa_split_plan *plan = &hub->plan->split;
  if (!plan->accelerated)
    return 0.0;
  if (plan->restart && residual > RESTART * run->residual) {
    run->theta = 1.0;
    return 0.0;
  }
  run->residual = residual;
  const double theta = run->theta;
  run->theta = (1.0 + sqrt(1.0 + 4.0 * theta * theta)) / 2.0;
  return (theta - 1.0) / run->theta;
}

/* The means so far: iterates weigh the same, or iterate t weighs t (from 1). */
static void keep(const dpa_hub *hub, size_t t) {
  dpa_trace *trace = hub->trace;
  const double share =
      hub->plan->split.rising ? 2.0 / (double)(t + 2) : 1.0 / (double)(t + 1);
  for (size_t j = 0; j < hub->plan->d; j++)
    trace->mean_x[j] += share * (trace->f[j] - trace->mean_x[j]);
  for (size_t i = 0; i < hub->plan->split.A.n; i++)
    trace->mean_y[i] += share * (trace->y[i] - trace->mean_y[i]);
  dpa_hub_keep(hub, t);
}

/* x moves against the gradient; answers how far from x-hat, squared. */
static double move_x(dpa_hub *hub, size_t t) {
  dpa_split *run = &hub->split;
  const dpa_split_plan *plan = &hub->plan->split;
  dpa_trace *trace = hub->trace;
  const double length = plan->eta / plan->gamma;
  double moved = 0.0, pulled = 0.0;
  for (size_t i = 0; i < plan->A.n; i++)
    run->shift[i] *= plan->rho;
  dpa_records_add_gradient(&plan->A, run->shift, run->gradient);
  for (size_t j = 0; j < hub->plan->d; j++) {
    const double x = run->ahead[j] - length * run->gradient[j];
    run->change[j] = x - trace->f[j];
    moved += run->change[j] * run->change[j];
    pulled += (x - run->ahead[j]) * (x - run->ahead[j]);
    trace->f[j] = x;
  }
  trace->step[t] = sqrt(moved);
  return pulled;
}

static dpa_status deliver(dpa_hub *hub, uint32_t round) {
  dpa_split *run = &hub->split;
  const dpa_split_plan *plan = &hub->plan->split;
  dpa_trace *trace = hub->trace;
  const size_t d = hub->plan->d, m = plan->A.n, t = round - 1;
  if (round > 0 && dpa_hub_moment(hub, t))
    return DPA_OK;
  dpa_hub_sum(hub, run->gradient);
  if (round == 0) {
    start_dual(hub);
    return DPA_OK;
  }
  dpa_hub_note(hub, t, run->gradient);
  split_step(hub);
  const double pulled = move_x(hub, t);
  double gap = 0.0;
  dpa_records_margin(&plan->A, trace->f, run->image_new);
  for (size_t i = 0; i < m; i++) {
    run->shift[i] = run->image_new[i] + plan->b[i] * trace->y[i] - plan->c[i];
    gap += run->shift[i] * run->shift[i];
  }
  const double momentum =
      next_momentum(hub, plan->rho * gap + pulled * plan->gamma / plan->eta);
  for (size_t j = 0; j < d; j++)
    run->ahead[j] = trace->f[j] + momentum * run->change[j];
  memcpy(hub->inbox, run->ahead, d * sizeof *run->ahead);
  for (size_t i = 0; i < m; i++) {
    const double dual = run->dual_ahead[i] + run->shift[i];
    run->image_ahead[i] =
        run->image_new[i] + momentum * (run->image_new[i] - run->image[i]);
    run->dual_ahead[i] = dual + momentum * (dual - trace->u[i]);
    run->image[i] = run->image_new[i];
    trace->u[i] = dual;
  }
  trace->gap[t] = sqrt(gap);
  keep(hub, t);
  if (dpa_plan_asks(hub->plan) && round == dpa_plan_moves(hub->plan))
    memcpy(hub->inbox, plan->at_mean ? trace->mean_x : trace->f, d * sizeof(double));
  return isfinite(trace->step[t]) && isfinite(gap) ? DPA_OK : DPA_NUMERIC;
}

const dpa_relay dpa_relay_split = {"split", &dpa_layout_holder, 0, place, start,
                                   deliver};
