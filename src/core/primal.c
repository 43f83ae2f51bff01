#include "primal.h"

#include <string.h>

double dpa_primal_linear(const dpa_node *node, const dpa_step *step, size_t j) {
  return 2.0 * node->lambda[j] -
         step->eta * (node->degree * node->f[j] + node->inbox[j]);
}

/* Noise of the step's mechanism, or zeros when the scale is 0. */
static dpa_status draw(const dpa_node *node, const dpa_step *step, const dpa_key *key,
                       dpa_purpose purpose, double scale, double *out) {
  if (!(scale > 0.0)) {
    memset(out, 0, node->d * sizeof *out);
    return DPA_OK;
  }
  dpa_rng rng;
  dpa_rng_init(&rng, key, node->id, step->iteration, purpose);
  step->mechanism->draw(&rng, scale, out, node->d);
  const dpa_status status = dpa_rng_status(&rng);
  dpa_forget(&rng, sizeof rng);
  return status;
}

dpa_status dpa_primal_pose(dpa_node *node, const dpa_step *step, const dpa_key *key,
                           dpa_purpose purpose) {
  const dpa_status status =
      draw(node, step, key, purpose, step->objective_scale, node->linear);
  if (status != DPA_OK)
    return status;
  for (size_t j = 0; j < node->d; j++)
    node->linear[j] += dpa_primal_linear(node, step, j);
  dpa_solver_start(&node->solver, node->ridge + 2.0 * step->eta * node->degree,
                   node->linear, step->tol);
  return DPA_CONTINUE;
}

dpa_status dpa_primal_send(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  const dpa_status status =
      draw(node, step, key, DPA_NOISE_OUTPUT, step->output_scale, node->linear);
  for (size_t j = 0; j < node->d; j++)
    node->message[j] = node->solver.f[j] + node->linear[j];
  return status;
}
