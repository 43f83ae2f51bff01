#include "account/conversion.h"

#include <float.h>
#include <math.h>

double dpa_conversion(double s, double rdp, double log_delta) {
  const double rest = log1p(1.0 / s), spread = log1p(s);
  const double size = rdp + rest + (fabs(log_delta) + spread) / s;
  return rdp - rest - (log_delta + spread) / s + 16.0 * DBL_EPSILON * size;
}

double dpa_conversion_inverse(double s, double epsilon, double log_delta) {
  const double rest = log1p(1.0 / s), spread = log1p(s);
  const double size = epsilon + rest + (fabs(log_delta) + spread) / s;
  return epsilon + rest + (log_delta + spread) / s - 64.0 * DBL_EPSILON * size;
}

double dpa_conversion_log_delta(double s, double rdp, double epsilon) {
  const double rest = log1p(1.0 / s), slack = 16.0 * DBL_EPSILON;
  return s * (rdp - epsilon - rest + slack * (rdp + epsilon + rest)) -
         log1p(s) * (1.0 - slack);
}
