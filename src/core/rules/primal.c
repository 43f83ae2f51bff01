#include "rules/primal.h"

#include "random/draw.h"

double dpa_primal_linear(const dpa_party *party, const dpa_order *order, size_t j) {
  const dpa_node *node = &party->as.node;
  return 2.0 * node->lambda[j] -
         order->eta * (party->degree * node->f[j] + node->inbox[j]);
}

dpa_status dpa_primal_pose(dpa_party *party, const dpa_order *order,
                           dpa_purpose purpose) {
  dpa_node *node = &party->as.node;
  const dpa_status status =
      dpa_draw(order->mechanism, &party->key, 0, order->round, purpose,
               order->objective_scale, node->linear, party->d);
  if (status != DPA_OK)
    return status;
  for (size_t j = 0; j < party->d; j++)
    node->linear[j] += dpa_primal_linear(party, order, j);
  dpa_solver_start(&node->solver, party->ridge + 2.0 * order->eta * party->degree,
                   node->linear, order->tol);
  return DPA_CONTINUE;
}

dpa_status dpa_primal_send(dpa_party *party, const dpa_order *order) {
  dpa_node *node = &party->as.node;
  const dpa_status status =
      dpa_draw(order->mechanism, &party->key, 0, order->round, DPA_NOISE_OUTPUT,
               order->output_scale, node->linear, party->d);
  if (status == DPA_OK)
    for (size_t j = 0; j < party->d; j++)
      party->message[j] = node->solver.f[j] + node->linear[j];
  return status;
}
