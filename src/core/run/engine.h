/* How a run gets its parties to work: each round every party is given its inbox, then
 * every message is collected. */
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
  dpa_poll poll;
  void *poll_context;
} dpa_engine;

#endif
