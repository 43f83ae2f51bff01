#include "rules/prox_glm.h"

#include <math.h>

#define BLOCK 256
#define ENOUGH 0x1p-50 /* residual over the size of its terms: 4 ulp */
#define NEWTON 30      /* after so many steps only bisect: no cycle lasts */
#define MAX_STEPS 1200 /* bisection from the widest bracket of doubles */

static void solve_block(const dpa_loss *loss, double width, const double *y,
                        const double *target, const double *weight, size_t n,
                        double *margin, double *derivative) {
  double low[BLOCK], high[BLOCK], curvature[BLOCK];
  for (size_t k = 0; k < n; k++) {
    low[k] = -INFINITY;
    high[k] = INFINITY;
    if (!isfinite(margin[k]))
      margin[k] = target[k];
  }
  for (int step = 0; step < MAX_STEPS; step++) {
    int open = 0;
    loss->derivative(margin, y, n, width, derivative, curvature);
    for (size_t k = 0; k < n; k++) {
      const double m = margin[k], pull = weight[k] * derivative[k];
      const double off = m + pull - target[k];
      const double rounding = ENOUGH * (fabs(m) + fabs(pull) + fabs(target[k]));
      if (!(fabs(off) > rounding))
        continue;
      /* derivative at least 1: the root is no farther than the residual, as rounded */
      if (off > 0.0) {
        high[k] = m;
        low[k] = fmax(low[k], m - off - rounding);
      } else {
        low[k] = m;
        high[k] = fmin(high[k], m - off + rounding);
      }
      double next = m - off / (1.0 + weight[k] * curvature[k]);
      if (step >= NEWTON || !(next >= low[k] && next <= high[k]))
        next = 0.5 * low[k] + 0.5 * high[k];
      if (next == m)
        continue;
      margin[k] = next;
      open = 1;
    }
    if (!open)
      return;
  }
}

void dpa_prox_glm(const dpa_loss *loss, double width, const double *y,
                  const double *target, const double *weight, size_t n, double *margin,
                  double *derivative) {
  for (size_t first = 0; first < n; first += BLOCK) {
    const size_t m = n - first < BLOCK ? n - first : BLOCK;
    solve_block(loss, width, y + first, target + first, weight + first, m,
                margin + first, derivative + first);
  }
}
