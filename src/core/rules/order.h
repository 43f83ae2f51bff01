/* An order: the public numbers of one party's step. Nothing in it depends on a record.
 */
#ifndef DPA_ORDER_H
#define DPA_ORDER_H

#include "random/mechanism.h"
#include "rules/sparse_vector.h"

#include <stddef.h>
#include <stdint.h>

struct dpa_rule;

/* Which of a party's records a gradient is taken of. */
typedef enum dpa_batch {
  DPA_BATCH_ALL,
  DPA_BATCH_POISSON, /* each with probability batch_size */
  DPA_BATCH_FIXED    /* batch_size of them */
} dpa_batch;

/* When a node may send (IPP-ADMM). */
typedef struct dpa_test {
  dpa_sparse_vector vector;
  double loss_clip;
  int release_candidate; /* as printed: what passed the test is sent */
} dpa_test;

/* Increasing numbers; index NULL: all. */
typedef struct dpa_some {
  const int *index;
  size_t count;
} dpa_some;

typedef struct dpa_order {
  const struct dpa_rule *rule;
  uint32_t round; /* t = 1, 2, ...: names the streams; 0: before the first */
  double eta;     /* penalty parameter */
  double theta;   /* dual step size; 0: the dual variable stays */
  double gamma;   /* weight: of a recycled update, of a proximal step */
  double lambda;  /* relaxation of the users' states */
  double tol;     /* gradient norm to which a problem is solved */
  double clip;    /* on the norm of a record's, or user's, gradient; infinite: none */
  double step_bound; /* on the norm of a user's step; infinite: none */
  int exact; /* the guarantee rests on proximal steps that are solved: no makeshift */
  const dpa_mechanism *mechanism; /* NULL: no noise */
  double objective_scale; /* its scale on a linear term or a gradient; 0: none */
  double output_scale;    /* its scale on the message or a user's state; 0: none */
  /* Public points farther from 0 than this are cut to it, because rounding is proved
   * small within it only: of a linear term over the modulus, and of a server's z. */
  double reach;
  const dpa_test *test; /* NULL: every message is sent */
  size_t piece; /* of a matrix that is sent in pieces of d numbers: which, from 0; */
  double unit;  /* and what its entries are multiplied by */
  dpa_batch batch;
  double batch_size;
  dpa_some coordinates; /* that move */
  dpa_some users;       /* that take part, numbered among all users of the run */
} dpa_order;

#endif
