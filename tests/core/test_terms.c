/* Rows as terms against the same rows as sparse ones, and of dense rows against these:
 * the same to the last bit. */
#include "check.h"
#include "data/records.h"
#include "random/key.h"

#include <stdlib.h>
#include <string.h>

void test_terms(void);

#define KINDS 7   /* of terms */
#define COLUMNS 3 /* the first ones have one feature: a constant, values, numbers */

typedef struct rows {
  size_t n, d, terms;
  dpa_term *term;
  int *row, *col;
  double *val, *w, *f;
  dpa_records as_terms, as_sparse;
} rows;

static double number(dpa_stream *s) {
  return dpa_stream_below(s, 5) == 0 ? 0.0 : 2.0 * dpa_stream_uniform(s) - 1.0;
}

static void draw_codes(dpa_stream *s, size_t n, size_t codes, dpa_term *t) {
  uint8_t *code = codes <= 256 ? get(n, sizeof *code) : NULL;
  uint16_t *wide = code ? NULL : get(n, sizeof *wide);
  for (size_t k = 0; k < n; k++) {
    const uint64_t c = dpa_stream_below(s, codes);
    if (code)
      code[k] = (uint8_t)c;
    else
      wide[k] = (uint16_t)c;
  }
  t->code = code;
  t->wide = wide;
}

static double *numbers(dpa_stream *s, size_t count) {
  double *x = get(count, sizeof *x);
  for (size_t k = 0; k < count; k++)
    x[k] = number(s);
  return x;
}

/* Answers how many features the term has. */
static size_t draw_term(dpa_stream *s, size_t n, int kind, int many, dpa_term *t) {
  const size_t levels = many ? 300 : 2 + dpa_stream_below(s, 9);
  if (kind == 0) /* a constant */
    return 1;
  if (kind == 1) { /* a number in two bytes or fewer */
    draw_codes(s, n, levels, t);
    t->value = numbers(s, levels);
    return 1;
  }
  if (kind == 2 || kind == 3) { /* a number, at levels */
    t->number = numbers(s, n);
    if (kind == 3)
      draw_codes(s, n, levels, t);
    return kind == 3 ? levels : 1;
  }
  if (kind == 4) { /* pairs of a feature and a value */
    int *place = get(levels, sizeof *place);
    draw_codes(s, n, levels, t);
    for (size_t c = 0; c < levels; c++)
      place[c] = (int)dpa_stream_below(s, 5);
    t->place = place;
    t->value = numbers(s, levels);
    return 5;
  }
  draw_codes(s, n, levels, t); /* levels, twice as likely */
  return levels;
}

static double entry(const dpa_term *t, size_t k, size_t *feature) {
  const size_t c = t->code ? t->code[k] : t->wide ? t->wide[k] : 0;
  if (t->place)
    *feature = t->first + (size_t)t->place[c];
  else
    *feature = t->first + (t->value ? 0 : c);
  return t->number ? t->number[k] : t->value ? t->value[c] : 1.0;
}

/* kinds: of which terms are drawn. */
static rows make(size_t n, size_t terms, int kinds, uint64_t seed) {
  rows r = {.n = n, .terms = terms};
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, seed);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  r.term = get(terms, sizeof *r.term);
  memset(r.term, 0, terms * sizeof *r.term);
  for (size_t q = 0; q < terms; q++) {
    r.term[q].first = r.d;
    r.d += draw_term(&stream, n, (int)dpa_stream_below(&stream, (uint64_t)kinds),
                     q == seed % 4, &r.term[q]);
  }
  r.row = get(n + 1, sizeof *r.row);
  r.col = get(n * terms, sizeof *r.col);
  r.val = get(n * terms, sizeof *r.val);
  int at = 0;
  for (size_t k = 0; k < n; k++) {
    r.row[k] = at;
    for (size_t q = 0; q < terms; q++) {
      size_t feature;
      const double x = entry(&r.term[q], k, &feature);
      r.col[at] = (int)feature;
      r.val[at] = x;
      at += x != 0.0;
    }
  }
  r.row[n] = at;
  r.w = numbers(&stream, n);
  r.f = numbers(&stream, r.d);
  const dpa_records as_terms = {.n = n, .d = r.d, .term = r.term, .terms = terms};
  const dpa_records sparse = {
      .n = n, .d = r.d, .row = r.row, .col = r.col, .val = r.val};
  r.as_terms = as_terms;
  r.as_sparse = sparse;
  return r;
}

static void drop(rows *r) {
  for (size_t q = 0; q < r->terms; q++) {
    free((void *)(uintptr_t)r->term[q].code);
    free((void *)(uintptr_t)r->term[q].wide);
    free((void *)(uintptr_t)r->term[q].place);
    free((void *)(uintptr_t)r->term[q].value);
    free((void *)(uintptr_t)r->term[q].number);
  }
  free(r->term);
  free(r->row);
  free(r->col);
  free(r->val);
  free(r->w);
  free(r->f);
}

typedef void pass(const dpa_records *records, const rows *r, double *out);

static void margin(const dpa_records *records, const rows *r, double *out) {
  dpa_records_margin(records, r->f, out);
}
static void gradient(const dpa_records *records, const rows *r, double *out) {
  dpa_records_add_gradient(records, r->w, out);
}
static void diagonal(const dpa_records *records, const rows *r, double *out) {
  dpa_records_add_diagonal(records, r->w, 2, out);
}
static void hessian(const dpa_records *records, const rows *r, double *out) {
  double *block = get(records->d * DPA_HESSIAN_BLOCK, sizeof *block);
  dpa_records_add_hessian(records, r->w, 2, out, block);
  free(block);
}
static void norms(const dpa_records *records, const rows *r, double *out) {
  (void)r;
  dpa_records_norms(records, out);
}
static void measure(const dpa_records *records, const rows *r, double *out) {
  double *scale = get(records->n, sizeof *scale);
  (void)r;
  dpa_measure(records, 0.7, 0.8, 2, scale, out);
  for (size_t k = 0; k < records->n; k++)
    out[k] += scale[k];
  free(scale);
}
static void each_row(const dpa_records *records, const rows *r, double *out) {
  double *row = get(records->d, sizeof *row), some[4];
  int at[4], gathered = 1;
  for (size_t a = 0; a < 4; a++)
    at[a] = (int)(a * records->d / 4);
  for (size_t k = 0; k < records->n; k++) {
    dpa_records_copy(records, k, row);
    dpa_records_gather(records, k, at, records->d < 4 ? 0 : 4, some);
    for (size_t a = 0; records->d >= 4 && a < 4; a++)
      gathered &= some[a] == row[at[a]];
    for (size_t j = 0; j < records->d; j++)
      out[j] += (double)(k + 1) * row[j];
    dpa_records_add_row(records, k, dpa_records_dot(records, k, r->f), out);
  }
  CHECK(gathered);
  free(row);
}

static void check_same(const rows *r, const dpa_records *a, const dpa_records *b) {
  static pass *const passes[] = {margin, gradient, diagonal, hessian,
                                 norms,  measure,  each_row};
  const size_t room = (r->d > r->n ? r->d : r->n) * r->d + r->n;
  double *x = get(room, sizeof *x), *y = get(room, sizeof *y);
  CHECK(dpa_records_stored(a) == dpa_records_stored(b));
  dpa_records counted = *a;
  dpa_records_count(&counted);
  CHECK(dpa_records_stored(&counted) == dpa_records_stored(b));
  counted = dpa_records_part(&counted, 0, a->n / 2);
  const dpa_records half = dpa_records_part(b, 0, b->n / 2);
  CHECK(dpa_records_stored(&counted) == dpa_records_stored(&half));
  CHECK(dpa_records_longest(a) == dpa_records_longest(b));
  for (size_t p = 0; p < sizeof passes / sizeof *passes; p++) {
    for (size_t j = 0; j < room; j++)
      x[j] = y[j] = 1.0 / (double)(j + 3);
    passes[p](a, r, x);
    passes[p](b, r, y);
    CHECK(memcmp(x, y, room * sizeof *x) == 0);
  }
  free(x);
  free(y);
}

/* Terms that are the columns of dense rows. */
static void check_columns(size_t n, size_t d, uint64_t seed) {
  rows r = make(n, d, COLUMNS, seed);
  double *dense = get(n * d, sizeof *dense);
  for (size_t k = 0; k < n; k++)
    for (size_t q = 0; q < d; q++) {
      size_t feature;
      dense[k * d + q] = entry(&r.term[q], k, &feature);
    }
  const dpa_records rows = {.n = n, .d = d, .dense = dense};
  r.as_terms.full = 1;
  check_same(&r, &r.as_terms, &rows);
  const dpa_records a = dpa_records_part(&r.as_terms, n / 3, n - n / 3);
  const dpa_records b = dpa_records_part(&rows, n / 3, n - n / 3);
  check_same(&r, &a, &b);
  free(dense);
  drop(&r);
}

void test_terms(void) {
  static const size_t sizes[] = {1, 5, 1025, 1500};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t terms = 1; terms < 16; terms += 4) {
      rows r = make(sizes[s], terms, KINDS, 100 * s + terms);
      const double scale[2] = {0.5, 0.75};
      uint8_t *kind = get(r.n, sizeof *kind);
      check_same(&r, &r.as_terms, &r.as_sparse);
      for (size_t k = 0; k < r.n; k++)
        kind[k] = k % 3 == 1;
      r.as_terms.scale = r.as_sparse.scale = scale;
      r.as_terms.kind = r.as_sparse.kind = kind;
      check_same(&r, &r.as_terms, &r.as_sparse);
      /* a part of a part */
      const size_t first = r.n / 3, count = r.n - first;
      dpa_records a = dpa_records_part(&r.as_terms, first, count);
      dpa_records b = dpa_records_part(&r.as_sparse, first, count);
      check_same(&r, &a, &b);
      a = dpa_records_part(&a, count / 2, count - count / 2);
      b = dpa_records_part(&b, count / 2, count - count / 2);
      check_same(&r, &a, &b);
      free(kind);
      drop(&r);
    }
  /* columns are added up two at a time, four apart */
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (size_t d = 1; d < 32; d += d < 14 ? 1 : 8)
      check_columns(sizes[s], d, 1000 * s + d);
}
