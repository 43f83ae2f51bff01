/* Where a row's numbers are, for the passes over rows and for what is done row by row.
 */
#ifndef DPA_ENTRIES_H
#define DPA_ENTRIES_H

#include "clones.h"
#include "data/blocks.h"
#include "data/columns.h"
#include "data/records.h"
#include "data/terms.h"
#include "data/whole.h"

#define DPA_PIECE 4096     /* rows of a mapped file between two words to its pager */
#define DPA_TERM_ROWS 1024 /* rows of terms at a time */

/* The entries of one row, `stride` apart; their features are 0, 1, ... where neither
 * `col` nor `narrow` has them. */
typedef struct dpa_row {
  const double *x;
  size_t count, stride;
  const int *col;
  const uint16_t *narrow;
} dpa_row;

/* Where a row of terms, or of whole numbers, is put together. */
typedef struct dpa_row_room {
  double x[DPA_MOST_TERMS];
  int col[DPA_MOST_TERMS];
} dpa_row_room;

static inline dpa_row dpa_row_of(const dpa_records *r, size_t k, dpa_row_room *room) {
  dpa_row row = {NULL, r->d, 1, NULL, NULL};
  if (r->dense) {
    row.x = r->dense + (r->lead ? k : k * r->d);
    row.stride = r->lead ? r->lead : 1;
  } else if (r->whole) {
    row.x = room->x;
    dpa_whole_rows(r, k, 1, room->x);
  } else if (r->full) {
    row.x = room->x;
    dpa_columns_rows(r, k, 1, room->x);
  } else if (r->term) {
    row.x = room->x;
    row.col = room->col;
    row.count = dpa_terms_row(r, k, room->x, room->col);
  } else {
    const int at = r->row[k];
    row.x = r->val + at;
    row.count = (size_t)(r->row[k + 1] - at);
    row.col = r->narrow ? NULL : r->col + at;
    row.narrow = r->narrow ? r->narrow + at : NULL;
  }
  return row;
}

/* The feature of entry j. */
static inline size_t dpa_feature(const dpa_row *row, size_t j) {
  return row->narrow ? row->narrow[j] : row->col ? (size_t)row->col[j] : j;
}

/* A loop over entries, f(records or row, col, narrow, ...), in which their features are
 * DPA_COLUMN(at): compiled once for each width of indices. */
#define DPA_COLUMN(at) (narrow ? (size_t)narrow[at] : (size_t)col[at])
#define DPA_EITHER_WIDTH(f, r, ...)                                                    \
  ((r)->narrow ? f(r, NULL, (r)->narrow, __VA_ARGS__)                                  \
               : f(r, (r)->col, NULL, __VA_ARGS__))

static inline double dpa_scale_of(const dpa_records *records, size_t k) {
  if (!records->scale)
    return 1.0;
  return records->scale[records->kind ? records->kind[k] : records->alike ? 0 : k];
}

/* All rows, for a pass: so many that it says so after each block, or that what belongs
 * to them stays in the cache while one term after the other is passed over. */
static inline dpa_blocks dpa_pass_blocks(const dpa_records *r) {
  const size_t step = r->pager ? DPA_PIECE : r->term ? DPA_TERM_ROWS : r->n;
  return dpa_blocks_of(r, 0, r->n, step < r->n ? step : r->n);
}

static inline void dpa_passed(const dpa_records *rows) {
  const dpa_pager *pager = rows->pager;
  if (!pager)
    return;
  const size_t stored = dpa_records_stored(rows);
  if (rows->dense) {
    pager->passed(pager->context, rows->dense, stored * sizeof(double));
    return;
  }
  pager->passed(pager->context, rows->val + rows->row[0], stored * sizeof(double));
  pager->passed(pager->context, rows->col + rows->row[0], stored * sizeof(int));
}

#endif
