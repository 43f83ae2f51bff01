/* Parties: every relay with every rule that it can run, found in the tables. A run that
 * is saved and loaded after every round is the run that was not; a round can be asked
 * for again and no other; rules say truly whether they read records and draw noise. */
#include "check.h"
#include "run/step.h"
#include "saved.h"
#include "setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_party(void);

static double distance(const results *a, const results *b) {
  double most = 0.0;
  for (size_t k = 0; k < PARTIES * D; k++)
    most = fmax(most, fabs(a->f[k] - b->f[k]));
  for (size_t k = 0; k < PARTIES * D * ROUNDS; k++)
    most = fmax(most, fabs(a->iterates[k] - b->iterates[k]));
  return most;
}

/* The same run in other ways. */
static void check_runs(const setting *s) {
  static results plain, again, saved;
  CHECK(setting_run(s, &plain) == DPA_OK);
  CHECK(setting_run(s, &again) == DPA_OK);
  CHECK(memcmp(&plain, &again, sizeof plain) == 0);
  CHECK(setting_run_saved(s, &saved, 1) == DPA_OK);
  CHECK(memcmp(&plain, &saved, sizeof plain) == 0);
  CHECK(setting_run_saved(s, &saved, 0) == DPA_OK);
  CHECK(distance(&plain, &saved) < 1e-6);
  setting *threads = soiled(sizeof *threads);
  memcpy(threads, s, sizeof *threads);
  threads->plan.threads = 2;
  CHECK(setting_run(threads, &again) == DPA_OK);
  CHECK(memcmp(&plain, &again, sizeof plain) == 0);
  free(threads);
  double moved = 0.0;
  for (size_t k = 0; k < PARTIES * D * ROUNDS; k++)
    moved = fmax(moved, fabs(plain.iterates[k]));
  CHECK(moved > 1e-3); /* something happened */
}

/* A round again: the same message, and nothing moves; one that is over: refused. */
static void check_rounds(const setting *s) {
  static const double inbox[D] = {0.1, -0.2, 0.3, 0.05},
                      other[D] = {9.0, 9.0, 9.0, 9.0};
  const uint32_t first = dpa_plan_first(&s->plan);
  dpa_party *party = party_new(s, 0);
  int same = 1, refused = 1, well = 1;
  for (uint32_t t = first; t <= ROUNDS; t++) {
    well &= party_step(party, &s->plan, t, inbox) == DPA_OK;
    unsigned char *before = soiled(party->state_size);
    memcpy(before, party->state, party->state_size);
    well &= party_step(party, &s->plan, t, other) == DPA_OK;
    same &= memcmp(before, party->state, party->state_size) == 0;
    const dpa_message message = dpa_party_message(party);
    well &= message.round == t && message.d == D && message.status == DPA_OK;
    if (t > first)
      refused &= dpa_party_begin(party, &s->plan, t - 1, inbox) == DPA_ARGUMENT;
    same &= memcmp(before, party->state, party->state_size) == 0;
    free(before);
  }
  refused &= dpa_party_begin(party, &s->plan, ROUNDS + 1, inbox) == DPA_ARGUMENT;
  CHECK(well);
  CHECK(same);
  CHECK(refused);
  party_free(party);
}

/* Who was late goes on with the round it is asked for; users remember every round. */
static void check_skips(const setting *s) {
  static const double inbox[D] = {0.1, -0.2, 0.3, 0.05};
  const uint32_t first = dpa_plan_first(&s->plan), late = first + 2;
  dpa_party *party = party_new(s, 0);
  CHECK(late <= ROUNDS);
  CHECK(party_step(party, &s->plan, first, inbox) == DPA_OK);
  const dpa_status status = party_step(party, &s->plan, late, inbox);
  if (s->plan.relay == &dpa_relay_server) {
    CHECK(status == DPA_ARGUMENT);
    CHECK(dpa_party_message(party).round == first);
  } else {
    CHECK(status == DPA_OK);
    CHECK(dpa_party_message(party).round == late);
    CHECK(dpa_party_begin(party, &s->plan, late - 1, inbox) == DPA_ARGUMENT);
  }
  party_free(party);
}

/* What is cut, changed or another party's is not loaded, and harms nothing. */
static void check_load(const setting *s) {
  static const double inbox[D] = {0.1, -0.2, 0.3, 0.05};
  const uint32_t first = dpa_plan_first(&s->plan);
  dpa_party *party = party_new(s, 0), *fresh = party_new(s, 0);
  CHECK(party_step(party, &s->plan, first, inbox) == DPA_OK);
  const size_t bytes = dpa_party_size(party, 1);
  unsigned char *saved = soiled(bytes);
  CHECK(dpa_party_save(party, 1, saved) == DPA_OK);
  int refused = 1;
  for (size_t cut = 0; cut < bytes; cut += 1 + bytes / 97)
    refused &= dpa_party_load(fresh, &s->plan, saved, cut) == DPA_ARGUMENT;
  for (size_t at = 0; at < bytes; at += 1 + bytes / 97) {
    saved[at] ^= 0x40;
    refused &= dpa_party_load(fresh, &s->plan, saved, bytes) == DPA_ARGUMENT;
    saved[at] ^= 0x40;
  }
  /* a round that there is not, though the sum is right */
  dpa_head head;
  memcpy(&head, saved + SAVED_HEAD, sizeof head);
  const uint32_t rounds[] = {first - 1, ROUNDS + 1};
  for (size_t k = 0; k < 2; k++) {
    head.round = rounds[k];
    memcpy(saved + SAVED_HEAD, &head, sizeof head);
    saved_sum_up(saved, bytes);
    refused &= dpa_party_load(fresh, &s->plan, saved, bytes) == DPA_ARGUMENT;
  }
  head.round = first;
  memcpy(saved + SAVED_HEAD, &head, sizeof head);
  saved_sum_up(saved, bytes);
  CHECK(refused);
  CHECK(party_step(fresh, &s->plan, first, inbox) == DPA_OK);
  CHECK(memcmp(fresh->message, party->message, D * sizeof(double)) == 0);
  if (s->plan.parties > 1) {
    dpa_party *other = party_new(s, 1);
    CHECK(dpa_party_load(other, &s->plan, saved, bytes) == DPA_ARGUMENT);
    party_free(other);
  }
  free(saved);
  party_free(party);
  party_free(fresh);
}

/* From one state, in the last round: whether the message depends on the records, and on
 * the key. */
static void check_honesty(const setting *s, const dpa_rule *rule) {
  static const double inbox[D] = {0.1, -0.2, 0.3, 0.05};
  dpa_party *party = party_new(s, 0);
  for (uint32_t t = dpa_plan_first(&s->plan); t < ROUNDS; t++)
    party_step(party, &s->plan, t, inbox);
  const size_t bytes = dpa_party_size(party, 0);
  unsigned char *saved = soiled(bytes);
  CHECK(dpa_party_save(party, 0, saved) == DPA_OK);
  setting *other = soiled(sizeof *other);
  memcpy(other, s, sizeof *other);
  for (size_t k = 0; k < RECORDS; k++) {
    other->y[0][k] = -s->y[0][k];
    other->x[0][k * D + D - 1] *= 0.5; /* curvature does not read labels */
  }
  other->holding[0].records.y = other->y[0];
  other->holding[0].records.dense = other->x[0];
  dpa_party *same = party_new(s, 0), *records = party_new(other, 0),
            *key = party_new(s, 0);
  CHECK(dpa_party_load(same, &s->plan, saved, bytes) == DPA_OK);
  CHECK(dpa_party_load(records, &s->plan, saved, bytes) == DPA_OK);
  CHECK(dpa_party_load(key, &s->plan, saved, bytes) == DPA_OK);
  dpa_key_from_seed(&key->key, 99);
  CHECK(party_step(same, &s->plan, ROUNDS, inbox) == DPA_OK);
  CHECK(party_step(records, &s->plan, ROUNDS, inbox) == DPA_OK);
  CHECK(party_step(key, &s->plan, ROUNDS, inbox) == DPA_OK);
  const size_t size = D * sizeof(double);
  CHECK((memcmp(same->message, records->message, size) != 0) == rule->reads_records);
  if (s->plan.output_scale || s->plan.relay != &dpa_relay_server)
    CHECK((memcmp(same->message, key->message, size) != 0) == (rule->draws != 0));
  free(saved);
  free(other);
  party_free(party);
  party_free(same);
  party_free(records);
  party_free(key);
}

static void check_relay(const dpa_relay *relay) {
  setting *s = soiled(sizeof *s);
  int rules = 0;
  FOR_RULES(relay, k) {
    const dpa_rule *rule = dpa_rules[k];
    rules++;
    for (size_t m = 0; m < dpa_mechanisms_count; m++) {
      setting_make(s, relay, rule, dpa_mechanisms[m], PARTIES, EVERYONE);
      check_runs(s);
    }
    check_rounds(s);
    check_skips(s);
    check_load(s);
    if (rule != &dpa_rule_sparse_vector) /* may be silent in the last round */
      check_honesty(s, rule);
  }
  CHECK(rules > 0);
  free(s);
}

/* Users, wherever their states are kept, behind one party and behind several. */
static void check_users(void) {
  static const taking all[] = {EVERYONE, SAMPLED, WALKING, CLIPPED_STEPS,
                               SEVERAL_RECORDS};
  setting *s = soiled(sizeof *s);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    for (size_t parties = 1; parties <= PARTIES; parties += PARTIES - 1) {
      setting_make(s, &dpa_relay_server, &dpa_rule_prox, &dpa_mechanism_gaussian,
                   parties, all[k]);
      check_runs(s);
      check_rounds(s);
      check_skips(s);
      check_load(s);
    }
  free(s);
}

/* One holder of all users, and several holders of some each: the same models, without
 * noise of the users' own. */
static void check_division(void) {
  static const taking all[] = {EVERYONE, SAMPLED, SEVERAL_RECORDS};
  static results apart, together;
  static double x[PARTIES * RECORDS * D], y[PARTIES * RECORDS], norm[PARTIES * RECORDS];
  static const int size[] = {2, RECORDS - 2, 2, RECORDS - 2, 2, RECORDS - 2};
  setting *s = soiled(sizeof *s);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    setting_make(s, &dpa_relay_server, &dpa_rule_prox, &dpa_mechanism_gaussian, PARTIES,
                 all[k]);
    for (size_t i = 0; i < PARTIES; i++)
      s->weight[i] = 1.0;
    CHECK(setting_run(s, &apart) == DPA_OK);
    for (size_t i = 0; i < PARTIES; i++) {
      memcpy(x + i * RECORDS * D, s->x[i], sizeof s->x[i]);
      memcpy(y + i * RECORDS, s->y[i], sizeof s->y[i]);
      memcpy(norm + i * RECORDS, s->norm[i], sizeof s->norm[i]);
    }
    const dpa_records whole = {
        .n = PARTIES * RECORDS, .d = D, .y = y, .dense = x, .norm = norm};
    s->holding[0].records = whole;
    s->holding[0].users *= PARTIES;
    s->holding[0].size = all[k] == SEVERAL_RECORDS ? size : NULL;
    s->plan.parties = 1;
    s->plan.server.first = NULL;
    CHECK(setting_run(s, &together) == DPA_OK);
    CHECK(distance(&apart, &together) < 1e-7);
  }
  free(s);
}

/* Users whose records are zero: z is half of the noise in their states, or the server's
 * noise, and these are unlike. */
static void check_server_stream(void) {
  static double z[2][D];
  setting *s = soiled(sizeof *s);
  for (int server = 0; server < 2; server++) {
    results r;
    setting_make(s, &dpa_relay_server, &dpa_rule_prox, &dpa_mechanism_gaussian, 1,
                 server ? EVERYONE : CLIPPED_STEPS);
    memset(s->x[0], 0, sizeof s->x[0]);
    dpa_records_norms(&s->holding[0].records, s->norm[0]);
    s->holding[0].users = s->plan.server.users = 1;
    s->holding[0].records.n = 1;
    s->plan.server.step_bound = server ? INFINITY : 1e9;
    s->plan.penalty = dpa_penalty_find("none");
    s->plan.rounds = 1;
    s->output[0] = s->server[0] = 1.0;
    CHECK(setting_run(s, &r) == DPA_OK);
    for (size_t j = 0; j < D; j++)
      z[server][j] = r.f[j] * (server ? 1.0 : 2.0);
  }
  int apart = 1;
  for (size_t j = 0; j < D; j++)
    for (size_t i = 0; i < D; i++)
      apart &= fabs(fabs(z[0][i]) - fabs(z[1][j])) > 1e-9;
  CHECK(apart);
  free(s);
}

void test_party(void) {
  for (size_t k = 0; k < dpa_relays_count; k++)
    check_relay(dpa_relays[k]);
  check_users();
  check_division();
  check_server_stream();
}
