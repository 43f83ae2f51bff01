#include "run/run.h"

#include "random/key.h"

#include <math.h>

static dpa_status check(const dpa_message *message, size_t from, uint32_t round,
                        size_t d) {
  if (message->status != DPA_OK)
    return message->status;
  if (message->from != from || message->round != round || message->d != d)
    return DPA_ENGINE;
  for (size_t j = 0; j < d; j++)
    if (!isfinite(message->values[j]))
      return DPA_NUMERIC;
  return DPA_OK;
}

/* Ask all, then collect all; of several failures the first party's is answered. */
static dpa_status ask(dpa_hub *hub, const dpa_engine *engine, uint32_t round) {
  const size_t parties = hub->plan->parties;
  dpa_status first = DPA_OK;
  for (size_t i = 0; i < parties; i++) {
    const dpa_status status =
        engine->submit(engine->context, i, round, dpa_hub_inbox(hub, i));
    if (status != DPA_OK)
      return status;
  }
  if (hub->plan->secure.grid > 0.0)
    return engine->sum ? engine->sum(engine->context, hub->total) : DPA_ENGINE;
  for (size_t i = 0; i < parties; i++) {
    dpa_status status = engine->collect(engine->context, i, &hub->message[i]);
    if (status != DPA_OK)
      return status;
    status = check(&hub->message[i], i, round, hub->plan->d);
    if (first == DPA_OK)
      first = status;
  }
  return first;
}

static dpa_status all_rounds(dpa_hub *hub, const dpa_engine *engine) {
  const dpa_plan *plan = hub->plan;
  dpa_trace *trace = hub->trace;
  for (uint32_t round = dpa_plan_first(plan); round <= plan->rounds; round++) {
    if (engine->poll(engine->poll_context, trace->done))
      return DPA_INTERRUPT;
    trace->begun = round;
    dpa_status status = ask(hub, engine, round);
    if (status == DPA_OK)
      status = plan->relay->deliver(hub, round);
    if (status != DPA_OK)
      return status;
    if (trace->sent && round > 0)
      for (size_t i = 0; i < plan->parties; i++)
        trace->sent[(round - 1) * plan->parties + i] = hub->message[i].sent;
    trace->done = round;
  }
  return engine->poll(engine->poll_context, trace->done) ? DPA_INTERRUPT : DPA_OK;
}

dpa_status dpa_run(dpa_hub *hub, const dpa_engine *engine, const dpa_key *key,
                   dpa_trace *trace) {
  hub->trace = trace;
  trace->begun = trace->done = 0;
  dpa_key_party(key, DPA_HUB, &hub->key);
  hub->plan->relay->start(hub);
  const dpa_status status = all_rounds(hub, engine);
  dpa_forget(&hub->key, sizeof hub->key);
  return status;
}
