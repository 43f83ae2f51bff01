#include "rules/send.h"

#include "random/draw.h"

dpa_status dpa_send(const dpa_party *party, const dpa_order *order, uint32_t user,
                    dpa_purpose purpose, double scale, double *value, size_t d) {
  const dpa_mechanism *mechanism = order->mechanism;
  if (!mechanism || mechanism->step)
    return dpa_release(mechanism, &party->key, user, order->round, purpose, scale,
                       value, value, d);
  double *noise = party->spare;
  const dpa_status status =
      dpa_draw(mechanism, &party->key, user, order->round, purpose, scale, noise, d);
  if (status != DPA_OK)
    return status;
  for (size_t j = 0; j < d; j++)
    value[j] += noise[j];
  return dpa_release(&dpa_mechanism_laplace, &party->key, user, order->round,
                     DPA_NOISE_HIDDEN, order->hidden_scale, value, value, d);
}
