/* The curvature that a node's solver keeps, and the quadratic model it makes. */
#ifndef DPA_NODE_MODEL_H
#define DPA_NODE_MODEL_H

#include "rules/node_solver.h"

#define DPA_ROUNDING 0x1p-46 /* 64 ulp */

/* Prices in passes of a full curvature with its factor, and of a factor alone, from the
 * sizes. They were measured with one thread: a row in a curvature of d columns costs
 * d / 16 passes of it, sparse or not, and a factor 0.2 d^3 passes of an entry. What
 * costs no more than CHEAP is bought at once. */
void dpa_solver_prices(dpa_solver *s);

/* Curvature at the current point: a full one with its factor where that is to be had
 * for what has been spent, else a scale. `along` serves as the buffer of second
 * derivatives. */
dpa_status dpa_solver_rebuild(dpa_solver *s);

/* dir = (curvature + quad I)^-1 dir. */
void dpa_solver_divide(dpa_solver *s);

/* Before the first step on a problem: the factor for its quad, where that is cheap or
 * the old one's is far off. (Otherwise the old one still is a scale, close to the right
 * one.)
 */
dpa_status dpa_solver_follow(dpa_solver *s);

/* After a step that did not pay: a better curvature, if it is worth its price by now.
 */
dpa_status dpa_solver_improve(dpa_solver *s);

/* Answer the problem by the model if that is proved to be good enough. DPA_CONTINUE: it
 * is not, take steps. */
dpa_status dpa_solver_try_model(dpa_solver *s);

#endif
