#include "data/whole.h"

#include "data/kernels.h"

#define ROOM 4096 /* entries that are written out at a time */

void dpa_whole_rows(const dpa_records *r, size_t first, size_t count, double *out) {
  const size_t width = r->d - (r->fronted ? 1 : 0);
  dpa_whole_write(r->whole + first * width, count, width,
                  r->times ? r->times + first : NULL, r->fronted ? &r->front : NULL,
                  out);
}

/* Rows that are written out together: whole fours, in which gradients are summed. */
static size_t rows_at_once(const dpa_records *r) {
  return r->d > 0 ? ROOM / r->d / 4 * 4 : 4;
}

void dpa_whole_times(const dpa_records *r, const double *f, double *out) {
  double room[ROOM];
  const size_t most = rows_at_once(r);
  for (size_t first = 0; first < r->n; first += most) {
    const size_t m = r->n - first < most ? r->n - first : most;
    dpa_whole_rows(r, first, m, room);
    dpa_rows_times(room, m, r->d, f, out + first);
  }
}

void dpa_whole_add(const dpa_records *r, const double *w, double *g) {
  double room[ROOM];
  const size_t most = rows_at_once(r);
  for (size_t first = 0; first < r->n; first += most) {
    const size_t m = r->n - first < most ? r->n - first : most;
    dpa_whole_rows(r, first, m, room);
    dpa_rows_add(room, m, r->d, w + first, g);
  }
}

dpa_records dpa_whole_written(const dpa_records *records, double *room) {
  dpa_records rows = *records;
  if (rows.whole) {
    dpa_whole_rows(records, 0, rows.n, room);
    rows.whole = NULL;
    rows.dense = room;
  }
  return rows;
}
