#ifdef _OPENMP
#include <omp.h>
#endif

#include "gradient.h"

#include "vector.h"

#include <math.h>
#include <string.h>

/* Rows whose margins and slopes are worked out together: their entries stay in cache
 * between the product with f and the product back. */
#define DPA_GRADIENT_BLOCK 128
/* At most so many partial sums, and each of at least so many rows. */
#define DPA_GRADIENT_CHUNKS 64
#define DPA_GRADIENT_ROWS 256

static dpa_dataset rows_from(const dpa_dataset *data, size_t first, size_t count) {
  dpa_dataset part = *data;
  part.n = count;
  part.y += first;
  if (part.dense)
    part.dense += first * data->d;
  else
    part.row += first;
  return part;
}

void dpa_gradient_layout(dpa_gradient *gradient, dpa_arena *arena) {
  const dpa_dataset *data = gradient->data;
  const size_t n = data->n, d = data->d;
  const size_t entries = data->dense ? n * d : data->row[n] - data->row[0];
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
  if (isfinite(gradient->clip))
    gradient->norm = DPA_TAKE(arena, double, n);
}

void dpa_gradient_prepare(dpa_gradient *gradient) {
  const dpa_dataset *data = gradient->data;
  if (!gradient->norm)
    return;
  for (size_t k = 0; k < data->n; k++) {
    const size_t first = data->dense ? k * data->d : data->row[k];
    const size_t last = data->dense ? first + data->d : data->row[k + 1];
    const double *x = data->dense ? data->dense : data->val;
    gradient->norm[k] = dpa_norm(x + first, last - first);
  }
}

/* A record's gradient is slope * x: shorten it to the bound, and by a little more than
 * the rounding of the norm. */
static void clip_slopes(double *slope, const double *norm, size_t n, double clip) {
  for (size_t k = 0; k < n; k++) {
    if (fabs(slope[k]) * norm[k] > clip)
      slope[k] = copysign(clip / norm[k] * (1.0 - 0x1p-40), slope[k]);
  }
}

static void chunk_sum(const dpa_gradient *gradient, const double *f, size_t chunk) {
  const dpa_dataset *data = gradient->data;
  const size_t n = data->n;
  const size_t base = n / gradient->chunks, extra = n % gradient->chunks;
  const size_t first = chunk * base + (chunk < extra ? chunk : extra);
  const size_t end = first + base + (chunk < extra);
  double margin[DPA_GRADIENT_BLOCK], slope[DPA_GRADIENT_BLOCK];
  double *sum = gradient->partial + chunk * gradient->stride;
  memset(sum, 0, data->d * sizeof *sum);
  for (size_t at = first; at < end; at += DPA_GRADIENT_BLOCK) {
    const size_t m = end - at < DPA_GRADIENT_BLOCK ? end - at : DPA_GRADIENT_BLOCK;
    const dpa_dataset rows = rows_from(data, at, m);
    dpa_dataset_margin(&rows, f, margin);
    gradient->loss->slope(margin, rows.y, m, gradient->width, slope, NULL);
    if (gradient->norm)
      clip_slopes(slope, gradient->norm + at, m, gradient->clip);
    dpa_dataset_add_gradient(&rows, slope, sum);
  }
}

void dpa_gradient_at(const dpa_gradient *gradient, const double *f, double *out) {
  const int chunks = (int)gradient->chunks;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)                                          \
    num_threads(gradient->threads) if (gradient->threads > 1)
#endif
  for (int k = 0; k < chunks; k++)
    chunk_sum(gradient, f, (size_t)k);
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
