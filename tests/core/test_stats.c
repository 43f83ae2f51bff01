/* The yardstick itself, against values computed with mpmath at 25 digits. */
#include "check.h"
#include "stats.h"

void test_stats(void);

void test_stats(void) {
  CHECK_NEAR(normal_cdf(0.0), 0.5, 1e-16);
  CHECK_NEAR(normal_cdf(-1.96), 0.024997895148220434, 1e-15);
  CHECK_NEAR(gamma_cdf(0.0, 2.0), 0.0, 0.0);
  CHECK_NEAR(gamma_cdf(0.3, 1.0), 0.25918177931828212, 1e-15);
  CHECK_NEAR(gamma_cdf(25.0, 20.0), 0.86642516591434959, 1e-13);
  CHECK_NEAR(gamma_cdf(2.5, 7.5), 0.00787358865548099, 1e-14);
  CHECK_NEAR(chi_square_p(20.0, 9.0), 0.017912404529843274, 1e-14);

  double even[200], half[200];
  for (int i = 0; i < 200; i++) {
    even[i] = (i + 0.5) / 200.0;
    half[i] = even[i] / 2.0;
  }
  CHECK(ks_p(even, 200) == 1.0);
  CHECK(ks_p(half, 200) < 1e-20);
}
