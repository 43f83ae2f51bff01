/* The update of IPP-ADMM (plausible-admm, Algorithm 2): a candidate as in PP-ADMM is
 * sent only if the sparse vector test finds that it lowers the node's mean clipped loss
 * by more than a threshold, and at most `most` times; otherwise the last message
 * stands.
 *
 * A candidate that has passed the test is not a fresh sample any more: the test tilts
 * its distribution. So after a positive answer the problem is solved again with noise
 * of its own stream, and that solution is sent. As printed (release_candidate), the
 * candidate itself is sent and the query holds the penalty too. */
#include "primal.h"

#include <math.h>
#include <string.h>

#define BLOCK 256

/* Sum over the node's records of the loss at `margin`, clipped to [0, clip]. */
static double clipped_loss(const dpa_node *node, const double *margin, double clip) {
  const size_t n = node->data.n;
  double value[BLOCK], sum = 0.0;
  for (size_t start = 0; start < n; start += BLOCK) {
    const size_t m = n - start < BLOCK ? n - start : BLOCK;
    node->solver.loss->value(margin + start, node->data.y + start, m,
                             node->solver.width, value);
    for (size_t k = 0; k < m; k++)
      sum += fmin(value[k], clip);
  }
  return sum;
}

static double squared_norm(const dpa_node *node, const double *f) {
  double sum = 0.0;
  for (size_t j = 0; j < node->d; j++)
    sum += f[j] * f[j];
  return sum;
}

/* By how much the candidate lowers the mean clipped loss of the last message, whose own
 * is kept until another is sent. */
static double improvement(dpa_node *node, const dpa_test *test) {
  if (!node->measured) {
    double *margin = node->solver.along; /* free between solver steps */
    dpa_dataset_margin(&node->data, node->f, margin);
    node->last_loss = clipped_loss(node, margin, test->loss_clip);
    node->measured = 1;
  }
  const double *margin = dpa_solver_margin(&node->solver);
  double query = (node->last_loss - clipped_loss(node, margin, test->loss_clip)) /
                 (double)node->data.n;
  if (test->release_candidate)
    query += 0.5 * node->ridge *
             (squared_norm(node, node->f) - squared_norm(node, node->solver.f));
  return query;
}

static dpa_status keep_silent(dpa_node *node) {
  memcpy(node->message, node->f, node->d * sizeof *node->message);
  node->sent = 0;
  return DPA_OK;
}

static dpa_status send(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  node->sends++;
  node->measured = 0;
  return dpa_primal_send(node, step, key);
}

static dpa_status begin(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  if (node->sends >= step->test->vector.most)
    return keep_silent(node);
  node->passed = 0;
  return dpa_primal_pose(node, step, key, DPA_NOISE_OBJECTIVE);
}

static dpa_status advance(dpa_node *node, const dpa_step *step, const dpa_key *key) {
  const dpa_status status = dpa_solver_advance(&node->solver);
  if (status != DPA_OK)
    return status;
  if (node->passed)
    return send(node, step, key);
  const dpa_status asked =
      dpa_sparse_vector_ask(&step->test->vector, key, node->id, step->iteration,
                            improvement(node, step->test), &node->passed);
  if (asked != DPA_OK)
    return asked;
  if (!node->passed)
    return keep_silent(node);
  if (step->test->release_candidate)
    return send(node, step, key);
  return dpa_primal_pose(node, step, key, DPA_NOISE_RELEASE);
}

const dpa_update dpa_update_sparse_vector = {"sparse_vector", begin, advance};
