#include "ffi_plan.h"

#include "ffi_network.h"
#include "ffi_records.h"
#include "ffi_sparse_vector.h"
#include "random/discrete.h"
#include "run/relay.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Numbers that are more than 0, and a product of sizes that R could hold. */
#define LEAST 0x1p-1022
#define LEAST_BOUND 1e-280 /* see data/shorten.h */

static int fits(size_t a, size_t b) {
  return b == 0 || a < (size_t)R_XLEN_T_MAX / 16 / b;
}

static void read_sizes(ffi_reader *r, dpa_plan *plan) {
  plan->parties = (size_t)ffi_int(r, "parties", 1, INT_MAX - 1);
  plan->d = (size_t)ffi_int(r, "d", 1, INT_MAX - 1);
  plan->rounds = (size_t)ffi_int(r, "rounds", 0, INT_MAX - 1);
  plan->threads = ffi_threads(ffi_int(r, "threads", 1, 1024));
  ffi_check(r,
            fits(plan->parties, plan->rounds) && fits(plan->parties, plan->d) &&
                fits(plan->d, plan->rounds + 1),
            "rounds");
  plan->relay = dpa_relay_find(ffi_string(r, "relay"));
  ffi_check(r, plan->relay != NULL, "relay");
}

static void read_objective(ffi_reader *r, dpa_plan *plan) {
  const double inf = R_PosInf;
  plan->loss = dpa_loss_find(ffi_string(r, "loss"));
  ffi_check(r, plan->loss != NULL, "loss");
  plan->width = ffi_real(r, "width", 0.0, inf);
  plan->weight = ffi_reals(r, "weight", plan->parties);
  plan->ridge = ffi_real(r, "ridge", 0.0, inf);
  plan->clip = ffi_real(r, "clip", 0.0, inf);
  plan->reach = ffi_maybe_reals(r, "reach", plan->parties);
  plan->start = ffi_maybe_reals(
      r, "start", plan->d * (plan->relay && plan->relay->many ? plan->parties : 1));
  ffi_check(r, plan->clip >= LEAST_BOUND, "clip");
}

/* Scales of noise: not negative, and no NaN. */
static const double *read_scales(ffi_reader *r, const char *name, size_t length) {
  const double *scale = ffi_maybe_reals(r, name, length);
  int ok = 1;
  for (size_t k = 0; scale && k < length; k++)
    ok &= scale[k] >= 0.0;
  ffi_check(r, ok, name);
  return scale;
}

/* A scale of noise that a rule would not draw is an error: else a run without noise
 * could pass for a private one. */
static void check_drawn(ffi_reader *r, const dpa_plan *plan, const double *scale,
                        int where, const char *name) {
  int ok = 1;
  for (size_t t = 0; scale && t < plan->rounds; t++)
    for (size_t i = 0; i < plan->parties; i++)
      ok &= scale[t * plan->parties + i] == 0.0 ||
            (dpa_rules[plan->rule[t]]->draws & where) != 0;
  ffi_check(r, ok, name);
}

/* Noise in a node's objective is not exact: some on its message must be. */
static void check_exact(ffi_reader *r, const dpa_plan *plan, const char *name) {
  int ok = 1;
  for (size_t at = 0; plan->objective_scale && at < plan->parties * plan->rounds; at++)
    ok &= plan->objective_scale[at] == 0.0 ||
          (plan->output_scale && plan->output_scale[at] > 0.0);
  ffi_check(r, ok || plan->relay != &dpa_relay_graph, name);
}

/* Parts of a sum's noise instead of noise of a party's or the server's own. */
static void read_secure(ffi_reader *r, dpa_plan *plan) {
  ffi_reader secure = ffi_inner(r, "secure");
  plan->secure.grid = ffi_real(&secure, "grid", LEAST, R_PosInf);
  const double steps = ffi_real(&secure, "steps", 1.0, (double)DPA_DISCRETE_MOST);
  ffi_check(&secure, steps == floor(steps), "steps");
  plan->secure.steps = (uint64_t)steps;
  ffi_check(&secure, isfinite(plan->secure.grid) && !plan->relay->many, "grid");
  ffi_check(r, !secure.bad, "secure");
}

static void read_noise(ffi_reader *r, dpa_plan *plan) {
  static const char *const scales[] = {"objective_scale", "output_scale",
                                       "server_scale", "start_scale"};
  const size_t size = plan->parties * plan->rounds;
  int given = 0;
  for (size_t k = 0; k < sizeof scales / sizeof *scales; k++)
    given |= ffi_has(r, scales[k]);
  if (ffi_has(r, "secure")) {
    ffi_check(r, !given, "secure");
    read_secure(r, plan);
    given = 1;
  }
  ffi_check(r, given == ffi_has(r, "mechanism"), "mechanism");
  if (!given || r->bad)
    return;
  plan->mechanism = dpa_mechanism_find(ffi_string(r, "mechanism"));
  ffi_check(r, plan->mechanism != NULL, "mechanism");
  /* the parts of no other noise add up to its kind */
  ffi_check(r, !(plan->secure.grid > 0.0) || plan->mechanism == &dpa_mechanism_gaussian,
            "secure");
  plan->objective_scale = read_scales(r, scales[0], size);
  plan->output_scale = read_scales(r, scales[1], size);
  if (r->bad)
    return;
  check_drawn(r, plan, plan->objective_scale, DPA_DRAWS_OBJECTIVE, scales[0]);
  check_drawn(r, plan, plan->output_scale, DPA_DRAWS_OUTPUT, scales[1]);
  check_exact(r, plan, scales[1]);
  ffi_check(r, plan->relay == &dpa_relay_server || !ffi_has(r, scales[2]), scales[2]);
  ffi_check(r, plan->relay == &dpa_relay_split || !ffi_has(r, scales[3]), scales[3]);
}

static void read_orders(ffi_reader *r, SEXP keeper, dpa_plan *plan) {
  const size_t N = plan->parties, T = plan->rounds;
  plan->rule = ffi_ints(r, "rule", T, 0, (int)dpa_rules_count - 1);
  for (size_t t = 0; plan->rule && plan->relay && t < T; t++)
    ffi_check(r, dpa_rule_fits(dpa_rules[plan->rule[t]], plan->relay->layout), "rule");
  plan->eta = ffi_maybe_reals(r, "eta", N * T);
  plan->theta = ffi_maybe_reals(r, "theta", N * T);
  plan->gamma = ffi_maybe_reals(r, "gamma", N);
  plan->tol = ffi_maybe_reals(r, "tol", N * T);
  if (r->bad)
    return;
  read_noise(r, plan);
  for (size_t t = 0; plan->rule && t < T; t++)
    ffi_check(r,
              dpa_rules[plan->rule[t]] != &dpa_rule_sparse_vector || ffi_has(r, "test"),
              "test");
  if (ffi_has(r, "test")) {
    ffi_reader test = ffi_inner(r, "test");
    plan->test = ffi_tests(&test, keeper, N);
    ffi_check(r, !test.bad, "test");
  }
}

/* Moments are asked for after all other rounds. */
static void read_moments(ffi_reader *r, dpa_plan *plan) {
  plan->share = ffi_maybe_reals(r, "share", plan->parties);
  if (r->bad)
    return;
  const size_t moves = dpa_plan_moves(plan);
  const int graph = plan->relay == &dpa_relay_graph;
  ffi_check(r, (plan->share != NULL) == (graph && moves < plan->rounds), "share");
  plan->unit = ffi_maybe_reals(r, "unit", plan->rounds);
  for (size_t t = 0; plan->unit && t < plan->rounds; t++)
    ffi_check(r, plan->unit[t] >= LEAST && isfinite(plan->unit[t]), "unit");
  for (size_t t = 0; t < moves; t++)
    ffi_check(r, dpa_rule_moves(dpa_rules[plan->rule[t]]), "rule");
}

static void read_penalty(ffi_reader *r, dpa_plan *plan) {
  plan->penalty = dpa_penalty_find(ffi_string(r, "penalty"));
  ffi_check(r, plan->penalty != NULL, "penalty");
  plan->parameter = ffi_reals(r, "parameter", DPA_PENALTY_PARAMETERS);
}

static void read_server(ffi_reader *r, dpa_plan *plan) {
  dpa_server_plan *server = &plan->server;
  const int users = ffi_int(r, "users", 1, INT_MAX - 1);
  server->users = (size_t)users;
  server->lambda = ffi_real(r, "lambda", LEAST, 1.0);
  server->gamma = ffi_real(r, "prox_gamma", LEAST, R_PosInf);
  server->step_bound = ffi_real(r, "step_bound", LEAST_BOUND, R_PosInf);
  server->exact = ffi_flag(r, "exact");
  server->scale = plan->mechanism ? read_scales(r, "server_scale", plan->rounds) : NULL;
  server->sample = (size_t)ffi_int(r, "sample", 0, users);
  if (ffi_has(r, "walk"))
    server->walk = ffi_ints(r, "walk", plan->rounds, 0, users - 1);
  if (server->sample > 0)
    ffi_read_key(r, "public_key", &server->public_key);
  if (plan->parties > 1)
    server->first = ffi_ints(r, "first_user", plan->parties, 0, users - 1);
  ffi_check(r, plan->start == NULL, "start");
}

static void read_split(ffi_reader *r, SEXP keeper, dpa_plan *plan) {
  dpa_split_plan *split = &plan->split;
  ffi_reader A = ffi_inner(r, "A");
  SEXP x = ffi_field(&A, "x");
  ffi_reader slots = {x, NULL};
  SEXP dim =
      TYPEOF(x) == VECSXP ? ffi_field(&slots, "Dim") : Rf_getAttrib(x, R_DimSymbol);
  const int shaped =
      TYPEOF(dim) == INTSXP && Rf_xlength(dim) == 2 && INTEGER_RO(dim)[0] >= 0;
  if (!ffi_check(r, shaped && !A.bad, "A"))
    return;
  const size_t m = (size_t)INTEGER_RO(dim)[0];
  static const dpa_recipe as_is = {INFINITY, 0, 0.0, NULL};
  split->A = ffi_packed(&A, keeper, &as_is);
  ffi_check(r, !A.bad && split->A.d == plan->d, "A");
  split->b = ffi_reals(r, "b", m);
  split->c = ffi_reals(r, "c", m);
  split->weights = ffi_reals(r, "weights", m);
  split->eta = ffi_real(r, "split_eta", LEAST, R_PosInf);
  split->rho = ffi_real(r, "split_rho", LEAST, R_PosInf);
  split->gamma = ffi_real(r, "split_gamma", LEAST, R_PosInf);
  split->accelerated = ffi_flag(r, "accelerated");
  split->restart = ffi_flag(r, "restart");
  split->rising = ffi_flag(r, "rising");
  split->at_mean = ffi_has(r, "at_mean") && ffi_flag(r, "at_mean");
  split->inverse = ffi_maybe_reals(r, "inverse", plan->d * plan->d);
  if (plan->mechanism)
    split->start_scale = read_scales(r, "start_scale", plan->parties);
}

static void read_batch(ffi_reader *r, dpa_plan *plan) {
  dpa_descent_plan *descent = &plan->descent;
  descent->batch = DPA_BATCH_ALL;
  if (!ffi_has(r, "batch"))
    return;
  ffi_reader batch = ffi_inner(r, "batch");
  const char *kind = ffi_string(&batch, "kind");
  if (strcmp(kind, "poisson") == 0) {
    descent->batch = DPA_BATCH_POISSON;
    descent->batch_size = ffi_real(&batch, "size", 0.0, 1.0);
  } else {
    ffi_check(&batch, strcmp(kind, "fixed") == 0, "kind");
    descent->batch = DPA_BATCH_FIXED;
    descent->batch_size = ffi_int(&batch, "size", 0, INT_MAX);
  }
  ffi_check(r, !batch.bad, "batch");
}

static void read_descent(ffi_reader *r, dpa_plan *plan) {
  dpa_descent_plan *descent = &plan->descent;
  descent->step = ffi_reals(r, "step", plan->rounds);
  if (ffi_has(r, "block")) {
    descent->block = ffi_ints(r, "block", plan->d, 0, INT_MAX);
    descent->turn = ffi_ints(r, "turn", plan->rounds, 0, INT_MAX);
  }
  read_batch(r, plan);
}

const dpa_plan *ffi_plan(ffi_reader *r, SEXP keeper) {
  dpa_plan *plan = FFI_TAKE(keeper, dpa_plan, 1);
  memset(plan, 0, sizeof *plan);
  ffi_check(r, TYPEOF(r->list) == VECSXP, "spec");
  read_sizes(r, plan);
  if (r->bad)
    return plan;
  read_objective(r, plan);
  read_orders(r, keeper, plan);
  read_moments(r, plan);
  if (plan->relay == &dpa_relay_graph) {
    ffi_reader network = ffi_inner(r, "network");
    plan->network = ffi_network(&network, plan->parties);
    ffi_check(r, !network.bad, "network");
    return plan;
  }
  read_penalty(r, plan);
  if (plan->relay == &dpa_relay_server)
    read_server(r, plan);
  if (plan->relay == &dpa_relay_split)
    read_split(r, keeper, plan);
  if (plan->relay == &dpa_relay_descent)
    read_descent(r, plan);
  return plan;
}
