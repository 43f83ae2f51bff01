#include "data/terms.h"

#include "clones.h"

#include <string.h>

/* Terms that are passed over together: each row's sum, or weight, is read once for
 * them, and none waits for what the row before has just stored. */
#define TOGETHER 4

/* f(t, count, ...), in which the count is known when it is compiled. */
#define FEW(f, t, count, ...)                                                          \
  do {                                                                                 \
    if ((count) == 4)                                                                  \
      f(t, 4, __VA_ARGS__);                                                            \
    else if ((count) == 3)                                                             \
      f(t, 3, __VA_ARGS__);                                                            \
    else if ((count) == 2)                                                             \
      f(t, 2, __VA_ARGS__);                                                            \
    else if ((count) == 1)                                                             \
      f(t, 1, __VA_ARGS__);                                                            \
  } while (0)

/* ---- one term -------------------------------------------------------------------- */

/* Its arrays from a row on. */
static dpa_term from_row(const dpa_term *term, size_t from) {
  dpa_term t = *term;
  t.code = t.code ? t.code + from : NULL;
  t.wide = t.wide ? t.wide + from : NULL;
  t.number = t.number ? t.number + from : NULL;
  return t;
}

DPA_INLINE size_t code_of(const dpa_term *t, size_t k) {
  return t->code ? t->code[k] : t->wide ? t->wide[k] : 0;
}

DPA_INLINE size_t feature_of(const dpa_term *t, size_t k) {
  if (t->place)
    return t->first + (size_t)t->place[code_of(t, k)];
  return t->value ? t->first : t->first + code_of(t, k);
}

DPA_INLINE double value_of(const dpa_term *t, size_t k) {
  return t->number ? t->number[k] : t->value ? t->value[code_of(t, k)] : 1.0;
}

/* A level's indicator, or one of few numbers, by a byte. */
static int by_byte(const dpa_term *t) {
  return t->code && !t->place && !t->number;
}

static int has_one_feature(const dpa_term *t) {
  return !t->place && (t->value || (!t->code && !t->wide));
}

size_t dpa_terms_stored(const dpa_records *r) {
  size_t count = 0;
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term t = from_row(&r->term[q], r->from);
    if (!t.value && !t.number)
      count += r->n;
    else
      for (size_t k = 0; k < r->n; k++)
        count += value_of(&t, k) != 0.0;
  }
  return count;
}

/* ---- products with the rows ------------------------------------------------------ */

typedef struct lookup {
  const uint8_t *code;
  const double *table; /* by code */
  double times;
} lookup;

static lookup lookup_of(const dpa_term *t, const double *f) {
  const lookup one = {t->code, t->value ? t->value : f + t->first,
                      t->value ? f[t->first] : 1.0};
  return one;
}

/* Terms of the lookups are added one by one, in their order. */
DPA_INLINE void add_lookups(const lookup *terms, size_t count, size_t n, double *out) {
  lookup t[TOGETHER];
  memcpy(t, terms, sizeof t);
  for (size_t k = 0; k < n; k++) {
    double sum = out[k] + t[0].table[t[0].code[k]] * t[0].times;
    if (count > 1)
      sum += t[1].table[t[1].code[k]] * t[1].times;
    if (count > 2)
      sum += t[2].table[t[2].code[k]] * t[2].times;
    if (count > 3)
      sum += t[3].table[t[3].code[k]] * t[3].times;
    out[k] = sum;
  }
}

static void times_term(const dpa_term *t, size_t n, const double *f, double *out) {
  if (t->number && has_one_feature(t)) {
    const double times = f[t->first];
    for (size_t k = 0; k < n; k++)
      out[k] += t->number[k] * times;
    return;
  }
  for (size_t k = 0; k < n; k++)
    out[k] += value_of(t, k) * f[feature_of(t, k)];
}

void dpa_terms_times(const dpa_records *r, const double *f, double *out) {
  lookup bytes[TOGETHER] = {{NULL, NULL, 0.0}};
  size_t waiting = 0;
  memset(out, 0, r->n * sizeof *out);
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term t = from_row(&r->term[q], r->from);
    const int byte = by_byte(&t);
    if (byte)
      bytes[waiting++] = lookup_of(&t, f);
    if (!byte || waiting == TOGETHER) {
      FEW(add_lookups, bytes, waiting, r->n, out);
      waiting = 0;
    }
    if (!byte)
      times_term(&t, r->n, f, out);
  }
  FEW(add_lookups, bytes, waiting, r->n, out);
}

/* ---- sums of the rows ------------------------------------------------------------ */

/* Terms have sums of their own: which one comes first is all the same. */
DPA_INLINE void sum_levels(const dpa_term *t, size_t count, size_t n, const double *w,
                           double *g) {
  const uint8_t *a = t[0].code, *b = t[1].code, *c = t[2].code, *d = t[3].code;
  double *ga = g + t[0].first, *gb = g + t[1].first, *gc = g + t[2].first,
         *gd = g + t[3].first;
  for (size_t k = 0; k < n; k++) {
    const double wk = w[k];
    ga[a[k]] += wk;
    if (count > 1)
      gb[b[k]] += wk;
    if (count > 2)
      gc[c[k]] += wk;
    if (count > 3)
      gd[d[k]] += wk;
  }
}

DPA_INLINE void sum_values(const dpa_term *t, size_t count, size_t n, const double *w,
                           double *g) {
  const uint8_t *a = t[0].code, *b = t[1].code, *c = t[2].code, *d = t[3].code;
  double sum[TOGETHER] = {0.0};
  for (size_t i = 0; i < count; i++)
    sum[i] = g[t[i].first];
  for (size_t k = 0; k < n; k++) {
    sum[0] += w[k] * t[0].value[a[k]];
    if (count > 1)
      sum[1] += w[k] * t[1].value[b[k]];
    if (count > 2)
      sum[2] += w[k] * t[2].value[c[k]];
    if (count > 3)
      sum[3] += w[k] * t[3].value[d[k]];
  }
  for (size_t i = 0; i < count; i++)
    g[t[i].first] = sum[i];
}

static void sum_term(const dpa_term *t, size_t n, const double *w, double *g) {
  if (has_one_feature(t)) {
    double sum = g[t->first];
    for (size_t k = 0; k < n; k++)
      sum += w[k] * value_of(t, k);
    g[t->first] = sum;
    return;
  }
  for (size_t k = 0; k < n; k++)
    g[feature_of(t, k)] += w[k] * value_of(t, k);
}

void dpa_terms_add(const dpa_records *r, const double *w, double *g) {
  dpa_term level[TOGETHER] = {{0}}, value[TOGETHER] = {{0}};
  size_t levels = 0, values = 0;
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term t = from_row(&r->term[q], r->from);
    if (!by_byte(&t))
      sum_term(&t, r->n, w, g);
    else if (t.value)
      value[values++] = t;
    else
      level[levels++] = t;
    if (levels == TOGETHER) {
      FEW(sum_levels, level, levels, r->n, w, g);
      levels = 0;
    }
    if (values == TOGETHER) {
      FEW(sum_values, value, values, r->n, w, g);
      values = 0;
    }
  }
  FEW(sum_levels, level, levels, r->n, w, g);
  FEW(sum_values, value, values, r->n, w, g);
}

/* ---- one column, one row --------------------------------------------------------- */

const uint8_t *dpa_term_codes(const dpa_term *t, size_t first) {
  return by_byte(t) && t->value ? t->code + first : NULL;
}

const double *dpa_term_values(const dpa_term *term, size_t first, size_t n,
                              double *room) {
  const dpa_term t = from_row(term, first);
  if (t.number)
    return t.number;
  for (size_t k = 0; k < n; k++)
    room[k] = value_of(&t, k);
  return room;
}

size_t dpa_terms_row(const dpa_records *r, size_t k, double *x, int *col) {
  size_t count = 0;
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term *t = &r->term[q];
    x[count] = value_of(t, r->from + k);
    col[count] = (int)feature_of(t, r->from + k);
    count += x[count] != 0.0;
  }
  return count;
}
