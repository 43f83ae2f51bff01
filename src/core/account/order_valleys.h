/* Valleys of epsilon over the orders: where bounds cross there are several, and narrow
 * ones. */
#ifndef DPA_ACCOUNT_ORDER_VALLEYS_H
#define DPA_ACCOUNT_ORDER_VALLEYS_H

#include "account/order_search.h"

#include <stddef.h>

#define DPA_MOST_VALLEYS 4 /* that are looked into */
#define DPA_FARTHEST_REACH 0.04

/* Where bounds cross, the least of them is far steeper below the order where they do
 * than above it, and the best order is there, in a narrow valley, or far beyond: the
 * bottoms that are about as deep as the deepest are looked at, and are in `found` then,
 * DPA_MOST_VALLEYS at most. told: but for where the best order is. That, and who walks,
 * looks no longer than they may be better. */
size_t dpa_search_valleys(dpa_search *at, dpa_point best, int told, int walks,
                          dpa_point *found);

/* Whether kinds turn at unlike orders, so that valleys lie in valleys: of many kinds
 * these are too shallow to matter. */
int dpa_search_turns_apart(const dpa_search *at);

/* From the best point on to the next valleys, while they are deeper. */
dpa_point dpa_search_around(dpa_search *at, dpa_point best);

/* The same of where one is told to be, about: hardly anything is looked at twice. */
dpa_point dpa_search_along(dpa_search *at, double told);

#endif
