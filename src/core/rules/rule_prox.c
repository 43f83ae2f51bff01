/* Private ADMM for consensus as a noisy fixed-point iteration (Algorithms 2, 3, 4 and 6
 * of the noisy fixed-point paper). User i keeps u_i; all share z, which comes in:
 *
 *   x_i = prox of gamma f_i at 2 z - u_i
 *   u_i = u_i + 2 lambda (x_i - z) + lambda noise   for the active users
 *
 * Written with the implicit gradient g_i = (2 z - u_i - x_i) / gamma, whose norm is
 * bounded by force and not by trust in a solver:
 *
 *   u_i = (1 - 2 lambda) u_i + 2 lambda (z - gamma g_i).
 *
 * What is sent is the sum of u over the party's users. */
#include "data/shorten.h"
#include "rules/rule.h"
#include "rules/send.h"
#include "rules/store.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#define AT_ONCE 64 /* users with several records between two polls */
/* Where |z| is within reach, and a step is no longer than it, and lambda <= 1/2 and no
 * noise is in a state, |2 z - u| is within 4 times reach and |x| within 5 times. */
#define TARGET 4.0
#define ROAM 5.0

/* change = -gamma g for a user with one record. */
static void record_step(dpa_party *party, const dpa_order *order, size_t i,
                        const double *z, const double *u) {
  dpa_users *users = &party->as.users;
  const size_t d = party->d;
  double target = 0.0;
  dpa_records_copy(&party->records, i, users->row);
  for (size_t j = 0; j < d; j++)
    target += users->row[j] * (2.0 * z[j] - u[j]);
  const double pull = order->gamma * dpa_users_derivative(party, order, i, target);
  for (size_t j = 0; j < d; j++)
    users->change[j] = -pull * users->row[j];
}

/* change = -gamma g for a user with several records, by the solver. */
static dpa_status solver_step(dpa_party *party, const dpa_order *order, size_t i,
                              const double *z, const double *u) {
  dpa_users *users = &party->as.users;
  dpa_solver *s = &users->solver;
  const size_t d = party->d, n = users->offset[i + 1] - users->offset[i];
  dpa_records part = dpa_records_part(&party->records, users->offset[i], n);
  dpa_records_count(&part);
  double *target = users->change;
  for (size_t j = 0; j < d; j++)
    target[j] = 2.0 * z[j] - u[j];
  dpa_solver_use(s, &part, party->weight / (double)n);
  s->roam = INFINITY;
  if (order->exact) {
    dpa_shorten(target, d, TARGET * order->reach);
    s->roam = ROAM * order->reach;
  }
  memcpy(s->f, z, d * sizeof *s->f);
  for (size_t j = 0; j < d; j++)
    users->row[j] = -target[j] / order->gamma;
  dpa_solver_start(s, 1.0 / order->gamma, users->row, order->tol);
  dpa_status status;
  do
    status = dpa_solver_advance(s);
  while (status == DPA_CONTINUE);
  if (order->mechanism && !order->exact && !dpa_users_solved(status, s->f, d)) {
    dpa_users_gradient(party, order, i, users->row);
    for (size_t j = 0; j < d; j++)
      s->f[j] = target[j] - order->gamma * users->row[j];
    status = DPA_OK;
  }
  if (status != DPA_OK)
    return status;
  for (size_t j = 0; j < d; j++)
    users->change[j] = s->f[j] - target[j];
  dpa_shorten(users->change, d, order->gamma * order->clip * party->weight);
  return DPA_OK;
}

static dpa_status pull_of(dpa_party *party, const dpa_order *order, size_t i,
                          const double *z, const double *u) {
  if (party->as.users.size)
    return solver_step(party, order, i, z, u);
  record_step(party, order, i, z, u);
  return DPA_OK;
}

/* change = x - z, from -gamma g. */
static void whole_step(dpa_party *party, const dpa_order *order, const double *z,
                       const double *u) {
  dpa_users *users = &party->as.users;
  for (size_t j = 0; j < party->d; j++)
    users->change[j] = z[j] - u[j] + users->change[j];
  dpa_shorten(users->change, party->d, order->step_bound);
}

static dpa_status move_user(dpa_party *party, const dpa_order *order, size_t i) {
  dpa_users *users = &party->as.users;
  const size_t d = party->d;
  double *u = users->u + i * d;
  const int shortened = isfinite(order->step_bound);
  dpa_status status = pull_of(party, order, i, users->z, u);
  if (status != DPA_OK)
    return status;
  if (shortened)
    whole_step(party, order, users->z, u);
  /* only what reads a record is sent: z and u are public, and as large as they like */
  for (size_t j = 0; j < d; j++)
    users->change[j] *= 2.0;
  status = dpa_send(party, order, (uint32_t)(users->first + i), DPA_NOISE_OUTPUT,
                    order->output_scale, users->change, d);
  for (size_t j = 0; j < d; j++) {
    const double public = shortened ? 0.0 : 2.0 * (users->z[j] - u[j]);
    users->change[j] = order->lambda * (public + users->change[j]);
    u[j] += users->change[j];
  }
  dpa_users_add(party, users->change);
  return status;
}

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  dpa_users *users = &party->as.users;
  users->at = 0;
  /* states without noise of their own stay within reach whoever sent z */
  if (order->exact && order->output_scale == 0.0 && isfinite(order->reach))
    dpa_shorten(users->z, party->d, order->reach);
  switch (users->store) {
  case DPA_SHARED:
    dpa_shared_round(party, order);
    return DPA_OK;
  case DPA_TRACED:
    dpa_traced_round(party, order);
    return DPA_OK;
  case DPA_DENSE:
    break;
  }
  party->head->sent = 0;
  return DPA_CONTINUE;
}

static dpa_status advance(dpa_party *party, const dpa_order *order) {
  dpa_users *users = &party->as.users;
  const int *index = order->users.index;
  const size_t all = index ? order->users.count : users->count;
  for (size_t done = 0; users->at < all; users->at++) {
    const size_t i = index ? (size_t)index[users->at] - users->first : users->at;
    if (i >= users->count) /* another party's */
      continue;
    if (users->size && done++ == AT_ONCE)
      return DPA_CONTINUE;
    const dpa_status status = move_user(party, order, i);
    if (status != DPA_OK)
      return status;
    party->head->sent = 1;
  }
  return DPA_OK;
}

dpa_status dpa_prox_operator(dpa_party *party, const dpa_order *order,
                             const dpa_penalty *penalty, const double *parameter,
                             const double *u, double *out) {
  dpa_users *users = &party->as.users;
  const size_t n = users->count, d = party->d;
  double *mean = party->spare;
  memset(mean, 0, d * sizeof *mean);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++)
      mean[j] += u[i * d + j] / (double)n;
  penalty->prox(mean, d, order->gamma, parameter, users->z);
  for (size_t i = 0; i < n; i++) {
    const dpa_status status = pull_of(party, order, i, users->z, u + i * d);
    if (status != DPA_OK)
      return status;
    whole_step(party, order, users->z, u + i * d);
    for (size_t j = 0; j < d; j++)
      out[i * d + j] = u[i * d + j] + 2.0 * users->change[j];
  }
  return DPA_OK;
}

const dpa_rule dpa_rule_prox = {"prox", &dpa_layout_users, 1, DPA_DRAWS_OUTPUT, begin,
                                advance};
