#include "data/columns.h"

#include "data/terms.h"

#include <string.h>

#define PART 256 /* rows whose margins are summed at a time */

/* Rows first, ..., first + n - 1 of column j: where they are, or in `room`. */
static const double *column(const dpa_records *r, size_t j, size_t first, size_t n,
                            double *room) {
  return r->full ? dpa_term_values(&r->term[j], r->from + first, n, room)
                 : r->dense + j * r->lead + first;
}

/* Four sums a row, and the columns that are left over. */
void dpa_columns_times(const dpa_records *r, const double *f, double *out) {
  double part[4][PART], room[PART];
  for (size_t first = 0; first < r->n; first += PART) {
    const size_t m = r->n - first < PART ? r->n - first : PART;
    double *sum = out + first;
    size_t j = 0;
    memset(part, 0, sizeof part);
    for (; j + 4 <= r->d; j += 4)
      for (size_t lane = 0; lane < 4; lane++) {
        const double *x = column(r, j + lane, first, m, room);
        for (size_t k = 0; k < m; k++)
          part[lane][k] += x[k] * f[j + lane];
      }
    for (size_t k = 0; k < m; k++)
      sum[k] = (part[0][k] + part[1][k]) + (part[2][k] + part[3][k]);
    for (; j < r->d; j++) {
      const double *x = column(r, j, first, m, room);
      for (size_t k = 0; k < m; k++)
        sum[k] += x[k] * f[j];
    }
  }
}

/* Four rows at a time, and two columns, whose sums are apart. */
void dpa_columns_add(const dpa_records *r, const double *w, double *g) {
  double room[2][DPA_COLUMN_ROWS];
  const size_t whole = r->n / 4 * 4;
  size_t j = 0;
  for (; j + 2 <= r->d; j += 2) {
    const double *a = column(r, j, 0, r->n, room[0]),
                 *b = column(r, j + 1, 0, r->n, room[1]);
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
  for (; j < r->d; j++) {
    const double *x = column(r, j, 0, r->n, room[0]);
    for (size_t k = 0; k < whole; k += 4)
      g[j] +=
          w[k] * x[k] + w[k + 1] * x[k + 1] + w[k + 2] * x[k + 2] + w[k + 3] * x[k + 3];
    for (size_t k = whole; k < r->n; k++)
      g[j] += w[k] * x[k];
  }
}

void dpa_columns_rows(const dpa_records *r, size_t first, size_t count, double *out) {
  double room[DPA_COLUMN_ROWS];
  for (size_t j = 0; j < r->d; j++) {
    const double *x = column(r, j, first, count, room);
    for (size_t k = 0; k < count; k++)
      out[k * r->d + j] = x[k];
  }
}
