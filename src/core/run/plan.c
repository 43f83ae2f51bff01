#include "run/plan.h"

#include "random/sample.h"
#include "run/relay.h"

#include <math.h>
#include <string.h>

uint32_t dpa_plan_first(const dpa_plan *plan) {
  return plan->relay == &dpa_relay_split && plan->split.inverse ? 0 : 1;
}

size_t dpa_plan_moves(const dpa_plan *plan) {
  size_t moves = plan->rounds;
  while (moves > 0 && !dpa_rule_moves(dpa_rules[plan->rule[moves - 1]]))
    moves--;
  return moves;
}

int dpa_plan_asks(const dpa_plan *plan) {
  return dpa_plan_moves(plan) < plan->rounds;
}

/* How many rounds before round t + 1 have its rule, in a row. */
static size_t piece_of(const dpa_plan *plan, size_t t) {
  size_t piece = 0;
  while (piece < t && plan->rule[t - 1 - piece] == plan->rule[t])
    piece++;
  return piece;
}

size_t dpa_plan_room(const dpa_plan *plan) {
  size_t room = plan->relay == &dpa_relay_server ? plan->server.sample + 1 : 0;
  if (plan->relay == &dpa_relay_descent && plan->descent.block && plan->d > room)
    room = plan->d;
  return room;
}

static double entry(const double *matrix, size_t at) {
  return matrix ? matrix[at] : 0.0;
}

static void server_order(const dpa_server_plan *server, uint32_t round, int *room,
                         dpa_order *order) {
  order->lambda = server->lambda;
  order->gamma = server->gamma;
  order->step_bound = server->step_bound;
  order->exact = server->exact;
  order->users.count = server->users;
  if (server->walk) {
    room[0] = server->walk[round - 1];
    order->users.index = room;
    order->users.count = 1;
  } else if (server->sample > 0) {
    dpa_participants(&server->public_key, round, server->users, server->sample, room);
    order->users.index = room;
    order->users.count = server->sample;
  }
}

static void descent_order(const dpa_plan *plan, uint32_t round, int *room,
                          dpa_order *order) {
  const dpa_descent_plan *descent = &plan->descent;
  order->batch = descent->batch;
  order->batch_size = descent->batch_size;
  if (!descent->block)
    return;
  size_t count = 0;
  for (size_t j = 0; j < plan->d; j++)
    if (descent->block[j] == descent->turn[round - 1])
      room[count++] = (int)j;
  order->coordinates.count = count;
  if (count < plan->d)
    order->coordinates.index = room;
}

void dpa_plan_order(const dpa_plan *plan, size_t i, uint32_t round, int *room,
                    dpa_order *order) {
  memset(order, 0, sizeof *order);
  const size_t t = round > 0 ? round - 1 : 0, at = t * plan->parties + i;
  order->rule = dpa_rules[plan->rule[t]];
  order->round = round;
  order->eta = entry(plan->eta, at);
  order->theta = entry(plan->theta, at);
  order->gamma = entry(plan->gamma, i);
  order->tol = entry(plan->tol, at);
  order->clip = plan->clip;
  order->mechanism = plan->mechanism;
  order->objective_scale =
      round > 0 ? entry(plan->objective_scale, at) : entry(plan->split.start_scale, i);
  order->output_scale = entry(plan->output_scale, at);
  order->reach = plan->reach ? plan->reach[i] : INFINITY;
  order->test = plan->test ? plan->test + i : NULL;
  if (!dpa_rule_moves(order->rule))
    order->piece = piece_of(plan, t);
  order->unit = plan->unit ? plan->unit[t] : 1.0;
  order->coordinates.count = plan->d;
  if (plan->relay == &dpa_relay_server)
    server_order(&plan->server, round, room, order);
  if (plan->relay == &dpa_relay_descent)
    descent_order(plan, round, room, order);
}
