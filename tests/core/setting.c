#include "setting.h"

#include "run/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double wave(size_t k) {
  return sin((double)k * 1.7) + 0.3 * cos((double)k * 0.37);
}

static void make_records(setting *s, size_t parties, taking taking) {
  for (size_t i = 0; i < parties; i++) {
    for (size_t k = 0; k < RECORDS * D; k++)
      s->x[i][k] = 0.4 * wave(100 * i + k);
    for (size_t k = 0; k < RECORDS; k++)
      s->y[i][k] = wave(7 * i + 3 * k) > 0.0 ? 1.0 : -1.0;
    dpa_records records = {.n = RECORDS, .d = D, .y = s->y[i], .dense = s->x[i]};
    dpa_records_norms(&records, s->norm[i]);
    records.norm = s->norm[i];
    s->user_size[0] = 2;
    s->user_size[1] = RECORDS - 2;
    s->holding[i].records = records;
    s->holding[i].users = taking == SEVERAL_RECORDS ? 2 : RECORDS;
    s->holding[i].size = taking == SEVERAL_RECORDS ? s->user_size : NULL;
    s->first_user[i] = (int)(i * s->holding[i].users);
  }
}

/* A rule alone, but for one that needs another before it: then in turns, or at the end.
 */
static void make_rules(setting *s, const dpa_rule *rule) {
  int this = 0, other = 0;
  for (size_t k = 0; k < dpa_rules_count; k++)
    if (dpa_rules[k] == rule)
      this = (int)k;
  for (size_t k = dpa_rules_count; k-- > 0;)
    if (dpa_rules[k]->layout == rule->layout)
      other = (int)k;
  for (size_t t = 0; t < ROUNDS; t++) {
    const int early = dpa_rule_moves(rule) ? t % 2 == 0 : t < 3;
    const int after = !rule->reads_records || !dpa_rule_moves(rule);
    s->rule[t] = after && early ? other : this;
  }
}

static void make_orders(setting *s, const dpa_mechanism *mechanism, size_t parties) {
  dpa_plan *plan = &s->plan;
  for (size_t i = 0; i < PARTIES; i++) {
    s->weight[i] = 0.5 + 0.25 * (double)i;
    s->gamma[i] = 0.1 * (double)(i + 1);
    s->start_scale[i] = 2.0;
    s->test[i].vector.threshold = 0.0;
    s->test[i].vector.threshold_scale = 0.1;
    s->test[i].vector.query_scale = 0.1;
    s->test[i].vector.most = 2;
    s->test[i].loss_clip = 1.0;
  }
  for (size_t k = 0; k < PARTIES * ROUNDS; k++) {
    s->eta[k] = s->theta[k] = 0.5 + 0.01 * (double)k;
    s->tol[k] = 1e-9;
    s->objective[k] = 2.0;
    s->output[k] = 3.0;
  }
  for (size_t k = 0; k < PARTIES * D; k++)
    s->start[k] = 0.1 * wave(k);
  plan->parties = parties;
  plan->d = D;
  plan->rounds = ROUNDS;
  plan->threads = 1;
  plan->loss = dpa_losses[0];
  plan->width = dpa_losses[0]->default_width;
  plan->weight = s->weight;
  plan->ridge = 0.2;
  plan->clip = 0.7;
  plan->rule = s->rule;
  plan->eta = s->eta;
  plan->theta = s->theta;
  plan->gamma = s->gamma;
  plan->tol = s->tol;
  plan->mechanism = mechanism;
  plan->objective_scale = s->objective;
  plan->output_scale = s->output;
  plan->test = s->test;
  plan->penalty = dpa_penalty_find("l1");
  s->parameter[0] = 0.01;
  plan->parameter = s->parameter;
}

static void make_server(setting *s, taking taking) {
  dpa_server_plan *server = &s->plan.server;
  const int own_noise = taking == WALKING || taking == CLIPPED_STEPS;
  server->users = s->plan.parties * s->holding[0].users;
  server->first = s->plan.parties > 1 ? s->first_user : NULL;
  server->lambda = 0.5;
  server->gamma = 1.5;
  server->step_bound = taking == CLIPPED_STEPS ? 0.2 : INFINITY;
  server->scale = own_noise ? NULL : s->server;
  server->sample = taking == SAMPLED ? 2 : 0;
  server->walk = taking == WALKING ? s->walk : NULL;
  server->public_key = s->key;
  for (size_t t = 0; t < ROUNDS; t++) {
    s->server[t] = 4.0;
    s->walk[t] = (int)(5 * t % server->users);
  }
  if (!own_noise)
    s->plan.output_scale = NULL;
}

static void make_split(setting *s) {
  dpa_split_plan *split = &s->plan.split;
  for (size_t k = 0; k < IMAGES * D; k++)
    s->A[k] = k % (D + 1) == 0 ? 1.0 : 0.1 * wave(k);
  for (size_t i = 0; i < IMAGES; i++) {
    s->b[i] = -1.0;
    s->c[i] = 0.05 * (double)i;
    s->weights[i] = i % 2 ? 1.0 : 0.5;
  }
  for (size_t j = 0; j < D; j++)
    s->inverse[j * D + j] = 1.0;
  const dpa_records A = {.n = IMAGES, .d = D, .dense = s->A};
  split->A = A;
  split->b = s->b;
  split->c = s->c;
  split->weights = s->weights;
  split->eta = split->rho = 0.5;
  split->gamma = 4.0;
  split->accelerated = split->restart = 1;
  split->inverse = s->inverse;
  split->start_scale = s->start_scale;
}

static void make_descent(setting *s, const dpa_rule *rule) {
  dpa_descent_plan *descent = &s->plan.descent;
  for (size_t t = 0; t < ROUNDS; t++) {
    s->step[t] = 0.3;
    s->turn[t] = (int)(t % 2);
  }
  for (size_t j = 0; j < D; j++)
    s->block[j] = (int)(j % 2);
  descent->step = s->step;
  if (rule == &dpa_rule_gradient) {
    descent->batch = DPA_BATCH_POISSON;
    descent->batch_size = 0.5;
  } else {
    descent->block = s->block;
    descent->turn = s->turn;
  }
}

void setting_make(setting *s, const dpa_relay *relay, const dpa_rule *rule,
                  const dpa_mechanism *mechanism, size_t parties, taking taking) {
  static const int ends[] = {0, 1, 3, 4}, neighbour[] = {1, 0, 2, 1}; /* a path */
  memset(s, 0, sizeof *s);
  dpa_key_from_seed(&s->key, 5);
  s->plan.relay = relay;
  make_records(s, parties, taking);
  make_rules(s, rule);
  make_orders(s, mechanism, parties);
  if (relay->many || relay != &dpa_relay_server)
    s->plan.start = s->start;
  if (!dpa_rule_moves(rule))
    s->plan.share = s->weight;
  s->plan.network.nodes = PARTIES;
  s->plan.network.start = ends;
  s->plan.network.neighbour = neighbour;
  make_server(s, taking);
  if (relay != &dpa_relay_server)
    s->plan.output_scale = s->output;
  make_split(s);
  if (relay != &dpa_relay_split)
    s->plan.split.inverse = NULL;
  make_descent(s, rule);
  if (relay != &dpa_relay_descent)
    s->plan.descent.batch = DPA_BATCH_ALL;
}

/* ---- runs ------------------------------------------------------------------------ */

dpa_trace results_trace(results *r, const dpa_plan *plan) {
  dpa_trace trace;
  memset(r, 0, sizeof *r);
  memset(&trace, 0, sizeof trace);
  trace.f = r->f;
  trace.iterates = r->iterates;
  trace.kept = plan->rounds;
  trace.moments = r->moments;
  trace.gap = r->gap;
  trace.step = r->step;
  trace.sent = r->sent;
  trace.y = r->y;
  trace.u = r->u;
  trace.mean_x = r->mean_x;
  trace.mean_y = r->mean_y;
  return trace;
}

void *soiled(size_t bytes) {
  void *block = malloc(bytes + 1);
  if (!block)
    abort();
  memset(block, 0xa5, bytes + 1);
  return block;
}

static int never(void *context, size_t done) {
  (void)context;
  (void)done;
  return 0;
}

static void place_hub(dpa_hub *hub, const dpa_plan *plan, dpa_arena *arena) {
  memset(hub, 0, sizeof *hub);
  dpa_hub_layout(hub, arena, plan);
  arena->base = soiled(arena->used);
  arena->used = 0;
  dpa_hub_layout(hub, arena, plan);
}

dpa_status run_plan(const dpa_plan *plan, const dpa_holding *holding,
                    const dpa_key *key, dpa_trace *trace, dpa_poll poll,
                    void *context) {
  dpa_local local;
  dpa_hub hub;
  dpa_arena arena = {NULL, 0, 0}, own = {NULL, 0, 0};
  dpa_local_layout(&local, &arena, plan, holding);
  const size_t needed = arena.used;
  arena.base = soiled(needed);
  arena.used = 0;
  dpa_local_layout(&local, &arena, plan, holding);
  if (arena.used != needed || arena.overflow)
    abort();
  place_hub(&hub, plan, &own);
  dpa_local_start(&local, key);
  const dpa_engine engine = dpa_local_engine(&local, poll ? poll : never, context);
  const dpa_status status = dpa_run(&hub, &engine, key, trace);
  dpa_local_close(&local);
  free(arena.base);
  free(own.base);
  return status;
}

dpa_status setting_run(const setting *s, results *r) {
  dpa_trace trace = results_trace(r, &s->plan);
  return run_plan(&s->plan, s->holding, &s->key, &trace, NULL, NULL);
}

/* ---- parties one by one ---------------------------------------------------------- */

static void open_at(dpa_party *party, const setting *s, size_t i, dpa_arena *arena) {
  dpa_party_open(party, arena, arena, &s->plan, i, &s->holding[i]);
}

dpa_party *party_new(const setting *s, size_t i) {
  dpa_party *party = soiled(sizeof *party);
  dpa_arena arena = {NULL, 0, 0};
  dpa_key key;
  open_at(party, s, i, &arena);
  arena.base = soiled(arena.used);
  arena.used = 0;
  open_at(party, s, i, &arena);
  dpa_key_party(&s->key, (uint32_t)i, &key);
  dpa_party_start(party, &key);
  return party;
}

void party_free(dpa_party *party) {
  dpa_party_close(party);
  free(party->state); /* the first piece of its block */
  free(party);
}

dpa_status party_step(dpa_party *party, const dpa_plan *plan, uint32_t round,
                      const double *inbox) {
  dpa_status status = dpa_party_begin(party, plan, round, inbox);
  while (status == DPA_CONTINUE)
    status = dpa_party_advance(party);
  return status;
}

/* ---- an engine that forgets ------------------------------------------------------ */

typedef struct forgetful {
  const setting *setting;
  dpa_party *party[PARTIES];
  int with_cache;
} forgetful;

/* Into bytes, and out of them into another party. */
static dpa_status reload(forgetful *engine, size_t i) {
  const size_t bytes = dpa_party_size(engine->party[i], engine->with_cache);
  unsigned char *saved = soiled(bytes);
  dpa_status status = dpa_party_save(engine->party[i], engine->with_cache, saved);
  party_free(engine->party[i]);
  engine->party[i] = party_new(engine->setting, i);
  if (status == DPA_OK)
    status = dpa_party_load(engine->party[i], &engine->setting->plan, saved, bytes);
  free(saved);
  return status;
}

static dpa_status submit(void *context, size_t i, uint32_t round, const double *inbox) {
  forgetful *engine = context;
  const dpa_status status = reload(engine, i);
  if (status != DPA_OK)
    return status;
  return party_step(engine->party[i], &engine->setting->plan, round, inbox);
}

static dpa_status collect(void *context, size_t i, dpa_message *message) {
  forgetful *engine = context;
  const dpa_status status = reload(engine, i);
  *message = dpa_party_message(engine->party[i]);
  return status;
}

static dpa_status sum(void *context, uint64_t *out) {
  forgetful *engine = context;
  dpa_status status = DPA_OK;
  memset(out, 0, D * sizeof *out);
  for (size_t i = engine->setting->plan.parties; i-- > 0 && status == DPA_OK;) {
    int64_t share[D] = {0};
    status = reload(engine, i);
    if (status == DPA_OK)
      status = dpa_party_share(engine->party[i], &engine->setting->plan, 0, share);
    for (size_t j = 0; j < D; j++)
      out[j] += (uint64_t)share[j];
  }
  return status;
}

dpa_status setting_run_saved(const setting *s, results *r, int with_cache) {
  forgetful own = {s, {NULL}, with_cache};
  const dpa_engine engine = {&own, submit, collect, sum, never, NULL};
  dpa_trace trace = results_trace(r, &s->plan);
  dpa_arena arena = {NULL, 0, 0};
  dpa_hub hub;
  place_hub(&hub, &s->plan, &arena);
  for (size_t i = 0; i < s->plan.parties; i++)
    own.party[i] = party_new(s, i);
  const dpa_status status = dpa_run(&hub, &engine, &s->key, &trace);
  for (size_t i = 0; i < s->plan.parties; i++)
    party_free(own.party[i]);
  free(arena.base);
  return status;
}
