/* The run: each round every party is asked, and the relay delivers what they say. */
#ifndef DPA_RUN_H
#define DPA_RUN_H

#include "run/engine.h"
#include "run/relay.h"

/* `key`: the run's, from which the hub's is derived. Messages are checked: DPA_NUMERIC
 * when one is not finite, the party's own status when it failed, DPA_ENGINE when one is
 * not of this round. */
dpa_status dpa_run(dpa_hub *hub, const dpa_engine *engine, const dpa_key *key,
                   dpa_trace *trace);

#endif
