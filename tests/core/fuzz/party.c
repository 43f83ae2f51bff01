/* Runs of every rule on records and orders of all sizes, and saved parties whose bytes
 * were changed: the program goes on, and what it says is finite or a status. */
#include "feed.h"
#include "run/step.h"
#include "saved.h"
#include "setting.h"

/* Records, weights and orders of any size within the ranges that R checks. */
static void disturb(setting *s, feed *from) {
  const size_t changes = feed_below(from, 12);
  s->plan.loss = dpa_losses[feed_below(from, dpa_losses_count)];
  s->plan.width = s->plan.loss->default_width;
  for (size_t k = 0; k < changes; k++) {
    const size_t i = feed_below(from, PARTIES), t = feed_below(from, PARTIES * ROUNDS);
    const double x = feed_finite(from), size = fmax(fabs(x), DBL_MIN);
    switch (feed_below(from, 10)) {
    case 0:
      s->x[i][t] = x;
      break;
    case 1:
      for (size_t j = 0; j < RECORDS * D; j++)
        s->x[i][j] *= fmin(size, 1e300);
      break;
    case 2:
      s->eta[t] = size;
      break;
    case 3:
      s->theta[t] = size;
      break;
    case 4:
      s->weight[i] = size;
      break;
    case 5:
      s->tol[t] = size;
      break;
    case 6:
      s->objective[t] = s->output[t] = size;
      break;
    case 7:
      s->plan.clip = fmax(size, 1e-280);
      break;
    case 8:
      s->plan.ridge = fabs(x);
      break;
    default:
      if (!s->plan.loss->constants(1.0).classification)
        s->y[i][t % RECORDS] = x;
    }
  }
  for (size_t i = 0; i < PARTIES; i++)
    dpa_records_norms(&s->holding[i].records, s->norm[i]);
}

static setting *choose(feed *from) {
  static setting s;
  const dpa_relay *relay = dpa_relays[feed_below(from, dpa_relays_count)];
  const dpa_rule *rule;
  do /* some rule has the layout */
    rule = dpa_rules[feed_below(from, dpa_rules_count)];
  while (rule->layout != relay->layout && from->left > 0);
  for (size_t k = 0; rule->layout != relay->layout; k++)
    rule = dpa_rules[k];
  const dpa_mechanism *mechanism =
      dpa_mechanisms[feed_below(from, dpa_mechanisms_count)];
  setting_make(&s, relay, rule, mechanism, PARTIES, (taking)feed_below(from, 5));
  disturb(&s, from);
  return &s;
}

static void reload(const setting *s, feed *from) {
  const dpa_plan *plan = &s->plan;
  const int with_cache = (int)feed_below(from, 2);
  uint32_t round = dpa_plan_first(plan);
  const uint32_t last = round + (uint32_t)feed_below(from, ROUNDS);
  double inbox[D];
  for (size_t j = 0; j < D; j++)
    inbox[j] = feed_finite(from);
  dpa_party *party = party_new(s, 0), *fresh = party_new(s, 0);
  while (round < last && party_step(party, plan, round, inbox) == DPA_OK)
    round++;
  const size_t bytes = dpa_party_size(party, with_cache);
  unsigned char *saved = soiled(bytes);
  if (dpa_party_save(party, with_cache, saved) == DPA_OK) {
    for (size_t k = feed_below(from, 9); k > 0; k--) {
      const size_t at = SAVED_HEAD + feed_below(from, bytes - SAVED_HEAD);
      saved[at] = (unsigned char)feed_byte(from);
    }
    saved_sum_up(saved, bytes);
    dpa_party_load(fresh, plan, saved, bytes);
    for (round = dpa_plan_first(plan); round <= ROUNDS; round++)
      party_step(fresh, plan, round, inbox);
  }
  free(saved);
  party_free(party);
  party_free(fresh);
}

/* Three ways to run a plan; with the cache kept, of the same bits. */
static void run(const setting *s) {
  static results plain, saved;
  const dpa_status status = setting_run(s, &plain);
  MUST(setting_run_saved(s, &saved, 1) == status);
  MUST(status != DPA_OK || memcmp(&plain, &saved, sizeof plain) == 0);
  for (size_t k = 0; status == DPA_OK && k < PARTIES * D; k++)
    MUST(isfinite(plain.f[k]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  feed from = {data, size};
  const int way = (int)feed_below(&from, 2);
  const setting *s = choose(&from);
  if (way)
    reload(s, &from);
  else
    run(s);
  return 0;
}
