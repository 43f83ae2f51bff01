/* The engine of one process. A thread alone takes the parties of a round one by one,
 * nodes in one work space. Several do the same with parties whose passes over records
 * are worth it, and share these; the other parties they share, and where one has none
 * left it helps with the others' passes. Results are the same for any number of
 * threads.
 */
#ifndef DPA_ENGINE_LOCAL_H
#define DPA_ENGINE_LOCAL_H

#include "run/engine.h"
#include "run/step.h"

typedef struct dpa_local {
  const dpa_plan *plan;
  dpa_poll poll;
  void *poll_context;
  dpa_party *party; /* placed by the layout, as the next ones */
  dpa_status *status;
  const double **inbox;
  size_t *turn;   /* the parties with more to do, */
  int first;      /* whether they begin a round, */
  size_t steps;   /* and how many they take in a row, at most */
  int64_t *share; /* d: a party's part of a secure plan's sum */
  uint32_t round;
  int waiting; /* submitted, and not yet worked on */
} dpa_local;

/* Place all parties (measuring when the arena has no base). */
void dpa_local_layout(dpa_local *local, dpa_arena *arena, const dpa_plan *plan,
                      const dpa_holding *holding);

/* Start all parties, with keys derived from the run's. */
void dpa_local_start(dpa_local *local, const dpa_key *key);

void dpa_local_close(dpa_local *local);

dpa_engine dpa_local_engine(dpa_local *local, dpa_poll poll, void *poll_context);

#endif
