#include "rules/send.h"

#include "random/draw.h"

dpa_status dpa_send(const dpa_party *party, const dpa_order *order, uint32_t user,
                    dpa_purpose purpose, double scale, double *value, size_t d) {
  return dpa_release(order->mechanism, &party->key, user, order->round, purpose, scale,
                     value, value, d);
}
