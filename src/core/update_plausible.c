/* The update of PP-ADMM (plausible-admm, Algorithm 1): the problem with noise in its
 * objective is solved to the gradient norm step->tol only, and noise that hides the
 * distance to the minimiser is added before the message is sent. No optimality
 * condition holds, so there is nothing to recycle. */
#include "primal.h"

static dpa_status begin(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  return dpa_primal_pose(node, step, key, DPA_NOISE_OBJECTIVE);
}

static dpa_status advance(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  const dpa_status status = dpa_solver_advance(&node->solver);
  return status == DPA_OK ? dpa_primal_send(node, step, key) : status;
}

const dpa_update dpa_update_plausible = {"plausible", begin, advance};
