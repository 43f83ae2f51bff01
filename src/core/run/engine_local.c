#include "run/engine_local.h"

#include "run/relay.h"
#include "run/step.h"
#include "spread.h"

#include <string.h>

/* Entries of records that go by between two polls, about, and those that a step is
 * taken to cost besides. */
#define ENTRIES ((size_t)1 << 28)
#define OVERHEAD ((size_t)1 << 20)
/* Entries of a party whose passes all threads share: at most what a cache may hold, and
 * for each thread at least so many in all, of a row and of a column. */
#define MOST_SHARED ((size_t)1 << 23)
#define LEAST_SHARED ((size_t)1 << 19)
#define LEAST_OF_ROW 32
#define LEAST_OF_COLUMN 512

/* Work space that fits each of the parties. */
static void take_room(dpa_arena *arena, const dpa_plan *plan,
                      const dpa_holding *holding, dpa_arena *room) {
  dpa_party measured;
  size_t most = 0;
  for (size_t i = 0; i < plan->parties; i++) {
    dpa_arena kept = {NULL, 0, 0}, own = {NULL, 0, 0};
    dpa_party_open(&measured, &kept, &own, plan, i, &holding[i]);
    most = own.used > most ? own.used : most;
    arena->overflow |= own.overflow;
  }
  room->base = DPA_TAKE(arena, unsigned char, most);
}

void dpa_local_layout(dpa_local *local, dpa_arena *arena, const dpa_plan *plan,
                      const dpa_holding *holding) {
  const size_t parties = plan->parties;
  /* users keep in theirs where the records of each begin */
  const int one_room = plan->threads == 1 && plan->relay->layout == &dpa_layout_node;
  dpa_arena shared = {NULL, 0, 0};
  dpa_party measured;
  local->plan = plan;
  local->waiting = 0;
  local->party = DPA_TAKE(arena, dpa_party, parties);
  local->status = DPA_TAKE(arena, dpa_status, parties);
  local->inbox = DPA_TAKE(arena, const double *, parties);
  local->turn = DPA_TAKE(arena, size_t, parties);
  local->share = DPA_TAKE(arena, int64_t, plan->secure.grid > 0.0 ? plan->d : 0);
  if (one_room)
    take_room(arena, plan, holding, &shared);
  for (size_t i = 0; i < parties; i++) {
    dpa_arena room = shared;
    dpa_party_open(arena->base ? &local->party[i] : &measured, arena,
                   one_room ? &room : arena, plan, i, &holding[i]);
  }
}

void dpa_local_start(dpa_local *local, const dpa_key *key) {
  dpa_key own;
  size_t stored = OVERHEAD;
  for (size_t i = 0; i < local->plan->parties; i++) {
    dpa_key_party(key, (uint32_t)i, &own);
    dpa_party_start(&local->party[i], &own);
    stored += dpa_records_stored(&local->party[i].records);
  }
  local->steps = 1 + ENTRIES / stored;
  dpa_forget(&own, sizeof own);
}

/* Where the stack was while a stream was drawn from: its last block, and what it was
 * made from, would give its key away. */
static void forget_stack(void) {
  unsigned char room[1 << 15];
  dpa_forget(room, sizeof room);
}

void dpa_local_close(dpa_local *local) {
  for (size_t i = 0; i < local->plan->parties; i++)
    dpa_party_close(&local->party[i]);
#ifdef _OPENMP
#pragma omp parallel num_threads(local->plan->threads) if (local->plan->threads > 1)
#endif
  forget_stack();
}

/* One call of begin (first) or advance. */
static int step(dpa_local *local, size_t i, int first) {
  dpa_party *party = &local->party[i];
  local->status[i] =
      first ? dpa_party_begin(party, local->plan, local->round, local->inbox[i])
            : dpa_party_advance(party);
  return local->status[i] == DPA_CONTINUE;
}

/* Whether all threads do best to share one pass after the other: rows stay in the cache
 * from pass to pass if no other party's come between, and what one thread alone does in
 * the meantime, row by row and column by column, is little beside a pass. */
static int pass_by_pass(const dpa_local *local, size_t i) {
  const dpa_records *rows = &local->party[i].records;
  const size_t threads = (size_t)local->plan->threads;
  if (threads == 1)
    return 1;
  const size_t stored = dpa_records_stored(rows), share = stored / threads;
  return local->plan->relay->layout == &dpa_layout_node && stored <= MOST_SHARED &&
         share >= LEAST_SHARED && share / LEAST_OF_ROW >= rows->n &&
         share / LEAST_OF_COLUMN >= rows->d;
}

/* All steps of a party. */
static dpa_status finish(dpa_local *local, size_t i, size_t done) {
  for (int more = step(local, i, 1); more; more = step(local, i, 0))
    if (local->poll(local->poll_context, done))
      return DPA_INTERRUPT;
  return DPA_OK;
}

/* Some steps of a party in a row: its rows may still be in the cache. */
static void step_in_turn(void *context, int k) {
  dpa_local *local = context;
  int more = step(local, local->turn[k], local->first);
  for (size_t taken = 1; more && taken < local->steps; taken++)
    more = step(local, local->turn[k], 0);
}

/* Threads share the other parties: steps of every one that is not finished. Answers
 * whether some party has more to do. */
static int sweep(dpa_local *local, int first) {
  int parties = 0;
  local->first = first;
  for (size_t i = 0; i < local->plan->parties; i++)
    if (first ? !pass_by_pass(local, i) : local->status[i] == DPA_CONTINUE)
      local->turn[parties++] = i;
  dpa_spread(parties, local->plan->threads, step_in_turn, local);
  for (int k = 0; k < parties; k++)
    if (local->status[local->turn[k]] == DPA_CONTINUE)
      return 1;
  return 0;
}

static dpa_status submit(void *context, size_t party, uint32_t round,
                         const double *inbox) {
  dpa_local *local = context;
  local->inbox[party] = inbox;
  local->round = round;
  local->waiting = 1;
  return DPA_OK;
}

static dpa_status work(dpa_local *local) {
  if (!local->waiting)
    return DPA_OK;
  local->waiting = 0;
  const size_t done = local->round > 0 ? local->round - 1 : 0;
  for (size_t i = 0; i < local->plan->parties; i++)
    if (pass_by_pass(local, i) && finish(local, i, done) != DPA_OK)
      return DPA_INTERRUPT;
  int more = sweep(local, 1);
  while (more) {
    if (local->poll(local->poll_context, done))
      return DPA_INTERRUPT;
    more = sweep(local, 0);
  }
  return DPA_OK;
}

static dpa_status collect(void *context, size_t party, dpa_message *message) {
  dpa_local *local = context;
  const dpa_status status = work(local);
  if (status == DPA_OK)
    *message = dpa_party_message(&local->party[party]);
  return status;
}

static dpa_status sum(void *context, uint64_t *out) {
  dpa_local *local = context;
  const size_t d = local->plan->d;
  dpa_status status = work(local);
  memset(out, 0, d * sizeof *out);
  for (size_t i = 0; i < local->plan->parties && status == DPA_OK; i++) {
    status = dpa_party_share(&local->party[i], local->plan, 0, local->share);
    for (size_t j = 0; j < d; j++)
      out[j] += (uint64_t)local->share[j];
  }
  return status;
}

dpa_engine dpa_local_engine(dpa_local *local, dpa_poll poll, void *poll_context) {
  const dpa_engine engine = {local, submit, collect, sum, poll, poll_context};
  local->poll = poll;
  local->poll_context = poll_context;
  return engine;
}
