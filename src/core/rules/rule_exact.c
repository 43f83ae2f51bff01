/* The exact primal update of ADMM, M-ADMM and of the odd steps of R-ADMM and MR-ADMM
 * (recycled-admm, equations 14 and 18), with noise in the objective (dual variable or
 * penalty perturbation), or noise on the minimiser before it is sent (primal variable
 * perturbation), or none. */
#include "rules/primal.h"
#include "rules/rule.h"

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  return dpa_primal_pose(party, order, DPA_NOISE_OBJECTIVE);
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  dpa_node *node = &party->as.node;
  dpa_status status = dpa_primal_advance(party);
  if (status == DPA_OK)
    status = dpa_primal_send(party, order);
  if (status != DPA_OK)
    return status;
  /* what a recycled update needs: grad O + b = -(linear term) - 2 eta V f, by the
   * optimality condition, with the message for f: a function of released values alone
   */
  for (size_t j = 0; j < party->d; j++)
    node->kkt[j] =
        -node->pull[j] - 2.0 * order->eta * party->degree * party->message[j];
  return DPA_OK;
}

const dpa_rule dpa_rule_exact = {"exact", &dpa_layout_node,
                                 1,       DPA_DRAWS_OBJECTIVE | DPA_DRAWS_OUTPUT,
                                 begin,   advance};
