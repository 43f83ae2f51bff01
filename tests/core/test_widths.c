/* Indices of two bytes: packed, and then the same bits as with wider ones. */
#include "check.h"
#include "data/pack.h"
#include "problem.h"

#include <stdlib.h>
#include <string.h>

void test_widths(void);

enum { N = 60, D = 13, MOST = 2 * N + 3 * D + D * D + 2 * N * D };

/* All passes, and what is done row by row. */
static void use(const dpa_records *r, const double *w, const double *f, double *out) {
  double *dot = out + N, *g = dot + N, *added = g + D, *h = added + D, *H = h + D;
  double *row = H + D * D;
  int at[D];
  for (int j = 0; j < D; j++)
    at[j] = j;
  memset(out, 0, MOST * sizeof *out);
  dpa_records_margin(r, f, out);
  dpa_records_add_gradient(r, w, g);
  dpa_records_add_diagonal(r, w, 1, h);
  dpa_records_add_hessian(r, w, 1, H, NULL);
  for (size_t k = 0; k < N; k++, row += 2 * D) {
    dot[k] = dpa_records_dot(r, k, f);
    dpa_records_add_row(r, k, w[k], added);
    dpa_records_copy(r, k, row);
    dpa_records_gather(r, k, at, D, row + D);
  }
}

static void check_same(double fill) {
  static double wide[MOST], narrow[MOST];
  problem p = problem_make(N, D, fill, 1, dpa_loss_find("logistic"), 5);
  uint16_t *two = get(1, N * D * sizeof *two);
  double w[N];
  for (int s = 0; s < p.row[N]; s++)
    two[s] = (uint16_t)p.col[s];
  for (size_t k = 0; k < N; k++)
    w[k] = p.dense[k * D] * p.dense[k * D] + 0.1;
  use(&p.data, w, p.lin, wide);
  dpa_records records = p.data;
  records.col = NULL;
  records.narrow = two;
  use(&records, w, p.lin, narrow);
  CHECK(memcmp(wide, narrow, sizeof wide) == 0);
  for (size_t k = 0; k < N; k++)
    CHECK(memcmp(narrow + MOST - 2 * D * (N - k), p.dense + k * D,
                 D * sizeof(double)) == 0);
  free(two);
  problem_drop(&p);
}

/* The last column whose index has two bytes. */
static void check_last(void) {
  static int p[DPA_NARROW + 1];
  static double f[DPA_NARROW];
  const int i[] = {0, 0};
  const double x[] = {0.5, 0.25};
  const dpa_recipe recipe = {1.0, 0, 0.0, NULL};
  int row[2];
  uint16_t narrow[2];
  double val[2], margin;
  for (size_t j = 1; j < DPA_NARROW; j++)
    p[j] = 1;
  p[DPA_NARROW] = 2;
  f[0] = 2.0;
  f[DPA_NARROW - 1] = 8.0;
  const dpa_sparse last = {
      .n = 1, .d = DPA_NARROW, .stored = 2, .p = p, .i = i, .x = x};
  dpa_pack_sparse(&last, NULL, &recipe, row, NULL, narrow, val);
  const dpa_records one = {
      .n = 1, .d = DPA_NARROW, .row = row, .narrow = narrow, .val = val};
  dpa_records_margin(&one, f, &margin);
  CHECK(margin == 3.0);
}

void test_widths(void) {
  check_same(0.2);
  check_same(0.7);
  check_same(1.0);
  check_last();
}
