/* What is surely no less than what pure mechanisms cost together: quick to tell, where
 * composing them takes long. */
#ifndef DPA_PURE_FLOOR_H
#define DPA_PURE_FLOOR_H

#include "account/orders.h"

/* Releases of one loss. */
typedef struct dpa_losses {
  double loss, count;
} dpa_losses;

/* No less is proved of releases by whoever knows no more of some than their losses,
 * loss[kind]; NaN of those of which nothing is to be counted. `all`: of all the worst
 * at once, where that is likelier than delta, else NaN. Else: `some`, as many of the
 * largest as are the worst at once with that probability, and `sum`, how much they add
 * up to as rarely. `enough`: where one of them is as much, others need not be known, or
 * as well. room: as many as there are entries. */
typedef struct dpa_floors {
  double all, some, sum;
} dpa_floors;

dpa_floors dpa_pure_floors(const double *loss, const dpa_ledger *ledger, double delta,
                           double enough, dpa_losses *room);

/* The largest of them; 0 at least. */
double dpa_floor(const dpa_floors *floors);

/* The loss of randomised response into which an answer with Gamma-norm noise in `dim`
 * dimensions, Laplace noise in one, can be turned: on which side it is of the middle
 * between the two values, which are `shift` apart in units of the noise. */
double dpa_gamma_bit(double shift, double dim);

#endif
