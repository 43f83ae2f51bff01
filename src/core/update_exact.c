/* The exact primal update of ADMM, M-ADMM and of the odd steps of R-ADMM and MR-ADMM
 * (recycled-admm, equations 14 and 18):
 *
 *   argmin O(f) + (2 lambda + b)'f + eta sum_j ||(f_i + f_j) / 2 - f||^2,
 *
 * with noise b in the objective (dual variable or penalty perturbation), or noise on
 * the minimiser before it is sent (primal variable perturbation), or none. */
#include "noise.h"
#include "update.h"

#include <string.h>

/* The linear term without noise: 2 lambda - eta (V f_i + sum_j f_j). */
static double linear_term(const dpa_node *node, const dpa_step *step, size_t j) {
  return 2.0 * node->lambda[j] -
         step->eta * (node->degree * node->f[j] + node->inbox[j]);
}

static dpa_status begin(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  if (step->objective_scale > 0.0) {
    dpa_rng rng;
    dpa_rng_init(&rng, key, node->id, step->iteration, DPA_NOISE_OBJECTIVE);
    step->mechanism->draw(&rng, step->objective_scale, node->linear, node->d);
    const dpa_status status = dpa_rng_status(&rng);
    dpa_forget(&rng, sizeof rng);
    if (status != DPA_OK)
      return status;
  } else {
    memset(node->linear, 0, node->d * sizeof *node->linear);
  }
  for (size_t j = 0; j < node->d; j++)
    node->linear[j] += linear_term(node, step, j);
  dpa_solver_start(&node->solver, node->ridge + 2.0 * step->eta * node->degree,
                   node->linear, step->tol);
  return DPA_CONTINUE;
}

static dpa_status advance(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  dpa_status status = dpa_solver_advance(&node->solver);
  if (status != DPA_OK)
    return status;
  memcpy(node->message, node->solver.f, node->d * sizeof *node->message);
  /* what a recycled update needs: grad O + b = -(linear term) - 2 eta V f, by the
   * optimality condition, so that it is a function of released values alone */
  for (size_t j = 0; j < node->d; j++)
    node->kkt[j] =
        -linear_term(node, step, j) - 2.0 * step->eta * node->degree * node->message[j];
  if (step->output_scale > 0.0) {
    dpa_rng rng;
    dpa_rng_init(&rng, key, node->id, step->iteration, DPA_NOISE_OUTPUT);
    step->mechanism->draw(&rng, step->output_scale, node->linear, node->d);
    status = dpa_rng_status(&rng);
    dpa_forget(&rng, sizeof rng);
    for (size_t j = 0; j < node->d; j++)
      node->message[j] += node->linear[j];
  }
  return status;
}

const dpa_update dpa_update_exact = {"exact", begin, advance};
