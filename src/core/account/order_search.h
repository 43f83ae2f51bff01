/* Steps of a search for the best order of a ledger: epsilon at some points, and down
 * from one of them. */
#ifndef DPA_ACCOUNT_ORDER_SEARCH_H
#define DPA_ACCOUNT_ORDER_SEARCH_H

#include "account/orders.h"

#include <float.h>
#include <stddef.h>

/* For what is not finite, so that differences are. */
#define DPA_LARGEST DBL_MAX

typedef struct dpa_search {
  const dpa_orders *orders;
  const dpa_renyi_kind *kinds;
  const dpa_ledger *ledger;
  double log_delta;
  int rough; /* whether rough divergences will do, where there are any */
  dpa_status status;
  double s[DPA_MOST_ORDERS], epsilon[DPA_MOST_ORDERS]; /* orders less one that are
                                                          asked, and the answers; */
  double order[DPA_MOST_ORDERS], rdp[DPA_MOST_ORDERS]; /* work space */
  long double total[DPA_MOST_ORDERS];
  dpa_order_space *space;
} dpa_search;

/* A point: the log of an order less one, the epsilon there, what the least around it
 * may well be, and how far the parabola there was off, as a share of what it is deep.
 */
typedef struct dpa_point {
  double y, epsilon, bound, kink;
} dpa_point;

/* `epsilon` at the first n of `s`, and `total` of the divergences. */
void dpa_search_ask(dpa_search *at, size_t n);

/* The first of these at which it is least: elsewhere it is found only where that may
 * be, or is DPA_LARGEST. */
size_t dpa_search_least(dpa_search *at, size_t n);

/* At so many points; their epsilons are filled in. */
void dpa_search_look(dpa_search *at, dpa_point *points, size_t n);

/* The first of those that are least. */
size_t dpa_point_least(const dpa_point *points, size_t n);

/* What the least between points may well be. */
double dpa_point_bound(double below, double here, double above);

/* The least of the parabola through a point and those a width below and above. */
dpa_point dpa_search_narrow(dpa_search *at, dpa_point best, double width);

/* Widths that halve so many times, as long as it may still get below `enough`. */
dpa_point dpa_search_halve(dpa_search *at, dpa_point best, double width, int times,
                           double enough);

/* The same until hardly anything changes, faster where there is no kink, and on along a
 * slope. */
dpa_point dpa_search_descend(dpa_search *at, dpa_point best, double width,
                             double enough);

/* Widths that halve until a parabola is right. */
dpa_point dpa_search_refine(dpa_search *at, dpa_point best, double width);

#endif
