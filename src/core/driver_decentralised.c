#ifdef _OPENMP
#include <omp.h>
#endif

#include "driver_decentralised.h"

#include <math.h>
#include <string.h>

void dpa_decentralised_layout(dpa_decentralised *run, dpa_arena *arena) {
  const size_t nodes = run->network->nodes, d = run->data[0].d;
  run->node = DPA_TAKE(arena, dpa_node, nodes);
  run->status = DPA_TAKE(arena, dpa_status, nodes);
  run->mean = DPA_TAKE(arena, double, d);
  for (size_t i = 0; i < nodes; i++) {
    dpa_node node;
    memset(&node, 0, sizeof node);
    node.id = (uint32_t)i;
    node.d = d;
    node.degree = (double)dpa_network_degree(run->network, i);
    node.ridge = run->ridge;
    node.data = run->data[i];
    node.lambda = DPA_TAKE(arena, double, d);
    node.inbox = DPA_TAKE(arena, double, d);
    node.message = DPA_TAKE(arena, double, d);
    node.linear = DPA_TAKE(arena, double, d);
    node.kkt = DPA_TAKE(arena, double, d);
    dpa_solver_layout(&node.solver, arena, &run->data[i], run->loss, run->width,
                      run->weight[i]);
    if (arena->base)
      run->node[i] = node;
  }
}

static dpa_step step_of(const dpa_schedule *schedule, size_t i, size_t t) {
  const size_t at = t * schedule->nodes + i;
  dpa_step step;
  step.iteration = (uint32_t)(t + 1);
  step.eta = schedule->eta[at];
  step.theta = schedule->theta[at];
  step.gamma = schedule->gamma[i];
  step.tol = schedule->tol[i];
  step.mechanism = schedule->mechanism;
  step.objective_scale = schedule->mechanism ? schedule->objective_scale[at] : 0.0;
  step.output_scale = schedule->mechanism ? schedule->output_scale[at] : 0.0;
  step.test = schedule->test ? &schedule->test[i] : NULL;
  return step;
}

/* One call of begin (first) or advance for every node that is not finished. Answers
 * whether some node has more to do. */
static int sweep(dpa_decentralised *run, size_t t, int first) {
  const dpa_update *update = dpa_updates[run->schedule->update[t]];
  const int nodes = (int)run->network->nodes;
  int more = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)                                          \
    num_threads(run->threads) if (run->threads > 1) reduction(|                        \
                                                              : more)
#endif
  for (int i = 0; i < nodes; i++) {
    if (!first && run->status[i] != DPA_CONTINUE)
      continue;
    const dpa_step step = step_of(run->schedule, (size_t)i, t);
    if (first)
      run->node[i].sent = 1;
    run->status[i] =
        (first ? update->begin : update->advance)(&run->node[i], &step, run->key);
    more |= run->status[i] == DPA_CONTINUE;
  }
  return more;
}

static void measure(const dpa_decentralised *run, dpa_trace *trace, size_t t) {
  const size_t nodes = run->network->nodes, d = run->node[0].d;
  memset(run->mean, 0, d * sizeof *run->mean);
  double step = 0.0, gap = 0.0;
  for (size_t i = 0; i < nodes; i++) {
    for (size_t j = 0; j < d; j++) {
      const double change = run->node[i].message[j] - run->node[i].f[j];
      step += change * change;
      run->mean[j] += run->node[i].message[j] / (double)nodes;
    }
  }
  for (size_t i = 0; i < nodes; i++) {
    for (size_t j = 0; j < d; j++) {
      const double off = run->node[i].message[j] - run->mean[j];
      gap += off * off;
    }
  }
  trace->gap[t] = sqrt(gap / (double)nodes);
  trace->step[t] = sqrt(step / (double)nodes);
}

/* Deliver the messages, then the dual step. */
static void exchange(dpa_decentralised *run, dpa_trace *trace, size_t t) {
  const size_t nodes = run->network->nodes, d = run->node[0].d;
  for (size_t i = 0; i < nodes; i++)
    memcpy(run->node[i].f, run->node[i].message, d * sizeof *run->mean);
  for (size_t i = 0; i < nodes; i++) {
    dpa_node *node = &run->node[i];
    dpa_network_sum(run->network, i, trace->f, d, node->inbox);
    const double half = 0.5 * run->schedule->theta[t * nodes + i];
    if (half > 0.0)
      for (size_t j = 0; j < d; j++)
        node->lambda[j] += half * (node->degree * node->f[j] - node->inbox[j]);
  }
  if (trace->sent)
    for (size_t i = 0; i < nodes; i++)
      trace->sent[t * nodes + i] = run->node[i].sent;
  if (trace->iterates)
    for (size_t i = 0; i < nodes; i++)
      for (size_t j = 0; j < d; j++)
        trace->iterates[(j * nodes + i) * run->schedule->iterations + t] =
            run->node[i].f[j];
}

dpa_status dpa_decentralised_run(dpa_decentralised *run, dpa_trace *trace) {
  const size_t nodes = run->network->nodes, d = run->node[0].d;
  trace->begun = trace->done = 0;
  for (size_t i = 0; i < nodes; i++) {
    run->node[i].f = trace->f + i * d;
    run->node[i].sends = 0;
    run->node[i].measured = 0;
    memset(run->node[i].lambda, 0, d * sizeof(double));
    memcpy(run->node[i].solver.f, run->node[i].f, d * sizeof(double));
  }
  for (size_t i = 0; i < nodes; i++)
    dpa_network_sum(run->network, i, trace->f, d, run->node[i].inbox);
  for (size_t t = 0; t < run->schedule->iterations; t++) {
    if (run->poll(run->context, t))
      return DPA_INTERRUPT;
    trace->begun = t + 1;
    int more = sweep(run, t, 1);
    while (more) {
      if (run->poll(run->context, t))
        return DPA_INTERRUPT;
      more = sweep(run, t, 0);
    }
    for (size_t i = 0; i < nodes; i++)
      if (run->status[i] != DPA_OK)
        return run->status[i];
    measure(run, trace, t);
    exchange(run, trace, t);
    trace->done = t + 1;
  }
  return run->poll(run->context, trace->done) ? DPA_INTERRUPT : DPA_OK;
}
