/* Losses L(y, a) of a record with label y and linear predictor a = f'x. One file a
 * loss; the table in loss.c is the only list of them. */
#ifndef DPA_LOSS_H
#define DPA_LOSS_H

#include <stddef.h>

typedef struct dpa_loss_constants {
  double lipschitz;    /* L  = sup |dL/da|, infinite when there is none */
  double curvature;    /* c1 = sup d2L/da2 */
  double third;        /* c2 = sup |d3L/da3|, infinite when it does not exist */
  int self_concordant; /* |d3L/da3| <= d2L/da2 everywhere */
  int tied;            /* d2L/da2 = |dL/da| (1 - |dL/da|), as for the logistic loss */
  int classification;  /* labels are -1 and 1 */
} dpa_loss_constants;

typedef struct dpa_loss {
  const char *name;
  double default_width; /* of the loss's one parameter; 0 when it has none */
  dpa_loss_constants (*constants)(double width);
  /* value[k] = L(y[k], a[k]) */
  void (*value)(const double *a, const double *y, size_t n, double width,
                double *value);
  /* derivative[k] = dL/da; curvature[k] = d2L/da2 unless curvature is NULL */
  void (*derivative)(const double *a, const double *y, size_t n, double width,
                     double *derivative, double *curvature);
} dpa_loss;

extern const dpa_loss dpa_loss_logistic, dpa_loss_squared, dpa_loss_huber,
    dpa_loss_hinge;

/* The losses in their order, and how many there are. */
extern const dpa_loss *const dpa_losses[];
extern const size_t dpa_losses_count;

/* By name; NULL when there is none. */
const dpa_loss *dpa_loss_find(const char *name);

#endif
