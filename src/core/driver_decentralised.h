/* Decentralised ADMM: every iteration each node makes an update and broadcasts it, then
 * moves its dual variable. The schedule is public: it is fixed before a record is read.
 */
#ifndef DPA_DRIVER_DECENTRALISED_H
#define DPA_DRIVER_DECENTRALISED_H

#include "arena.h"
#include "network.h"
#include "poll.h"
#include "update.h"

typedef struct dpa_schedule {
  size_t nodes, iterations;
  const int *update; /* iterations: index into dpa_updates */
  const double *eta; /* nodes x iterations, column-major, as the next ones */
  const double *theta;
  const double *objective_scale;
  const double *output_scale;
  const double *gamma;            /* nodes */
  const double *tol;              /* nodes */
  const dpa_mechanism *mechanism; /* NULL: no noise */
  const dpa_test *test;           /* nodes, or NULL: every message is sent */
} dpa_schedule;

/* Where the results go; all the caller's. */
typedef struct dpa_trace {
  double *f;        /* d x nodes: start on entry, last messages on return */
  double *iterates; /* iterations x nodes x d column-major, or NULL */
  double *gap;  /* iterations: root mean square distance of the nodes to their mean */
  double *step; /* iterations: root mean square change of the messages */
  int *sent;    /* nodes x iterations: who sent when, or NULL */
  size_t begun; /* iterations whose updates were started */
  size_t done;  /* iterations whose messages were sent */
} dpa_trace;

typedef struct dpa_decentralised {
  const dpa_network *network;
  const dpa_schedule *schedule;
  const dpa_dataset *data; /* one a node */
  const dpa_loss *loss;
  double width;         /* parameter of the loss */
  const double *weight; /* nodes: C / B_i */
  double ridge;         /* rho / N */
  const dpa_key *key;
  int threads;
  dpa_poll poll;
  void *context;
  /* placed by the layout */
  dpa_node *node;
  dpa_status *status;
  double *mean;
} dpa_decentralised;

void dpa_decentralised_layout(dpa_decentralised *run, dpa_arena *arena);

dpa_status dpa_decentralised_run(dpa_decentralised *run, dpa_trace *trace);

#endif
