#include "ffi_network.h"

#include <limits.h>

static dpa_network with_weights(ffi_reader *reader, dpa_network network) {
  const size_t nodes = network.nodes;
  network.factor = ffi_maybe_reals(reader, "factor", nodes);
  network.self = network.factor ? ffi_reals(reader, "self", nodes) : NULL;
  network.degree = network.factor ? ffi_reals(reader, "degree", nodes) : NULL;
  return network;
}

dpa_network ffi_network(ffi_reader *reader, size_t nodes) {
  dpa_network network = {0};
  if (!ffi_has(reader, "start")) {
    network.nodes = nodes;
    return with_weights(reader, network);
  }
  const int *start = ffi_ints(reader, "start", nodes + 1, 0, INT_MAX);
  if (!start)
    return network;
  int ok = start[0] == 0;
  for (size_t i = 0; i < nodes; i++)
    ok &= start[i] <= start[i + 1];
  ffi_check(reader, ok, "start");
  const int *neighbour =
      ffi_ints(reader, "neighbour", (size_t)start[nodes], 0, (int)nodes - 1);
  if (!ok || !neighbour)
    return network;
  network.nodes = nodes;
  network.start = start;
  network.neighbour = neighbour;
  return with_weights(reader, network);
}

/* The component of each node, from 0. */
SEXP ffi_components(SEXP start, SEXP neighbour) {
  const char *names[] = {"start", "neighbour", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, start);
  SET_VECTOR_ELT(list, 1, neighbour);
  ffi_reader reader = {list, NULL};
  const size_t nodes = Rf_xlength(start) > 0 ? (size_t)Rf_xlength(start) - 1 : 0;
  const dpa_network network = ffi_network(&reader, nodes);
  SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)nodes));
  int *queue = (int *)R_alloc(nodes + 1, sizeof *queue);
  if (!reader.bad)
    dpa_network_components(&network, INTEGER(out), queue);
  SEXP answer = reader.bad ? ffi_status_of(DPA_ARGUMENT, reader.bad) : out;
  UNPROTECT(2);
  return answer;
}
