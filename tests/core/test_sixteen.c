/* Exponentials and logarithms of sixteen numbers at once against those of the C
 * library. */
#include "account/sixteen.h"
#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

void test_sixteen(void);

/* How far `got` is from `want`, in units of the last place. */
static double units(double got, double want) {
  int exponent;
  frexp(want, &exponent);
  return fabs((got - want) / ldexp(1.0, exponent - DBL_MANT_DIG));
}

static double worst_of(void (*many)(const double *, double *), double (*one)(double),
                       const double *x) {
  double out[DPA_SIXTEEN], worst = 0.0;
  many(x, out);
  for (int i = 0; i < DPA_SIXTEEN; i++)
    worst = fmax(worst, out[i] == one(x[i]) ? 0.0 : units(out[i], one(x[i])));
  return worst;
}

/* Numbers of all sizes, of both signs, and next to each other. */
static void check_sizes(void) {
  double worst[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 4000; k++) {
    double x[DPA_SIXTEEN], positive[DPA_SIXTEEN];
    const double size = pow(10.0, -18.0 + 20.83 * k / 3999.0);
    for (int i = 0; i < DPA_SIXTEEN; i++) {
      x[i] = size * sin(i + 0.7 * k);
      positive[i] = k % 2 ? exp(x[i]) : 1.0 + sin(i + k) / (1.0 + k % 7);
    }
    worst[0] = fmax(worst[0], worst_of(dpa_exp16, exp, x));
    worst[1] = fmax(worst[1], worst_of(dpa_expm1_16, expm1, x));
    worst[2] = fmax(worst[2], worst_of(dpa_log16, log, positive));
  }
  for (int k = 0; k < 3; k++)
    CHECK(worst[k] < 3.0);
}

static void check_ends(void) {
  const double inf = INFINITY;
  const double x[DPA_SIXTEEN] = {0.0,  -0.0,    690.0,    -690.0, 691.0, -691.0,
                                 1e9,  -1e9,    inf,      -inf,   NAN,   DBL_MIN,
                                 1e99, DBL_MAX, -DBL_MAX, -1e-300};
  double out[DPA_SIXTEEN];
  dpa_exp16(x, out);
  CHECK(out[0] == 1.0 && out[1] == 1.0 && out[11] == 1.0 && out[15] == 1.0);
  CHECK(units(out[2], exp(690.0)) < 3.0 && units(out[3], exp(-690.0)) < 3.0);
  CHECK(out[4] == out[2] && out[6] == out[2] && out[8] == out[2] && out[13] == out[2]);
  CHECK(out[5] == out[3] && out[7] == out[3] && out[9] == out[3] && out[14] == out[3]);
  CHECK(isnan(out[10]));
  dpa_expm1_16(x, out);
  CHECK(out[0] == 0.0 && out[1] == 0.0 && out[11] == DBL_MIN && out[15] == -1e-300);
  CHECK(out[7] == -1.0 && out[9] == -1.0 && isnan(out[10]));

  const double y[DPA_SIXTEEN] = {1.0,       DBL_MIN, DBL_MAX, 2.0, 0.5, sqrt(0.5),
                                 sqrt(2.0), 3.0,     1.0,     1.0, 1.0, 1.0,
                                 1.0,       1.0,     1.0,     1.0};
  CHECK(worst_of(dpa_log16, log, y) < 3.0);
  dpa_log16(y, out);
  CHECK(out[0] == 0.0);
}

/* Each is what it is wherever it stands, also where the answers take its place. */
static void check_places(void) {
  void (*const many[])(const double *, double *) = {dpa_exp16, dpa_expm1_16, dpa_log16};
  for (int f = 0; f < 3; f++) {
    double x[DPA_SIXTEEN], turned[DPA_SIXTEEN], out[DPA_SIXTEEN], again[DPA_SIXTEEN];
    for (int i = 0; i < DPA_SIXTEEN; i++)
      x[i] = turned[DPA_SIXTEEN - 1 - i] = 0.1 + 1.7 * i;
    many[f](x, out);
    many[f](turned, again);
    for (int i = 0; i < DPA_SIXTEEN; i++)
      CHECK(out[i] == again[DPA_SIXTEEN - 1 - i]);
    many[f](x, x);
    CHECK(memcmp(x, out, sizeof x) == 0);
  }
}

void test_sixteen(void) {
  check_sizes();
  check_ends();
  check_places();
}
