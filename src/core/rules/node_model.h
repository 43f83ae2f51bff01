/* The curvature that a node's solver keeps, and the quadratic model it makes. */
#ifndef DPA_NODE_MODEL_H
#define DPA_NODE_MODEL_H

#include "rules/node_solver.h"

#define DPA_ROUNDING 0x1p-46 /* 64 ulp */

/* The Cholesky factor of the kept curvature and the problem's quad. */
dpa_status dpa_solver_factorise(dpa_solver *s);

/* Curvature at the current point, and its factor. `along` serves as the buffer of
 * second derivatives. */
dpa_status dpa_solver_rebuild(dpa_solver *s);

/* Answer the problem by the model if that is proved to be good enough. DPA_CONTINUE: it
 * is not, take steps. */
dpa_status dpa_solver_try_model(dpa_solver *s);

#endif
