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
#include "random/draw.h"
#include "rules/rule.h"
#include "rules/store.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#define AT_ONCE 64 /* users with several records between two polls */

/* change = x - z for a user with one record. */
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
    users->change[j] = z[j] - u[j] - pull * users->row[j];
}

/* change = x - z for a user with several records, by the solver. */
static dpa_status solver_step(dpa_party *party, const dpa_order *order, size_t i,
                              const double *z, const double *u) {
  dpa_users *users = &party->as.users;
  dpa_solver *s = &users->solver;
  const size_t d = party->d, n = users->offset[i + 1] - users->offset[i];
  const dpa_records part = dpa_records_part(&party->records, users->offset[i], n);
  dpa_solver_use(s, &part, 1.0 / (double)n);
  memcpy(s->f, z, d * sizeof *s->f);
  for (size_t j = 0; j < d; j++)
    users->row[j] = (u[j] - 2.0 * z[j]) / order->gamma;
  dpa_solver_start(s, 1.0 / order->gamma, users->row, order->tol);
  dpa_status status;
  do
    status = dpa_solver_advance(s);
  while (status == DPA_CONTINUE);
  if (order->mechanism && !dpa_users_solved(status, s->f, d)) {
    dpa_users_gradient(party, order, i, users->row);
    for (size_t j = 0; j < d; j++)
      s->f[j] = 2.0 * z[j] - u[j] - order->gamma * users->row[j];
    status = DPA_OK;
  }
  if (status != DPA_OK)
    return status;
  for (size_t j = 0; j < d; j++)
    users->change[j] = 2.0 * z[j] - u[j] - s->f[j]; /* gamma g */
  dpa_shorten(users->change, d, order->gamma * order->clip);
  for (size_t j = 0; j < d; j++)
    users->change[j] = z[j] - u[j] - users->change[j];
  return DPA_OK;
}

static dpa_status user_step(dpa_party *party, const dpa_order *order, size_t i,
                            const double *z, const double *u) {
  dpa_users *users = &party->as.users;
  dpa_status status = DPA_OK;
  if (users->size)
    status = solver_step(party, order, i, z, u);
  else
    record_step(party, order, i, z, u);
  if (status == DPA_OK)
    dpa_shorten(users->change, party->d, order->step_bound);
  return status;
}

static dpa_status move_user(dpa_party *party, const dpa_order *order, size_t i) {
  dpa_users *users = &party->as.users;
  const size_t d = party->d;
  double *u = users->u + i * d;
  dpa_status status = user_step(party, order, i, users->z, u);
  if (status != DPA_OK)
    return status;
  status =
      dpa_draw(order->mechanism, &party->key, (uint32_t)(users->first + i),
               order->round, DPA_NOISE_OUTPUT, order->output_scale, users->noise, d);
  for (size_t j = 0; j < d; j++) {
    const double change = order->lambda * (2.0 * users->change[j] + users->noise[j]);
    u[j] += change;
    party->message[j] += change;
  }
  return status;
}

static dpa_status begin(dpa_party *party, const dpa_order *order) {
  dpa_users *users = &party->as.users;
  users->at = 0;
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
  memset(users->noise, 0, d * sizeof *users->noise);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++)
      users->noise[j] += u[i * d + j] / (double)n;
  penalty->prox(users->noise, d, order->gamma, parameter, users->z);
  for (size_t i = 0; i < n; i++) {
    const dpa_status status = user_step(party, order, i, users->z, u + i * d);
    if (status != DPA_OK)
      return status;
    for (size_t j = 0; j < d; j++)
      out[i * d + j] = u[i * d + j] + 2.0 * users->change[j];
  }
  return DPA_OK;
}

const dpa_rule dpa_rule_prox = {"prox", &dpa_layout_users, 1, DPA_DRAWS_OUTPUT, begin,
                                advance};
