/* Nodes of a network: a node's inbox is the sum of its neighbours' last messages. gap:
 * root mean square distance of the nodes to their mean; step: root mean square change
 * of the messages. */
#include "run/relay.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void sum_neighbours(dpa_hub *hub) {
  dpa_network_sums(&hub->plan->network, hub->trace->f, hub->plan->d, hub->mean,
                   hub->inbox);
}

/* Where moments are asked for: at the mean of the models. */
static void send_mean(dpa_hub *hub) {
  const dpa_plan *plan = hub->plan;
  const size_t nodes = plan->parties, d = plan->d;
  memset(hub->mean, 0, d * sizeof *hub->mean);
  for (size_t i = 0; i < nodes; i++)
    for (size_t j = 0; j < d; j++)
      hub->mean[j] += plan->share[i] * hub->trace->f[i * d + j];
  for (size_t i = 0; i < nodes; i++)
    memcpy(hub->inbox + i * d, hub->mean, d * sizeof *hub->mean);
}

/* After `done` rounds. */
static void send_next(dpa_hub *hub, size_t done) {
  if (hub->plan->share && done == dpa_plan_moves(hub->plan))
    send_mean(hub);
  else
    sum_neighbours(hub);
}

static void start(dpa_hub *hub) {
  const dpa_plan *plan = hub->plan;
  const size_t bytes = plan->parties * plan->d * sizeof(double);
  if (plan->start)
    memcpy(hub->trace->f, plan->start, bytes);
  else
    memset(hub->trace->f, 0, bytes);
  send_next(hub, 0);
}

/* In units in which squares are within the range of doubles. */
static void measure_in(dpa_hub *hub, size_t t, double unit) {
  const size_t nodes = hub->plan->parties, d = hub->plan->d;
  double step = 0.0, gap = 0.0;
  memset(hub->mean, 0, d * sizeof *hub->mean);
  for (size_t i = 0; i < nodes; i++) {
    const double *value = hub->message[i].values, *before = hub->trace->f + i * d;
    for (size_t j = 0; j < d; j++) {
      const double change = value[j] / unit - before[j] / unit;
      step += change * change;
      hub->mean[j] += value[j] / (double)nodes;
    }
  }
  for (size_t i = 0; i < nodes; i++)
    for (size_t j = 0; j < d; j++) {
      const double off = hub->message[i].values[j] / unit - hub->mean[j] / unit;
      gap += off * off;
    }
  hub->trace->gap[t] = fmin(unit * sqrt(gap / (double)nodes), DBL_MAX);
  hub->trace->step[t] = fmin(unit * sqrt(step / (double)nodes), DBL_MAX);
}

static void measure(dpa_hub *hub, size_t t) {
  measure_in(hub, t, 1.0);
  if (hub->trace->gap[t] == DBL_MAX || hub->trace->step[t] == DBL_MAX)
    measure_in(hub, t, 0x1p600);
}

static dpa_status deliver(dpa_hub *hub, uint32_t round) {
  dpa_trace *trace = hub->trace;
  const size_t nodes = hub->plan->parties, d = hub->plan->d, t = round - 1;
  if (dpa_hub_moment(hub, t))
    return DPA_OK;
  measure(hub, t);
  for (size_t i = 0; i < nodes; i++)
    memcpy(trace->f + i * d, hub->message[i].values, d * sizeof *trace->f);
  send_next(hub, round);
  if (trace->iterates)
    for (size_t i = 0; i < nodes; i++)
      for (size_t j = 0; j < d; j++)
        trace->iterates[(j * nodes + i) * trace->kept + t] = trace->f[i * d + j];
  return DPA_OK;
}

const dpa_relay dpa_relay_graph = {"graph", &dpa_layout_node, 1, NULL, start, deliver};
