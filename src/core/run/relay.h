/* Relays: what the messages of a round become. One relay a file; the table in relay.c
 * is the only list of them. A relay owns the last messages, what goes out next, the
 * trace and what is kept of the iterates. It sees no record. */
#ifndef DPA_RELAY_H
#define DPA_RELAY_H

#include "run/message.h"
#include "run/plan.h"

/* Where the results go; all the caller's. */
typedef struct dpa_trace {
  double *f;         /* d x models: the last message of each, or the one model */
  double *iterates;  /* kept x models x d column-major, or NULL */
  size_t kept;       /* rounds, and one for a start that counts as an iterate */
  size_t shown;      /* iterates before round 1: 1 where the start counts, else 0 */
  double *gap;       /* rounds: see each relay; NULL where there is none */
  double *step;      /* kept: how far the model(s) moved */
  int *sent;         /* parties x rounds: who sent when, or NULL */
  double *moments;   /* d x (parties, or 1: their sum) x rounds that ask for them, or
                        NULL; with one model then also, rounds that move x d each: */
  double *points;    /* where gradients were asked for, */
  double *gradients; /* and their noisy sums */
  double *y, *u, *mean_x, *mean_y; /* split: m, m, d and m */
  size_t begun;                    /* rounds that were started */
  size_t done;                     /* rounds whose messages were delivered */
} dpa_trace;

/* Work space of the split relay. */
typedef struct dpa_split {
  double theta, residual;
  double *ahead;               /* d: x-hat */
  double *gradient;            /* d: noisy gradient and penalty pull */
  double *change;              /* d */
  double *image, *image_ahead; /* m: A x, A x-hat */
  double *image_new;           /* m */
  double *dual_ahead;          /* m: u-hat */
  double *shift, *step;        /* m: argument and step of the prox */
} dpa_split;

typedef struct dpa_hub {
  const dpa_plan *plan;
  dpa_key key; /* the server's */
  dpa_trace *trace;
  dpa_message *message; /* parties: of this round */
  double *inbox;        /* d x (parties or 1) */
  uint64_t *total;      /* d: the sum of the messages of a secure plan */
  double *mean, *noise; /* d: work space */
  dpa_split split;
} dpa_hub;

typedef struct dpa_relay {
  const char *name;
  const dpa_layout *layout;
  int many; /* a model, and an inbox, for each party; else one for all */
  void (*place)(dpa_hub *hub, dpa_arena *arena); /* NULL: nothing more */
  /* The first inboxes, from the plan's start. */
  void (*start)(dpa_hub *hub);
  /* The messages of a round: the trace and the next inboxes. */
  dpa_status (*deliver)(dpa_hub *hub, uint32_t round);
} dpa_relay;

extern const dpa_relay dpa_relay_graph, dpa_relay_server, dpa_relay_split,
    dpa_relay_descent;

/* The relays in their order, and how many there are. */
extern const dpa_relay *const dpa_relays[];
extern const size_t dpa_relays_count;

/* By name; NULL when there is none. */
const dpa_relay *dpa_relay_find(const char *name);

/* ---- what the relays share ------------------------------------------------------- */

void dpa_hub_layout(dpa_hub *hub, dpa_arena *arena, const dpa_plan *plan);

/* The inbox of party i. */
const double *dpa_hub_inbox(const dpa_hub *hub, size_t i);

/* out = the sum of the messages. */
void dpa_hub_sum(const dpa_hub *hub, double *out);

/* Note a round t from 0, one that moves the one model: where the noisy gradient `sum`
 * was asked for. */
void dpa_hub_note(const dpa_hub *hub, size_t t, const double *sum);

/* Whether round t from 0 was one that asked for moments; they are noted then, and the
 * inboxes stay. */
int dpa_hub_moment(const dpa_hub *hub, size_t t);

/* Keep the one model as iterate number `at`, from 0. */
void dpa_hub_keep(const dpa_hub *hub, size_t at);

#endif
