/* The strongly convex problem of one node,
 *
 *   minimise over f:  weight * sum_k L_k(x_k'f) + (quad / 2) ||f||^2 + lin'f,
 *
 * L_k the loss of record k (record_loss.h), to a stated gradient norm. Steps on a
 * curvature that is kept between problems, corrected by limited-memory BFGS pairs. They
 * begin with a scale, the diagonal of the curvature about the mean row and that row; a
 * full curvature (Newton's method) is bought when it is cheap, or as soon as steps that
 * it might have spared have cost as much as it does, by prices in passes that depend on
 * sizes alone (node_model.h). A step is one pass over the records, by blocks that are
 * multiplied with the direction and, where the derivatives at its end are known, back;
 * because the losses are functions of x'f, a line search costs no pass over the
 * features. The point, its margins and its data gradient are kept too, so a problem
 * that differs in lin and quad starts for free.
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

/* Records whose gradients are summed in one row, at most. */
#define DPA_SUM_ROWS 16384
/* BFGS pairs kept: fewer where a record has so few numbers that they would take longer
 * than the passes that they spare, and more memory than the records. */
#define DPA_FEW_PAIRS 3
#define DPA_PAIRS 10

/* The curvature that a solver has. */
typedef enum dpa_curvature {
  DPA_NO_CURVATURE,
  DPA_SCALE, /* a diagonal about a mean row: a scale */
  DPA_FULL   /* d x d, with a Cholesky factor */
} dpa_curvature;

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
  double travelled; /* what the margins' error is counted in since they were X f */
  int idle;         /* steps since then */
  double longest;   /* norm of the longest record; < 0 until needed */
  double unbalance; /* at anchor |L'''| <= unbalance L'' */
  double distance;  /* ||f - anchor|| and its length in the curvature's norm; */
  double curved_distance; /* distance < 0: not up to date */
  double factor_quad;     /* the factor's */
  int known;        /* margin and data_grad belong to f, or to base when f is ahead */
  int ahead;        /* f is the answer of the model around base */
  int curved;       /* what curvature has been computed */
  int age;          /* steps taken with this curvature */
  int spent;        /* of them (and of those with the one before, if it was a diagonal),
                       how many a better one might have spared */
  int served;       /* problems solved by the model since the last curvature */
  int wait, waited; /* problems to solve by steps before the model gets a new one */
  int iterations;   /* steps taken on this problem */
  int plain;        /* of them, since Newton's method was given up */
} dpa_solver_state;

typedef struct dpa_solver {
  const dpa_records *data;
  const dpa_loss *loss;
  double width;        /* parameter of the loss */
  double weight;       /* > 0 */
  int threads;         /* that share a pass */
  double price;        /* of a full curvature, in passes; */
  double factor_price; /* and of its factor alone: see node_model.h */
  double roam; /* margins are worked out anew when f has travelled farther; infinite:
                  only   when their rounding could be felt */
  const double *lin; /* d; the caller's, must live as long as the problem */
  double *f;         /* d: the current point; the minimiser after DPA_OK */
  double *data_grad; /* d: weight * X' dL(X f) */
  double *grad;      /* d: of the whole problem */
  double *old_grad;  /* d: before the last step */
  double *dir;       /* d */
  double *margin;    /* n: X f */
  double *along;     /* n: X dir */
  double *sum;       /* sums x stride: sums over chunks of records */
  size_t sums, stride;
  double *curvature; /* of the data's Hessian at an earlier point: 2 d, a scale D + v v'
                        (D, then v), or d x d, whose upper triangle has it but for the
                        diagonal, and the lower one the Cholesky factor of
                        curvature + quad I; */
  double *diagonal;  /* d: that diagonal; NULL if a scale is all that there ever is */
  double *base;   /* d: where margin and data_grad are known while f is ahead of it */
  double *anchor; /* d: where the full curvature was computed */
  double *block;  /* work space of the dense Hessian; NULL when not needed */
  size_t most_pairs; /* at most DPA_PAIRS */
  double *step_pair; /* most_pairs x d: steps */
  double *grad_pair; /* most_pairs x d: changes of the gradient */
  dpa_solver_state at;
  int backwards; /* where the next pass begins: at the last rows; never part of a state
                  */
} dpa_solver;

/* Whether a node of this shape has room for a full d x d curvature (else for a scale).
 * The matrices stay smaller than the records themselves. */
int dpa_solver_full(const dpa_records *data);

/* Take from `arena` (measuring when it has no base) what is kept from problem to
 * problem and, when placing, set the solver to f = 0 with nothing known. */
void dpa_solver_layout(dpa_solver *solver, dpa_arena *arena, const dpa_records *data,
                       const dpa_loss *loss, double width, double weight);

/* Then its work space, in which nothing is read that was not written for this problem.
 */
void dpa_solver_room(dpa_solver *solver, dpa_arena *arena);

/* The same f, and other records (no more than those it was laid out for) of which
 * nothing is known. */
void dpa_solver_use(dpa_solver *solver, const dpa_records *data, double weight);

/* Pose the next problem; the current point is the warm start. */
void dpa_solver_start(dpa_solver *solver, double quad, const double *lin, double tol);

/* One step. DPA_CONTINUE: call again; DPA_OK: f has gradient norm <= tol
 * (or as small as the rounding of its terms allows; with a finite roam it may instead
 * be within tol / quad of the minimiser, rounding aside); DPA_STALLED: the tolerance is
 * out of reach in double precision; DPA_NUMERIC: not finite. */
dpa_status dpa_solver_advance(dpa_solver *solver);

/* X f of the current point: n numbers, good until the next call of advance. */
const double *dpa_solver_margin(dpa_solver *solver);

#endif
