/* The noise that several parties need, by Renyi divergences: all noises of a party hang
 * on one number, its unit. */
#ifndef DPA_ACCOUNT_UNITS_H
#define DPA_ACCOUNT_UNITS_H

#include "account/meet.h"
#include "account/pure.h"
#include "account/pure_floor.h"
#include "arena.h"
#include "poll.h"

/* What parties release, a row a release, and what they may spend. */
typedef struct dpa_spenders {
  const dpa_renyi_kind *kind; /* rows: with noise of unit 1 */
  const double *count;        /* rows */
  const int *party;           /* rows: in 1, ..., parties */
  size_t rows, parties;
  const double *epsilon; /* parties */
  const double *cost;    /* parties: of which this goes to what is no divergence */
  double log_delta;
  double width; /* noise may be above the least by this share */
  int others; /* whether others are asked than Renyi divergences: pure losses, zCDP, and
                 who knows all of some kinds and of the rest their pure losses */
  dpa_log_choose log_choose;
} dpa_spenders;

typedef struct dpa_turn {
  double band, epsilon, steep; /* where these are near noises are, too */
  size_t party;
} dpa_turn;

typedef struct dpa_units_room {
  size_t *start;          /* parties + 1: where each one's rows begin in */
  size_t *row;            /* rows: the rows, party by party */
  size_t *slot;           /* 2 * rows: a table of a party's unlike releases by kind, */
  size_t entries;         /* so many so far */
  dpa_turn *turn;         /* parties: in the order they are solved in */
  dpa_renyi_kind *kind;   /* rows: of one party, unlike ones, */
  dpa_renyi_kind *scaled; /* and with other noise */
  int *place;             /* rows: 0, 1, ... */
  double *count;          /* rows: of each of the unlike ones */
  double *loss;           /* and their pure losses, */
  dpa_losses *losses;     /* and work space of these */
  double *numbers;
  dpa_order_space space;
} dpa_units_room;

void dpa_units_layout(dpa_units_room *room, dpa_arena *arena, size_t rows,
                      size_t parties);

/* The unit of each party, with which it just keeps its budget, and the order that
 * proves it (dpa_meet_budget()), or infinity where pure losses do, or NaN where others
 * may say less than orders do. Alike parties are solved once, others one after another
 * that is like it. Where none is found, or a release is no plain one
 * (dpa_renyi_is_plain()), units are NaN, and where that is so of many the rest is not
 * looked for. */
dpa_status dpa_units(const dpa_orders *search, const dpa_spenders *of,
                     dpa_units_room *room, dpa_poll poll, void *poll_context,
                     double *unit, double *order);

#endif
