#include "account/zcdp.h"

#include "account/conversion.h"

#include <math.h>

#define MOST_RHO 1e300
#define MOST_STEPS 100

/* Where the derivative vanishes: rho s^2 + log(1 + s) = log(1 / delta). In y = log s
 * the left side is convex and rises, so that Newton's steps from above stay there. */
static double best_order(double rho, double log_delta) {
  double y = 0.5 * (log(-log_delta) - log(rho));
  for (int k = 0; k < MOST_STEPS; k++) {
    const double s = exp(y), square = rho * s * s;
    const double slope = 2.0 * square + s / (1.0 + s);
    const double next = y - (square + log1p(s) + log_delta) / slope;
    if (!(next < y))
      break;
    y = next;
  }
  return exp(y);
}

double dpa_zcdp_epsilon(double rho, double log_delta) {
  if (rho == 0.0)
    return 0.0;
  if (!(rho <= MOST_RHO))
    return INFINITY;
  const double s = best_order(rho, log_delta);
  return fmax(0.0, dpa_conversion(s, rho * (1.0 + s), log_delta));
}
