/* One holder of records who is asked for gradients: nothing is remembered but the last
 * message. */
#include "rules/rule.h"

#include <string.h>

static void place_state(dpa_party *party, dpa_arena *arena) {
  (void)party;
  (void)arena;
}

static void place_cache(dpa_party *party, dpa_arena *arena) {
  (void)party;
  (void)arena;
}

static void place_room(dpa_party *party, dpa_arena *arena) {
  dpa_holder *holder = &party->as.holder;
  holder->at = DPA_TAKE(arena, double, party->d);
  holder->part = DPA_TAKE(arena, double, party->d);
  holder->batch = DPA_TAKE(arena, int, party->records.n);
  holder->gradient.data = &party->records;
  holder->gradient.loss = party->loss;
  holder->gradient.width = party->width;
  holder->gradient.weight = party->weight;
  holder->gradient.clip = party->clip;
  dpa_gradient_layout(&holder->gradient, arena);
}

static void start(dpa_party *party) {
  dpa_gradient_prepare(&party->as.holder.gradient);
}

static void receive(dpa_party *party, const dpa_order *last, const double *inbox) {
  (void)last;
  memcpy(party->as.holder.at, inbox, party->d * sizeof *inbox);
}

static void keep(dpa_party *party) {
  (void)party;
}

static int resume(dpa_party *party, int with_cache) {
  (void)with_cache;
  dpa_gradient_prepare(&party->as.holder.gradient);
  return 1;
}

const dpa_layout dpa_layout_holder = {"holder", place_state, place_cache, place_room,
                                      start,    receive,     keep,        resume};
