/* Second moments of a node's records at the model in its inbox, for standard errors:
 * the curvature of its objective, sum_k W L''_k x_k x_k', and the outer products of its
 * records' gradients, sum_k (W L'_k)^2 x_k x_k', W the node's weight of a loss. A
 * matrix is sent as its lower triangle by columns, d entries a round, those off the
 * diagonal times sqrt(2): so the norm of what is sent is the matrix's Frobenius norm,
 * which replacing a record moves by no more than sqrt(2) times the largest of a record.
 */
#include "data/record_loss.h"
#include "rules/rule.h"
#include "rules/send.h"

#include <math.h>
#include <string.h>

enum { CURVATURE = 1, SCORES };

/* The matrix, unless it is there since the last round: the point is the same. */
static void measure(dpa_party *party, int which) {
  dpa_node *node = &party->as.node;
  dpa_solver *s = &node->solver;
  if (*node->known == which)
    return;
  /* its room is needed, and it is not asked again */
  dpa_solver_use(s, &party->records, party->weight);
  dpa_records_margin(&party->records, node->inbox, s->margin);
  dpa_record_slopes(&party->records, party->loss, party->width, s->margin,
                    s->derivative, s->along);
  for (size_t k = 0; k < party->records.n; k++) {
    const double slope = party->weight * s->derivative[k];
    s->along[k] = which == SCORES ? slope * slope : party->weight * s->along[k];
  }
  memset(node->moment, 0, party->d * party->d * sizeof *node->moment);
  dpa_records_add_hessian(&party->records, s->along, node->moment, node->block);
  *node->known = which;
}

/* Entries piece * d, ..., of the packed matrix; zeros beyond its end. */
static void pack(const double *matrix, size_t d, size_t piece, double *out) {
  size_t at = 0;
  memset(out, 0, d * sizeof *out);
  for (size_t j = 0; j < d; j++)
    for (size_t i = j; i < d; i++, at++)
      if (at / d == piece)
        out[at % d] = matrix[j * d + i] * (i == j ? 1.0 : sqrt(2.0));
}

static dpa_status send(dpa_party *party, const dpa_order *order, int which) {
  if (!party->as.node.asked)
    return DPA_ARGUMENT;
  measure(party, which);
  pack(party->as.node.moment, party->d, order->piece, party->message);
  return dpa_send(party, order, 0, DPA_NOISE_OUTPUT, order->output_scale,
                  party->message, party->d);
}

static dpa_status curvature(dpa_party *party, const dpa_order *order) {
  return send(party, order, CURVATURE);
}

static dpa_status scores(dpa_party *party, const dpa_order *order) {
  return send(party, order, SCORES);
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  (void)party;
  (void)order;
  return DPA_OK;
}

const dpa_rule dpa_rule_curvature = {"curvature",      &dpa_layout_node, 1,
                                     DPA_DRAWS_OUTPUT, curvature,        advance};
const dpa_rule dpa_rule_scores = {"scores",         &dpa_layout_node, 1,
                                  DPA_DRAWS_OUTPUT, scores,           advance};
