#include "random/mechanism.h"

#include <string.h>

const dpa_mechanism *const dpa_mechanisms[] = {
    &dpa_mechanism_gamma,
    &dpa_mechanism_gaussian,
    &dpa_mechanism_laplace,
};
const size_t dpa_mechanisms_count = sizeof dpa_mechanisms / sizeof *dpa_mechanisms;

const dpa_mechanism *dpa_mechanism_find(const char *name) {
  for (size_t k = 0; k < dpa_mechanisms_count; k++)
    if (strcmp(dpa_mechanisms[k]->name, name) == 0)
      return dpa_mechanisms[k];
  return NULL;
}
