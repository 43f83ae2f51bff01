#include "data/whole.h"

#include "data/kernels.h"

#define ROOM (4 * DPA_MOST_WHOLE) /* entries written out at a time: four rows fit */

void dpa_whole_rows(const dpa_records *r, size_t first, size_t count, double *out) {
  const size_t width = r->d - (r->fronted ? 1 : 0);
  dpa_whole_write(r->whole + first * width, count, width,
                  r->times ? r->times + first : NULL, r->fronted ? &r->front : NULL,
                  out);
}

/* The products with v or, `back`, X'v; whole fours of rows at a time, in which
 * gradients are summed. */
static void pass(const dpa_records *r, int back, const double *v, double *out) {
  double room[ROOM];
  const size_t most = ROOM / r->d / 4 * 4;
  for (size_t first = 0; first < r->n; first += most) {
    const size_t m = r->n - first < most ? r->n - first : most;
    dpa_whole_rows(r, first, m, room);
    if (back)
      dpa_rows_add(room, m, r->d, v + first, out);
    else
      dpa_rows_times(room, m, r->d, v, out + first);
  }
}

void dpa_whole_times(const dpa_records *r, const double *f, double *out) {
  pass(r, 0, f, out);
}

void dpa_whole_add(const dpa_records *r, const double *w, double *g) {
  pass(r, 1, w, g);
}

dpa_records dpa_whole_written(const dpa_records *records, double *room) {
  dpa_records rows = *records;
  if (rows.whole) {
    dpa_whole_rows(records, 0, rows.n, room);
    rows.whole = NULL;
    rows.times = NULL;
    rows.fronted = 0;
    rows.dense = room;
  }
  return rows;
}
