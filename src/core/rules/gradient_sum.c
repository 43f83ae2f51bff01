#include "rules/gradient_sum.h"

#include "data/blocks.h"
#include "data/record_loss.h"
#include "data/shorten.h"
#include "spread.h"

#include <math.h>
#include <string.h>

/* Rows whose margins and slopes are worked out together: their entries stay in cache
 * between the product with f and the product back. */
#define DPA_GRADIENT_BLOCK 128
/* At most so many partial sums, and each of at least so many rows. */
#define DPA_GRADIENT_CHUNKS 64
#define DPA_GRADIENT_ROWS 256

void dpa_gradient_layout(dpa_gradient *gradient, dpa_arena *arena) {
  const dpa_records *data = gradient->data;
  const size_t n = data->n, d = data->d;
  const size_t entries = dpa_records_stored(data);
  /* clearing and adding up the sums must stay small next to the pass itself */
  size_t chunks = entries / (4 * d);
  if (chunks > n / DPA_GRADIENT_ROWS)
    chunks = n / DPA_GRADIENT_ROWS;
  if (chunks > DPA_GRADIENT_CHUNKS)
    chunks = DPA_GRADIENT_CHUNKS;
  gradient->chunks = chunks > 0 ? chunks : 1;
  gradient->stride = (d + 15) / 8 * 8; /* no cache line belongs to two chunks */
  if (d > SIZE_MAX / 16 / DPA_GRADIENT_CHUNKS)
    arena->overflow = 1;
  gradient->partial = DPA_TAKE(arena, double, gradient->chunks * gradient->stride);
  gradient->norm = NULL;
  if (isfinite(gradient->clip) && !data->norm)
    gradient->norm = DPA_TAKE(arena, double, n);
}

void dpa_gradient_prepare(dpa_gradient *gradient) {
  if (gradient->norm)
    dpa_records_norms(gradient->data, gradient->norm);
}

typedef struct gradient_point {
  const dpa_gradient *gradient;
  const double *f;
} gradient_point;

static void chunk_sum(void *context, int k) {
  const gradient_point *point = context;
  const dpa_gradient *gradient = point->gradient;
  const dpa_records *data = gradient->data;
  double margin[DPA_GRADIENT_BLOCK], derivative[DPA_GRADIENT_BLOCK];
  const double *norm = data->norm ? data->norm : gradient->norm;
  double *sum = gradient->partial + (size_t)k * gradient->stride;
  memset(sum, 0, data->d * sizeof *sum);
  dpa_blocks blocks =
      dpa_blocks_of_chunk(data, (size_t)k, gradient->chunks, DPA_GRADIENT_BLOCK);
  dpa_records rows;
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    dpa_records_margin(&rows, point->f, margin);
    dpa_record_slopes(&rows, gradient->loss, gradient->width, margin, derivative, NULL);
    if (isfinite(gradient->clip))
      for (size_t row = 0; row < rows.n; row++)
        derivative[row] = dpa_clip(derivative[row], norm[at + row], gradient->clip);
    dpa_records_add_gradient(&rows, derivative, sum);
  }
}

void dpa_gradient_at(const dpa_gradient *gradient, const double *f, double *out) {
  gradient_point point = {gradient, f};
  dpa_spread((int)gradient->chunks,
             dpa_worth_sharing(gradient->data, gradient->threads), chunk_sum, &point);
  const size_t d = gradient->data->d;
  for (size_t j = 0; j < d; j++)
    out[j] = gradient->partial[j];
  for (size_t k = 1; k < gradient->chunks; k++) {
    const double *sum = gradient->partial + k * gradient->stride;
    for (size_t j = 0; j < d; j++)
      out[j] += sum[j];
  }
  for (size_t j = 0; j < d; j++)
    out[j] *= gradient->weight;
}
