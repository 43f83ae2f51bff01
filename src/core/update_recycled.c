/* The even update of R-ADMM and MR-ADMM (recycled-admm, equation 19): a gradient step
 * on the last exact problem's gradient, which the optimality condition gives from
 * released values. It reads no record and draws no noise. */
#include "update.h"

static dpa_status begin(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  (void)key;
  const double weight = 2.0 * step->eta * node->degree + step->gamma;
  for (size_t j = 0; j < node->d; j++) {
    const double disagreement = node->degree * node->f[j] - node->inbox[j];
    node->message[j] =
        node->f[j] -
        (node->kkt[j] + 2.0 * node->lambda[j] + step->eta * disagreement) / weight;
  }
  return DPA_OK;
}

static dpa_status advance(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  (void)node;
  (void)step;
  (void)key;
  return DPA_OK;
}

const dpa_update dpa_update_recycled = {"recycled", begin, advance};
