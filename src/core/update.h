/* Update rules of decentralised ADMM over a graph. One rule a file; the table in
 * update.c is the only list of them. A rule sees one node: its state, the sum of its
 * neighbours' last messages and the public numbers of the step. It knows neither the
 * network nor any accountant. `begin` poses the step, `advance` is called until it
 * stops answering DPA_CONTINUE and has then written node->message, what the node
 * broadcasts. */
#ifndef DPA_UPDATE_H
#define DPA_UPDATE_H

#include "node_solver.h"
#include "rng.h"
#include "sparse_vector.h"
#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* Noise mechanisms, in the order of dpa_mechanisms (mechanism.c). */
typedef struct dpa_mechanism {
  const char *name;
  void (*draw)(dpa_rng *rng, double scale, double *out, size_t d);
} dpa_mechanism;

extern const dpa_mechanism dpa_mechanisms[];
extern const size_t dpa_mechanisms_count;

/* When a node may send (IPP-ADMM). */
typedef struct dpa_test {
  dpa_sparse_vector vector;
  double loss_clip;
  int release_candidate; /* as printed: what passed the test is sent */
} dpa_test;

/* The public numbers of one node's step. */
typedef struct dpa_step {
  uint32_t iteration;             /* t = 1, 2, ...: names the noise stream */
  double eta;                     /* penalty parameter */
  double theta;                   /* dual step size; 0: the dual variable stays */
  double gamma;                   /* proximal weight of recycled updates */
  double tol;                     /* gradient norm to which a problem is solved */
  const dpa_mechanism *mechanism; /* NULL: no noise */
  double objective_scale; /* its scale in the objective's linear term; 0: none */
  double output_scale;    /* its scale on the message; 0: none */
  const dpa_test *test;   /* NULL: every message is sent */
} dpa_step;

/* One node. f, lambda, the sum of the neighbours' messages and the number of sends are
 * its state; the solver is a cache that speeds up its next problem. */
typedef struct dpa_node {
  uint32_t id;
  size_t d;
  double degree;   /* V_i */
  double ridge;    /* rho / N */
  double *f;       /* d: the node's last message */
  double *lambda;  /* d: dual variable */
  double *inbox;   /* d: sum over neighbours of their last messages */
  double *message; /* d: what it will send */
  double *linear;  /* d: of the posed problem, noise included */
  double *kkt;  /* d: grad O + b at the last exact update, from released values only */
  size_t sends; /* messages sent under a test */
  double last_loss; /* sum of the clipped losses at f, when measured */
  int measured;
  int passed;   /* the test of this step was positive */
  int sent;     /* whether this step's message is new; 0: message repeats f */
  dpa_dataset data;
  dpa_solver solver;
} dpa_node;

typedef struct dpa_update {
  const char *name;
  dpa_status (*begin)(dpa_node *node, const dpa_step *step, const dpa_key *key);
  dpa_status (*advance)(dpa_node *node, const dpa_step *step, const dpa_key *key);
} dpa_update;

extern const dpa_update dpa_update_exact, dpa_update_recycled, dpa_update_plausible,
    dpa_update_sparse_vector;

extern const dpa_update *const dpa_updates[];
extern const size_t dpa_updates_count;

#endif
