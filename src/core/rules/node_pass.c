#include "rules/node_pass.h"

#include "data/blocks.h"
#include "data/record_loss.h"
#include "spread.h"
#include "vector.h"

#include <string.h>

/* Sums: at most so many at a time, of at least so many rows each, and of at most
 * DPA_SUM_ROWS, which bounds their rounding. */
#define MOST_SUMS 64
#define LEAST_ROWS 128
/* A block: at most so many rows, and as few as have about so many entries. */
#define BLOCK 256
#define BLOCK_ENTRIES 32768

/* Clearing and adding up the sums must stay small next to the pass itself. */
static size_t most_sums(const dpa_records *data) {
  size_t sums = dpa_records_stored(data) / (4 * data->d);
  if (sums > data->n / LEAST_ROWS)
    sums = data->n / LEAST_ROWS;
  /* a power of two: as many for each of so many threads */
  size_t most = MOST_SUMS;
  while (most > 1 && most > sums)
    most /= 2;
  return most;
}

static size_t chunks_of(const dpa_records *data) {
  const size_t least = (data->n + DPA_SUM_ROWS - 1) / DPA_SUM_ROWS;
  const size_t most = most_sums(data);
  return most > least ? most : least;
}

void dpa_pass_layout(dpa_solver *s, dpa_arena *arena) {
  s->sums = most_sums(s->data);
  s->stride = (s->data->d + 16) / 8 * 8; /* no cache line belongs to two sums */
  if (s->data->d > SIZE_MAX / 16 / MOST_SUMS)
    arena->overflow = 1;
  s->sum = DPA_TAKE(arena, double, s->sums * s->stride);
}

static size_t block_rows(const dpa_records *data) {
  if (!dpa_is_dense(data) || data->lead)
    return BLOCK;
  const size_t rows = BLOCK_ENTRIES / data->d / 4 * 4;
  return rows > BLOCK ? BLOCK : rows < 16 ? 16 : rows;
}

static double sum_of(const double *x, size_t n) {
  double sum = 0.0;
  for (size_t k = 0; k < n; k++)
    sum += x[k];
  return sum;
}

/* One block, from row `at`: its part of the gradient is added to sum, that of the
 * directional derivative answered. */
static double block(const dpa_solver *s, dpa_pass pass, size_t at,
                    const dpa_records *rows, double *sum) {
  double trial[BLOCK], derivative[BLOCK], slope = 0.0;
  const double *margin = s->margin + at;
  if (pass == DPA_PASS_MEAN) {
    dpa_records_add_gradient(rows, s->along + at, sum);
    return sum_of(s->along + at, rows->n);
  }
  if (pass == DPA_PASS_POINT)
    dpa_records_margin(rows, s->f, s->margin + at);
  if (pass == DPA_PASS_STEP) {
    dpa_records_margin(rows, s->dir, s->along + at);
    for (size_t k = 0; k < rows->n; k++)
      trial[k] = margin[k] + s->along[at + k];
    margin = trial;
  }
  dpa_record_slopes(rows, s->loss, s->width, margin, derivative, NULL);
  if (pass == DPA_PASS_STEP)
    slope = dpa_dot(derivative, s->along + at, rows->n);
  dpa_records_add_gradient(rows, derivative, sum);
  return slope;
}

typedef struct pass_chunks {
  const dpa_solver *s;
  dpa_pass pass;
  size_t first, count; /* the chunk whose sum comes first, and how many there are */
  int last; /* of those at a time, that the pass begins with; -1: the first */
} pass_chunks;

/* The sum of a chunk, and behind it the directional derivative. */
static void chunk_sum(void *context, int piece) {
  const pass_chunks *c = context;
  const int k = c->last < 0 ? piece : c->last - piece;
  const dpa_solver *s = c->s;
  const size_t d = s->data->d;
  double *sum = s->sum + (size_t)k * s->stride;
  memset(sum, 0, (d + 1) * sizeof *sum);
  dpa_blocks blocks =
      dpa_blocks_of_chunk(s->data, c->first + (size_t)k, c->count, block_rows(s->data));
  dpa_records rows;
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);)
    sum[d] += block(s, c->pass, at, &rows, sum);
}

double dpa_solver_pass(dpa_solver *s, dpa_pass pass) {
  const size_t d = s->data->d;
  const int threads = dpa_worth_sharing(s->data, s->threads);
  /* every other pass goes back: what was read last is still in the cache */
  const int back = s->backwards;
  pass_chunks chunks = {.s = s, .pass = pass, .count = chunks_of(s->data)};
  const int mean = pass == DPA_PASS_MEAN;
  const double weight = mean ? 1.0 : s->weight; /* `along` has it */
  double slope = 0.0, *out = mean ? s->curvature + d : s->data_grad;
  memset(out, 0, d * sizeof *out);
  for (; chunks.first < chunks.count; chunks.first += s->sums) {
    const size_t left = chunks.count - chunks.first;
    const int m = (int)(left < s->sums ? left : s->sums);
    chunks.last = back ? m - 1 : -1;
    dpa_spread(m, threads, chunk_sum, &chunks);
    for (int k = 0; k < m; k++) {
      const double *sum = s->sum + (size_t)k * s->stride;
      for (size_t j = 0; j < d; j++)
        out[j] += sum[j];
      slope += sum[d];
    }
  }
  for (size_t j = 0; j < d; j++)
    out[j] *= weight;
  s->backwards = !back;
  return weight * slope;
}
