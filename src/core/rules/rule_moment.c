/* Second moments of a party's records at the model in its inbox, for standard errors:
 * the curvature of its objective, sum_k W L''_k x_k x_k', and the outer products of its
 * records' gradients, sum_k (W L'_k)^2 x_k x_k', W the party's weight of a loss. A
 * matrix is sent as its lower triangle by columns, d entries a round, those off the
 * diagonal times sqrt(2): so the norm of what is sent is the matrix's Frobenius norm,
 * which replacing a record moves by no more than sqrt(2) times the largest of a record.
 * It is in the order's unit: parts of a sum's noise have one size in all rounds.
 */
#include "data/blocks.h"
#include "data/record_loss.h"
#include "rules/rule.h"
#include "rules/send.h"

#include <math.h>
#include <string.h>

enum { CURVATURE = 1, SCORES };

/* Rows whose margins and slopes are worked out together. */
#define ROWS 256

static const double *point_of(const dpa_party *party) {
  return party->layout == &dpa_layout_node ? party->as.node.inbox : party->as.holder.at;
}

/* The matrix, unless it is there since the last round: the point is the same. */
static void measure(dpa_party *party, int which) {
  const dpa_moment *moment = &party->moment;
  const double *point = point_of(party);
  double margin[ROWS], slope[ROWS], weight[ROWS];
  if (*moment->known == which)
    return;
  memset(moment->matrix, 0, party->d * party->d * sizeof *moment->matrix);
  dpa_blocks blocks = dpa_blocks_of(&party->records, 0, party->records.n, ROWS);
  dpa_records rows;
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    dpa_records_margin(&rows, point, margin);
    dpa_record_slopes(&rows, party->loss, party->width, margin, slope, weight);
    for (size_t k = 0; k < rows.n; k++) {
      const double steep = party->weight * slope[k];
      weight[k] = which == SCORES ? steep * steep : party->weight * weight[k];
    }
    dpa_records_add_hessian(&rows, weight, 1, moment->matrix, moment->block);
  }
  *moment->known = which;
}

/* Entries piece * d, ..., of the packed matrix; zeros beyond its end. */
static void pack(const double *matrix, size_t d, const dpa_order *order, double *out) {
  const double on = order->unit, off = on * sqrt(2.0);
  const size_t piece = order->piece;
  size_t at = 0;
  memset(out, 0, d * sizeof *out);
  for (size_t j = 0; j < d; j++)
    for (size_t i = j; i < d; i++, at++)
      if (at / d == piece)
        out[at % d] = matrix[j * d + i] * (i == j ? on : off);
}

static dpa_status send(dpa_party *party, const dpa_order *order, int which) {
  if (!party->moment.asked)
    return DPA_ARGUMENT;
  measure(party, which);
  pack(party->moment.matrix, party->d, order, party->message);
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

const dpa_rule dpa_rule_curvature = {"curvature",      NULL,      1,
                                     DPA_DRAWS_OUTPUT, curvature, advance};
const dpa_rule dpa_rule_scores = {"scores", NULL, 1, DPA_DRAWS_OUTPUT, scores, advance};
