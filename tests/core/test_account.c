/* Renyi divergences of objective perturbation against values computed from the theorems
 * with 40 digits in another language. */
#include "account/objective.h"
#include "check.h"

#include <math.h>
#include <stddef.h>

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
      {3.0, 2.0, 0.125, 12.0, 0.0, 0.9830086588487476}};
  double rdp[3];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const double *k = known[i];
    CHECK(dpa_rdp_objective_gamma(k, 1, k[1], k[2], k[4] != 0.0, k[3], rdp) == DPA_OK);
    near_relative(rdp[0], k[5], 1e-10);
  }

  /* one call for several orders is as good as one for each
   */
  const double orders[3] = {2.0, 40.0, 2.5};
  double alone;
  CHECK(dpa_rdp_objective_gamma(orders, 3, 2.0, 0.1, 0, 6.0, rdp) == DPA_OK);
  for (size_t i = 0; i < 3; i++) {
    CHECK(dpa_rdp_objective_gamma(orders + i, 1, 2.0, 0.1, 0, 6.0, &alone) == DPA_OK);
    CHECK(rdp[i] == alone);
  }

  /* ends of the range */
  static const double wide[] = {1.0 + 1e-7, 1e5}, dims[] = {1.0, 1e5};
  for (size_t i = 0; i < 2; i++) {
    for (int e = -9; e <= 9; e += 3) {
      CHECK(dpa_rdp_objective_gamma(wide, 2, pow(10.0, e), 0.25, 1, dims[i], rdp) ==
            DPA_OK);
      const double most = (pow(10.0, e) + log1p(0.25)) * (1.0 + 1e-12);
      CHECK(rdp[0] >= 0.0 && rdp[0] <= most && rdp[1] >= 0.0 && rdp[1] <= most);
    }
  }
  CHECK(dpa_rdp_objective_gamma(orders, 3, 0.0, 0.0, 0, 6.0, rdp) == DPA_OK);
  CHECK(rdp[0] == 0.0 && rdp[1] == 0.0 && rdp[2] == 0.0);
  CHECK(dpa_rdp_objective_gamma(orders, 3, 1.0, 0.1, 0, 0.5, rdp) == DPA_ARGUMENT);
  CHECK(dpa_rdp_objective_gamma(orders, 3, NAN, 0.1, 0, 2.0, rdp) == DPA_ARGUMENT);
  CHECK(dpa_rdp_objective_gamma((const double[]){0.5}, 1, 1.0, 0.1, 0, 2.0, rdp) ==
        DPA_ARGUMENT);
}

/* log(cosh((s + 1/2) epsilon) / cosh(epsilon / 2)) / s */
static void check_pure(void) {
  static const double known[][3] = {{2.0, 0.5, 0.22733629380264573},
                                    {1.0009765625, 0.001, 5.0048823946110821e-7},
                                    {64.0, 3.0, 2.9992287721972422},
                                    {1000000.0, 1e-06, 4.3378088346676014e-7}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    near_relative(dpa_rdp_pure(known[i][0], known[i][1]), known[i][2], 1e-13);
  CHECK(dpa_rdp_pure(2.0, 0.0) == 0.0);
}

void test_account(void) {
  check_gaussian();
  check_gamma();
  check_pure();
}
