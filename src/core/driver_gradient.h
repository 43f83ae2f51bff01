/* Gradient ADMM of one data holder: min f(x) + sum_j w_j h(y_j) subject to
 * A x + B y = c, one (noisy) gradient of f a step, plain or with Nesterov's momentum.
 * Everything but the records is public, and everything that comes out is a function of
 * the noisy gradients. */
#ifndef DPA_DRIVER_GRADIENT_H
#define DPA_DRIVER_GRADIENT_H

#include "arena.h"
#include "gradient.h"
#include "penalty.h"
#include "poll.h"
#include "update.h"

typedef struct dpa_gradient_run {
  dpa_gradient gradient; /* of f */
  const dpa_dataset *A;  /* m rows of d, no labels */
  const double *b;       /* m: diagonal of B, no zeros */
  const double *c;       /* m */
  const double *weight;  /* m: w */
  const dpa_penalty *penalty;
  const double *parameter; /* of the penalty */
  double eta, rho, gamma;
  int accelerated;
  int restart; /* of the momentum */
  size_t iterations;
  /* d x d pseudo-inverse of A'A for the start u = -(A')^+ grad f / rho; NULL: u = 0 */
  const double *inverse;
  const dpa_mechanism *mechanism; /* NULL: no noise */
  const double *scale;            /* iterations + 1: of the start, then of each step */
  const dpa_key *key;
  dpa_poll poll;
  void *context;
  /* state */
  double theta, residual;
  /* placed by the layout */
  double *slope;               /* d: gradient, noise and penalty pull */
  double *noise;               /* d */
  double *ahead;               /* d: x-hat */
  double *image, *image_ahead; /* m: A x, A x-hat */
  double *image_new;           /* m */
  double *dual_ahead;          /* m: u-hat */
  double *shift, *step;        /* m: argument and step of the prox */
} dpa_gradient_run;

/* Where the results go; all the caller's. */
typedef struct dpa_gradient_trace {
  double *x;        /* d: start on entry, x_T on return */
  double *y;        /* m */
  double *u;        /* m: scaled dual variable */
  double *mean_x;   /* d: mean of x_1, ..., x_T */
  double *mean_y;   /* m */
  double *iterates; /* iterations x d column-major, or NULL */
  double *gap;      /* iterations: ||A x_t + B y_t - c|| */
  double *moved;    /* iterations: ||x_t - x_(t-1)|| */
  size_t begun, done;
} dpa_gradient_trace;

void dpa_gradient_run_layout(dpa_gradient_run *run, dpa_arena *arena);

/* DPA_NUMERIC when the iterates leave the range of doubles. */
dpa_status dpa_gradient_run_all(dpa_gradient_run *run, dpa_gradient_trace *trace);

#endif
