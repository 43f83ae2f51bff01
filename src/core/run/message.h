/* All that ever leaves a party. */
#ifndef DPA_MESSAGE_H
#define DPA_MESSAGE_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct dpa_message {
  uint32_t round, from;
  int sent; /* 0: values repeat the party's last message */
  dpa_status status;
  size_t d;
  const double *values; /* d; until the party's next step */
} dpa_message;

#endif
