/* Small runs for tests: any relay with any of its rules, on records of one shape, and
 * plans run to their end. */
#ifndef SETTING_H
#define SETTING_H

#include "run/engine_local.h"
#include "run/run.h"

enum { PARTIES = 3, D = 4, ROUNDS = 6, RECORDS = 6, IMAGES = 5 };

/* Which users take part, and so where their states are kept. */
typedef enum taking {
  EVERYONE,
  SAMPLED,
  WALKING,
  CLIPPED_STEPS,
  SEVERAL_RECORDS
} taking;

typedef struct setting {
  dpa_plan plan;
  dpa_key key;
  dpa_holding holding[PARTIES];
  double x[PARTIES][RECORDS * D], y[PARTIES][RECORDS], norm[PARTIES][RECORDS];
  double weight[PARTIES], gamma[PARTIES], tol[PARTIES * ROUNDS], start[PARTIES * D];
  double eta[PARTIES * ROUNDS], theta[PARTIES * ROUNDS];
  double objective[PARTIES * ROUNDS], output[PARTIES * ROUNDS], server[ROUNDS];
  double step[ROUNDS], parameter[DPA_PENALTY_PARAMETERS];
  double A[IMAGES * D], b[IMAGES], c[IMAGES], weights[IMAGES], inverse[D * D];
  double start_scale[PARTIES];
  int rule[ROUNDS], walk[ROUNDS], block[D], turn[ROUNDS], first_user[PARTIES];
  int user_size[2];
  dpa_test test[PARTIES];
} setting;

/* All that comes out of a run, without padding: to be compared as bytes. */
typedef struct results {
  double f[PARTIES * D], iterates[PARTIES * D * (ROUNDS + 1)], gap[ROUNDS];
  double step[ROUNDS + 1], y[IMAGES], u[IMAGES], mean_x[D], mean_y[IMAGES];
  double moments[PARTIES * D * ROUNDS];
  int sent[PARTIES * ROUNDS];
} results;

/* A private run of `parties` parties; `taking` matters to users only. */
void setting_make(setting *s, const dpa_relay *relay, const dpa_rule *rule,
                  const dpa_mechanism *mechanism, size_t parties, taking taking);

/* A trace into zeroed results. */
dpa_trace results_trace(results *r, const dpa_plan *plan);

/* Memory that is full of what must not be read. */
void *soiled(size_t bytes);

/* All of a plan by the local engine. NULL: never stopped. */
dpa_status run_plan(const dpa_plan *plan, const dpa_holding *holding,
                    const dpa_key *key, dpa_trace *trace, dpa_poll poll, void *context);
dpa_status setting_run(const setting *s, results *r);

/* The same, with every party saved after every round and loaded into a fresh one. */
dpa_status setting_run_saved(const setting *s, results *r, int with_cache);

/* A party of a setting, started, in memory of its own. */
dpa_party *party_new(const setting *s, size_t i);
void party_free(dpa_party *party);
dpa_status party_step(dpa_party *party, const dpa_plan *plan, uint32_t round,
                      const double *inbox);

/* The rules that a relay can run. */
#define FOR_RULES(relay, rule)                                                         \
  for (size_t rule = 0; rule < dpa_rules_count; rule++)                                \
    if (dpa_rules[rule]->layout == (relay)->layout)

#endif
