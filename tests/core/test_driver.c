/* The decentralised driver on a path of three nodes with one squared-loss coefficient
 * each, where every update has a closed form; and its polls. */
#include "check.h"
#include "driver_decentralised.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_driver(void);

enum { NODES = 3, T = 8, RECORDS = 4 };

static const int start[] = {0, 1, 3, 4}, neighbour[] = {1, 0, 2, 1};
static const double x[NODES][RECORDS] = {
    {0.5, -0.2, 0.9, 0.1}, {-1.0, 0.3, 0.6, 0.8}, {0.7, 0.7, -0.4, 0.2}};
static const double y[NODES][RECORDS] = {
    {1.0, 0.5, 2.0, -1.0}, {-1.5, 0.2, 1.0, 1.1}, {0.3, 1.4, -0.6, 0.0}};

typedef struct setting {
  dpa_network network;
  dpa_schedule schedule;
  dpa_dataset data[NODES];
  dpa_decentralised run;
  dpa_trace trace;
  dpa_key key;
  int update[T];
  double eta[NODES * T], theta[NODES * T], objective[NODES * T], output[NODES * T];
  double gamma[NODES], tol[NODES], weight[NODES];
  double f[NODES], iterates[NODES * T], gap[T], step[T];
  size_t calls, stop; /* poll: how often called; stop at this call */
  size_t seen[1000];
  void *memory;
} setting;

static int watch(void *context, size_t done) {
  setting *s = context;
  if (s->calls < 1000)
    s->seen[s->calls] = done;
  return ++s->calls == s->stop;
}

/* `cycle` 2: recycled even updates. Noise: 0 none, 1 in the objective, 2 on the output.
 */
static void prepare(setting *s, int cycle, int noise, int threads) {
  memset(s, 0, sizeof *s);
  s->network.nodes = NODES;
  s->network.start = start;
  s->network.neighbour = neighbour;
  for (size_t i = 0; i < NODES; i++) {
    const dpa_dataset data = {RECORDS, 1, y[i], x[i], NULL, NULL, NULL};
    s->data[i] = data;
    s->gamma[i] = 0.1 * (double)i;
    s->tol[i] = 1e-14;
    s->weight[i] = 0.5 + 0.25 * (double)i;
    s->f[i] = 0.3 - 0.2 * (double)i; /* a public start */
    for (size_t t = 0; t < T; t++) {
      const int exact = cycle == 1 || t % 2 == 0;
      const size_t at = t * NODES + i;
      s->update[t] = exact ? 0 : 1;
      s->eta[at] = (0.5 + 0.1 * (double)i) * pow(1.1, (double)(t / 2));
      s->theta[at] = exact ? s->eta[at] : 0.0;
      s->objective[at] = exact && noise == 1 ? 2.0 + (double)i : 0.0;
      s->output[at] = exact && noise == 2 ? 3.0 + (double)i : 0.0;
    }
  }
  s->schedule.nodes = NODES;
  s->schedule.iterations = T;
  s->schedule.update = s->update;
  s->schedule.eta = s->eta;
  s->schedule.theta = s->theta;
  s->schedule.objective_scale = s->objective;
  s->schedule.output_scale = s->output;
  s->schedule.gamma = s->gamma;
  s->schedule.tol = s->tol;
  s->schedule.mechanism = noise ? &dpa_mechanisms[0] : NULL;
  dpa_key_from_seed(&s->key, 5);
  s->trace.f = s->f;
  s->trace.iterates = s->iterates;
  s->trace.gap = s->gap;
  s->trace.step = s->step;
  s->run.network = &s->network;
  s->run.schedule = &s->schedule;
  s->run.data = s->data;
  s->run.loss = &dpa_loss_squared;
  s->run.weight = s->weight;
  s->run.ridge = 0.2;
  s->run.key = &s->key;
  s->run.threads = threads;
  s->run.poll = watch;
  s->run.context = s;
  dpa_arena arena = {NULL, 0, 0};
  dpa_decentralised_layout(&s->run, &arena);
  const size_t needed = arena.used;
  s->memory = malloc(needed);
  if (!s->memory)
    abort();
  memset(s->memory, 0xa5, needed); /* nothing is read before it is written */
  arena.base = s->memory;
  arena.used = 0;
  dpa_decentralised_layout(&s->run, &arena);
  CHECK(arena.used == needed && !arena.overflow);
}

static double noise_of(const setting *s, size_t i, size_t t, uint32_t purpose,
                       double scale) {
  double draw = 0.0;
  dpa_rng rng;
  dpa_rng_init(&rng, &s->key, (uint32_t)i, (uint32_t)t + 1, purpose);
  if (scale > 0.0)
    dpa_mechanisms[0].draw(&rng, scale, &draw, 1);
  return draw;
}

/* The algorithms as the paper writes them: the recycled update with the gradient at the
 * last solution computed again from the records. */
static void by_hand(const setting *s, double out[T][NODES]) {
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
      for (size_t k = 0; k < RECORDS; k++) {
        xx += s->weight[i] * x[i][k] * x[i][k];
        xy += s->weight[i] * x[i][k] * y[i][k];
      }
      if (s->update[t] == 0) {
        b[i] = noise_of(s, i, t, DPA_NOISE_OBJECTIVE, s->objective[at]);
        last[i] =
            (xy - 2.0 * lambda[i] - b[i] + eta * pairs) / (xx + 0.2 + 2.0 * eta * V);
        next[i] = last[i] + noise_of(s, i, t, DPA_NOISE_OUTPUT, s->output[at]);
      } else {
        const double gradient = xx * last[i] - xy + 0.2 * last[i] + b[i];
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
  setting *s = malloc(sizeof *s);
  if (!s)
    abort();
  double want[T][NODES];
  prepare(s, cycle, noise, 1);
  CHECK(dpa_decentralised_run(&s->run, &s->trace) == DPA_OK);
  by_hand(s, want);
  for (size_t t = 0; t < T; t++) {
    double mean = 0.0, gap = 0.0, step = 0.0;
    for (size_t i = 0; i < NODES; i++) {
      CHECK_NEAR(s->iterates[i * T + t], want[t][i], 1e-12 * (1.0 + fabs(want[t][i])));
      const double before = t ? s->iterates[i * T + t - 1] : 0.3 - 0.2 * (double)i;
      step += pow(s->iterates[i * T + t] - before, 2.0) / NODES;
      mean += s->iterates[i * T + t] / NODES;
    }
    for (size_t i = 0; i < NODES; i++)
      gap += pow(s->iterates[i * T + t] - mean, 2.0) / NODES;
    CHECK_NEAR(s->gap[t], sqrt(gap), 1e-12);
    CHECK_NEAR(s->step[t], sqrt(step), 1e-12);
  }
  for (size_t i = 0; i < NODES; i++)
    CHECK(s->f[i] == s->iterates[i * T + T - 1]);
  CHECK(s->trace.begun == T && s->trace.done == T);
  /* never out of order, and at least once before every iteration and at the end */
  size_t last = 0;
  for (size_t c = 0; c < s->calls; c++) {
    CHECK(s->seen[c] == last || s->seen[c] == last + 1);
    last = s->seen[c];
  }
  CHECK(last == T);
  free(s->memory);
  free(s);
}

/* Stopped at any poll whatever: what was sent before is what a whole run sends. */
static void check_interrupts(void) {
  setting *whole = malloc(sizeof *whole), *part = malloc(sizeof *part);
  if (!whole || !part)
    abort();
  prepare(whole, 2, 1, 1);
  CHECK(dpa_decentralised_run(&whole->run, &whole->trace) == DPA_OK);
  for (size_t stop = 1; stop <= whole->calls; stop++) {
    prepare(part, 2, 1, 1);
    part->stop = stop;
    CHECK(dpa_decentralised_run(&part->run, &part->trace) == DPA_INTERRUPT);
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
    free(part->memory);
  }
  free(whole->memory);
  free(whole);
  free(part);
}

/* A node that cannot be solved stops the run with its status. */
static void check_failure(void) {
  setting *s = malloc(sizeof *s);
  if (!s)
    abort();
  prepare(s, 1, 0, 1);
  s->eta[2 * NODES + 1] = INFINITY;
  CHECK(dpa_decentralised_run(&s->run, &s->trace) == DPA_NUMERIC);
  CHECK(s->trace.done == 2 && s->trace.begun == 3);
  free(s->memory);
  free(s);
}

void test_driver(void) {
  for (int cycle = 1; cycle <= 2; cycle++)
    for (int noise = 0; noise <= 2; noise++)
      check_trajectory(cycle, noise);
  check_interrupts();
  check_failure();
}
