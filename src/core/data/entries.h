/* Where a row's numbers are, for the passes over rows and for what is done row by row.
 */
#ifndef DPA_ENTRIES_H
#define DPA_ENTRIES_H

#include "clones.h"
#include "data/blocks.h"
#include "data/records.h"

#define DPA_PIECE 4096 /* rows of a mapped file between two words to its pager */

/* Where the entries of row k begin, and how far apart they are. */
static inline const double *dpa_entries(const dpa_records *r, size_t k, size_t *count,
                                        size_t *stride) {
  *stride = r->dense && r->lead ? r->lead : 1;
  *count = r->dense ? r->d : (size_t)(r->row[k + 1] - r->row[k]);
  return r->dense ? r->dense + (r->lead ? k : k * r->d) : r->val + r->row[k];
}

/* The feature of entry j of row k. */
static inline size_t dpa_feature(const dpa_records *r, size_t k, size_t j) {
  if (r->dense)
    return j;
  const size_t at = (size_t)r->row[k] + j;
  return r->narrow ? r->narrow[at] : (size_t)r->col[at];
}

/* A loop over entries, f(records, col, narrow, ...), in which their features are
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

/* All rows, for a pass: so many that it says so after each block. */
static inline dpa_blocks dpa_pass_blocks(const dpa_records *r) {
  return dpa_blocks_of(r, 0, r->n, r->pager && r->n > DPA_PIECE ? DPA_PIECE : r->n);
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
