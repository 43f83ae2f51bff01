/* The update of IPP-ADMM (plausible-admm, Algorithm 2): a candidate as in PP-ADMM is
 * sent only if the sparse vector test finds that it lowers the node's mean clipped loss
 * by more than a threshold, and at most `most` times; otherwise the last message
 * stands.
 *
 * A candidate that has passed the test is not a fresh sample any more: the test tilts
 * its distribution. So after a positive answer the problem is solved again with noise
 * of its own stream, and that solution is sent. As printed (release_candidate), the
 * candidate itself is sent and the query holds the penalty too, as Lemma 6 has it:
 * beside a mean loss of weight one. */
#include "data/record_loss.h"
#include "rules/primal.h"
#include "rules/rule.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#define BLOCK 256

/* Sum over the party's records of the loss at `margin`, clipped to [0, clip]. */
static double clipped_loss(const dpa_party *party, const double *margin, double clip) {
  const size_t n = party->records.n;
  double value[BLOCK], sum = 0.0;
  for (size_t start = 0; start < n; start += BLOCK) {
    const size_t m = n - start < BLOCK ? n - start : BLOCK;
    const dpa_records part = dpa_records_part(&party->records, start, m);
    dpa_record_values(&part, party->loss, party->width, margin + start, value);
    for (size_t k = 0; k < m; k++)
      sum += fmin(value[k], clip);
  }
  return sum;
}

/* By how much the candidate lowers the mean clipped loss of the last message, whose own
 * is kept until another is sent. */
static double improvement(dpa_party *party, const dpa_test *test) {
  dpa_node *node = &party->as.node;
  dpa_sends *sends = node->sends;
  const size_t d = party->d;
  if (!sends->measured) {
    double *margin = node->solver.along; /* free between solver steps */
    dpa_records_margin(&party->records, node->f, margin);
    sends->last_loss = clipped_loss(party, margin, test->loss_clip);
    sends->measured = 1;
  }
  const double *margin = dpa_solver_margin(&node->solver);
  double gain = sends->last_loss - clipped_loss(party, margin, test->loss_clip);
  /* the penalty in units of the loss: both are minimised with the loss times its weight
   */
  if (test->release_candidate)
    gain += 0.5 * party->ridge / party->weight *
            (dpa_dot(node->f, node->f, d) - dpa_dot(node->solver.f, node->solver.f, d));
  return gain / (double)party->records.n;
}

static dpa_status keep_silent(dpa_party *party) {
  memcpy(party->message, party->as.node.f, party->d * sizeof *party->message);
  party->head->sent = 0;
  return DPA_OK;
}

static dpa_status send(dpa_party *party, const dpa_order *order) {
  party->as.node.sends->count++;
  party->as.node.sends->measured = 0;
  return dpa_primal_send(party, order);
}

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  if (!order->test)
    return DPA_ARGUMENT;
  if (party->as.node.sends->count >= order->test->vector.most)
    return keep_silent(party);
  party->as.node.passed = 0;
  return dpa_primal_pose(party, order, DPA_NOISE_OBJECTIVE);
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  dpa_node *node = &party->as.node;
  const dpa_status status = dpa_primal_advance(party);
  if (status != DPA_OK)
    return status;
  if (node->passed)
    return send(party, order);
  const dpa_status asked =
      dpa_sparse_vector_ask(&order->test->vector, &party->key, 0, order->round,
                            improvement(party, order->test), &node->passed);
  if (asked != DPA_OK)
    return asked;
  if (!node->passed)
    return keep_silent(party);
  if (order->test->release_candidate)
    return send(party, order);
  return dpa_primal_pose(party, order, DPA_NOISE_RELEASE);
}

const dpa_rule dpa_rule_sparse_vector = {
    "sparse_vector", &dpa_layout_node, 1, DPA_DRAWS_OBJECTIVE | DPA_DRAWS_OUTPUT,
    begin,           advance};
