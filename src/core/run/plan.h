/* The plan of a run: public numbers only, fixed before a record is read. */
#ifndef DPA_PLAN_H
#define DPA_PLAN_H

#include "data/network.h"
#include "data/penalty.h"
#include "rules/rule.h"

struct dpa_relay;

/* relay "server" */
typedef struct dpa_server_plan {
  size_t users;     /* of all parties */
  const int *first; /* parties: the first user of each; NULL: one party with all */
  double lambda, gamma, step_bound;
  int exact;           /* see order.h */
  const double *scale; /* rounds: of the server's noise; NULL: none */
  size_t sample;       /* users a round, a random subset; 0: all */
  const int *walk;     /* rounds: the one user of each, from 0; NULL */
  dpa_key public_key;  /* of the samples */
} dpa_server_plan;

/* relay "split": A x + B y = c */
typedef struct dpa_split_plan {
  dpa_records A;         /* m rows of d, no labels */
  const double *b;       /* m: diagonal of B, no zeros */
  const double *c;       /* m */
  const double *weights; /* m: of the penalty */
  double eta, rho, gamma;
  int accelerated;
  int restart; /* of the momentum */
  int rising;  /* whether later iterates weigh more in the means */
  int at_mean; /* whether moments are asked for at the mean, or at the last iterate */
  /* d x d pseudo-inverse of A'A for the start u = -(A')^+ grad f / rho; NULL: u = 0 */
  const double *inverse;
  const double *start_scale; /* parties: of the noise of that gradient; NULL: none */
} dpa_split_plan;

/* relay "descent" */
typedef struct dpa_descent_plan {
  const double *step; /* rounds */
  const int *block;   /* d: which block each coordinate is in; NULL: one */
  const int *turn;    /* rounds: the block of each */
  dpa_batch batch;
  double batch_size;
} dpa_descent_plan;

/* Messages that only their sum is seen of: whole numbers of steps of a grid, each with
 * a part of the sum's noise. */
typedef struct dpa_secure {
  double grid;    /* a power of two; 0: every message is seen */
  uint64_t steps; /* scale of a party's noise in steps of the grid */
} dpa_secure;

typedef struct dpa_plan {
  size_t parties, d, rounds;
  int threads;
  const struct dpa_relay *relay;
  const dpa_loss *loss;
  double width; /* parameter of the loss */
  const double
      *weight; /* parties: of the sum of a party's losses; "server": of the mean
                  loss of a user with several records, 1 where all have one */
  double ridge;
  double clip;         /* on a record's, or user's, gradient; infinite: none */
  const int *rule;     /* rounds: index into dpa_rules */
  const double *eta;   /* parties x rounds, column-major, or NULL: 0; as the next one */
  const double *theta; /* as the next one */
  const double *tol;
  const double *gamma;            /* parties, or NULL: 0 */
  const dpa_mechanism *mechanism; /* NULL: no noise */
  const double *objective_scale;  /* parties x rounds, or NULL: none; as the next one */
  const double *output_scale;
  const double *reach;  /* parties: of public points; NULL: any; see order.h */
  const dpa_test *test; /* parties, or NULL: every message is sent */
  const double *start;  /* d x (parties or 1), or NULL: 0 */
  dpa_network network;  /* "graph" */
  const double *share; /* parties, "graph": of the mean model at which moments are asked
                          for; NULL: none are */
  const double *unit;  /* rounds: of moments, see order.h; NULL: 1 */
  dpa_secure secure;   /* not "graph"; then no other noise is drawn */
  const dpa_penalty *penalty;
  const double *parameter; /* of the penalty */
  dpa_server_plan server;
  dpa_split_plan split;
  dpa_descent_plan descent;
} dpa_plan;

/* The number of the first round: 0 where a start needs a gradient, else 1. */
uint32_t dpa_plan_first(const dpa_plan *plan);

/* Rounds that move the model; in those after them moments are asked for. */
size_t dpa_plan_moves(const dpa_plan *plan);

/* Whether there are any after them. */
int dpa_plan_asks(const dpa_plan *plan);

/* Numbers of room that an order of this plan needs for coordinates or users. */
size_t dpa_plan_room(const dpa_plan *plan);

/* What party i is to do in a round; room: dpa_plan_room() numbers, which the order then
 * points to. */
void dpa_plan_order(const dpa_plan *plan, size_t i, uint32_t round, int *room,
                    dpa_order *order);

#endif
