/* The noisy gradient of DP-CD: order->coordinates of weight times the sum of all
 * records' gradients, each record's part shortened to order->clip, plus noise;
 * elsewhere 0. */
#include "data/blocks.h"
#include "data/record_loss.h"
#include "data/shorten.h"
#include "rules/rule.h"
#include "rules/send.h"

#include <math.h>
#include <string.h>

#define BLOCK 128 /* records whose margins are worked out together */

/* sum[a] += coordinate at[a] of the shortened gradients of these records. */
static void add_parts(const dpa_party *party, const dpa_order *order,
                      const dpa_records *rows, double *sum) {
  const dpa_holder *holder = &party->as.holder;
  const size_t count = order->coordinates.count;
  double margin[BLOCK], derivative[BLOCK];
  dpa_records_margin(rows, holder->at, margin);
  dpa_record_slopes(rows, party->loss, party->width, margin, derivative, NULL);
  for (size_t k = 0; k < rows->n; k++) {
    dpa_records_gather(rows, k, order->coordinates.index, count, holder->part);
    double left = derivative[k];
    if (isfinite(order->clip)) {
      const dpa_length length = dpa_length_of(holder->part, count, 1, party->d);
      left = dpa_clip(left, dpa_length_value(length), order->clip);
    }
    for (size_t a = 0; a < count; a++)
      sum[a] += left * holder->part[a];
  }
}

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  dpa_holder *holder = &party->as.holder;
  const dpa_some block = order->coordinates;
  if (!block.index) /* all of them: the whole gradient */
    return dpa_rule_gradient.begin(party, order);
  double *sum = holder->gradient.partial; /* of at least d numbers */
  memset(sum, 0, party->d * sizeof *sum);
  dpa_blocks blocks = dpa_blocks_of(&party->records, 0, party->records.n, BLOCK);
  dpa_records rows;
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);)
    add_parts(party, order, &rows, sum);
  for (size_t a = 0; a < block.count; a++)
    sum[a] *= party->weight;
  const dpa_status status = dpa_send(party, order, 0, DPA_NOISE_OBJECTIVE,
                                     order->objective_scale, sum, block.count);
  memset(party->message, 0, party->d * sizeof *party->message);
  for (size_t a = 0; a < block.count; a++)
    party->message[block.index[a]] = sum[a];
  return status;
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  (void)party;
  (void)order;
  return DPA_OK;
}

const dpa_rule dpa_rule_block = {
    "block", &dpa_layout_holder, 1, DPA_DRAWS_OBJECTIVE, begin, advance};
