/* The even update of R-ADMM and MR-ADMM (recycled-admm, equation 19): a gradient step
 * on the last exact problem's gradient, which the optimality condition gives from
 * released values. It reads no record and draws no noise. */
#include "rules/rule.h"

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  const dpa_node *node = &party->as.node;
  const double weight = 2.0 * order->eta * party->degree + order->gamma;
  for (size_t j = 0; j < party->d; j++) {
    const double disagreement = party->degree * node->f[j] - node->inbox[j];
    party->message[j] =
        node->f[j] -
        (node->kkt[j] + 2.0 * node->lambda[j] + order->eta * disagreement) / weight;
  }
  return DPA_OK;
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  (void)party;
  (void)order;
  return DPA_OK;
}

const dpa_rule dpa_rule_recycled = {"recycled", &dpa_layout_node, 0, 0, begin, advance};
