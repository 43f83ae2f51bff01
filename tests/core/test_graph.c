/* Runs over a network on a path of three nodes with one squared-loss coefficient
 * each, where every update has a closed form; and its polls. */
#include "check.h"
#include "random/draw.h"
#include "setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_graph(void);

enum { NODES = 3, T = 8, SIZE = 4 };

static const int start[] = {0, 1, 3, 4}, neighbour[] = {1, 0, 2, 1};
static const double x[NODES][SIZE] = {
    {0.5, -0.2, 0.9, 0.1}, {-1.0, 0.3, 0.6, 0.8}, {0.7, 0.7, -0.4, 0.2}};
static const double y[NODES][SIZE] = {
    {1.0, 0.5, 2.0, -1.0}, {-1.5, 0.2, 1.0, 1.1}, {0.3, 1.4, -0.6, 0.0}};

typedef struct path_run {
  dpa_plan plan;
  dpa_holding holding[NODES];
  dpa_trace trace;
  dpa_key key;
  int rule[T];
  double eta[NODES * T], theta[NODES * T], objective[NODES * T], output[NODES * T];
  double gamma[NODES], tol[NODES * T], weight[NODES];
  double first[NODES], f[NODES], iterates[NODES * T], gap[T], step[T];
  size_t calls, stop; /* poll: how often called; stop at this call */
  size_t seen[1000];
} path_run;

static int watch(void *context, size_t done) {
  path_run *s = context;
  if (s->calls < 1000)
    s->seen[s->calls] = done;
  return ++s->calls == s->stop;
}

/* `cycle` 2: recycled even updates. Noise: 0 none, 1 in the objective, 2 on the output.
 */
static void prepare(path_run *s, int cycle, int noise) {
  memset(s, 0, sizeof *s);
  for (size_t i = 0; i < NODES; i++) {
    const dpa_records data = {.n = SIZE, .d = 1, .y = y[i], .dense = x[i]};
    s->holding[i].records = data;
    s->gamma[i] = 0.1 * (double)i;
    s->weight[i] = 0.5 + 0.25 * (double)i;
    s->first[i] = 0.3 - 0.2 * (double)i; /* a public start */
    for (size_t t = 0; t < T; t++) {
      const int exact = cycle == 1 || t % 2 == 0;
      const size_t at = t * NODES + i;
      s->rule[t] = exact ? 0 : 1;
      s->tol[at] = 1e-14;
      s->eta[at] = (0.5 + 0.1 * (double)i) * pow(1.1, (double)(t / 2));
      s->theta[at] = exact ? s->eta[at] : 0.0;
      s->objective[at] = exact && noise == 1 ? 2.0 + (double)i : 0.0;
      s->output[at] = exact && noise == 2 ? 3.0 + (double)i : 0.0;
    }
  }
  dpa_key_from_seed(&s->key, 5);
  const dpa_network network = {.nodes = NODES, .start = start, .neighbour = neighbour};
  dpa_plan *plan = &s->plan;
  plan->parties = NODES;
  plan->d = 1;
  plan->threads = 1;
  plan->rounds = T;
  plan->relay = &dpa_relay_graph;
  plan->loss = &dpa_loss_squared;
  plan->weight = s->weight;
  plan->ridge = 0.2;
  plan->clip = INFINITY;
  plan->rule = s->rule;
  plan->eta = s->eta;
  plan->theta = s->theta;
  plan->gamma = s->gamma;
  plan->tol = s->tol;
  plan->mechanism = noise ? &dpa_mechanism_gamma : NULL;
  plan->objective_scale = s->objective;
  plan->output_scale = s->output;
  plan->start = s->first;
  plan->network = network;
  s->trace.f = s->f;
  s->trace.iterates = s->iterates;
  s->trace.kept = T;
  s->trace.gap = s->gap;
  s->trace.step = s->step;
}

static dpa_status run(path_run *s) {
  return run_plan(&s->plan, s->holding, &s->key, &s->trace, watch, s);
}

static double noise_of(const path_run *s, size_t i, size_t t, dpa_purpose purpose,
                       double scale) {
  double draw = 0.0;
  dpa_key key;
  dpa_key_party(&s->key, (uint32_t)i, &key);
  if (purpose == DPA_NOISE_OBJECTIVE)
    dpa_draw(&dpa_mechanism_gamma, &key, 0, (uint32_t)t + 1, purpose, scale, &draw, 1);
  else
    dpa_release(&dpa_mechanism_gamma, &key, 0, (uint32_t)t + 1, purpose, scale, &draw,
                &draw, 1);
  return draw;
}

/* The algorithms as the paper writes them: the recycled update with the gradient at the
 * last solution computed again from the records. */
static void by_hand(const path_run *s, double out[T][NODES]) {
  double f[NODES], lambda[NODES] = {0.0}, last[NODES] = {0.0}, b[NODES] = {0.0};
  for (size_t i = 0; i < NODES; i++)
    f[i] = 0.3 - 0.2 * (double)i;
  for (size_t t = 0; t < T; t++) {
    double next[NODES];
    for (size_t i = 0; i < NODES; i++) {
      const size_t at = t * NODES + i;
      const double eta = s->eta[at];
      double pairs = 0.0, apart = 0.0, xx = 0.0, xy = 0.0, V = 0.0;
      for (int e = start[i]; e < start[i + 1]; e++) {
        pairs += f[i] + f[neighbour[e]];
        apart += f[i] - f[neighbour[e]];
        V += 1.0;
      }
      for (size_t k = 0; k < SIZE; k++) {
        xx += s->weight[i] * x[i][k] * x[i][k];
        xy += s->weight[i] * x[i][k] * y[i][k];
      }
      if (s->rule[t] == 0) {
        b[i] = noise_of(s, i, t, DPA_NOISE_OBJECTIVE, s->objective[at]);
        last[i] =
            (xy - 2.0 * lambda[i] - b[i] + eta * pairs) / (xx + 0.2 + 2.0 * eta * V);
        next[i] = last[i] + noise_of(s, i, t, DPA_NOISE_OUTPUT, s->output[at]);
      } else {
        /* what others know of it: the optimality condition, with the message f */
        const double sent = 2.0 * s->eta[at - NODES] * V * (last[i] - f[i]);
        const double gradient = xx * last[i] - xy + 0.2 * last[i] + b[i] + sent;
        next[i] = f[i] - (gradient + 2.0 * lambda[i] + eta * apart) /
                             (2.0 * eta * V + s->gamma[i]);
      }
    }
    memcpy(f, next, sizeof f);
    for (size_t i = 0; i < NODES; i++) {
      for (int e = start[i]; e < start[i + 1]; e++)
        lambda[i] += 0.5 * s->theta[t * NODES + i] * (f[i] - f[neighbour[e]]);
      out[t][i] = f[i];
    }
  }
}

static void check_trajectory(int cycle, int noise) {
  path_run *s = malloc(sizeof *s);
  if (!s)
    abort();
  double want[T][NODES];
  prepare(s, cycle, noise);
  CHECK(run(s) == DPA_OK);
  by_hand(s, want);
  int near = 1, ordered = 1;
  for (size_t t = 0; t < T; t++) {
    double mean = 0.0, gap = 0.0, step = 0.0;
    for (size_t i = 0; i < NODES; i++) {
      near &=
          fabs(s->iterates[i * T + t] - want[t][i]) <= 1e-12 * (1.0 + fabs(want[t][i]));
      const double before = t ? s->iterates[i * T + t - 1] : 0.3 - 0.2 * (double)i;
      step += pow(s->iterates[i * T + t] - before, 2.0) / NODES;
      mean += s->iterates[i * T + t] / NODES;
    }
    for (size_t i = 0; i < NODES; i++)
      gap += pow(s->iterates[i * T + t] - mean, 2.0) / NODES;
    near &= fabs(s->gap[t] - sqrt(gap)) <= 1e-12;
    near &= fabs(s->step[t] - sqrt(step)) <= 1e-12;
  }
  CHECK(near);
  for (size_t i = 0; i < NODES; i++)
    CHECK(s->f[i] == s->iterates[i * T + T - 1]);
  CHECK(s->trace.begun == T && s->trace.done == T);
  /* never out of order, and at least once before every iteration and at the end */
  size_t last = 0;
  for (size_t c = 0; c < s->calls; c++) {
    ordered &= s->seen[c] == last || s->seen[c] == last + 1;
    last = s->seen[c];
  }
  CHECK(ordered && last == T);
  free(s);
}

/* Stopped at any poll whatever: what was sent before is what a whole run sends. */
static void check_interrupts(void) {
  path_run *whole = malloc(sizeof *whole), *part = malloc(sizeof *part);
  if (!whole || !part)
    abort();
  prepare(whole, 2, 1);
  CHECK(run(whole) == DPA_OK);
  for (size_t stop = 1; stop <= whole->calls; stop++) {
    prepare(part, 2, 1);
    part->stop = stop;
    CHECK(run(part) == DPA_INTERRUPT);
    CHECK(part->calls == stop);
    const size_t done = part->trace.done, begun = part->trace.begun;
    CHECK(done == whole->seen[stop - 1]);
    CHECK(begun == done || begun == done + 1);
    int same = 1;
    for (size_t i = 0; i < NODES; i++) {
      for (size_t t = 0; t < done; t++)
        same &= part->iterates[i * T + t] == whole->iterates[i * T + t];
      for (size_t t = done; t < T; t++)
        same &= part->iterates[i * T + t] == 0.0; /* nothing unsent is shown */
      same &= part->f[i] ==
              (done ? whole->iterates[i * T + done - 1] : 0.3 - 0.2 * (double)i);
    }
    CHECK(same);
  }
  free(whole);
  free(part);
}

/* A node that cannot be solved stops the run with its status. */
static void check_failure(void) {
  path_run *s = malloc(sizeof *s);
  if (!s)
    abort();
  prepare(s, 1, 0);
  s->eta[2 * NODES + 1] = INFINITY;
  CHECK(run(s) == DPA_NUMERIC);
  CHECK(s->trace.done == 2 && s->trace.begun == 3);
  free(s);
}

void test_graph(void) {
  for (int cycle = 1; cycle <= 2; cycle++)
    for (int noise = 0; noise <= 2; noise++)
      check_trajectory(cycle, noise);
  check_interrupts();
  check_failure();
}
