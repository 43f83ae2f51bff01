/* The proximal root, samples, and users' states: DENSE, SHARED and TRACED are one
 * algorithm. */
#include "check.h"
#include "data/affine.h"
#include "data/pack.h"
#include "data/shorten.h"
#include "random/sample.h"
#include "rules/prox_glm.h"
#include "rules/store.h"
#include "setting.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_users(void);

static void check_roots(void) {
  const double targets[] = {0.0, 1e-300, 0.3, -2.0, 50.0, -700.0, 1e6, -1e12};
  const double weights[] = {0.0, 1e-8, 0.5, 3.0, 1e4, 1e10};
  for (size_t l = 0; l < dpa_losses_count; l++) {
    const dpa_loss *loss = dpa_losses[l];
    int same = 1, root = 1;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
      for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
        for (int label = -1; label <= 1; label += 2) {
          for (int start = 0; start < 3; start++) {
            const double y = label, target = targets[t], weight = weights[w];
            double m = start == 0 ? 0.0 : start == 1 ? 1e9 : NAN;
            double s = NAN, at = NAN, curvature;
            dpa_prox_glm(loss, 0.5, &y, &target, &weight, 1, &m, &s);
            loss->derivative(&m, &y, 1, 0.5, &at, &curvature);
            const double size = fabs(m) + fabs(weight * s) + fabs(target);
            same &= at == s;
            /* the root, to a few ulp of the margin and of the terms */
            const double steep = 1.0 + weight * loss->constants(0.5).curvature;
            root &= fabs(m + weight * s - target) <=
                    1e-15 * (4.0 * size + 2.0 * steep * fabs(m));
          }
        }
      }
    }
    CHECK(same);
    CHECK(root);
  }
}

static void check_samples(void) {
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 5);
  int out[6], count[6] = {0};
  size_t taken = 0;
  int increasing = 1;
  for (uint32_t k = 0; k < 6000; k++) {
    dpa_stream_init(&stream, &key, 0, k, DPA_SAMPLING);
    dpa_sample_fixed(&stream, 6, 2, out);
    increasing &= out[0] >= 0 && out[0] < out[1] && out[1] < 6;
    count[out[0]]++;
    count[out[1]]++;
    dpa_stream_init(&stream, &key, 1, k, DPA_SAMPLING);
    taken += dpa_sample_poisson(&stream, 6, 0.25, out);
  }
  CHECK(increasing);
  for (int i = 0; i < 6; i++)
    CHECK(fabs(count[i] - 2000.0) < 4.5 * sqrt(6000.0 * 2.0 / 9.0));
  CHECK(fabs((double)taken - 9000.0) < 4.5 * sqrt(36000.0 * 0.1875));
  dpa_stream_init(&stream, &key, 0, 1, DPA_SAMPLING);
  dpa_sample_fixed(&stream, 6, 6, out);
  for (int i = 0; i < 6; i++)
    CHECK(out[i] == i);
}

enum { USERS = 9, WIDE = 60, LONG = 25 };

typedef struct users_run {
  dpa_plan plan;
  int rule[LONG];
  double tol[LONG], parameter[DPA_PENALTY_PARAMETERS];
  double z[WIDE], iterates[WIDE * LONG], step[LONG];
} users_run;

/* A run without noise; answers where the states were kept, or -1. */
static int run_users(users_run *run, double lambda, size_t sample, double step_bound,
                     const dpa_records *records) {
  memset(run, 0, sizeof *run);
  dpa_plan *plan = &run->plan;
  dpa_key key;
  dpa_trace trace;
  dpa_key_from_seed(&key, 3);
  for (size_t k = 0; k < dpa_rules_count; k++)
    if (dpa_rules[k] == &dpa_rule_prox)
      for (size_t t = 0; t < LONG; t++)
        run->rule[t] = (int)k;
  plan->parties = 1;
  plan->threads = 1;
  plan->d = WIDE;
  plan->rounds = LONG;
  plan->relay = &dpa_relay_server;
  plan->loss = &dpa_loss_logistic;
  plan->clip = 0.4;
  plan->rule = run->rule;
  plan->tol = run->tol;
  plan->penalty = &dpa_penalty_none;
  plan->parameter = run->parameter;
  plan->server.users = USERS;
  plan->server.lambda = lambda;
  plan->server.gamma = 2.0;
  plan->server.step_bound = step_bound;
  plan->server.sample = sample;
  plan->server.public_key = key;
  memset(&trace, 0, sizeof trace);
  trace.f = run->z;
  trace.iterates = run->iterates;
  trace.kept = LONG;
  trace.step = run->step;
  const dpa_holding holding = {*records, USERS, NULL};
  if (run_plan(plan, &holding, &key, &trace, NULL, NULL) != DPA_OK)
    return -1;
  dpa_users users;
  memset(&users, 0, sizeof users);
  dpa_store_choose(&users, WIDE, lambda, 0, sample > 0, 0, step_bound);
  return (int)users.store;
}

static void check_same(const users_run *a, const users_run *b) {
  double off = 0.0, size = 0.0;
  for (size_t k = 0; k < WIDE * LONG; k++) {
    off = fmax(off, fabs(a->iterates[k] - b->iterates[k]));
    size = fmax(size, fabs(a->iterates[k]));
  }
  CHECK(off < 1e-13 && size > 1e-3);
}

/* SHARED and TRACED are DENSE, on packed records and in place. */
static void check_stores(void) {
  static double x[USERS * WIDE], packed[USERS * WIDE], y[USERS], scale[USERS],
      norm[USERS];
  static double norms[USERS];
  static users_run compact, dense;
  const dpa_recipe recipe = {1.0, 0, 0.0, NULL};
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 1);
  dpa_stream_init(&stream, &key, 0, 0, DPA_SAMPLING);
  for (size_t k = 0; k < USERS * WIDE; k++)
    x[k] = dpa_stream_uniform(&stream) - 0.5;
  for (size_t k = 0; k < USERS; k++)
    y[k] = k % 2 ? 1.0 : -1.0;
  dpa_records here = {.n = USERS,
                      .d = WIDE,
                      .y = y,
                      .dense = x,
                      .lead = USERS,
                      .scale = scale,
                      .norm = norm};
  dpa_measure(&here, 1.0, 1.0, 1, scale, norm);
  dpa_pack_dense(&(dpa_matrix){USERS, WIDE, x, NULL, NULL}, NULL, &recipe, 1, packed);
  dpa_records copy = {.n = USERS, .d = WIDE, .y = y, .dense = packed};
  dpa_records_norms(&copy, norms);
  copy.norm = norms;
  const dpa_records *layout[] = {&here, &copy};
  const double lambdas[] = {0.5, 0.4, 0.25, 0.7};
  for (size_t l = 0; l < 4; l++)
    for (size_t r = 0; r < 2; r++) {
      CHECK(run_users(&compact, lambdas[l], 0, INFINITY, layout[r]) == DPA_SHARED);
      CHECK(run_users(&dense, lambdas[l], 0, 1e300, &here) == DPA_DENSE);
      check_same(&compact, &dense);
      CHECK(run_users(&compact, lambdas[l], 4, INFINITY, layout[r]) == DPA_TRACED);
      CHECK(run_users(&dense, lambdas[l], 4, 1e300, &here) == DPA_DENSE);
      check_same(&compact, &dense);
    }
}

/* Several records of unlike lengths a user: each user's answer is its own, whoever was
 * solved before (a bound kept from another's records would let the tolerance slip). */
static void check_users_apart(void) {
  static const double x[] = {0.01, 0.0, 0.0, 0.01, 1.0, 0.0, 0.0, 1.0, 0.7, 0.7};
  static const double y[] = {1.0, -1.0, 1.0, -1.0, 1.0};
  static const int both[] = {2, 3}, last[] = {3};
  const double u[] = {0.4, -0.3, -0.9, 0.6}, none[DPA_PENALTY_PARAMETERS] = {0.0, 0.0};
  double together[4], alone[4];
  setting *s = soiled(sizeof *s);
  for (int one = 0; one < 2; one++) {
    setting_make(s, &dpa_relay_server, &dpa_rule_prox, &dpa_mechanism_gaussian, 1,
                 SEVERAL_RECORDS);
    const size_t skip = one ? 2 : 0;
    const dpa_records records = {
        .n = 5 - skip, .d = 2, .y = y + skip, .dense = x + 2 * skip};
    s->plan.d = 2;
    s->plan.clip = INFINITY;
    s->plan.mechanism = NULL;
    s->holding[0].records = records;
    s->holding[0].users = s->plan.server.users = one ? 1 : 2;
    s->holding[0].size = one ? last : both;
    dpa_party *party = party_new(s, 0);
    dpa_order order;
    dpa_plan_order(&s->plan, 0, 1, party->active, &order);
    order.tol = 1e-3;
    /* the second user's z is its own state here and there */
    double states[4] = {u[2], u[3], u[2], u[3]};
    CHECK(dpa_prox_operator(party, &order, &dpa_penalty_none, none, states,
                            one ? alone : together) == DPA_OK);
    party_free(party);
  }
  CHECK(together[2] == alone[0] && together[3] == alone[1]);
  free(s);
}

static int go_on(void *context, size_t done) {
  return context && done >= *(const size_t *)context;
}

/* Orders are permutations, all alike likely; walks are uniform; participation counts
 * the rounds' own samples, and can be stopped. */
static void check_orders(void) {
  enum { N = 4, WAYS = 24, TRIES = 4800, K = 30, M = 3, ALL = 10 };
  dpa_key key;
  dpa_stream stream;
  int out[N], seen[WAYS] = {0}, visits[N] = {0}, walk[TRIES], permutations = 1;
  dpa_key_from_seed(&key, 6);
  for (uint32_t t = 0; t < TRIES; t++) {
    dpa_stream_init(&stream, &key, 0, t, DPA_SAMPLING);
    dpa_permutation(&stream, N, out);
    int rank = 0, used = 0;
    for (int a = 0; a < N; a++) {
      int below = 0;
      for (int b = a + 1; b < N; b++)
        below += out[b] < out[a];
      rank = rank * (N - a) + below;
      used |= 1 << out[a];
    }
    permutations &= used == 15;
    seen[rank]++;
  }
  CHECK(permutations);
  double square = 0.0;
  for (int k = 0; k < WAYS; k++)
    square += pow(seen[k] - 200.0, 2.0) / 200.0;
  CHECK(chi_square_p(square, WAYS - 1) > 1e-3);
  dpa_stream_init(&stream, &key, 0, 1, DPA_SAMPLING);
  dpa_walk(&stream, N, TRIES, walk);
  for (int t = 0; t < TRIES; t++)
    visits[walk[t]]++;
  square = 0.0;
  for (int k = 0; k < N; k++)
    square += pow(visits[k] - 1200.0, 2.0) / 1200.0;
  CHECK(chi_square_p(square, N - 1) > 1e-3);
  int count[ALL], most[K], room[M], mine[ALL] = {0}, largest = 0, same = 1;
  CHECK(dpa_participation(&key, ALL, M, K, count, most, room, go_on, NULL) == DPA_OK);
  for (uint32_t t = 0; t < K; t++) {
    dpa_participants(&key, t + 1, ALL, M, room);
    for (int k = 0; k < M; k++)
      largest = ++mine[room[k]] > largest ? mine[room[k]] : largest;
    same &= most[t] == largest;
  }
  CHECK(same && memcmp(mine, count, sizeof mine) == 0);
  size_t stop = 4;
  CHECK(dpa_participation(&key, ALL, M, K, count, most, room, go_on, &stop) ==
        DPA_INTERRUPT);
}

static void check_affine(void) {
  const double A[] = {1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 0.0, 1.0, -2.0}; /* by columns */
  const double b[] = {1.0, 0.0, -1.0}, u[] = {2.0, -1.0, 3.0};
  const double expected[] = {4.0, 6.5, -5.0};
  const int all[] = {1, 2, 3}, part[] = {3, 1};
  double out[3];
  dpa_affine(A, b, u, 3, all, 3, out);
  for (size_t k = 0; k < 3; k++)
    CHECK_NEAR(out[k], expected[k], 0.0);
  dpa_affine(A, b, u, 3, part, 2, out);
  CHECK_NEAR(out[0], expected[2], 0.0);
  CHECK_NEAR(out[1], expected[0], 0.0);
  dpa_affine(A, b, u, 3, NULL, 0, out);
}

void test_users(void) {
  check_affine();
  check_roots();
  check_samples();
  check_stores();
  check_users_apart();
  check_orders();
}
