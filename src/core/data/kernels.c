#include "data/kernels.h"

#include <string.h>

#include "clones.h"

#ifdef __GNUC__
#define LANES 4
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define AT(p) (*(const lanes *)(const void *)(p))
#define ADD(p, x) (*(lanes *)(void *)(p) += (x))
#define TOTAL(x) (((x)[0] + (x)[1]) + ((x)[2] + (x)[3]))
#else
#define LANES 1
typedef double lanes;
#define AT(p) (*(p))
#define ADD(p, x) (*(p) += (x))
#define TOTAL(x) (x)
#endif

/* Rows of middling length end before the processor sees that they go on: for them the
 * entries so many further on are asked for. */
#define AHEAD 1024
#define SHORT_ROW 64
#define LONG_ROW 800

#ifdef __GNUC__
#define FETCH(p) __builtin_prefetch(p)
#else
#define FETCH(p) ((void)(p))
#endif

/* Four rows at a time, so that an entry of f (or of g, below) is loaded once for them.
 */
DPA_INLINE void rows_times(const double *x, size_t n, size_t d, const double *f,
                           int ahead, double *out) {
  const size_t whole = d / LANES * LANES;
  size_t k = 0;
  for (; k + 4 <= n; k += 4, x += 4 * d) {
    lanes sum[4] = {{0}, {0}, {0}, {0}};
    /* none beyond the last row is asked for */
    const int fetch = ahead && (n - k - 4) * d >= AHEAD;
    for (size_t j = 0; j < whole; j += LANES) {
      const lanes fj = AT(f + j);
      if (fetch) {
        FETCH(x + AHEAD + 4 * j);
        FETCH(x + AHEAD + 4 * j + 8);
      }
      sum[0] += AT(x + j) * fj;
      sum[1] += AT(x + d + j) * fj;
      sum[2] += AT(x + 2 * d + j) * fj;
      sum[3] += AT(x + 3 * d + j) * fj;
    }
    for (size_t r = 0; r < 4; r++) {
      double total = TOTAL(sum[r]);
      for (size_t j = whole; j < d; j++)
        total += x[r * d + j] * f[j];
      out[k + r] = total;
    }
  }
  for (; k < n; k++, x += d) {
    lanes sum = {0};
    for (size_t j = 0; j < whole; j += LANES)
      sum += AT(x + j) * AT(f + j);
    double total = TOTAL(sum);
    for (size_t j = whole; j < d; j++)
      total += x[j] * f[j];
    out[k] = total;
  }
}

DPA_CLONES void dpa_rows_times(const double *x, size_t n, size_t d, const double *f,
                               double *out) {
  if (d > SHORT_ROW && d < LONG_ROW)
    rows_times(x, n, d, f, 1, out);
  else
    rows_times(x, n, d, f, 0, out);
}

DPA_CLONES void dpa_rows_add(const double *x, size_t n, size_t d, const double *w,
                             double *g) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4, x += 4 * d, w += 4) {
    const double *a = x, *b = a + d, *c = b + d, *e = c + d;
    const double wa = w[0], wb = w[1], wc = w[2], we = w[3];
    size_t j = 0;
    for (; j + LANES <= d; j += LANES)
      ADD(g + j, wa * AT(a + j) + wb * AT(b + j) + wc * AT(c + j) + we * AT(e + j));
    for (; j < d; j++)
      g[j] += wa * a[j] + wb * b[j] + wc * c[j] + we * e[j];
  }
  for (; k < n; k++, x += d, w++)
    for (size_t j = 0; j < d; j++)
      g[j] += w[0] * x[j];
}

/* Row i of columns j to j + 3 of the square: the lower triangle's entries. */
static void square_row(const double *x, size_t n, size_t d, size_t j, size_t i,
                       double *H) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  for (size_t k = 0; k < n; k++, x += d) {
    sum[0] += x[i] * x[j];
    sum[1] += x[i] * x[j + 1];
    sum[2] += x[i] * x[j + 2];
    sum[3] += x[i] * x[j + 3];
  }
  for (size_t q = 0; q < 4 && j + q <= i; q++)
    H[(j + q) * d + i] += sum[q];
}

/* Four columns by a vector of rows at a time, whose sums stay in registers. Each entry
 * is a sum over k in order. */
DPA_CLONES void dpa_rows_square(const double *x, size_t n, size_t d, double *H) {
  size_t j = 0;
  for (; j + 4 <= d; j += 4) {
    size_t i = j;
    for (; i < j + 4; i++)
      square_row(x, n, d, j, i, H);
    for (; i + LANES <= d; i += LANES) {
      lanes p = {0}, q = {0}, r = {0}, s = {0};
      const double *row = x + j, *at = x + i;
      for (size_t k = 0; k < n; k++, row += d, at += d) {
        const lanes a = AT(at);
        p += row[0] * a;
        q += row[1] * a;
        r += row[2] * a;
        s += row[3] * a;
      }
      double *to = H + j * d + i;
      ADD(to, p);
      ADD(to + d, q);
      ADD(to + 2 * d, r);
      ADD(to + 3 * d, s);
    }
    for (; i < d; i++)
      square_row(x, n, d, j, i, H);
  }
  for (; j < d; j++) /* what is left of the columns */
    for (size_t i = j; i < d; i++)
      for (size_t k = 0; k < n; k++)
        H[j * d + i] += x[k * d + i] * x[k * d + j];
}
