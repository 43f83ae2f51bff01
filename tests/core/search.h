/* What the tests of searches for orders share. */
#ifndef SEARCH_H
#define SEARCH_H

#include "account/orders.h"

/* Everywhere, on the grid that R hands over: 85 orders less one, from 1e-7 to 1e5. */
dpa_orders search_of_all(int valleys);

/* The same where there is one valley, and near an order in the widths that R looks in.
 */
dpa_orders search_that_looks(void);

/* What a ledger costs at an order less one, or NaN. */
double epsilon_at(const dpa_renyi_kind *kinds, const dpa_ledger *ledger, double s,
                  double log_delta);

#endif
