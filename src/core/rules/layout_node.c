/* A node of a network: its last message f, its dual variable, what its neighbours sent,
 * and the gradient that a recycled update needs. */
#include "rules/rule.h"

#include <string.h>

static void place_state(dpa_party *party, dpa_arena *arena) {
  dpa_node *node = &party->as.node;
  node->f = DPA_TAKE(arena, double, party->d);
  node->lambda = DPA_TAKE(arena, double, party->d);
  node->inbox = DPA_TAKE(arena, double, party->d);
  node->kkt = DPA_TAKE(arena, double, party->d);
  node->sends = DPA_TAKE(arena, dpa_sends, 1);
}

static void place_cache(dpa_party *party, dpa_arena *arena) {
  dpa_node *node = &party->as.node;
  node->kept = DPA_TAKE(arena, dpa_solver_state, 1);
  dpa_solver_layout(&node->solver, arena, &party->records, party->loss, party->width,
                    party->weight);
}

static void place_room(dpa_party *party, dpa_arena *arena) {
  dpa_node *node = &party->as.node;
  node->pull = DPA_TAKE(arena, double, party->d);
  node->linear = DPA_TAKE(arena, double, party->d);
  dpa_solver_room(&node->solver, arena);
}

static void start(dpa_party *party) {
  dpa_node *node = &party->as.node;
  const size_t bytes = party->d * sizeof(double);
  if (party->start)
    memcpy(node->f, party->start, bytes);
  else
    memset(node->f, 0, bytes);
  memset(node->lambda, 0, bytes);
  memset(node->inbox, 0, bytes);
  memset(node->kkt, 0, bytes);
  memset(node->sends, 0, sizeof *node->sends);
  memcpy(node->solver.f, node->f, bytes);
}

/* The messages of a round, then the dual step. */
static void receive(dpa_party *party, const dpa_order *last, const double *inbox) {
  dpa_node *node = &party->as.node;
  const size_t d = party->d;
  memcpy(node->inbox, inbox, d * sizeof *inbox);
  if (!last)
    return;
  memcpy(node->f, party->message, d * sizeof *node->f);
  const double half = 0.5 * last->theta;
  if (half > 0.0)
    for (size_t j = 0; j < d; j++)
      node->lambda[j] += half * (party->degree * node->f[j] - node->inbox[j]);
}

static void keep(dpa_party *party) {
  *party->as.node.kept = party->as.node.solver.at;
}

static int resume(dpa_party *party, int with_cache) {
  dpa_node *node = &party->as.node;
  if (with_cache) {
    const dpa_solver_state *kept = node->kept;
    const size_t most = node->solver.most_pairs;
    if (kept->pairs > most || kept->newest >= most ||
        (kept->curved == DPA_FULL && !node->solver.diagonal))
      return 0;
    node->solver.at = *kept;
  } else {
    dpa_solver_use(&node->solver, &party->records, party->weight);
    memcpy(node->solver.f, party->head->begun ? party->message : node->f,
           party->d * sizeof(double));
  }
  return 1;
}

const dpa_layout dpa_layout_node = {"node", place_state, place_cache, place_room,
                                    start,  receive,     keep,        resume};
