/* A server: z = prox of gamma r at (mean of the users' states + noise). step: how far z
 * moved; z before the first round may count as an iterate. */
#include "data/shorten.h"
#include "random/draw.h"
#include "run/relay.h"
#include "vector.h"

#include <math.h>
#include <string.h>

/* The next z from hub->mean. */
static dpa_status broadcast(dpa_hub *hub, double *z) {
  const dpa_plan *plan = hub->plan;
  plan->penalty->prox(hub->mean, plan->d, plan->server.gamma, plan->parameter, z);
  /* rounding in the users' steps is proved small for z within reach only */
  if (plan->reach)
    dpa_shorten(z, plan->d, plan->reach[0]);
  for (size_t j = 0; j < plan->d; j++)
    if (!isfinite(z[j]))
      return DPA_NUMERIC;
  memcpy(hub->inbox, z, plan->d * sizeof *z);
  return DPA_OK;
}

static void start(dpa_hub *hub) {
  memset(hub->mean, 0, hub->plan->d * sizeof *hub->mean);
  broadcast(hub, hub->trace->f);
  if (hub->trace->shown) {
    hub->trace->step[0] = 0.0;
    dpa_hub_keep(hub, 0);
  }
}

static dpa_status deliver(dpa_hub *hub, uint32_t round) {
  const dpa_plan *plan = hub->plan;
  dpa_trace *trace = hub->trace;
  const size_t d = plan->d, at = round - 1 + trace->shown;
  const double *scale = plan->server.scale;
  dpa_hub_sum(hub, hub->mean);
  for (size_t j = 0; j < d; j++)
    hub->mean[j] /= (double)plan->server.users;
  dpa_status status =
      dpa_release(plan->mechanism, &hub->key, 0, round, DPA_NOISE_SERVER,
                  scale ? scale[round - 1] : 0.0, hub->mean, hub->mean, d);
  if (status != DPA_OK)
    return status;
  memcpy(hub->noise, trace->f, d * sizeof *trace->f); /* the last z */
  status = broadcast(hub, trace->f);
  if (status != DPA_OK) {
    memcpy(trace->f, hub->noise, d * sizeof *trace->f);
    return status;
  }
  for (size_t j = 0; j < d; j++)
    hub->noise[j] -= trace->f[j];
  trace->step[at] = dpa_far_norm(hub->noise, d);
  dpa_hub_keep(hub, at);
  return DPA_OK;
}

const dpa_relay dpa_relay_server = {"server", &dpa_layout_users, 0, NULL, start,
                                    deliver};
