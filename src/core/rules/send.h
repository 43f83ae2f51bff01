/* How a value that reads records leaves a party. */
#ifndef DPA_SEND_H
#define DPA_SEND_H

#include "rules/party.h"

/* value becomes what may be sent of it, with noise of `scale` from the stream of (user,
 * order->round, purpose): on a grid, exact there (dpa_release). */
dpa_status dpa_send(const dpa_party *party, const dpa_order *order, uint32_t user,
                    dpa_purpose purpose, double scale, double *value, size_t d);

#endif
