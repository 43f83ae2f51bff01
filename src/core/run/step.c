#include "run/step.h"

#include "random/draw.h"
#include "rules/store.h"
#include "run/relay.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------- */

static int has_noise(const dpa_plan *plan, size_t i) {
  if (!plan->mechanism || !plan->output_scale)
    return 0;
  for (size_t t = 0; t < plan->rounds; t++)
    if (plan->output_scale[t * plan->parties + i] > 0.0)
      return 1;
  return 0;
}

static void set_users(dpa_party *party, const dpa_plan *plan, size_t i, size_t count,
                      const int *size) {
  const dpa_server_plan *server = &plan->server;
  dpa_users *users = &party->as.users;
  users->count = count;
  users->size = size;
  users->all = server->users;
  users->first = server->first ? (size_t)server->first[i] : 0;
  users->rounds = plan->rounds;
  dpa_store_choose(users, party->d, server->lambda, has_noise(plan, i),
                   server->sample > 0, server->walk != NULL, server->step_bound);
}

static void place_moment(dpa_party *party, dpa_arena *arena) {
  const size_t d = party->d;
  dpa_moment *moment = &party->moment;
  if (!moment->asked)
    return;
  moment->known = DPA_TAKE(arena, int, 1);
  if (d > SIZE_MAX / d)
    arena->overflow = 1;
  else
    moment->matrix = DPA_TAKE(arena, double, d *d);
}

static void forget_moment(dpa_party *party) {
  if (party->moment.asked)
    *party->moment.known = 0;
}

static void place(dpa_party *party, dpa_arena *arena, dpa_arena *room, size_t most) {
  const size_t from = arena->used;
  party->state = arena->base ? arena->base + from : NULL;
  party->head = DPA_TAKE(arena, dpa_head, 1);
  party->message = DPA_TAKE(arena, double, party->d);
  party->layout->place_state(party, arena);
  party->state_size = arena->used - from;
  party->cache = arena->base ? arena->base + arena->used : NULL;
  party->layout->place_cache(party, arena);
  place_moment(party, arena);
  party->cache_size = arena->used - from - party->state_size;
  party->active =
      DPA_TAKE(arena, int, most); /* the next round asks for the last one's */
  party->spare = DPA_TAKE(room, double, party->d);
  party->layout->place_room(party, room);
  if (party->moment.asked)
    party->moment.block = DPA_TAKE(room, double, dpa_hessian_room(&party->records));
}

void dpa_party_open(dpa_party *party, dpa_arena *arena, dpa_arena *room,
                    const dpa_plan *plan, size_t i, const dpa_holding *holding) {
  memset(party, 0, sizeof *party);
  party->id = (uint32_t)i;
  party->d = plan->d;
  party->threads = plan->threads;
  party->records = holding->records;
  party->loss = plan->loss;
  party->width = plan->width;
  party->weight = plan->weight ? plan->weight[i] : 1.0;
  party->ridge = plan->ridge;
  party->clip = plan->clip;
  party->layout = plan->relay->layout;
  party->moment.asked = dpa_plan_asks(plan);
  if (plan->relay == &dpa_relay_graph) {
    party->degree = dpa_network_degree(&plan->network, i);
    party->start = plan->start ? plan->start + i * plan->d : NULL;
  }
  if (plan->relay == &dpa_relay_server)
    set_users(party, plan, i, holding->users, holding->size);
  place(party, arena, room, dpa_plan_room(plan));
}

void dpa_party_start(dpa_party *party, const dpa_key *key) {
  party->key = *key;
  memset(party->head, 0, sizeof *party->head);
  memset(party->message, 0, party->d * sizeof *party->message);
  forget_moment(party);
  party->layout->start(party);
}

void dpa_party_close(dpa_party *party) {
  dpa_forget(&party->key, sizeof party->key);
}

/* ---- steps ----------------------------------------------------------------------- */

static dpa_status settle(dpa_party *party, dpa_status status) {
  party->head->status = (int32_t)status;
  if (status != DPA_OK && status != DPA_CONTINUE)
    party->head->sent = 0;
  return status;
}

dpa_status dpa_party_begin(dpa_party *party, const dpa_plan *plan, uint32_t round,
                           const double *inbox) {
  dpa_head *head = party->head;
  if (head->begun && round == head->round)
    return (dpa_status)head->status;
  const uint32_t next = head->begun ? head->round + 1 : dpa_plan_first(plan);
  /* who was late skips rounds; users remember each of them */
  const int skips = round > next && plan->relay == &dpa_relay_server;
  if (round < next || skips || round > plan->rounds ||
      (head->begun && head->status != DPA_OK))
    return DPA_ARGUMENT;
  dpa_order last = party->order;
  if (head->begun && (!last.rule || last.round != head->round)) /* it was loaded */
    dpa_plan_order(plan, party->id, head->round, party->active, &last);
  party->layout->receive(party, head->begun ? &last : NULL, inbox);
  dpa_plan_order(plan, party->id, round, party->active, &party->order);
  head->begun = 1;
  head->round = round;
  head->sent = 1;
  return settle(party, party->order.rule->begin(party, &party->order));
}

dpa_status dpa_party_advance(dpa_party *party) {
  if (party->head->status != DPA_CONTINUE)
    return (dpa_status)party->head->status;
  return settle(party, party->order.rule->advance(party, &party->order));
}

dpa_message dpa_party_message(const dpa_party *party) {
  const dpa_head *head = party->head;
  const dpa_message message = {head->round, party->id,
                               head->sent,  (dpa_status)head->status,
                               party->d,    party->message};
  return message;
}

dpa_status dpa_party_share(const dpa_party *party, const dpa_plan *plan,
                           uint32_t attempt, int64_t *out) {
  const dpa_head *head = party->head;
  if (!(plan->secure.grid > 0.0) || !head->begun || head->status == DPA_CONTINUE)
    return DPA_ARGUMENT;
  if (head->status != DPA_OK)
    return (dpa_status)head->status;
  return dpa_share(plan->mechanism, &party->key, attempt, head->round,
                   plan->secure.grid, plan->secure.steps, party->message, out,
                   party->d);
}

/* ---- saving ---------------------------------------------------------------------- */

#define MAGIC UINT64_C(0x31305952415024) /* also tells the order of bytes */

/* Before the bytes of the state and the cache. */
typedef struct dpa_saved {
  uint64_t magic, party, d, state_size, cache_size, sum;
} dpa_saved;

/* Tells bytes that were cut or changed by accident (Fletcher's sum of 32-bit words). */
static uint64_t check_sum(const unsigned char *bytes, size_t n) {
  uint64_t a = 1, b = 0;
  for (size_t k = 0; k + 4 <= n; k += 4) {
    uint32_t word;
    memcpy(&word, bytes + k, sizeof word);
    a += word;
    b += a;
  }
  return b ^ a << 32;
}

size_t dpa_party_size(const dpa_party *party, int with_cache) {
  return sizeof(dpa_saved) + party->state_size + (with_cache ? party->cache_size : 0);
}

dpa_status dpa_party_save(dpa_party *party, int with_cache, unsigned char *out) {
  if (party->head->status == DPA_CONTINUE)
    return DPA_ARGUMENT;
  party->layout->keep(party);
  dpa_saved saved = {
      MAGIC, party->id, party->d, party->state_size, with_cache ? party->cache_size : 0,
      0};
  unsigned char *bytes = out + sizeof saved;
  memcpy(bytes, party->state, party->state_size);
  if (with_cache)
    memcpy(bytes + party->state_size, party->cache, party->cache_size);
  saved.sum = check_sum(bytes, saved.state_size + saved.cache_size);
  memcpy(out, &saved, sizeof saved);
  return DPA_OK;
}

dpa_status dpa_party_load(dpa_party *party, const dpa_plan *plan,
                          const unsigned char *from, size_t bytes) {
  dpa_saved saved;
  dpa_head head;
  if (bytes < sizeof saved + sizeof head)
    return DPA_ARGUMENT;
  memcpy(&saved, from, sizeof saved);
  from += sizeof saved;
  bytes -= sizeof saved;
  if (saved.magic != MAGIC || saved.party != party->id || saved.d != party->d ||
      saved.state_size != party->state_size ||
      (saved.cache_size != 0 && saved.cache_size != party->cache_size) ||
      bytes != saved.state_size + saved.cache_size ||
      saved.sum != check_sum(from, bytes))
    return DPA_ARGUMENT;
  memcpy(&head, from, sizeof head);
  const uint32_t first = head.begun ? dpa_plan_first(plan) : 0,
                 last = head.begun ? (uint32_t)plan->rounds : 0;
  if (head.status < 0 || head.status > DPA_ENGINE || head.status == DPA_CONTINUE ||
      head.round < first || head.round > last)
    return DPA_ARGUMENT;
  memcpy(party->state, from, saved.state_size);
  if (saved.cache_size > 0)
    memcpy(party->cache, from + saved.state_size, saved.cache_size);
  else
    forget_moment(party);
  if (party->layout->resume(party, saved.cache_size > 0))
    return DPA_OK;
  party->layout->start(party); /* not a half-read state */
  memset(party->head, 0, sizeof *party->head);
  return DPA_ARGUMENT;
}
