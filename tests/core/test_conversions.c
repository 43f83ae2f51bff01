/* Curves against their definitions, and conversions against each other. */
#include "account/conversion.h"
#include "account/renyi.h"
#include "account/zcdp.h"
#include "check.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

void test_conversions(void);

enum { FINE = 6000 };

static dpa_renyi_kind kind_of(const char *name, double size) {
  dpa_renyi_kind kind = {.curve = dpa_renyi_named(name), .size = size};
  CHECK(kind.curve != NULL);
  return kind;
}

static void check_curves(void) {
  static const char *const names[] = {
      "pure",    "laplace",         "gaussian",
      "gamma",   "objective_gamma", "objective_gaussian",
      "poisson", "poisson_replace", "fixed"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    CHECK(dpa_renyi_named(names[k]) != NULL);
  CHECK(dpa_renyi_named("none") == NULL);
  /* log of the mean of exp((a - 1) |loss|) by its two parts, in long double */
  for (int i = 0; i < 40; i++) {
    const double order = 1.0 + pow(10.0, -2.0 + i / 10.0), t = pow(10.0, -2.0 + i % 5);
    const long double a = order, s = a - 1.0L;
    const long double moment = (a * expl(s * t) + s * expl(-a * t)) / (2.0L * a - 1.0L);
    const dpa_renyi_kind laplace = kind_of("laplace", t),
                         plain = kind_of("gaussian", t);
    double rdp;
    CHECK(dpa_renyi_outward(&laplace, &order, 1, NULL, &rdp) == DPA_OK);
    if (isfinite((double)moment))
      CHECK_NEAR(rdp / (double)(logl(moment) / s), 1.0, 2e-9);
    CHECK(dpa_renyi_outward(&plain, &order, 1, NULL, &rdp) == DPA_OK);
    CHECK(rdp >= order * t * t / 2.0 && rdp <= order * t * t / 2.0 * (1.0 + 2e-9));
  }
  const dpa_renyi_kind none = kind_of("laplace", 0.0);
  double rdp, order = 2.0;
  CHECK(dpa_renyi_outward(&none, &order, 1, NULL, &rdp) == DPA_OK && rdp == DBL_MIN);
}

static void check_conversions(void) {
  for (int i = -6; i <= 4; i++) {
    for (int j = -8; j <= 3; j++) {
      const double s = pow(10.0, i), rdp = pow(10.0, j), log_delta = -11.5;
      const long double plain = (long double)rdp - log1pl(1.0L / s) -
                                (log_delta + log1pl(s)) / (long double)s;
      const double epsilon = dpa_conversion(s, rdp, log_delta);
      CHECK(epsilon >= (double)plain);
      CHECK_NEAR((epsilon - (double)plain) / (rdp + log1p(1.0 / s) + 24.0 / s), 0.0,
                 1e-14);
      if (!(epsilon >= 0.0))
        continue;
      const double back = dpa_conversion_inverse(s, epsilon, log_delta);
      CHECK(dpa_conversion(s, fmax(back, 0.0), log_delta) <= epsilon || back < 0.0);
      CHECK_NEAR((back - rdp) / (rdp + log1p(1.0 / s) + 24.0 / s), 0.0, 1e-13);
      CHECK_NEAR(dpa_conversion_log_delta(s, rdp, epsilon), log_delta,
                 1e-12 * (1.0 + s * (rdp + epsilon + 20.0)));
    }
  }
}

static void check_zcdp(void) {
  for (int i = -12; i <= 6; i++) {
    for (int j = 0; j < 3; j++) {
      const double rho = pow(10.0, i), log_delta = -pow(10.0, j - 1);
      const double least = sqrt(-log_delta / rho);
      double best = INFINITY;
      for (int k = 0; k <= FINE; k++) {
        const double s = least * pow(10.0, -3.0 + 3.1 * k / FINE);
        best = fmin(best, dpa_conversion(s, rho * (1.0 + s), log_delta));
      }
      const double got = dpa_zcdp_epsilon(rho, log_delta);
      CHECK(got <= fmax(best, 0.0) * (1.0 + 1e-12));
      CHECK_NEAR(got, fmax(best, 0.0), 1e-6 * got + 1e-12 * rho);
    }
  }
  CHECK(dpa_zcdp_epsilon(0.0, -10.0) == 0.0);
  CHECK(isinf(dpa_zcdp_epsilon(1e301, -10.0)) && isinf(dpa_zcdp_epsilon(NAN, -10.0)));
  CHECK(dpa_zcdp_epsilon(1e-300, -745.0) >= 0.0);
}

void test_conversions(void) {
  check_curves();
  check_conversions();
  check_zcdp();
}
