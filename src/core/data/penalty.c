#include "data/penalty.h"

#include <string.h>

const dpa_penalty *const dpa_penalties[] = {
    &dpa_penalty_none,        &dpa_penalty_l1,  &dpa_penalty_l2,
    &dpa_penalty_elastic_net, &dpa_penalty_box,
};
const size_t dpa_penalties_count = sizeof dpa_penalties / sizeof *dpa_penalties;

const dpa_penalty *dpa_penalty_find(const char *name) {
  for (size_t k = 0; k < dpa_penalties_count; k++)
    if (strcmp(dpa_penalties[k]->name, name) == 0)
      return dpa_penalties[k];
  return NULL;
}
