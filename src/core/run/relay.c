#include "run/relay.h"

#include <string.h>

const dpa_relay *const dpa_relays[] = {
    &dpa_relay_graph,
    &dpa_relay_server,
    &dpa_relay_split,
    &dpa_relay_descent,
};
const size_t dpa_relays_count = sizeof dpa_relays / sizeof *dpa_relays;

const dpa_relay *dpa_relay_find(const char *name) {
  for (size_t k = 0; k < dpa_relays_count; k++)
    if (strcmp(dpa_relays[k]->name, name) == 0)
      return dpa_relays[k];
  return NULL;
}

void dpa_hub_layout(dpa_hub *hub, dpa_arena *arena, const dpa_plan *plan) {
  const size_t inboxes = plan->relay->many ? plan->parties : 1;
  hub->plan = plan;
  hub->message = DPA_TAKE(arena, dpa_message, plan->parties);
  if (plan->d != 0 && inboxes > SIZE_MAX / plan->d)
    arena->overflow = 1;
  else
    hub->inbox = DPA_TAKE(arena, double, inboxes * plan->d);
  hub->total = DPA_TAKE(arena, uint64_t, plan->secure.grid > 0.0 ? plan->d : 0);
  hub->mean = DPA_TAKE(arena, double, plan->d);
  hub->noise = DPA_TAKE(arena, double, plan->d);
  if (plan->relay->place)
    plan->relay->place(hub, arena);
}

const double *dpa_hub_inbox(const dpa_hub *hub, size_t i) {
  return hub->inbox + (hub->plan->relay->many ? i * hub->plan->d : 0);
}

/* A number modulo 2^64 as the one nearest to 0. */
static double centred(uint64_t word) {
  return word >> 63 ? -(double)(UINT64_MAX - word + 1) : (double)word;
}

void dpa_hub_sum(const dpa_hub *hub, double *out) {
  const size_t d = hub->plan->d;
  const double grid = hub->plan->secure.grid;
  if (grid > 0.0) {
    for (size_t j = 0; j < d; j++)
      out[j] = grid * centred(hub->total[j]);
    return;
  }
  memcpy(out, hub->message[0].values, d * sizeof *out);
  for (size_t i = 1; i < hub->plan->parties; i++)
    for (size_t j = 0; j < d; j++)
      out[j] += hub->message[i].values[j];
}

void dpa_hub_keep(const dpa_hub *hub, size_t at) {
  const dpa_trace *trace = hub->trace;
  if (trace->iterates)
    for (size_t j = 0; j < hub->plan->d; j++)
      trace->iterates[at + j * trace->kept] = trace->f[j];
}

void dpa_hub_note(const dpa_hub *hub, size_t t, const double *sum) {
  const dpa_trace *trace = hub->trace;
  const size_t moves = dpa_plan_moves(hub->plan);
  for (size_t j = 0; trace->points && j < hub->plan->d; j++) {
    trace->points[t + j * moves] = hub->inbox[j];
    trace->gradients[t + j * moves] = sum[j];
  }
}

int dpa_hub_moment(const dpa_hub *hub, size_t t) {
  const dpa_plan *plan = hub->plan;
  const size_t d = plan->d, models = plan->relay->many ? plan->parties : 1;
  if (dpa_rule_moves(dpa_rules[plan->rule[t]]))
    return 0;
  double *out = hub->trace->moments + (t - dpa_plan_moves(plan)) * models * d;
  if (plan->relay->many) {
    for (size_t i = 0; i < models; i++)
      memcpy(out + i * d, hub->message[i].values, d * sizeof *out);
    return 1;
  }
  dpa_hub_sum(hub, out);
  for (size_t j = 0; plan->unit && j < d; j++)
    out[j] /= plan->unit[t];
  return 1;
}
