/* The update of PP-ADMM (plausible-admm, Algorithm 1): the problem with noise in its
 * objective is solved to the gradient norm order->tol only, and noise that hides the
 * distance to the minimiser is added before the message is sent. No optimality
 * condition holds, so there is nothing to recycle. */
#include "rules/primal.h"
#include "rules/rule.h"

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  return dpa_primal_pose(party, order, DPA_NOISE_OBJECTIVE);
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  const dpa_status status = dpa_primal_advance(party);
  return status == DPA_OK ? dpa_primal_send(party, order) : status;
}

const dpa_rule dpa_rule_plausible = {
    "plausible", &dpa_layout_node, 1, DPA_DRAWS_OBJECTIVE | DPA_DRAWS_OUTPUT,
    begin,       advance};
