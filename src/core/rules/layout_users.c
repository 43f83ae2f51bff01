/* Many users behind one party: their states, the sum of which is what it sends. */
#include "rules/rule.h"

#include <string.h>

#define BLOCK 1024 /* users of a SHARED round at a time */
#define CHUNKS 64  /* at most so many partial sums of a SHARED round */

static double *many(dpa_arena *arena, size_t n, size_t d) {
  if (d != 0 && n > SIZE_MAX / d) {
    arena->overflow = 1;
    return NULL;
  }
  return DPA_TAKE(arena, double, n *d);
}

static void place_total(dpa_party *party, dpa_arena *arena) {
  party->as.users.total = DPA_TAKE(arena, double, party->d);
  party->as.users.rest = DPA_TAKE(arena, double, party->d);
}

static void place_state(dpa_party *party, dpa_arena *arena) {
  dpa_users *users = &party->as.users;
  const size_t n = users->count, d = party->d;
  switch (users->store) {
  case DPA_DENSE:
    users->u = many(arena, n, d);
    place_total(party, arena);
    break;
  case DPA_SHARED:
    users->centre = DPA_TAKE(arena, double, d);
    users->along = DPA_TAKE(arena, double, n);
    break;
  case DPA_TRACED:
    place_total(party, arena);
    users->along = DPA_TAKE(arena, double, n);
    users->inner = DPA_TAKE(arena, double, n);
    users->history = many(arena, users->rounds, d);
    users->parts = DPA_TAKE(arena, int, n);
    if (n > SIZE_MAX / users->depth)
      arena->overflow = 1;
    else
      users->last = DPA_TAKE(arena, int, n * users->depth);
    break;
  }
}

static void place_solver(dpa_party *party, dpa_arena *arena) {
  dpa_users *users = &party->as.users;
  size_t first = 0, at = 0, most = 0;
  users->offset = DPA_TAKE(arena, size_t, users->count + 1);
  for (size_t i = 0; i < users->count; i++) {
    const size_t size = (size_t)users->size[i];
    if (size > most) {
      most = size;
      at = first;
    }
    first += size;
  }
  const dpa_records largest = dpa_records_part(&party->records, at, most);
  dpa_solver_layout(&users->solver, arena, &largest, party->loss, party->width, 1.0);
  dpa_solver_room(&users->solver, arena);
}

static void place_cache(dpa_party *party, dpa_arena *arena) {
  dpa_users *users = &party->as.users;
  if (!users->size)
    users->margin = DPA_TAKE(arena, double, users->count);
}

static void place_room(dpa_party *party, dpa_arena *arena) {
  dpa_users *users = &party->as.users;
  const size_t n = users->count, d = party->d;
  users->z = DPA_TAKE(arena, double, d);
  users->row = DPA_TAKE(arena, double, d);
  users->change = DPA_TAKE(arena, double, d);
  if (users->store == DPA_SHARED) {
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
    users->chunks = blocks < CHUNKS ? blocks : CHUNKS;
    users->stride = (d + 15) / 8 * 8; /* no cache line belongs to two chunks */
    if (d > SIZE_MAX / 16 / CHUNKS)
      arena->overflow = 1;
    users->partial = DPA_TAKE(arena, double, users->chunks * users->stride);
  }
  if (users->store == DPA_TRACED)
    users->share = DPA_TAKE(arena, double, users->rounds + 1);
  if (users->size)
    place_solver(party, arena); /* it begins anew with each user */
}

static void set_offsets(dpa_users *users) {
  users->offset[0] = 0;
  for (size_t i = 0; i < users->count; i++)
    users->offset[i + 1] = users->offset[i] + (size_t)users->size[i];
}

static void start(dpa_party *party) {
  dpa_users *users = &party->as.users;
  const size_t n = users->count, d = party->d;
  if (users->store == DPA_DENSE)
    memset(users->u, 0, n * d * sizeof(double));
  else
    memset(users->along, 0, n * sizeof(double));
  if (users->store == DPA_SHARED) {
    memset(users->centre, 0, d * sizeof(double));
  } else {
    memset(users->total, 0, d * sizeof(double));
    memset(users->rest, 0, d * sizeof(double));
  }
  if (users->store == DPA_TRACED) {
    memset(users->inner, 0, n * sizeof(double));
    memset(users->parts, 0, n * sizeof(int));
  }
  if (users->size)
    set_offsets(users);
  else
    memset(users->margin, 0, n * sizeof(double));
}

static void receive(dpa_party *party, const dpa_order *last, const double *inbox) {
  (void)last;
  memcpy(party->as.users.z, inbox, party->d * sizeof *inbox);
}

static void keep(dpa_party *party) {
  (void)party;
}

/* Numbers that serve as indices are within their range. */
static int resume(dpa_party *party, int with_cache) {
  dpa_users *users = &party->as.users;
  if (users->size)
    set_offsets(users);
  else if (!with_cache)
    memset(users->margin, 0, users->count * sizeof(double));
  if (users->store != DPA_TRACED)
    return 1;
  const int round = (int)party->head->round;
  for (size_t i = 0; i < users->count; i++) {
    const int parts = users->parts[i];
    if (parts < 0 || parts > round)
      return 0;
    for (size_t k = 0; k < users->depth && k < (size_t)parts; k++) {
      const int t = users->last[i * users->depth + k];
      if (t < 0 || t >= round)
        return 0;
    }
  }
  return 1;
}

const dpa_layout dpa_layout_users = {"users", place_state, place_cache, place_room,
                                     start,   receive,     keep,        resume};
