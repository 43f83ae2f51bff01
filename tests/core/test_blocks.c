/* Rows block by block: all of them in order, from where they are or as a pager reads
 * them, to its end or until it cannot go on. */
#include "check.h"
#include "data/blocks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void test_blocks(void);

/* A pager that copies pieces, and spoils each when the next one is asked for. */
typedef struct pager {
  size_t readings, ended, handed,
      stops; /* pieces: handed out, and after so many none */
} pager;

typedef struct reading {
  pager *pager;
  const double *from;
  size_t left, piece, here; /* numbers */
  double *copy;
} reading;

static void passed(void *context, const void *from, size_t bytes) {
  (void)context;
  (void)from;
  (void)bytes;
}

static void *begin(void *context, const void *from, size_t bytes, size_t piece) {
  reading *r = malloc(sizeof *r);
  if (!r)
    abort();
  *r =
      (reading){context, from, bytes / sizeof(double), piece / sizeof(double), 0, NULL};
  r->pager->readings++;
  return r;
}

static const double *next(void *context) {
  reading *r = context;
  for (size_t k = 0; k < r->here; k++)
    r->copy[k] = NAN;
  free(r->copy);
  r->copy = NULL;
  if (r->pager->handed == r->pager->stops)
    return NULL;
  r->pager->handed++;
  r->here = r->left < r->piece ? r->left : r->piece;
  CHECK(r->here > 0);
  r->copy = malloc(r->here * sizeof(double));
  if (!r->copy)
    abort();
  memcpy(r->copy, r->from, r->here * sizeof(double));
  r->from += r->here;
  r->left -= r->here;
  return r->copy;
}

static void end(void *context) {
  reading *r = context;
  r->pager->ended++;
  free(r->copy);
  free(r);
}

static double *numbers(size_t count) {
  double *x = malloc(count * sizeof *x + 1);
  if (!x)
    abort();
  for (size_t k = 0; k < count; k++)
    x[k] = sin((double)k);
  return x;
}

/* Every row from `first` to `end` once, in blocks of `step`; how many are not where the
 * records are. */
static size_t go_over(const dpa_records *data, size_t first, size_t last, size_t step) {
  dpa_blocks blocks = dpa_blocks_of(data, first, last, step);
  dpa_records rows;
  size_t expected = first, elsewhere = 0;
  int right = 1;
  for (size_t at; dpa_blocks_next(&blocks, &at, &rows);) {
    right &= at == expected && rows.n == (last - at < step ? last - at : step);
    right &= memcmp(rows.dense, data->dense + at * data->d,
                    rows.n * data->d * sizeof(double)) == 0;
    right &= rows.y == data->y + at;
    if (rows.dense != data->dense + at * data->d) {
      right &= rows.pager == NULL;
      elsewhere += rows.n;
    }
    expected += rows.n;
  }
  CHECK(right && expected == last);
  return elsewhere;
}

static void check_reading(size_t n, size_t d, size_t step, int reads) {
  double *x = numbers(n * d), *y = numbers(n);
  pager p = {.stops = SIZE_MAX};
  const dpa_pager paging = {passed, begin, next, end, &p};
  const dpa_records data = {.n = n, .d = d, .y = y, .dense = x, .pager = &paging};
  CHECK(go_over(&data, 0, n, step) == (reads ? n : 0));
  CHECK(p.readings == (size_t)reads && p.ended == p.readings);
  const size_t pieces = p.handed;
  CHECK(reads ? pieces > 1 : pieces == 0);
  CHECK(go_over(&data, n / 3, n / 3 + 1, step) == 0); /* not for so few */
  for (size_t stops = 0; stops <= pieces; stops++) {
    p = (pager){.stops = stops};
    const size_t elsewhere = go_over(&data, 0, n, step);
    CHECK(stops == pieces ? elsewhere == (reads ? n : 0) : elsewhere < n);
    CHECK(stops == 0 || elsewhere > 0);
    CHECK(p.ended == p.readings && p.handed == (reads ? stops : 0));
  }
  free(x);
  free(y);
}

/* Passes over rows that are read give what they give of rows in memory, to the last
 * bit. */
static void check_passes(size_t n, size_t d) {
  double *x = numbers(n * d), *w = numbers(n), *sum[2][4];
  pager p = {.stops = SIZE_MAX};
  const dpa_pager paging = {passed, begin, next, end, &p};
  const size_t size[4] = {n, n, d, d};
  for (int k = 0; k < 2; k++) {
    const dpa_records data = {.n = n, .d = d, .dense = x, .pager = k ? &paging : NULL};
    for (int s = 0; s < 4; s++)
      sum[k][s] = numbers(size[s]);
    dpa_measure(&data, 1.0, 1.0, 1 + k, sum[k][0], NULL);
    dpa_records_margin(&data, w, sum[k][1]);
    dpa_records_add_gradient(&data, w, sum[k][2]);
    dpa_records_add_diagonal(&data, sum[k][0], 1, sum[k][3]);
  }
  for (int s = 0; s < 4; s++) {
    CHECK(memcmp(sum[0][s], sum[1][s], size[s] * sizeof(double)) == 0);
    free(sum[0][s]);
    free(sum[1][s]);
  }
  CHECK(p.readings == 4 && p.ended == 4 && p.handed > 8);
  free(x);
  free(w);
}

void test_blocks(void) {
  check_reading(9000, 60, 128, 1);
  check_reading(9001, 60, 4096, 1);
  check_reading(3000, 999, 16, 1);
  check_reading(9, 1 << 18, 4, 1);
  check_reading(9, 1 << 18, 1, 1);
  check_reading(900, 60, 128, 0); /* it fits into a piece */
  check_reading(1, 60, 128, 0);
  check_passes(20000, 40);
}
