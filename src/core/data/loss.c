#include "data/loss.h"

#include <string.h>

const dpa_loss *const dpa_losses[] = {
    &dpa_loss_logistic,
    &dpa_loss_squared,
    &dpa_loss_huber,
    &dpa_loss_hinge,
};
const size_t dpa_losses_count = sizeof dpa_losses / sizeof *dpa_losses;

const dpa_loss *dpa_loss_find(const char *name) {
  for (size_t k = 0; k < dpa_losses_count; k++)
    if (strcmp(dpa_losses[k]->name, name) == 0)
      return dpa_losses[k];
  return NULL;
}
