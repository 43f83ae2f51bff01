#ifdef _OPENMP
#include <omp.h>
#endif

#include "driver_consensus.h"

#include "noise.h"
#include "prox_glm.h"
#include "sample.h"
#include "vector.h"

#include <math.h>
#include <string.h>

#define BLOCK 1024        /* users of a SHARED round at a time */
#define CHUNKS 64         /* at most so many partial sums of a SHARED round */
#define FORGOTTEN 0x1p-60 /* a weight that no sum of doubles can feel */

/* ---- layout ---------------------------------------------------------------------- */

/* Rounds back at which |1 - 2 lambda|^j is forgotten; 0 when it never is. */
static size_t memory_depth(double lambda) {
  const double keep = fabs(1.0 - 2.0 * lambda);
  if (keep == 0.0)
    return 1;
  if (keep >= 1.0)
    return 0;
  const double depth = ceil(log(FORGOTTEN) / log(keep)) + 1.0;
  return depth < 1e6 ? (size_t)depth : 0;
}

static dpa_states choose_states(const dpa_consensus *run) {
  if (!run->rows || run->walk || run->block_noise > 0.0 || isfinite(run->step_bound))
    return DPA_DENSE;
  if (run->sample == 0)
    return DPA_SHARED;
  const size_t depth = memory_depth(run->lambda);
  return depth > 0 && depth / 2 + 3 < run->d ? DPA_TRACED : DPA_DENSE;
}

void dpa_consensus_layout(dpa_consensus *run, dpa_arena *arena) {
  const size_t n = run->users, d = run->d;
  run->states = choose_states(run);
  run->mean = DPA_TAKE(arena, double, d);
  run->centre = DPA_TAKE(arena, double, d);
  run->sum = DPA_TAKE(arena, double, d);
  run->row = DPA_TAKE(arena, double, d);
  run->change = DPA_TAKE(arena, double, d);
  run->noise = DPA_TAKE(arena, double, d);
  if (run->rows)
    run->margin = DPA_TAKE(arena, double, n);
  if (run->sample > 0)
    run->active = DPA_TAKE(arena, int, run->sample);
  switch (run->states) {
  case DPA_DENSE:
    if (d != 0 && n > SIZE_MAX / d)
      arena->overflow = 1;
    else
      run->u = DPA_TAKE(arena, double, n *d);
    break;
  case DPA_SHARED:
    run->along = DPA_TAKE(arena, double, n);
    run->chunks = (n + BLOCK - 1) / BLOCK < CHUNKS ? (n + BLOCK - 1) / BLOCK : CHUNKS;
    run->stride = (d + 15) / 8 * 8; /* no cache line belongs to two chunks */
    if (d > SIZE_MAX / 16 / CHUNKS)
      arena->overflow = 1;
    run->partial = DPA_TAKE(arena, double, run->chunks * run->stride);
    break;
  case DPA_TRACED:
    run->depth = memory_depth(run->lambda);
    run->along = DPA_TAKE(arena, double, n);
    run->inner = DPA_TAKE(arena, double, n);
    run->parts = DPA_TAKE(arena, int, n);
    run->share = DPA_TAKE(arena, double, run->rounds + 1);
    if (n > SIZE_MAX / run->depth)
      arena->overflow = 1;
    else
      run->last = DPA_TAKE(arena, int, n * run->depth);
    break;
  }
  if (run->data) {
    size_t most = 0;
    for (size_t i = 1; i < n; i++)
      if (run->data[i].n > run->data[most].n)
        most = i;
    dpa_solver_layout(&run->solver, arena, &run->data[most], run->loss, run->width,
                      1.0);
  }
}

/* ---- the step of one user -------------------------------------------------------- */

/* A slope such that |slope| ||a|| <= bound. */
static double bounded_slope(double slope, double square, double bound) {
  if (slope * slope * square <= bound * bound)
    return slope;
  const double most = bound / sqrt(square);
  return slope > most ? most : slope < -most ? -most : slope;
}

static double one_slope(const dpa_consensus *run, size_t i, double target) {
  const double square = run->rows->square[i], weight = run->gamma * square;
  double slope;
  dpa_prox_glm(run->loss, run->width, run->rows->y + i, &target, &weight, 1,
               run->margin + i, &slope);
  return bounded_slope(slope, square, run->grad_bound);
}

/* run->change = x - z for a user whose state is u, by its record or its solver. */
static dpa_status user_step(dpa_consensus *run, size_t i, const double *z,
                            const double *u) {
  const size_t d = run->d;
  double *change = run->change;
  if (run->rows) {
    dpa_rows_copy(run->rows, i, run->row);
    double target = 0.0;
    for (size_t j = 0; j < d; j++)
      target += run->row[j] * (2.0 * z[j] - u[j]);
    const double pull = run->gamma * one_slope(run, i, target);
    for (size_t j = 0; j < d; j++)
      change[j] = z[j] - u[j] - pull * run->row[j];
  } else {
    dpa_solver *s = &run->solver;
    s->data = &run->data[i];
    s->weight = 1.0 / (double)run->data[i].n;
    s->known = s->curved = 0;
    s->pairs = 0;
    memcpy(s->f, z, d * sizeof *s->f);
    for (size_t j = 0; j < d; j++)
      run->row[j] = (u[j] - 2.0 * z[j]) / run->gamma;
    dpa_solver_start(s, 1.0 / run->gamma, run->row, run->tol);
    dpa_status status;
    do
      status = dpa_solver_advance(s);
    while (status == DPA_CONTINUE);
    if (status != DPA_OK)
      return status;
    for (size_t j = 0; j < d; j++)
      change[j] = 2.0 * z[j] - u[j] - s->f[j]; /* gamma g */
    const double length = dpa_norm(change, d), most = run->gamma * run->grad_bound;
    const double factor = length > most ? most / length : 1.0;
    for (size_t j = 0; j < d; j++)
      change[j] = z[j] - u[j] - factor * change[j];
  }
  if (isfinite(run->step_bound)) {
    const double length = dpa_norm(change, d);
    if (length > run->step_bound)
      for (size_t j = 0; j < d; j++)
        change[j] *= run->step_bound / length;
  }
  return DPA_OK;
}

static dpa_status dense_user(dpa_consensus *run, size_t i, size_t k, const double *z) {
  const size_t d = run->d;
  double *u = run->u + i * d, *change = run->change;
  const dpa_status status = user_step(run, i, z, u);
  if (status != DPA_OK)
    return status;
  for (size_t j = 0; j < d; j++)
    change[j] *= 2.0 * run->lambda;
  if (run->block_noise > 0.0) {
    dpa_rng rng;
    dpa_rng_init(&rng, run->key, (uint32_t)i, (uint32_t)(k + 1), DPA_NOISE_OUTPUT);
    dpa_noise_gaussian(&rng, run->lambda * run->block_noise, run->noise, d);
    for (size_t j = 0; j < d; j++)
      change[j] += run->noise[j];
  }
  const double share = 1.0 / (double)run->users;
  for (size_t j = 0; j < d; j++) {
    u[j] += change[j];
    run->mean[j] += share * change[j];
  }
  return DPA_OK;
}

/* ---- rounds ---------------------------------------------------------------------- */

/* The users of one chunk, whose new c_i a_i are summed. */
static void shared_chunk(const dpa_consensus *run, const double *towards,
                         size_t chunk) {
  const double keep = 1.0 - 2.0 * run->lambda;
  const double push = 2.0 * run->lambda * run->gamma;
  const size_t base = run->users / run->chunks, extra = run->users % run->chunks;
  const size_t start = chunk * base + (chunk < extra ? chunk : extra);
  const size_t end = start + base + (chunk < extra);
  double target[BLOCK], weight[BLOCK], slope[BLOCK];
  double *sum = run->partial + chunk * run->stride;
  memset(sum, 0, run->d * sizeof *sum);
  for (size_t first = start; first < end; first += BLOCK) {
    const size_t m = end - first < BLOCK ? end - first : BLOCK;
    const double *square = run->rows->square + first;
    double *along = run->along + first;
    dpa_rows_margin(run->rows, first, m, towards, target);
    for (size_t k = 0; k < m; k++) {
      target[k] -= along[k] * square[k];
      weight[k] = run->gamma * square[k];
    }
    dpa_prox_glm(run->loss, run->width, run->rows->y + first, target, weight, m,
                 run->margin + first, slope);
    for (size_t k = 0; k < m; k++) {
      along[k] =
          keep * along[k] - push * bounded_slope(slope[k], square[k], run->grad_bound);
      target[k] = along[k];
    }
    dpa_rows_add(run->rows, first, m, target, sum);
  }
}

/* All users in one pass: centre is the shared part w of the states. The number of
 * chunks depends on that of users alone and their sums are added in order, so the
 * result is the same for any number of threads. */
static void shared_round(dpa_consensus *run, const double *z) {
  const size_t d = run->d;
  const double keep = 1.0 - 2.0 * run->lambda;
  double *towards = run->change;
  for (size_t j = 0; j < d; j++)
    towards[j] = 2.0 * z[j] - run->centre[j];
  const int chunks = (int)run->chunks;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)                                          \
    num_threads(run->threads) if (run->threads > 1)
#endif
  for (int k = 0; k < chunks; k++)
    shared_chunk(run, towards, (size_t)k);
  memset(run->sum, 0, d * sizeof *run->sum);
  for (size_t k = 0; k < run->chunks; k++)
    for (size_t j = 0; j < d; j++)
      run->sum[j] += run->partial[k * run->stride + j];
  for (size_t j = 0; j < d; j++) {
    run->centre[j] = keep * run->centre[j] + 2.0 * run->lambda * z[j];
    run->mean[j] = run->centre[j] + run->sum[j] / (double)run->users;
  }
}

/* The users in run->active. Their u_i = w_i + c_i a_i are summed as run->share, the
 * weights of the z they remember, and run->sum, the rest. */
static void traced_round(dpa_consensus *run, size_t k, const double *z) {
  const size_t n = run->users, d = run->d, depth = run->depth;
  const double keep = 1.0 - 2.0 * run->lambda, twice = 2.0 * run->lambda;
  memset(run->sum, 0, d * sizeof *run->sum);
  memset(run->share, 0, (k + 1) * sizeof *run->share);
  for (size_t at = 0; at < run->sample; at++) {
    const size_t i = (size_t)run->active[at];
    const double square = run->rows->square[i];
    int *last = run->last + i * depth;
    dpa_rows_copy(run->rows, i, run->row);
    const double inner = dpa_dot(run->row, z, d);
    const double pull = run->gamma * one_slope(run, i, 2.0 * inner - run->inner[i]);
    const size_t parts = (size_t)run->parts[i];
    double weight = twice;
    for (size_t back = 1; back <= depth && back <= parts; back++) {
      run->share[last[(parts - back) % depth]] += weight;
      weight *= keep;
    }
    const double off = run->along[i] + pull;
    for (size_t j = 0; j < d; j++)
      run->sum[j] += off * run->row[j];
    run->inner[i] = keep * run->inner[i] + twice * (inner - pull * square);
    run->along[i] = keep * run->along[i] - twice * pull;
    last[parts % depth] = (int)k;
    run->parts[i]++;
  }
  /* mean += (2 lambda / n) sum of (z - u_i - gamma g_i) */
  for (size_t t = 0; t < k; t++)
    if (run->share[t] != 0.0)
      for (size_t j = 0; j < d; j++)
        run->sum[j] += run->share[t] * run->history[t * d + j];
  for (size_t j = 0; j < d; j++)
    run->mean[j] += twice / (double)n * ((double)run->sample * z[j] - run->sum[j]);
}

static dpa_status dense_round(dpa_consensus *run, size_t k, const double *z) {
  if (run->walk)
    return dense_user(run, (size_t)run->walk[k], k, z);
  const size_t count = run->sample > 0 ? run->sample : run->users;
  for (size_t at = 0; at < count; at++) {
    const size_t i = run->sample > 0 ? (size_t)run->active[at] : at;
    const dpa_status status = dense_user(run, i, k, z);
    if (status != DPA_OK)
      return status;
    if (run->data && at % 64 == 63 && run->poll(run->context, k))
      return DPA_INTERRUPT;
  }
  return DPA_OK;
}

static void reset(dpa_consensus *run) {
  const size_t n = run->users, d = run->d;
  memset(run->mean, 0, d * sizeof(double));
  memset(run->centre, 0, d * sizeof(double));
  if (run->margin)
    memset(run->margin, 0, n * sizeof(double));
  if (run->states == DPA_DENSE) {
    memset(run->u, 0, n * d * sizeof(double));
  } else {
    memset(run->along, 0, n * sizeof(double));
  }
  if (run->states == DPA_TRACED) {
    memset(run->inner, 0, n * sizeof(double));
    memset(run->parts, 0, n * sizeof(int));
  }
}

dpa_status dpa_consensus_run(dpa_consensus *run) {
  const size_t d = run->d;
  dpa_rng rng;
  run->begun = run->done = 0;
  reset(run);
  run->penalty->prox(run->mean, d, run->gamma, run->parameter, run->history);
  for (size_t k = 0; k < run->rounds; k++) {
    if (run->poll(run->context, k))
      return DPA_INTERRUPT;
    run->begun = k + 1;
    const double *z = run->history + k * d;
    if (run->sample > 0) {
      dpa_rng_init(&rng, run->key, 0, (uint32_t)(k + 1), DPA_SAMPLING);
      dpa_sample_fixed(&rng, run->users, run->sample, run->active);
    }
    dpa_status status = DPA_OK;
    switch (run->states) {
    case DPA_DENSE:
      status = dense_round(run, k, z);
      break;
    case DPA_SHARED:
      shared_round(run, z);
      break;
    case DPA_TRACED:
      traced_round(run, k, z);
      break;
    }
    if (status != DPA_OK)
      return status;
    double *next = run->history + (k + 1) * d;
    memcpy(next, run->mean, d * sizeof *next);
    if (run->mean_noise > 0.0) {
      dpa_rng_init(&rng, run->key, 0, (uint32_t)(k + 1), DPA_NOISE_OUTPUT);
      dpa_noise_gaussian(&rng, run->mean_noise, run->noise, d);
      for (size_t j = 0; j < d; j++)
        next[j] += run->noise[j];
    }
    run->penalty->prox(next, d, run->gamma, run->parameter, next);
    for (size_t j = 0; j < d; j++)
      if (!isfinite(next[j]))
        return DPA_NUMERIC;
    run->done = k + 1;
  }
  dpa_forget(&rng, sizeof rng);
  return run->poll(run->context, run->done) ? DPA_INTERRUPT : DPA_OK;
}

dpa_status dpa_consensus_operator(dpa_consensus *run, const double *u, double *out) {
  const size_t n = run->users, d = run->d;
  if (run->states != DPA_DENSE)
    return DPA_ARGUMENT;
  reset(run);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++)
      run->mean[j] += u[i * d + j] / (double)n;
  run->penalty->prox(run->mean, d, run->gamma, run->parameter, run->centre);
  for (size_t i = 0; i < n; i++) {
    const dpa_status status = user_step(run, i, run->centre, u + i * d);
    if (status != DPA_OK)
      return status;
    for (size_t j = 0; j < d; j++)
      out[i * d + j] = u[i * d + j] + 2.0 * run->change[j];
  }
  return DPA_OK;
}
