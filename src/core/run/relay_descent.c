/* Gradient descent with a penalty: u <- prox of step r at (u - step * message), on the
 * active block. step: how far u moved. */
#include "run/relay.h"
#include "vector.h"

#include <math.h>
#include <string.h>

static void start(dpa_hub *hub) {
  const dpa_plan *plan = hub->plan;
  if (plan->start)
    memcpy(hub->trace->f, plan->start, plan->d * sizeof(double));
  else
    memset(hub->trace->f, 0, plan->d * sizeof(double));
  memcpy(hub->inbox, hub->trace->f, plan->d * sizeof(double));
}

static dpa_status deliver(dpa_hub *hub, uint32_t round) {
  const dpa_plan *plan = hub->plan;
  const dpa_descent_plan *descent = &plan->descent;
  const size_t d = plan->d, t = round - 1;
  const double step = descent->step[t];
  double *u = hub->mean;
  if (dpa_hub_moment(hub, t))
    return DPA_OK;
  dpa_hub_sum(hub, hub->noise);
  dpa_hub_note(hub, t, hub->noise);
  for (size_t j = 0; j < d; j++) {
    u[j] = hub->trace->f[j];
    if (descent->block && descent->block[j] != descent->turn[t])
      continue;
    const double v = u[j] - step * hub->noise[j];
    plan->penalty->prox(&v, 1, step, plan->parameter, &u[j]);
  }
  for (size_t j = 0; j < d; j++) {
    if (!isfinite(u[j]))
      return DPA_NUMERIC;
    hub->noise[j] = u[j] - hub->trace->f[j];
  }
  hub->trace->step[t] = dpa_far_norm(hub->noise, d);
  memcpy(hub->trace->f, u, d * sizeof *u);
  memcpy(hub->inbox, u, d * sizeof *u);
  dpa_hub_keep(hub, t);
  return DPA_OK;
}

const dpa_relay dpa_relay_descent = {"descent", &dpa_layout_holder, 0, NULL, start,
                                     deliver};
