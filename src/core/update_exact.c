/* The exact primal update of ADMM, M-ADMM and of the odd steps of R-ADMM and MR-ADMM
 * (recycled-admm, equations 14 and 18), with noise in the objective (dual variable or
 * penalty perturbation), or noise on the minimiser before it is sent (primal variable
 * perturbation), or none. */
#include "primal.h"

static dpa_status begin(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  return dpa_primal_pose(node, step, key, DPA_NOISE_OBJECTIVE);
}

static dpa_status advance(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  const dpa_status status = dpa_solver_advance(&node->solver);
  if (status != DPA_OK)
    return status;
  /* what a recycled update needs: grad O + b = -(linear term) - 2 eta V f, by the
   * optimality condition, so that it is a function of released values alone */
  for (size_t j = 0; j < node->d; j++)
    node->kkt[j] = -dpa_primal_linear(node, step, j) -
                   2.0 * step->eta * node->degree * node->solver.f[j];
  return dpa_primal_send(node, step, key);
}

const dpa_update dpa_update_exact = {"exact", begin, advance};
