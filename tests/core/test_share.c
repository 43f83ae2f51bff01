/* Parts of secure sums: what a party sends, to the step; the law of its noise; and runs
 * of every relay that can sum, with no noise but that. */
#include "check.h"
#include "random/draw.h"
#include "run/step.h"
#include "setting.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_share(void);

static const dpa_key key = {{7, 1, 3}};

static dpa_status share(uint32_t attempt, uint32_t round, const double *value,
                        int64_t *out) {
  return dpa_share(&dpa_mechanism_gaussian, &key, attempt, round, 0x1p-20, 1000, value,
                   out, D);
}

/* Against the noise of zeros: whole steps, rounded and cut. */
static void check_steps(void) {
  static const double zero[D] = {0};
  const double value[D] = {0x1p-20 * 5.4, -0x1p-20 * 3.6, 1e300, -1e300};
  const double odd[D] = {0.0, NAN, 0.0, 0.0}, far[D] = {INFINITY, 0.0, 0.0, 0.0};
  const int64_t whole[D] = {5, -4, INT64_C(1) << 62, -(INT64_C(1) << 62)};
  int64_t noise[D], sent[D], again[D], other[D];
  CHECK(share(0, 1, zero, noise) == DPA_OK);
  CHECK(share(0, 1, value, sent) == DPA_OK && share(0, 1, value, again) == DPA_OK);
  CHECK(memcmp(sent, again, sizeof sent) == 0);
  for (size_t j = 0; j < D; j++)
    CHECK(sent[j] - noise[j] == whole[j]);
  CHECK(share(1, 1, zero, other) == DPA_OK && memcmp(noise, other, sizeof noise) != 0);
  CHECK(share(0, 2, zero, other) == DPA_OK && memcmp(noise, other, sizeof noise) != 0);
  CHECK(share(0, 1, odd, sent) == DPA_NUMERIC && sent[0] == 0 && sent[3] == 0);
  CHECK(share(0, 1, far, sent) == DPA_NUMERIC);
  CHECK(dpa_share(&dpa_mechanism_gaussian, &key, 0, 1, 1.0, 0, zero, sent, D) ==
        DPA_ARGUMENT);
}

/* Of 9 parties' noise in one sum: normal, of three times the scale. */
static void check_law(void) {
  enum { SUMS = 20000, SUMMED = 9 };
  static double at[SUMS];
  static const double zero[D] = {0};
  double square = 0.0;
  for (uint32_t k = 0; k < SUMS; k++) {
    int64_t total = 0, one[D];
    for (uint32_t i = 0; i < SUMMED; i++) {
      CHECK(share(i, k, zero, one) == DPA_OK);
      total += one[0];
    }
    const double z = (double)total / 3000.0;
    square += z * z;
    at[k] = normal_cdf(z);
  }
  CHECK(ks_p(at, SUMS) > 1e-6);
  CHECK_NEAR(square / SUMS, 1.0, 5.0 * sqrt(2.0 / SUMS));
}

/* A run of these parties whose messages are summed, and no other noise. */
static void make_secure(setting *s, const dpa_relay *relay, const dpa_rule *rule,
                        taking taking) {
  setting_make(s, relay, rule, &dpa_mechanism_gaussian, PARTIES, taking);
  s->plan.objective_scale = s->plan.output_scale = s->plan.server.scale = NULL;
  s->plan.split.start_scale = NULL;
  s->plan.secure.grid = 0x1p-30;
  s->plan.secure.steps = 1 << 20;
}

static void check_runs(const dpa_relay *relay, const dpa_rule *rule, taking taking) {
  static results plain, other;
  setting *s = soiled(sizeof *s);
  make_secure(s, relay, rule, taking);
  CHECK(setting_run(s, &plain) == DPA_OK);
  CHECK(setting_run_saved(s, &other, 1) == DPA_OK); /* which adds from the last party */
  CHECK(memcmp(&plain, &other, sizeof plain) == 0);
  s->plan.threads = 2;
  CHECK(setting_run(s, &other) == DPA_OK);
  CHECK(memcmp(&plain, &other, sizeof plain) == 0);
  s->plan.secure.steps = 1 << 21;
  CHECK(setting_run(s, &other) == DPA_OK);
  CHECK(memcmp(&plain, &other, sizeof plain) != 0);
  /* without any noise, on any grid this fine, the run of plain sums */
  s->plan.secure.steps = 1;
  s->plan.secure.grid = 0x1p-45;
  CHECK(setting_run(s, &plain) == DPA_OK);
  s->plan.secure.grid = 0.0;
  CHECK(setting_run(s, &other) == DPA_OK);
  double most = 0.0;
  for (size_t j = 0; j < D; j++)
    most = fmax(most, fabs(plain.f[j] - other.f[j]));
  CHECK(most < 1e-9 && most > 0.0);
  free(s);
}

/* No part before a round, of a plain plan, or while a round is under way. */
static void check_when(void) {
  static const double inbox[D] = {0.1, -0.2, 0.3, 0.05};
  int64_t out[D], again[D];
  setting *s = soiled(sizeof *s);
  make_secure(s, &dpa_relay_descent, &dpa_rule_gradient, EVERYONE);
  dpa_party *party = party_new(s, 0);
  CHECK(dpa_party_share(party, &s->plan, 0, out) == DPA_ARGUMENT);
  CHECK(party_step(party, &s->plan, 1, inbox) == DPA_OK);
  CHECK(dpa_party_share(party, &s->plan, 0, out) == DPA_OK);
  CHECK(dpa_party_share(party, &s->plan, 0, again) == DPA_OK);
  CHECK(memcmp(out, again, sizeof out) == 0);
  for (size_t j = 0; j < D; j++) /* the message itself is not among it */
    CHECK((double)out[j] * 0x1p-30 != party->message[j]);
  s->plan.secure.grid = 0.0;
  CHECK(dpa_party_share(party, &s->plan, 0, out) == DPA_ARGUMENT);
  party_free(party);
  free(s);
}

void test_share(void) {
  check_steps();
  check_law();
  check_when();
  check_runs(&dpa_relay_split, &dpa_rule_gradient, EVERYONE);
  check_runs(&dpa_relay_descent, &dpa_rule_gradient, EVERYONE);
  check_runs(&dpa_relay_descent, &dpa_rule_block, EVERYONE);
  check_runs(&dpa_relay_server, &dpa_rule_prox, EVERYONE);
  check_runs(&dpa_relay_server, &dpa_rule_prox, SEVERAL_RECORDS);
}
