/* The proximal step of a loss of a linear predictor, f(x) = L(y, a'x). It moves along a
 * only: prox of gamma f at v is v - gamma s a, where s = L'(y, m) and the margin m
 * solves m + gamma ||a||^2 L'(y, m) = a'v. The left side increases at a rate of at
 * least 1, which brackets the root from any point. */
#ifndef DPA_PROX_GLM_H
#define DPA_PROX_GLM_H

#include "data/loss.h"

#include <stddef.h>

/* For every k < n: margin[k] (a first guess on entry) becomes the root of
 * m + weight[k] L'(y[k], m) = target[k], weight >= 0, and derivative[k] the derivative
 * L' there.
 */
void dpa_prox_glm(const dpa_loss *loss, double width, const double *y,
                  const double *target, const double *weight, size_t n, double *margin,
                  double *derivative);

#endif
