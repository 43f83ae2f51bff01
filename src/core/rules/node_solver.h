/* The strongly convex problem of one node,
 *
 *   minimise over f:  weight * sum_k L_k(x_k'f) + (quad / 2) ||f||^2 + lin'f,
 *
 * L_k the loss of record k (record_loss.h), to a stated gradient norm. Newton's method
 * on a curvature that is kept between problems and rebuilt only when steps stop paying,
 * corrected by limited-memory BFGS pairs. Because the losses are functions of x'f, a
 * step costs one product with X and one with X', and its line search costs no pass over
 * the features at all. The point, its margins and its data gradient are kept too, so a
 * problem that differs in lin and quad starts for free.
 *
 * To a loose tolerance most problems need no pass at all: for a self-concordant loss
 * the kept gradient and curvature come with a bound on how far their quadratic model is
 * off, and where that is below the tolerance the model's minimiser is the answer. */
#ifndef DPA_NODE_SOLVER_H
#define DPA_NODE_SOLVER_H

#include "arena.h"
#include "data/loss.h"
#include "data/records.h"
#include "status.h"

#define DPA_PAIRS 10        /* BFGS pairs kept */
#define DPA_SUM_BLOCK 16384 /* records whose gradients are summed apart */

/* All that changes but the arrays: a solver whose arrays and `at` are copied goes on as
 * the first would. */
typedef struct dpa_solver_state {
  double quad; /* > 0: the modulus of strong convexity */
  double tol;  /* stop at this gradient norm */
  double inner_pair[DPA_PAIRS];
  size_t pairs, newest;
  double norm;   /* of grad */
  double enough; /* the norm to reach: tol, or the rounding of the gradient's parts */
  double best;   /* smallest norm on this problem */
  double travelled;       /* sum of ||f|| + ||step|| since the margins were X f */
  int idle;               /* steps since then */
  double longest;         /* norm of the longest record; < 0 until needed */
  double unbalance;       /* at anchor |L'''| <= unbalance L'' */
  double distance;        /* ||f - anchor|| and its length in the curvature's norm; */
  double curved_distance; /* distance < 0: not up to date */
  int known;        /* margin and data_grad belong to f, or to base when f is ahead */
  int ahead;        /* f is the answer of the model around base */
  int curved;       /* curvature has been computed */
  int refactor;     /* factor belongs to another quad */
  int age;          /* steps taken with this curvature */
  int served;       /* problems solved by the model since the last curvature */
  int wait, waited; /* problems to solve by steps before the model gets a new one */
  int iterations;   /* steps taken on this problem */
  int plain;        /* of them, since Newton's method was given up */
} dpa_solver_state;

typedef struct dpa_solver {
  const dpa_records *data;
  const dpa_loss *loss;
  double width;  /* parameter of the loss */
  double weight; /* > 0 */
  double roam;   /* margins are worked out anew when f has travelled farther; infinite:
                    only   when their rounding could be felt */
  const double *lin;  /* d; the caller's, must live as long as the problem */
  double *f;          /* d: the current point; the minimiser after DPA_OK */
  double *data_grad;  /* d: weight * X' dL(X f) */
  double *grad;       /* d: of the whole problem */
  double *old_grad;   /* d: before the last step */
  double *dir;        /* d */
  double *margin;     /* n: X f */
  double *along;      /* n: X dir */
  double *derivative; /* n: dL_k at the trial point */
  double *part;       /* d: sum over a block of records; NULL when one block is all */
  double *curvature;  /* d x d lower triangle of the data's Hessian at an earlier point,
                         or d: its diagonal */
  double *factor; /* d x d: Cholesky factor of curvature + quad I; NULL if diagonal */
  double *base;   /* d: where margin and data_grad are known while f is ahead of it */
  double *anchor; /* d: where the full curvature was computed */
  double *block;  /* work space of the dense Hessian; NULL when not needed */
  double *step_pair; /* DPA_PAIRS x d: steps */
  double *grad_pair; /* DPA_PAIRS x d: changes of the gradient */
  dpa_solver_state at;
} dpa_solver;

/* Whether a node of this shape keeps a full d x d curvature (else its diagonal). The
 * matrices stay smaller than the records themselves. */
int dpa_solver_full(const dpa_records *data);

/* Take the work space from `arena` (measuring when it has no base) and, when placing,
 * set the solver to f = 0 with nothing known. */
void dpa_solver_layout(dpa_solver *solver, dpa_arena *arena, const dpa_records *data,
                       const dpa_loss *loss, double width, double weight);

/* The same f, and other records (no more than those it was laid out for) of which
 * nothing is known. */
void dpa_solver_use(dpa_solver *solver, const dpa_records *data, double weight);

/* Pose the next problem; the current point is the warm start. */
void dpa_solver_start(dpa_solver *solver, double quad, const double *lin, double tol);

/* One step. DPA_CONTINUE: call again; DPA_OK: f has gradient norm <= tol
 * (or as small as the rounding of its terms allows); DPA_STALLED: the
 * tolerance is out of reach in double precision; DPA_NUMERIC: not finite. */
dpa_status dpa_solver_advance(dpa_solver *solver);

/* X f of the current point: n numbers, good until the next call of advance. */
const double *dpa_solver_margin(dpa_solver *solver);

#endif
