/* The gradient of weight * sum_k L_k(f'x_k) over all records (record_loss.h), in one
 * pass through memory. Rows go in chunks whose number depends on the shape of the data
 * only, and the chunks' sums are added in order: the result is the same for any number
 * of threads. */
#ifndef DPA_GRADIENT_H
#define DPA_GRADIENT_H

#include "arena.h"
#include "data/loss.h"
#include "data/records.h"

typedef struct dpa_gradient {
  const dpa_records *data;
  const dpa_loss *loss;
  double width;  /* parameter of the loss */
  double weight; /* C / n */
  double clip;   /* bound on the norm of one record's gradient; infinite: none */
  int threads;
  /* set by the layout */
  size_t chunks, stride;
  double *partial; /* chunks x stride: their sums */
  double
      *norm; /* n: norms of the rows; NULL without clipping, or where they are known */
} dpa_gradient;

/* The fields above "set by the layout" are set; the rest is placed. */
void dpa_gradient_layout(dpa_gradient *gradient, dpa_arena *arena);

/* Once, before the first evaluation. */
void dpa_gradient_prepare(dpa_gradient *gradient);

/* out = the gradient at f, length d. */
void dpa_gradient_at(const dpa_gradient *gradient, const double *f, double *out);

#endif
