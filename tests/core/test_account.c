/* Renyi divergences of objective perturbation against values computed from the theorems
 * with 40 digits in another language. */
#include "account/gaussian.h"
#include "account/logistic.h"
#include "account/objective.h"
#include "account/spherical.h"
#include "check.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void test_account(void);

static void near_relative(double actual, double expected, double tolerance) {
  CHECK_NEAR(actual / expected, 1.0, tolerance);
}

/* order, shift, kappa; bounds A, B, their best t, and that for a tied loss */
static void check_gaussian(void) {
  static const double known[4][7] = {
      {2.0, 0.5, 0.25, 0.79734431658549867, 0.3553605156578263, 0.3553605156578263,
       0.25},
      {1.5, 0.01, 0.125, 0.12582097485998091, 0.021017599734590808,
       0.019362829943954717, 0.019362829943954717},
      {33.0, 2.0, 0.015625, 66.037165035928464, 66.009150733498506, 66.009150733498506,
       66.0},
      {1.0009765625, 0.001, 0.5, 0.40626349284639903, 0.1668435189197743,
       0.13539568676536362, 0.13539568676536362}};
  for (size_t i = 0; i < 4; i++) {
    const double *k = known[i];
    near_relative(dpa_objective_bound_a(k[0], k[1], k[2]), k[3], 1e-12);
    near_relative(dpa_objective_bound_b(k[0], k[1], k[2]), k[4], 1e-12);
    near_relative(dpa_objective_bound(k[0], k[1], k[2], 0), k[5], 1e-8);
    near_relative(dpa_objective_bound(k[0], k[1], k[2], 1), k[6], 1e-8);
  }
  static const double budgets[][2] = {{0.0, -1.0},    {0.0, -700.0}, {1e-9, -11.5},
                                      {0.1, -0.02},   {0.3, -0.7},   {1.0, -11.5},
                                      {30.0, -690.0}, {3764.0, -5.0}};
  for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
    const double epsilon = budgets[i][0], log_delta = budgets[i][1];
    const double mu = dpa_gaussian_mu(epsilon, log_delta);
    CHECK_NEAR(dpa_gaussian_log_delta(mu, epsilon) / log_delta, 1.0, 1e-10);
    near_relative(dpa_gaussian_mu_at(epsilon, epsilon / mu - mu / 2.0), mu, 1e-10);
    for (int k = -2; k <= 2; k++) {
      const double off = 0.01 * k;
      near_relative(dpa_gaussian_mu_near(epsilon, log_delta, mu * (1.0 + off)), mu,
                    1e-9 + 30.0 * off * off);
    }
  }
  CHECK(isinf(dpa_objective_bound_b(5.0, 1.0, 0.25))); /* (order - 1) kappa = 1 */
  CHECK(isinf(dpa_objective_bound_b(9.0, 1.0, 0.25)));
  CHECK(isfinite(dpa_objective_bound_a(9.0, 1.0, 0.25)));

  const double orders[2] = {2.0, 33.0};
  double rdp[2];
  CHECK(dpa_rdp_objective_gaussian(orders, 2, 0.5, 0.25, 0, rdp) == DPA_OK);
  CHECK(rdp[0] == dpa_objective_bound(2.0, 0.5, 0.25, 0));
  CHECK(rdp[1] == dpa_objective_bound(33.0, 0.5, 0.25, 0));
  CHECK(dpa_rdp_objective_gaussian(orders, 2, -0.5, 0.25, 0, rdp) == DPA_ARGUMENT);
  CHECK(dpa_rdp_objective_gaussian(orders, 2, 0.5, -0.25, 0, rdp) == DPA_ARGUMENT);
  CHECK(dpa_rdp_objective_gaussian(orders, 2, NAN, 0.25, 0, rdp) == DPA_ARGUMENT);
  CHECK(dpa_rdp_objective_gaussian((const double[]){1.0}, 1, 0.5, 0.25, 0, rdp) ==
        DPA_ARGUMENT);
}

static dpa_status gamma_alone(const double *orders, size_t n, double shift,
                              double kappa, int tied, double dim, double *rdp) {
  dpa_free_moment moments[3] = {{0}};
  return dpa_rdp_objective_gamma(orders, n, shift, kappa, tied, dim, moments, rdp);
}

/* Problems that differ in their curvature alone share moments, and are what each is
 * alone: with the factor nowhere, free from before the norm counts or from within it,
 * and too large to be shared. */
static void check_shared_moments(void) {
  static const double orders[] = {1.25, 9.0, 31.0};
  static const double shifts[] = {0.01, 0.5, 3.0}, dims[] = {1.0, 6.0, 51.0, 900.0};
  dpa_free_moment moments[3] = {{0}};
  double together[3], alone[3];
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 4; j++)
      for (int k = 0; k < 16; k++) {
        const double kappa = k == 0 ? 0.0 : pow(0.4, k - 1);
        for (int tied = 0; tied < 2; tied++) {
          CHECK(dpa_rdp_objective_gamma(orders, 3, shifts[i], kappa, tied, dims[j],
                                        moments, together) == DPA_OK);
          CHECK(gamma_alone(orders, 3, shifts[i], kappa, tied, dims[j], alone) ==
                DPA_OK);
          CHECK(memcmp(together, alone, sizeof alone) == 0);
        }
      }
}

/* order, shift, kappa, dim, tied; the least part of Theorem 4 */
static void check_gamma(void) {
  static const double known[][6] = {
      {2.0, 0.5, 0.0, 20.0, 0.0, 0.013168102777158208},
      {1.5, 0.25, 0.0625, 30.0, 0.0, 0.007138750580173727},
      {1.5, 0.25, 0.0625, 30.0, 1.0, 0.007138750580172789},
      {6.0, 1.0, 0.0078125, 50.0, 0.0, 0.061994394315301322},
      {9.0, 0.75, 2.0, 40.0, 0.0, 1.2487227104609588},
      {20.0, 0.5, 0.0, 1.0, 0.0, 0.47504857995885059},
      {2.0, 0.0625, 0.001953125, 3.0, 0.0, 0.0019748999935172612},
      {2.0, 0.0625, 0.001953125, 3.0, 1.0, 0.001967286507861109},
      {3.0, 2.0, 0.125, 12.0, 0.0, 0.9830086588487476},
      {14.0, 1.125, 0.046875, 51.0, 1.0, 0.19089741547229918593},
      {18.5, 0.75, 0.015625, 51.0, 1.0, 0.10851018612940500957},
      {21.0, 1.5625, 0.09375, 51.0, 1.0, 0.62751401285097762727},
      {14.0, 0.5, 0.015625, 400.0, 1.0, 0.0078278176747050460283}};
  double rdp[3];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double *k = known[i];
    CHECK(gamma_alone(k, 1, k[1], k[2], k[4] != 0.0, k[3], rdp) == DPA_OK);
    near_relative(rdp[0], k[5], 1e-10);
  }

  /* one call for several orders is as good as one for each
   */
  const double orders[3] = {2.0, 40.0, 2.5};
  double alone;
  CHECK(gamma_alone(orders, 3, 2.0, 0.1, 0, 6.0, rdp) == DPA_OK);
  for (size_t i = 0; i < 3; i++) {
    CHECK(gamma_alone(orders + i, 1, 2.0, 0.1, 0, 6.0, &alone) == DPA_OK);
    CHECK(rdp[i] == alone);
  }

  /* ends of the range */
  static const double wide[] = {1.0 + 1e-7, 1e5}, dims[] = {1.0, 1e5};
  for (size_t i = 0; i < 2; i++) {
    for (int e = -9; e <= 9; e += 3) {
      CHECK(gamma_alone(wide, 2, pow(10.0, e), 0.25, 1, dims[i], rdp) == DPA_OK);
      const double most = (pow(10.0, e) + log1p(0.25)) * (1.0 + 1e-12);
      CHECK(rdp[0] >= 0.0 && rdp[0] <= most && rdp[1] >= 0.0 && rdp[1] <= most);
    }
  }
  CHECK(gamma_alone(orders, 3, 0.0, 0.0, 0, 6.0, rdp) == DPA_OK);
  CHECK(rdp[0] == 0.0 && rdp[1] == 0.0 && rdp[2] == 0.0);
  CHECK(gamma_alone(orders, 3, 1.0, 0.1, 0, 0.5, rdp) == DPA_ARGUMENT);
  CHECK(gamma_alone(orders, 3, NAN, 0.1, 0, 2.0, rdp) == DPA_ARGUMENT);
  CHECK(gamma_alone((const double[]){0.5}, 1, 1.0, 0.1, 0, 2.0, rdp) == DPA_ARGUMENT);
}

/* log(cosh((s + 1/2) epsilon) / cosh(epsilon / 2)) / s */
static void check_pure(void) {
  static const double known[][3] = {{2.0, 0.5, 0.22733629380264573},
                                    {1.0009765625, 0.001, 5.0048823946110821e-7},
                                    {64.0, 3.0, 2.9992287721972422},
                                    {20.0, 0x1p-10, 9.5361664486082733e-6},
                                    {1.5, 0x1p-5, 7.3227290412120502e-4},
                                    {640.0, 0x1.9p-14, 2.9085806507665753e-6},
                                    {1000000.0, 1e-06, 4.3378088346676014e-7}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    near_relative(dpa_rdp_pure(known[i][0], known[i][1]), known[i][2], 1e-13);
  CHECK(dpa_rdp_pure(2.0, 0.0) == 0.0);
}

/* shift, kappa; the largest of shift (1 + p) / 2 + log(1 + 4 kappa p (1 - p)) */
static void check_logistic_pure(void) {
  static const double known[][3] = {{0.5, 0.25, 0.61748885919459143146},
                                    {0.125, 0.5, 0.49994726202383824365},
                                    {2.0, 3.0, 2.9664903274683255943},
                                    {0.001, 0.0625, 0.061374887441399564288}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double *k = known[i];
    near_relative(dpa_logistic_pure(k[0], k[1]), k[2], 1e-14);
    near_relative(dpa_objective_pure(k[0], k[1], 1), k[2], 1e-14);
    near_relative(dpa_objective_pure(k[0], k[1], 0), k[0] + log1p(k[1]), 1e-14);
  }
  /* free from shift = 8 kappa on */
  CHECK(dpa_logistic_pure(4.0, 0.5) == 4.0);
  CHECK(dpa_logistic_pure(4.0, 0.50001) > 4.0);
  CHECK(dpa_logistic_pure(0.0, 0.0) == 0.0);
  near_relative(dpa_logistic_pure(0.0, 0.75), log1p(0.75), 1e-14);
  /* ends of the range: between noise alone and Theorem 1 */
  for (int i = -300; i <= 300; i += 20) {
    for (int j = -300; j <= 300; j += 20) {
      const double u = pow(10.0, i), k = pow(10.0, j), loss = dpa_logistic_pure(u, k);
      CHECK(loss >= u && loss <= (u + log1p(k)) * (1.0 + 1e-14));
    }
  }
}

/* order, shift, kappa; M_1 + M_2 of Theorem 3 */
static void check_logistic_bound(void) {
  static const double known[][4] = {{1.5, 0.125, 0.25, 0.079438019090419248735},
                                    {1.5, 0.01, 0.125, 0.020961358703783196261},
                                    {1.25, 0.25, 3.0, 4.8675847622733402573},
                                    {1.0009765625, 0.001, 0.5, 0.1668431435536220159},
                                    {2.0, 0.5, 0.25, 0.25},
                                    {9.0, 0.5, 0.09375, 1.125}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double *k = known[i], got = dpa_logistic_bound(k[0] - 1.0, k[1], k[2]);
    CHECK(got >= k[3] * (1.0 - 1e-13) && got <= k[3] * (1.0 + 1e-7));
  }
}

/* The largest of F(4 kappa p q) / s - order shift^2 q (2 - q) / 4 by looking at many q,
 * F the first or second of Theorem 3's. */
static double largest_seen(double s, double shift, double kappa, int second) {
  enum { POINTS = 4000 };
  const double order = 1.0 + s, plain = 0.25 * order * shift * shift;
  double most = 0.0;
  for (int k = 1; k <= POINTS; k++) {
    const double q = 0.5 * k / POINTS, x = 4.0 * kappa * q * (1.0 - q);
    const double rest = second ? -log1p(-s * x) / s - log1p(x)
                               : log1p(x) - log1p(s * x / (1.0 + x)) / s;
    most = fmax(most, rest - plain * q * (2.0 - q));
  }
  return most;
}

/* Where curvature costs something, and kappa is small, large, and near 1 / s. */
static void check_logistic_bound_seen(void) {
  static const double orders[] = {0.1, 1.0, 3.0, 20.0}, close[] = {0.05, 0.5, 0.99};
  static const double dear[] = {0.9, 0.2, 0.01};
  for (size_t i = 0; i < 36; i++) {
    const double s = orders[i / 9], kappa = close[i / 3 % 3] / s;
    const double shift = sqrt(4.0 * dear[i % 3] * kappa * kappa / (1.0 - s * kappa));
    const double seen =
        largest_seen(s, shift, kappa, 0) + largest_seen(s, shift, kappa, 1);
    const double got = dpa_logistic_bound(s, shift, kappa);
    const double plain = 0.5 * (1.0 + s) * shift * shift;
    CHECK(got >= (plain + seen) * (1.0 - 1e-13));
    CHECK(got <= (plain + seen) * (1.0 + 1e-6));
  }
}

/* What is not searched for is not there: by all of Theorem 2 over t. */
static void check_theorem2_left_out(void) {
  for (int i = 0; i < 40; i++) {
    const double s = 0.5 * (1 + i / 4), kappa = 0.2 * (1 + i % 4) / s,
                 shift = 2.0 * kappa;
    const double got = dpa_objective_bound(1.0 + s, shift, kappa, 1);
    const double all = dpa_objective_bound(1.0 + s, shift, kappa, 0);
    near_relative(got, fmin(all, dpa_logistic_bound(s, shift, kappa)), 1e-15);
  }
}

/* In three dimensions the density of the loss l is exp(l / 2) (a - l^2 / t^2) with
 * a = 1 + (2 / z) (1 + 1 / z), z = t / 2: its integral, not normalised. */
static double loss_below(double l, double t) {
  const double z = 0.5 * t, a = 1.0 + 2.0 / z * (1.0 + 1.0 / z);
  return exp(0.5 * l) * (2.0 * (a - l * l / (t * t)) + (8.0 * l - 16.0) / (t * t));
}

static void check_spherical(void) {
  enum { BINS = 80 };
  static const double shift[] = {0.25, 3.0, 40.0};
  double mass[BINS], over[BINS];
  for (size_t i = 0; i < 3; i++) {
    const double t = shift[i], z = 0.5 * t, h = t / 37.5;
    const double lean = z / (2.0 * (1.0 + 1.0 / z)), first = floor(-t / h);
    const double total = loss_below(t, t) - loss_below(-t, t);
    CHECK(dpa_spherical_bins(t, 3.0, lean, h, first, BINS, -200.0, mass, over) ==
          DPA_OK);
    for (size_t j = 0; j < BINS; j++) {
      const double edge = (first + (double)j) * h;
      const double from = fmax(-t, fmin(t, edge)), to = fmax(-t, fmin(t, edge + h));
      const double p = (loss_below(to, t) - loss_below(from, t)) / total;
      const double q = (loss_below(-from, t) - loss_below(-to, t)) / total;
      CHECK_NEAR(exp(mass[j]), p, 1e-12);
      CHECK_NEAR(exp(mass[j] - edge - over[j]), q, 1e-12);
    }
  }
  CHECK(dpa_spherical_bins(0.0, 3.0, 1.0, 0.1, 0.0, 1, -9.0, mass, over) ==
        DPA_ARGUMENT);
  CHECK(dpa_spherical_bins(1.0, 1.0, 1.0, 0.1, 0.0, 1, -9.0, mass, over) ==
        DPA_ARGUMENT);
  CHECK(dpa_spherical_bins(1.0, 3.0, NAN, 0.1, 0.0, 1, -9.0, mass, over) ==
        DPA_ARGUMENT);
}

/* order, shift, dim, lean; the divergence, by quadrature over the angle in 40 digits */
static void check_spherical_rdp(void) {
  static const double known[][5] = {
      {1.5, 0.25, 2, 0.03524191888076622, 0.023123562746714515702},
      {1.0009765625, 900, 2, 449.50083148686224, 898.00410133155371292},
      {64, 12, 2, 5.55387786158495, 11.95158895883279687},
      {1.25, 2, 10, 0.013615649501584753, 0.24621275879596264416},
      {16, 1.125, 23, 0.0006843198790189915, 0.36586466833941943362},
      {16, 1.125, 24, 0.0006248598487027174, 0.35451716856503663346},
      {900, 1, 24, 0.0004937907778347165, 0.94039378677245592791},
      {3, 0.0078125, 21, 4.015470616226887e-08, 4.3596522128859034227e-6},
      {32, 1.5, 1000, 5.641911266845763e-07, 0.035960002388650236321},
      {1.00390625, 10000, 50, 101.54209106364799, 9950.3202196738014871},
      {2, 2, 1000000, 1e-12, 3.999999999980000032e-6},
      {4, 100, 1000000, 2.5e-09, 0.019999998750002604244}};
  double rdp;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double *k = known[i];
    CHECK(dpa_rdp_spherical(k, 1, k[1], k[2], k[3], &rdp) == DPA_OK);
    near_relative(rdp, k[4], 2e-13);
  }
  /* numbers of any size: not more than is lost of everything, nor ever without end */
  const double order = 1.0 + 1e-12, dims[] = {2.0, 30.0, 1e16, 1e300};
  for (size_t i = 0; i < 4; i++) {
    for (int j = -300; j <= 300; j += 20) {
      const double shift = pow(10.0, j);
      CHECK(dpa_rdp_spherical(&order, 1, shift, dims[i], 0.0, &rdp) == DPA_OK);
      CHECK(rdp >= 0.0 && rdp <= shift * (1.0 + 1e-15));
    }
  }
  CHECK(dpa_rdp_spherical(&order, 1, 1.0, 1.0, 0.0, &rdp) == DPA_ARGUMENT);
  CHECK(dpa_rdp_spherical(&order, 1, 0.0, 2.0, 0.0, &rdp) == DPA_ARGUMENT);
  rdp = 1.0;
  CHECK(dpa_rdp_spherical(&rdp, 1, 1.0, 2.0, 0.0, &rdp) == DPA_ARGUMENT);
}

void test_account(void) {
  check_gaussian();
  check_logistic_pure();
  check_logistic_bound();
  check_logistic_bound_seen();
  check_theorem2_left_out();
  check_spherical();
  check_spherical_rdp();
  check_gamma();
  check_shared_moments();
  check_pure();
}
