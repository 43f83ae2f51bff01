/* Private ADMM for consensus as a noisy fixed-point iteration (Algorithms 2, 3, 4 and 6
 * of the noisy fixed-point paper). User i keeps u_i; all share z:
 *
 *   z   = prox of gamma r at mean(u) + N(0, mean_noise^2)
 *   x_i = prox of gamma f_i at 2 z - u_i
 *   u_i = u_i + 2 lambda (x_i - z) + lambda N(0, block_noise^2)   for the active users
 *
 * Written with the implicit gradient g_i = (2 z - u_i - x_i) / gamma, whose norm is
 * bounded by force and not by trust in a solver:
 *
 *   u_i = (1 - 2 lambda) u_i + 2 lambda (z - gamma g_i).
 *
 * Where states are kept (start u = 0 everywhere):
 * - DENSE: u, one column of d a user. Needed when every user has noise of its own,
 *   several records, or a clipped step.
 * - SHARED: one record a user, no noise of its own, all active: u_i = w + c_i a_i with
 *   one w for all: a number a user. A round is one pass over the records.
 * - TRACED: the same with some users active: w_i is a combination of the z of the
 *   rounds i took part in, with weights 2 lambda (1 - 2 lambda)^j for the j-th last, so
 *   the last few rounds, as many as doubles can tell apart, give it exactly: for lambda
 *   = 1/2 the last one alone. Their numbers, c_i and a_i'u_i are kept. */
#ifndef DPA_DRIVER_CONSENSUS_H
#define DPA_DRIVER_CONSENSUS_H

#include "arena.h"
#include "dataset.h"
#include "loss.h"
#include "node_solver.h"
#include "penalty.h"
#include "poll.h"
#include "rng.h"
#include "rows.h"
#include "status.h"

typedef enum dpa_states { DPA_DENSE, DPA_SHARED, DPA_TRACED } dpa_states;

typedef struct dpa_consensus {
  size_t users, d;
  const dpa_rows *rows;    /* one record a user; NULL: */
  const dpa_dataset *data; /* several records, one set a user */
  const dpa_loss *loss;    /* f_i is the mean over the user's records */
  double width;
  double lambda, gamma;
  double grad_bound; /* on ||g_i||; infinite: none */
  double step_bound; /* on ||x_i - z||, to which it is shortened; infinite: none */
  const dpa_penalty *penalty;
  const double *parameter;
  size_t rounds;
  size_t sample;      /* users a round, a random subset; 0: all */
  const int *walk;    /* rounds: the one user of each, from 0; NULL */
  double block_noise; /* 0: none */
  double mean_noise;  /* 0: none */
  double tol;         /* gradient norm of the solves of users with several records */
  int threads;        /* of SHARED rounds; the others take one */
  const dpa_key *key;
  dpa_poll poll;
  void *context;
  double *history; /* d x (rounds + 1): z before the first round and after each */
  size_t begun, done;
  /* placed by the layout */
  dpa_states states;
  double *mean;                                /* d: of u */
  double *centre, *sum, *row, *change, *noise; /* d each: work space */
  double *u;                                   /* DENSE: d x users */
  double *along;                               /* c_i */
  double *inner;                               /* TRACED: a_i'u_i */
  double *margin;                              /* one record: a_i'x_i, a warm start */
  size_t chunks, stride;                       /* SHARED: of the users, and */
  double *partial;                             /* chunks x stride: their sums */
  size_t depth;                                /* TRACED: rounds remembered a user */
  int *last;         /* TRACED: depth x users, a ring of rounds */
  int *parts;        /* TRACED: times user i took part */
  double *share;     /* TRACED: rounds + 1 weights of z */
  int *active;       /* users of a round, when sampled */
  dpa_solver solver; /* several records: shared by all users */
} dpa_consensus;

void dpa_consensus_layout(dpa_consensus *run, dpa_arena *arena);

dpa_status dpa_consensus_run(dpa_consensus *run);

/* One application of the operator whose fixed points the iteration seeks, at states u
 * (d x users): out = R(u) = 2 x - 2 z + u, so that u + lambda (R(u) - u) is one round.
 * The run must be laid out and DENSE. */
dpa_status dpa_consensus_operator(dpa_consensus *run, const double *u, double *out);

#endif
