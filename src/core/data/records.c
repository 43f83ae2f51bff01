#include "data/records.h"

#include "data/entries.h"
#include "data/kernels.h"
#include "spread.h"

#include <math.h>
#include <string.h>

#define BLOCK 1024 /* weights that are scaled at a time */
#define PART 256   /* column-major rows whose margins are summed at a time */

dpa_records dpa_records_part(const dpa_records *records, size_t first, size_t count) {
  dpa_records part = *records;
  part.n = count;
  if (count < records->n)
    part.longest = 0.0;
  if (part.y)
    part.y += first;
  if (part.sign)
    part.sign += first;
  if (part.dense)
    part.dense += part.lead ? first : first * part.d;
  else if (part.term)
    part.from += first;
  else
    part.row += first;
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
  if (records->dense)
    return records->n * records->d;
  return records->term ? dpa_terms_stored(records)
                       : (size_t)(records->row[records->n] - records->row[0]);
}

int dpa_worth_sharing(const dpa_records *records, int threads) {
  const size_t entries =
      records->term ? records->n * records->terms : dpa_records_stored(records);
  return entries < DPA_ALONE ? 1 : threads;
}

/* ---- passes ---------------------------------------------------------------------- */

/* Margins of column-major rows, in the order of dpa_rows_times(): four sums a row, and
 * the columns that are left over. */
static void column_margin(const dpa_records *r, const double *f, double *out) {
  double part[4][PART];
  for (size_t first = 0; first < r->n; first += PART) {
    const size_t m = r->n - first < PART ? r->n - first : PART;
    const double *x = r->dense + first;
    double *sum = out + first;
    size_t j = 0;
    memset(part, 0, sizeof part);
    for (; j + 4 <= r->d; j += 4)
      for (size_t lane = 0; lane < 4; lane++, x += r->lead)
        for (size_t k = 0; k < m; k++)
          part[lane][k] += x[k] * f[j + lane];
    for (size_t k = 0; k < m; k++)
      sum[k] = (part[0][k] + part[1][k]) + (part[2][k] + part[3][k]);
    for (; j < r->d; j++, x += r->lead)
      for (size_t k = 0; k < m; k++)
        sum[k] += x[k] * f[j];
  }
}

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
static void whole_margin(const dpa_records *r, const double *f, double *out) {
  if (r->term)
    dpa_terms_times(r, f, out);
  else if (r->lead)
    column_margin(r, f, out);
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
    if (rows.dense || rows.term)
      whole_margin(&rows, f, out + at);
    else
      DPA_EITHER_WIDTH(sparse_margin, &rows, f, out + at);
    dpa_passed(&rows);
  }
}

/* g += X' w, where row k is taken w[k] times as it is stored, in the order of
 * dpa_rows_add(): four rows at a time. */
static void column_gradient(const dpa_records *r, const double *w, double *g) {
  const size_t whole = r->n / 4 * 4;
  const double *x = r->dense;
  size_t j = 0;
  for (; j + 2 <= r->d; j += 2, x += 2 * r->lead) {
    const double *a = x, *b = x + r->lead;
    double ga = g[j], gb = g[j + 1];
    for (size_t k = 0; k < whole; k += 4) {
      const double *v = w + k;
      ga += v[0] * a[k] + v[1] * a[k + 1] + v[2] * a[k + 2] + v[3] * a[k + 3];
      gb += v[0] * b[k] + v[1] * b[k + 1] + v[2] * b[k + 2] + v[3] * b[k + 3];
    }
    for (size_t k = whole; k < r->n; k++) {
      ga += w[k] * a[k];
      gb += w[k] * b[k];
    }
    g[j] = ga;
    g[j + 1] = gb;
  }
  for (; j < r->d; j++, x += r->lead) {
    for (size_t k = 0; k < whole; k += 4)
      g[j] +=
          w[k] * x[k] + w[k + 1] * x[k + 1] + w[k + 2] * x[k + 2] + w[k + 3] * x[k + 3];
    for (size_t k = whole; k < r->n; k++)
      g[j] += w[k] * x[k];
  }
}

static void whole_gradient(const dpa_records *r, const double *w, double *g) {
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
    if (r->term)
      dpa_terms_add(&rows, times, g);
    else if (r->lead)
      column_gradient(&rows, times, g);
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
    if (rows.dense || rows.term)
      whole_gradient(&rows, w + at, g);
    else
      DPA_EITHER_WIDTH(sparse_gradient, &rows, w + at, g);
    dpa_passed(&rows);
  }
}

size_t dpa_hessian_room(const dpa_records *r) {
  return r->dense && r->lead ? r->d * DPA_HESSIAN_BLOCK : 0;
}

/* Rows first, ..., first + m - 1 one after the other: where they are, or copied. */
static const double *rows_of(const dpa_records *r, size_t first, size_t m,
                             double *block) {
  if (!r->lead)
    return r->dense + first * r->d;
  for (size_t j = 0; j < r->d; j++)
    for (size_t k = 0; k < m; k++)
      block[k * r->d + j] = r->dense[j * r->lead + first + k];
  return block;
}

typedef struct hessian_columns {
  const dpa_records *r;
  const double *w;
  size_t every; /* as many pieces, of every so many columns' groups */
  double *H, *block;
} hessian_columns;

/* All of a sum over rows belongs to one piece. */
static void hessian_piece(void *context, int own) {
  const hessian_columns *c = context;
  const dpa_records *r = c->r;
  const size_t d = r->d, n = r->n;
  double factor[DPA_HESSIAN_BLOCK];
  for (size_t start = 0; start < n; start += DPA_HESSIAN_BLOCK) {
    const size_t m = n - start < DPA_HESSIAN_BLOCK ? n - start : DPA_HESSIAN_BLOCK;
    const double *x = rows_of(r, start, m, c->block);
    for (size_t k = 0; k < m; k++) {
      const double scale = dpa_scale_of(r, start + k);
      factor[k] = c->w[start + k] * scale * scale;
    }
    for (size_t j = (size_t)own * DPA_SQUARE_COLUMNS; j < d;
         j += c->every * DPA_SQUARE_COLUMNS)
      dpa_rows_square(x, factor, m, d, j, c->H);
  }
}

/* Each piece reads all rows: so many at a time that they are still in the cache for the
 * next one, which has a thread of its own only where one has nothing else to do. */
#define HESSIAN_ENTRIES 32768

static void dense_hessian(const dpa_records *r, const double *w, int threads, double *H,
                          double *block) {
  const int pieces = r->lead ? 1 : dpa_worth_sharing(r, threads);
  const size_t blocks = r->d > 0 ? HESSIAN_ENTRIES / r->d / DPA_HESSIAN_BLOCK : 0,
               most = (blocks > 0 ? blocks : 1) * DPA_HESSIAN_BLOCK;
  for (size_t first = 0, m; first < r->n; first += m) {
    m = r->n - first < most ? r->n - first : most;
    const dpa_records part = dpa_records_part(r, first, m);
    hessian_columns columns = {&part, w + first, (size_t)pieces, H, block};
    dpa_spread(pieces, pieces, hessian_piece, &columns);
  }
}

/* What the entries of a row, times the weight, add to the lower triangle. Four
 * columns at once, so that an entry is read once for all of them; rows and columns of a
 * row are apart, so that no sum waits for another one. */
DPA_INLINE void add_square(const dpa_row *row, const int *col, const uint16_t *narrow,
                           double weight, double *H, size_t d) {
  const double *x = row->x;
  const size_t end = row->count;
  size_t at = 0;
  for (; end - at >= 4; at += 4) {
    const double wa = weight * x[at], wb = weight * x[at + 1], wc = weight * x[at + 2],
                 wd = weight * x[at + 3];
    const size_t ja = DPA_COLUMN(at), jb = DPA_COLUMN(at + 1), jc = DPA_COLUMN(at + 2);
    double *a = H + ja * d, *b = H + jb * d, *c = H + jc * d,
           *e = H + DPA_COLUMN(at + 3) * d;
    a[ja] += wa * x[at];
    a[jb] += wa * x[at + 1];
    b[jb] += wb * x[at + 1];
    a[jc] += wa * x[at + 2];
    b[jc] += wb * x[at + 2];
    c[jc] += wc * x[at + 2];
    for (size_t s = at + 3; s < end; s++) {
      const size_t j = DPA_COLUMN(s);
      const double pa = wa * x[s], pb = wb * x[s], pc = wc * x[s], pd = wd * x[s];
      a[j] += pa;
      b[j] += pb;
      c[j] += pc;
      e[j] += pd;
    }
  }
  for (; at < end; at++)
    for (size_t s = at; s < end; s++)
      H[DPA_COLUMN(at) * d + DPA_COLUMN(s)] += weight * x[at] * x[s];
}

static void sparse_hessian(const dpa_records *r, const double *w, double *H) {
  dpa_row_room room;
  for (size_t k = 0; k < r->n; k++) {
    const double scale = dpa_scale_of(r, k), weight = w[k] * scale * scale;
    if (weight == 0.0)
      continue;
    const dpa_row row = dpa_row_of(r, k, &room);
    DPA_EITHER_WIDTH(add_square, &row, weight, H, r->d);
  }
}

void dpa_records_add_hessian(const dpa_records *r, const double *w, int threads,
                             double *H, double *block) {
  dpa_blocks blocks = dpa_pass_blocks(r);
  dpa_records rows;
  DPA_COUNT(r->work, squares, r->n);
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    if (rows.dense)
      dense_hessian(&rows, w + at, threads, H, block);
    else
      sparse_hessian(&rows, w + at, H);
    dpa_passed(&rows);
  }
}

typedef struct diagonal_columns {
  const dpa_records *r;
  const double *w;
  size_t every; /* as many pieces, of as many columns each */
  double *h;
} diagonal_columns;

/* Of dense rows columns of its own, so that a sum over rows belongs to one piece. */
static void diagonal_piece(void *context, int own) {
  const diagonal_columns *c = context;
  const dpa_records *r = c->r;
  const size_t end = r->dense ? ((size_t)own + 1) * r->d / c->every : SIZE_MAX;
  dpa_row_room room;
  for (size_t k = 0; k < r->n; k++) {
    const dpa_row row = dpa_row_of(r, k, &room);
    const double scale = dpa_scale_of(r, k), weight = c->w[k] * scale * scale;
    for (size_t j = (size_t)own * r->d / c->every; j < row.count && j < end; j++) {
      const double x = row.x[j * row.stride];
      c->h[dpa_feature(&row, j)] += weight * x * x;
    }
  }
}

void dpa_records_add_diagonal(const dpa_records *r, const double *w, int threads,
                              double *h) {
  const int pieces = r->dense ? dpa_worth_sharing(r, threads) : 1;
  dpa_blocks blocks = dpa_pass_blocks(r);
  dpa_records rows;
  DPA_COUNT(r->work, diagonal, r->n);
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    diagonal_columns columns = {&rows, w + at, (size_t)pieces, h};
    dpa_spread(pieces, pieces, diagonal_piece, &columns);
    dpa_passed(&rows);
  }
}
