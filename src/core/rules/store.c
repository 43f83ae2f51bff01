#include "rules/store.h"

#include "data/blocks.h"
#include "data/record_loss.h"
#include "data/shorten.h"
#include "rules/prox_glm.h"
#include "spread.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#define BLOCK 1024        /* users of a SHARED round at a time */
#define FORGOTTEN 0x1p-60 /* a weight that no sum of doubles can feel */

const char *const dpa_store_names[] = {"dense", "shared", "traced"};

void dpa_users_add(dpa_party *party, const double *x) {
  double *total = party->as.users.total, *rest = party->as.users.rest;
  for (size_t j = 0; j < party->d; j++) {
    const double before = total[j], sum = before + x[j], added = sum - before;
    rest[j] += (before - (sum - added)) + (x[j] - added);
    total[j] = sum;
    party->message[j] = sum + rest[j];
  }
}

/* Rounds back at which |1 - 2 lambda|^j is forgotten; 0 when it never is. */
static size_t memory_depth(double lambda) {
  const double keep = fabs(1.0 - 2.0 * lambda);
  if (keep == 0.0)
    return 1;
  if (keep >= 1.0)
    return 0;
  const double depth = ceil(log(FORGOTTEN) / log(keep)) + 1.0;
  return depth < 1e6 ? (size_t)depth : 0;
}

void dpa_store_choose(dpa_users *users, size_t d, double lambda, int own_noise,
                      int some, int one, double step_bound) {
  users->store = DPA_DENSE;
  users->depth = 0;
  if (users->size || one || own_noise || isfinite(step_bound))
    return;
  if (!some) {
    users->store = DPA_SHARED;
    return;
  }
  const size_t depth = memory_depth(lambda);
  if (depth > 0 && depth / 2 + 3 < d) {
    users->store = DPA_TRACED;
    users->depth = depth;
  }
}

double dpa_users_bound(const dpa_order *order) {
  return isfinite(order->step_bound) ? fmin(order->clip, 1e100 / order->gamma)
                                     : order->clip;
}

double dpa_users_clip(const dpa_order *order, double derivative, double norm) {
  const double bound = dpa_users_bound(order), most = 1e290 / order->gamma;
  if (isnan(derivative) || isinf(bound))
    return isinf(bound) ? derivative : 0.0;
  const double left = dpa_clip(derivative, norm, bound);
  return copysign(fmin(fabs(left), most), left);
}

/* The change of the derivatives of users with one record each, m <= BLOCK of them, with
 * target[k] = a_k'v on entry: the prox of w L(y, a'x + o), in the unknown a'x + o. */
static void derivatives(const dpa_party *party, const dpa_order *order,
                        const dpa_records *part, double *target, double *margin,
                        double *derivative) {
  double pull[BLOCK], label[BLOCK];
  for (size_t k = 0; k < part->n; k++)
    pull[k] = order->gamma * (part->norm[k] * part->norm[k]);
  dpa_record_shift(part, target);
  dpa_record_weigh(part, pull);
  dpa_prox_glm(party->loss, party->width, dpa_record_labels(part, label), target, pull,
               part->n, margin, derivative);
  dpa_record_weigh(part, derivative);
  for (size_t k = 0; k < part->n; k++)
    derivative[k] = dpa_users_clip(order, derivative[k], part->norm[k]);
}

double dpa_users_derivative(dpa_party *party, const dpa_order *order, size_t i,
                            double target) {
  const dpa_records one = dpa_records_part(&party->records, i, 1);
  double derivative;
  derivatives(party, order, &one, &target, party->as.users.margin + i, &derivative);
  return derivative;
}

typedef struct shared_round {
  const dpa_party *party;
  const dpa_order *order;
} shared_round;

/* The users of one chunk, whose new c_i a_i are summed. */
static void shared_chunk(void *context, int which) {
  const shared_round *round = context;
  const dpa_party *party = round->party;
  const dpa_order *order = round->order;
  const dpa_users *users = &party->as.users;
  const size_t chunk = (size_t)which;
  const double keep = 1.0 - 2.0 * order->lambda;
  const double push = 2.0 * order->lambda * order->gamma;
  double target[BLOCK], derivative[BLOCK];
  double *sum = users->partial + chunk * users->stride;
  memset(sum, 0, party->d * sizeof *sum);
  dpa_blocks blocks = dpa_blocks_of_chunk(&party->records, chunk, users->chunks, BLOCK);
  dpa_records part;
  for (size_t first; dpa_blocks_next(&blocks, &first, &part);) {
    const size_t m = part.n;
    double *along = users->along + first;
    dpa_records_margin(&part, users->change, target);
    for (size_t k = 0; k < m; k++)
      target[k] -= along[k] * (part.norm[k] * part.norm[k]);
    derivatives(party, order, &part, target, users->margin + first, derivative);
    for (size_t k = 0; k < m; k++)
      along[k] = keep * along[k] - push * derivative[k];
    dpa_records_add_gradient(&part, along, sum);
  }
}

/* All users in one pass. The number of chunks depends on that of users alone and their
 * sums are added in order, so the result is the same for any number of threads. */
void dpa_shared_round(dpa_party *party, const dpa_order *order) {
  dpa_users *users = &party->as.users;
  const size_t d = party->d;
  const double keep = 1.0 - 2.0 * order->lambda;
  double *towards = users->change;
  for (size_t j = 0; j < d; j++)
    towards[j] = 2.0 * users->z[j] - users->centre[j];
  shared_round round = {party, order};
  dpa_spread((int)users->chunks, dpa_worth_sharing(&party->records, party->threads),
             shared_chunk, &round);
  double *sum = users->row;
  memset(sum, 0, d * sizeof *sum);
  for (size_t k = 0; k < users->chunks; k++)
    for (size_t j = 0; j < d; j++)
      sum[j] += users->partial[k * users->stride + j];
  for (size_t j = 0; j < d; j++) {
    users->centre[j] = keep * users->centre[j] + 2.0 * order->lambda * users->z[j];
    party->message[j] = (double)users->count * users->centre[j] + sum[j];
  }
}

/* One user who takes part: its u_i = w_i + c_i a_i is added up as users->share, the
 * weights of the z it remembers, and `sum`, the rest; then it moves. */
static void traced_user(dpa_party *party, const dpa_order *order, size_t i,
                        double *sum) {
  dpa_users *users = &party->as.users;
  const size_t d = party->d, depth = users->depth;
  const double keep = 1.0 - 2.0 * order->lambda, twice = 2.0 * order->lambda;
  const double norm = party->records.norm[i];
  int *last = users->last + i * depth;
  dpa_records_copy(&party->records, i, users->row);
  const double inner = dpa_dot(users->row, users->z, d);
  const double pull =
      order->gamma *
      dpa_users_derivative(party, order, i, 2.0 * inner - users->inner[i]);
  const size_t parts = (size_t)users->parts[i];
  double weight = twice;
  for (size_t back = 1; back <= depth && back <= parts; back++) {
    users->share[last[(parts - back) % depth]] += weight;
    weight *= keep;
  }
  const double off = users->along[i] + pull;
  for (size_t j = 0; j < d; j++)
    sum[j] += off * users->row[j];
  users->inner[i] = keep * users->inner[i] + twice * (inner - pull * norm * norm);
  users->along[i] = keep * users->along[i] - twice * pull;
  last[parts % depth] = (int)order->round - 1;
  users->parts[i]++;
}

void dpa_traced_round(dpa_party *party, const dpa_order *order) {
  dpa_users *users = &party->as.users;
  const size_t d = party->d, k = order->round - 1;
  double *sum = users->change;
  memcpy(users->history + k * d, users->z, d * sizeof *users->z);
  memset(sum, 0, d * sizeof *sum);
  memset(users->share, 0, (k + 1) * sizeof *users->share);
  size_t mine = 0;
  for (size_t at = 0; at < order->users.count; at++) {
    const size_t i = (size_t)order->users.index[at];
    if (i < users->first || i - users->first >= users->count)
      continue;
    traced_user(party, order, i - users->first, sum);
    mine++;
  }
  for (size_t t = 0; t < k; t++)
    if (users->share[t] != 0.0)
      for (size_t j = 0; j < d; j++)
        sum[j] += users->share[t] * users->history[t * d + j];
  /* the sum of u moves by 2 lambda times the sum of z - u_i - gamma g_i */
  for (size_t j = 0; j < d; j++)
    sum[j] = 2.0 * order->lambda * ((double)mine * users->z[j] - sum[j]);
  dpa_users_add(party, sum);
  party->head->sent = mine > 0;
}

int dpa_users_solved(dpa_status status, const double *f, size_t d) {
  int solved = status == DPA_OK;
  for (size_t j = 0; j < d; j++)
    solved &= isfinite(f[j]) != 0;
  return solved;
}

void dpa_users_gradient(const dpa_party *party, const dpa_order *order, size_t i,
                        double *out) {
  const dpa_users *users = &party->as.users;
  const dpa_records *records = &party->records;
  const size_t first = users->offset[i], end = users->offset[i + 1];
  memset(out, 0, party->d * sizeof *out);
  for (size_t k = first; k < end; k++) {
    const dpa_records one = dpa_records_part(records, k, 1);
    const double margin = dpa_records_dot(&one, 0, users->z);
    double derivative, norm;
    dpa_record_slopes(&one, party->loss, party->width, &margin, &derivative, NULL);
    dpa_records_norms(&one, &norm);
    const double left = dpa_users_clip(order, derivative, norm);
    dpa_records_add_row(&one, 0, left / (double)(end - first), out);
  }
}
