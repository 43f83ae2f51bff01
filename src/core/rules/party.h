/* A party: records, a key, and a state that is a function of the orders it was given
 * and of what came in. The state is one block of plain numbers; the cache only makes
 * the next step faster (and equal to the last bit to that of a party which kept it). */
#ifndef DPA_PARTY_H
#define DPA_PARTY_H

#include "arena.h"
#include "data/loss.h"
#include "data/records.h"
#include "random/key.h"
#include "rules/gradient_sum.h"
#include "rules/node_solver.h"
#include "rules/order.h"

/* ---- layout "node": a node of a network ------------------------------------------ */

/* What a party knows of its own sends under a test. */
typedef struct dpa_sends {
  uint64_t count;
  double last_loss; /* sum of the clipped losses at f, when measured */
  int64_t measured;
} dpa_sends;

typedef struct dpa_node {
  double *f;      /* d: the last message */
  double *lambda; /* d: dual variable */
  double *inbox;  /* d: weighted sum of its neighbours' last messages */
  double *kkt; /* d: grad O + b at the last exact update, from released values only */
  dpa_sends *sends;
  dpa_solver solver;
  dpa_solver_state *kept; /* the solver's, in the cache */
  double *pull;           /* d: linear term of the posed problem: public; in the room */
  double *linear;         /* d: the same with its noise */
  int passed;             /* the test of this step was positive */
} dpa_node;

/* ---- layout "users": many users, each with a state of its own ---------------------
 */

/* Where the states are kept, see store.h. */
typedef enum dpa_store { DPA_DENSE, DPA_SHARED, DPA_TRACED } dpa_store;

typedef struct dpa_users {
  /* public, set before placing */
  size_t first, count, all; /* users first, ..., first + count - 1 of all */
  const int *size;          /* records a user; NULL: one each */
  dpa_store store;
  size_t depth;  /* TRACED: rounds remembered a user */
  size_t rounds; /* of the whole run */
  /* state; the message is the sum of the users' states */
  double *u;     /* DENSE: d x users */
  double *total; /* DENSE, TRACED: d: the sum of the users' states, and what rounding */
  double *rest;  /* has taken from it so far: d */
  double *centre;  /* SHARED: d: w */
  double *along;   /* SHARED, TRACED: c_i */
  double *inner;   /* TRACED: a_i'u_i */
  double *history; /* TRACED: d x rounds: the z of each */
  int *last;       /* TRACED: depth x users, a ring of rounds */
  int *parts;      /* TRACED: times user i took part */
  /* cache */
  double *margin;       /* one record: a_i'x_i, a warm start */
  double *z;            /* d */
  double *row, *change; /* d each */
  double *share;        /* TRACED: rounds + 1 weights of z */
  double *partial;      /* SHARED: chunks x stride: sums */
  size_t chunks, stride;
  size_t *offset;    /* several records: users + 1 */
  size_t at;         /* which of the round's users is next */
  dpa_solver solver; /* several records: shared by all users */
} dpa_users;

/* ---- layout "holder": gradients of all records of one holder ----------------------
 */

typedef struct dpa_holder {
  double *at;   /* d: where the gradient is asked for */
  double *part; /* d: one record's */
  int *batch;   /* n */
  dpa_gradient gradient;
} dpa_holder;

/* ---- all ---------------------------------------------------------------------------
 */

/* Second moments of the records, of any layout (rule_moment.c); in the cache. */
typedef struct dpa_moment {
  int asked;      /* public, set before placing: whether there will be any */
  int *known;     /* which of them `matrix` holds, 0: none */
  double *matrix; /* d x d lower triangle */
  double *block;  /* its work space */
} dpa_moment;

/* The head of a party's state. */
typedef struct dpa_head {
  uint32_t begun; /* whether there was a round */
  uint32_t round; /* of the message */
  int32_t sent;   /* whether it is new; 0: it repeats the last one */
  int32_t status; /* DPA_CONTINUE: the round is under way */
} dpa_head;

struct dpa_layout;

typedef struct dpa_party {
  uint32_t id;
  size_t d;
  int threads; /* of its passes over records */
  dpa_key key;
  dpa_records records;
  const dpa_loss *loss;
  double width;  /* parameter of the loss */
  double weight; /* of the sum of the losses */
  double ridge;
  double clip;         /* infinite: none */
  double degree;       /* what its edges weigh, and itself: see network.h */
  const double *start; /* d: a public first broadcast; NULL: 0 */
  const struct dpa_layout *layout;
  dpa_head *head;  /* state */
  double *message; /* d: state */
  double *spare;   /* d: room for a point */
  dpa_moment moment;
  union {
    dpa_node node;
    dpa_users users;
    dpa_holder holder;
  } as;
  /* where state and cache lie */
  unsigned char *state, *cache;
  size_t state_size, cache_size;
  dpa_order order; /* of the round under way */
  int *active;     /* room for order.coordinates or order.users */
} dpa_party;

#endif
