#include "data/records.h"

#include "data/columns.h"
#include "data/entries.h"
#include "data/kernels.h"
#include "data/whole.h"
#include "spread.h"

#include <math.h>
#include <string.h>

#define BLOCK DPA_COLUMN_ROWS /* weights that are scaled at a time */

dpa_records dpa_records_part(const dpa_records *records, size_t first, size_t count) {
  dpa_records part = *records;
  part.n = count;
  if (count < records->n) {
    part.longest = 0.0;
    part.counted = 0;
  }
  if (part.y)
    part.y += first;
  if (part.sign)
    part.sign += first;
  if (part.dense)
    part.dense += part.lead ? first : first * part.d;
  else if (part.whole)
    part.whole += first * (part.d - (part.fronted ? 1 : 0));
  else if (part.term)
    part.from += first;
  else
    part.row += first;
  if (part.times)
    part.times += first;
  if (part.kind)
    part.kind += first;
  else if (part.scale && !part.alike)
    part.scale += first;
  if (part.norm)
    part.norm += first;
  if (part.weight)
    part.weight += first;
  if (part.offset)
    part.offset += first;
  return part;
}

size_t dpa_records_stored(const dpa_records *records) {
  if (dpa_is_dense(records))
    return records->n * records->d;
  if (!records->term)
    return (size_t)(records->row[records->n] - records->row[0]);
  return records->counted ? records->counted : dpa_terms_stored(records);
}

void dpa_records_count(dpa_records *records) {
  if (records->term && !records->full)
    records->counted = dpa_records_stored(records);
}

int dpa_worth_sharing(const dpa_records *records, int threads) {
  const size_t entries =
      records->term ? records->n * records->terms : dpa_records_stored(records);
  return entries < DPA_ALONE ? 1 : threads;
}

/* ---- passes ---------------------------------------------------------------------- */

DPA_INLINE void sparse_margin(const dpa_records *r, const int *col,
                              const uint16_t *narrow, const double *f, double *out) {
  const int *row = r->row;
  const double *val = r->val;
  int at = row[0];
  for (size_t k = 0; k < r->n; k++) {
    const int end = row[k + 1];
    double sum = 0.0;
    for (; at < end; at++)
      sum += val[at] * f[DPA_COLUMN(at)];
    out[k] = sum * dpa_scale_of(r, k);
  }
}

/* Of rows that are dense or terms: first as they are stored. */
static void stored_margin(const dpa_records *r, const double *f, double *out) {
  if (dpa_by_columns(r))
    dpa_columns_times(r, f, out);
  else if (r->term)
    dpa_terms_times(r, f, out);
  else if (r->whole)
    dpa_whole_times(r, f, out);
  else
    dpa_rows_times(r->dense, r->n, r->d, f, out);
  if (r->scale)
    for (size_t k = 0; k < r->n; k++)
      out[k] *= dpa_scale_of(r, k);
}

void dpa_records_margin(const dpa_records *r, const double *f, double *out) {
  dpa_blocks blocks = dpa_pass_blocks(r);
  dpa_records rows;
  DPA_COUNT(r->work, times, r->n);
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    if (dpa_is_dense(&rows) || rows.term)
      stored_margin(&rows, f, out + at);
    else
      DPA_EITHER_WIDTH(sparse_margin, &rows, f, out + at);
    dpa_passed(&rows);
  }
}

static void stored_gradient(const dpa_records *r, const double *w, double *g) {
  double scaled[BLOCK];
  for (size_t first = 0; first < r->n; first += BLOCK) {
    const size_t m = r->n - first < BLOCK ? r->n - first : BLOCK;
    const dpa_records rows = dpa_records_part(r, first, m);
    const double *times = w + first;
    if (r->scale) {
      for (size_t k = 0; k < m; k++)
        scaled[k] = times[k] * dpa_scale_of(&rows, k);
      times = scaled;
    }
    if (dpa_by_columns(r))
      dpa_columns_add(&rows, times, g);
    else if (r->term)
      dpa_terms_add(&rows, times, g);
    else if (r->whole)
      dpa_whole_add(&rows, times, g);
    else
      dpa_rows_add(rows.dense, m, r->d, times, g);
  }
}

/* Four entries of a row at once: their columns are apart. */
DPA_INLINE void sparse_gradient(const dpa_records *r, const int *col,
                                const uint16_t *narrow, const double *w, double *g) {
  const int *row = r->row;
  const double *val = r->val;
  int at = row[0];
  for (size_t k = 0; k < r->n; k++) {
    const int end = row[k + 1];
    const double wk = w[k] * dpa_scale_of(r, k);
    for (; end - at >= 4; at += 4) {
      const double a = wk * val[at], b = wk * val[at + 1], c = wk * val[at + 2],
                   d = wk * val[at + 3];
      g[DPA_COLUMN(at)] += a;
      g[DPA_COLUMN(at + 1)] += b;
      g[DPA_COLUMN(at + 2)] += c;
      g[DPA_COLUMN(at + 3)] += d;
    }
    for (; at < end; at++)
      g[DPA_COLUMN(at)] += wk * val[at];
  }
}

void dpa_records_add_gradient(const dpa_records *r, const double *w, double *g) {
  dpa_blocks blocks = dpa_pass_blocks(r);
  dpa_records rows;
  DPA_COUNT(r->work, back, r->n);
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    if (dpa_is_dense(&rows) || rows.term)
      stored_gradient(&rows, w + at, g);
    else
      DPA_EITHER_WIDTH(sparse_gradient, &rows, w + at, g);
    dpa_passed(&rows);
  }
}
