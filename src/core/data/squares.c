/* Squares of the rows, summed: the Hessian, and its diagonal. */
#include "data/columns.h"
#include "data/entries.h"
#include "data/kernels.h"
#include "spread.h"

/* Each piece reads all rows: so many at a time that they are still in the cache for the
 * next one, which has a thread of its own only where one has nothing else to do. */
#define HESSIAN_ENTRIES 32768

static size_t rows_at_once(const dpa_records *r) {
  const size_t blocks = HESSIAN_ENTRIES / r->d / DPA_HESSIAN_BLOCK;
  return (blocks > 0 ? blocks : 1) * DPA_HESSIAN_BLOCK;
}

size_t dpa_hessian_room(const dpa_records *r) {
  const size_t rows = r->whole            ? rows_at_once(r)
                      : dpa_by_columns(r) ? DPA_HESSIAN_BLOCK
                                          : 0;
  return r->d * (r->n < rows ? r->n : rows);
}

/* Rows first, ..., first + m - 1 one after the other: where they are, or copied. */
static const double *rows_of(const dpa_records *r, size_t first, size_t m,
                             double *block) {
  if (!dpa_by_columns(r))
    return r->dense + first * r->d;
  dpa_columns_rows(r, first, m, block);
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

static void dense_hessian(const dpa_records *r, const double *w, int threads, double *H,
                          double *block) {
  const int pieces = dpa_by_columns(r) ? 1 : dpa_worth_sharing(r, threads);
  const size_t most = rows_at_once(r);
  for (size_t first = 0, m; first < r->n; first += m) {
    m = r->n - first < most ? r->n - first : most;
    const dpa_records held = dpa_records_part(r, first, m),
                      part = dpa_whole_written(&held, block);
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
    if (dpa_is_dense(&rows))
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
  const size_t end = dpa_is_dense(r) ? ((size_t)own + 1) * r->d / c->every : SIZE_MAX;
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
  const int pieces = dpa_is_dense(r) ? dpa_worth_sharing(r, threads) : 1;
  dpa_blocks blocks = dpa_pass_blocks(r);
  dpa_records rows;
  DPA_COUNT(r->work, diagonal, r->n);
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    diagonal_columns columns = {&rows, w + at, (size_t)pieces, h};
    dpa_spread(pieces, pieces, diagonal_piece, &columns);
    dpa_passed(&rows);
  }
}
