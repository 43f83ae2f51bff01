/* The noisy gradient of DP-ADMM and DP-SGD: weight times the sum of the gradients of
 * all records, or of a batch that the party draws with its own key, each record's
 * shortened to order->clip, plus noise. */
#include "data/record_loss.h"
#include "data/shorten.h"
#include "random/sample.h"
#include "rules/rule.h"
#include "rules/send.h"

#include <math.h>
#include <string.h>

static size_t draw_batch(dpa_party *party, const dpa_order *order, dpa_status *status) {
  dpa_holder *holder = &party->as.holder;
  dpa_stream stream;
  const size_t n = party->records.n;
  size_t count;
  dpa_stream_init(&stream, &party->key, 0, order->round, DPA_SAMPLING);
  if (order->batch == DPA_BATCH_POISSON) {
    count = dpa_sample_poisson(&stream, n, order->batch_size, holder->batch);
  } else {
    count = (size_t)order->batch_size;
    dpa_sample_fixed(&stream, n, count, holder->batch);
  }
  *status = dpa_stream_status(&stream);
  dpa_forget(&stream, sizeof stream);
  return count;
}

static dpa_status batch_gradient(dpa_party *party, const dpa_order *order) {
  const dpa_holder *holder = &party->as.holder;
  const dpa_records *records = &party->records;
  const double *norm = records->norm ? records->norm : holder->gradient.norm;
  dpa_status status;
  const size_t count = draw_batch(party, order, &status);
  memset(party->message, 0, party->d * sizeof *party->message);
  for (size_t k = 0; k < count && status == DPA_OK; k++) {
    const size_t i = (size_t)holder->batch[k];
    const dpa_records one = dpa_records_part(records, i, 1);
    const double margin = dpa_records_dot(records, i, holder->at);
    double derivative;
    dpa_record_slopes(&one, party->loss, party->width, &margin, &derivative, NULL);
    if (isfinite(order->clip))
      derivative = dpa_clip(derivative, norm[i], order->clip);
    dpa_records_add_row(records, i, derivative, party->message);
  }
  for (size_t j = 0; j < party->d; j++)
    party->message[j] *= party->weight;
  return status;
}

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  dpa_holder *holder = &party->as.holder;
  dpa_status status = DPA_OK;
  holder->gradient.threads = party->threads;
  if (order->batch == DPA_BATCH_ALL)
    dpa_gradient_at(&holder->gradient, holder->at, party->message);
  else
    status = batch_gradient(party, order);
  if (status != DPA_OK)
    return status;
  return dpa_send(party, order, 0, DPA_NOISE_OBJECTIVE, order->objective_scale,
                  party->message, party->d);
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  (void)party;
  (void)order;
  return DPA_OK;
}

const dpa_rule dpa_rule_gradient = {
    "gradient", &dpa_layout_holder, 1, DPA_DRAWS_OBJECTIVE, begin, advance};
