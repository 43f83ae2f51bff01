/* A network from R: list(start, neighbour), and where edges are weighted
 * factor, self and degree. */
#ifndef DPA_FFI_NETWORK_H
#define DPA_FFI_NETWORK_H

#include "data/network.h"
#include "ffi.h"

/* Of so many nodes; without any when something is amiss. */
dpa_network ffi_network(ffi_reader *reader, size_t nodes);

#endif
