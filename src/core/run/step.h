/* A party of a run: open, step, save, load. A step is a function of the state, the
 * order and what came in, so a round can be asked for twice: the second time the
 * message is answered as it is and nothing is drawn. */
#ifndef DPA_STEP_H
#define DPA_STEP_H

#include "run/message.h"
#include "run/plan.h"

/* What a party holds. */
typedef struct dpa_holding {
  dpa_records records;
  size_t users;    /* relay "server" */
  const int *size; /* records a user; NULL: one each */
} dpa_holding;

/* Sets up party i with its records and places its memory (measuring when the arenas
 * have no base): what stays from round to round in `arena`, work space in `room`, which
 * may be the same, and which parties may share whose rounds do not overlap. The party
 * must stay where it is. */
void dpa_party_open(dpa_party *party, dpa_arena *arena, dpa_arena *room,
                    const dpa_plan *plan, size_t i, const dpa_holding *holding);

/* Once, when it is placed; the key is copied. */
void dpa_party_start(dpa_party *party, const dpa_key *key);

/* Round t: the one after the last, or the last again, or one that is under way.
 * DPA_CONTINUE: call dpa_party_advance() until it does not say so any more.
 * DPA_ARGUMENT: any other round. */
dpa_status dpa_party_begin(dpa_party *party, const dpa_plan *plan, uint32_t round,
                           const double *inbox);
dpa_status dpa_party_advance(dpa_party *party);

/* What the party says: the message of its last round. */
dpa_message dpa_party_message(const dpa_party *party);

/* The party's part of a secure plan's sum, d numbers: that message, without noise of
 * its own, in steps of the grid, and the party's part of the noise. Another attempt at
 * the same round has other noise. DPA_ARGUMENT: no round is done, or the plan is not
 * secure. */
dpa_status dpa_party_share(const dpa_party *party, const dpa_plan *plan,
                           uint32_t attempt, int64_t *out);

/* The key is overwritten. */
void dpa_party_close(dpa_party *party);

/* The party as bytes: its state and, if asked, its cache. Between rounds only: else
 * DPA_ARGUMENT, as when what is loaded does not fit this party. */
size_t dpa_party_size(const dpa_party *party, int with_cache);
dpa_status dpa_party_save(dpa_party *party, int with_cache, unsigned char *out);
dpa_status dpa_party_load(dpa_party *party, const dpa_plan *plan,
                          const unsigned char *from, size_t bytes);

#endif
