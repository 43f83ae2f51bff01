/* How a run gets its parties to work: each round every party is given its inbox, then
 * every message is collected; or, where only a sum is asked for, that of all. */
#ifndef DPA_ENGINE_H
#define DPA_ENGINE_H

#include "poll.h"
#include "run/message.h"

typedef struct dpa_engine {
  void *context;
  /* The inbox stays as it is until the message is collected. */
  dpa_status (*submit)(void *context, size_t party, uint32_t round,
                       const double *inbox);
  dpa_status (*collect)(void *context, size_t party, dpa_message *message);
  /* Of a secure plan, instead of collect(): the sum of all parties' messages in steps
   * of the grid, d numbers modulo 2^64. NULL: there are no such sums. */
  dpa_status (*sum)(void *context, uint64_t *out);
  dpa_poll poll;
  void *poll_context;
} dpa_engine;

#endif
