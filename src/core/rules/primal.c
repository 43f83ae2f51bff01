#include "rules/primal.h"

#include "data/shorten.h"
#include "random/draw.h"
#include "rules/send.h"

#include <string.h>

dpa_status dpa_primal_pose(dpa_party *party, const dpa_order *order,
                           dpa_purpose purpose) {
  dpa_node *node = &party->as.node;
  const dpa_status status =
      dpa_draw(order->mechanism, &party->key, 0, order->round, purpose,
               order->objective_scale, node->linear, party->d);
  if (status != DPA_OK)
    return status;
  for (size_t j = 0; j < party->d; j++)
    node->pull[j] = 2.0 * node->lambda[j] -
                    order->eta * (party->degree * node->f[j] + node->inbox[j]);
  const double quad = party->ridge + 2.0 * order->eta * party->degree;
  /* the noiseless term is public, so cutting it costs nothing */
  dpa_shorten(node->pull, party->d, quad * order->reach);
  for (size_t j = 0; j < party->d; j++)
    node->linear[j] += node->pull[j];
  node->solver.roam = order->reach;
  dpa_solver_start(&node->solver, quad, node->linear, order->tol);
  return DPA_CONTINUE;
}

dpa_status dpa_primal_advance(dpa_party *party) {
  party->as.node.solver.threads = party->threads;
  return dpa_solver_advance(&party->as.node.solver);
}

dpa_status dpa_primal_send(dpa_party *party, const dpa_order *order) {
  memcpy(party->message, party->as.node.solver.f, party->d * sizeof *party->message);
  return dpa_send(party, order, 0, DPA_NOISE_OUTPUT, order->output_scale,
                  party->message, party->d);
}
