/* A ledger on its way to the noise with which it just keeps its budget: what
 * dpa_meet_budget() is made of. */
#ifndef DPA_ACCOUNT_MEETING_H
#define DPA_ACCOUNT_MEETING_H

#include "account/meet.h"
#include "account/sketch.h"

#include <stddef.h>

typedef struct dpa_meeting {
  const dpa_orders *search;
  dpa_orders of_grid; /* the grid's alone, */
  dpa_orders around;  /* around an order that is told, */
  dpa_orders alone;   /* and there alone */
  const dpa_renyi_kind *kinds;
  const dpa_ledger *ledger;
  dpa_sketch sketch; /* of a ledger of many kinds, and the few in it: none, or */
  dpa_ledger few;
  const dpa_budget *budget;
  dpa_renyi_kind *scaled;
  dpa_order_space *space;
  int rough;   /* whether divergences take long, of which rough ones are known; */
  int guess;   /* whether these do for now; */
  double off;  /* from where they have the best order it is so far, in logs; */
  double more; /* and how much more is spent than they say */
  dpa_status status;
} dpa_meeting;

/* A multiple of the noise, as its log, how much more than the budget is spent with it,
 * and the slope of that, in logs, and the best order. */
typedef struct dpa_trial {
  double x, excess, slope, order;
} dpa_trial;

/* The next order below: just above there may be another valley. */
double dpa_meeting_shared_order(double order);

/* An order less one times exp(by), and one more. */
double dpa_meeting_moved(double order, double by);

/* The noise of the ledger's kinds becomes exp(x) times theirs. */
void dpa_meeting_scale(dpa_meeting *at, double x);

/* Epsilon with that noise, where the best order is looked for around `order`,
 * everywhere where that is NaN; and then it is that. guess: by rough divergences. */
double dpa_meeting_ask(dpa_meeting *at, const dpa_orders *search, int guess,
                       double *order);

/* log(spent / budget), above 0 exactly when the budget is exceeded. */
double dpa_meeting_over(const dpa_meeting *at, double epsilon);

/* The same with exp(x) times the noise. */
double dpa_meeting_excess(dpa_meeting *at, const dpa_orders *search, double x,
                          double *order);

/* In how many widths the best order is looked for after so long a step. */
size_t dpa_meeting_looks(const dpa_meeting *at, double step);

/* Whether a point keeps the budget by hardly more than it must. */
int dpa_meeting_is_there(const dpa_meeting *at, const dpa_trial *now);

/* From a point of which the excess is known to one that keeps the budget by hardly more
 * than it must: whether there is one. The best orders are looked for around those so
 * far, or everywhere. */
int dpa_meeting_step(dpa_meeting *at, int everywhere, dpa_trial *now);

/* Where the best order of a ledger is likely, of which nothing is known but that of one
 * before: less one it is about 2 log(1 / delta) / epsilon. NaN: nothing is. */
double dpa_meeting_likely(const dpa_meeting *at, const dpa_multiple *told);

/* What a ledger is like that needs so much noise, by such an order; NaN: any. */
dpa_likeness dpa_meeting_likeness(const dpa_meeting *at, const dpa_trial *now);

/* Where the best order is likely of a ledger that is like another one, at exp(x) times
 * the noise. */
double dpa_meeting_order_as(const dpa_likeness *other, double epsilon, double x);

/* One of which valleys were looked into so that they need not be of this one, or NULL.
 */
const dpa_likeness *dpa_meeting_like(const dpa_likeness *own,
                                     const dpa_multiple *found);

/* Now they were looked into of this one. */
void dpa_meeting_looked(const dpa_meeting *at, dpa_likeness own, dpa_multiple *found);

/* The two ways there, from `found`, where order is NaN where nothing is known: whether
 * they lead there. Where divergences take long: by rough ones. */
int dpa_meet_exactly(dpa_meeting *at, dpa_multiple *found);
int dpa_meet_roughly(dpa_meeting *at, dpa_multiple *found);

/* They look on from a better order that is found elsewhere so often. */
#define DPA_MEETING_ROUNDS 3

#endif
