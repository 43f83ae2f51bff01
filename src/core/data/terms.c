#include "data/terms.h"

#include "clones.h"

#include <string.h>

/* ---- one term -------------------------------------------------------------------- */

/* A term's arrays from its row `from` on. */
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

DPA_INLINE double value_of(const dpa_term *t, size_t k) {
  return t->number ? t->number[k] : t->value[code_of(t, k)];
}

/* f(a copy of the term, ...), in which what it has not is known when it is compiled. */
#define EACH_KIND(f, t, ...)                                                           \
  do {                                                                                 \
    const dpa_term one = {NULL, NULL, (t).feature, (t).value, NULL},                   \
                   codes = {(t).code, NULL, (t).feature, (t).value, NULL},             \
                   wide = {NULL, (t).wide, (t).feature, (t).value, NULL},              \
                   numbers = {NULL, NULL, (t).feature, NULL, (t).number};              \
    if ((t).number && ((t).code || (t).wide))                                          \
      f(&(t), __VA_ARGS__);                                                            \
    else if ((t).number)                                                               \
      f(&numbers, __VA_ARGS__);                                                        \
    else if ((t).code)                                                                 \
      f(&codes, __VA_ARGS__);                                                          \
    else if ((t).wide)                                                                 \
      f(&wide, __VA_ARGS__);                                                           \
    else                                                                               \
      f(&one, __VA_ARGS__);                                                            \
  } while (0)

/* ---- passes ---------------------------------------------------------------------- */

DPA_INLINE void times_term(const dpa_term *t, size_t n, const double *f, double *out) {
  for (size_t k = 0; k < n; k++)
    out[k] += value_of(t, k) * f[t->feature[code_of(t, k)]];
}

DPA_INLINE void add_term(const dpa_term *t, size_t n, const double *w, double *g) {
  for (size_t k = 0; k < n; k++)
    g[t->feature[code_of(t, k)]] += w[k] * value_of(t, k);
}

DPA_INLINE void count_term(const dpa_term *t, size_t n, size_t *count) {
  for (size_t k = 0; k < n; k++)
    *count += value_of(t, k) != 0.0;
}

size_t dpa_terms_stored(const dpa_records *r) {
  size_t count = 0;
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term t = from_row(&r->term[q], r->from);
    EACH_KIND(count_term, t, r->n, &count);
  }
  return count;
}

void dpa_terms_times(const dpa_records *r, const double *f, double *out) {
  memset(out, 0, r->n * sizeof *out);
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term t = from_row(&r->term[q], r->from);
    EACH_KIND(times_term, t, r->n, f, out);
  }
}

void dpa_terms_add(const dpa_records *r, const double *w, double *g) {
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term t = from_row(&r->term[q], r->from);
    EACH_KIND(add_term, t, r->n, w, g);
  }
}

/* ---- one row --------------------------------------------------------------------- */

size_t dpa_terms_row(const dpa_records *r, size_t k, double *x, int *col) {
  size_t count = 0;
  for (size_t q = 0; q < r->terms; q++) {
    const dpa_term *t = &r->term[q];
    x[count] = value_of(t, r->from + k);
    col[count] = t->feature[code_of(t, r->from + k)];
    count += x[count] != 0.0;
  }
  return count;
}
