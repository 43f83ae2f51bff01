/* The sparse vector test: which of a stream of private queries exceed a threshold, at a
 * privacy cost for the first `most` positive answers only (Lyu, Su and Li 2017,
 * Algorithm 1): one threshold noise for all queries, fresh noise for each query. With
 * `fresh` the threshold's noise is drawn anew for each query, as plausible-admm prints
 * it; then negative answers are not free. */
#ifndef DPA_SPARSE_VECTOR_H
#define DPA_SPARSE_VECTOR_H

#include "random/stream.h"

#include <stddef.h>

typedef struct dpa_sparse_vector {
  double threshold;
  double threshold_scale; /* of Laplace noise; 0: none */
  double query_scale;     /* of Laplace noise; 0: none */
  size_t most;            /* positive answers until the test is silent */
  int fresh;
} dpa_sparse_vector;

/* *above = whether query + noise >= threshold + noise, all in whole steps of one grid:
 * query and threshold rounded to it, the noise exact on it. The streams are those of
 * (user, round): rounds count from 1, and the one threshold noise has round 0. */
dpa_status dpa_sparse_vector_ask(const dpa_sparse_vector *test, const dpa_key *key,
                                 uint32_t user, uint32_t round, double query,
                                 int *above);

/* The step of the grid; 0 without noise. */
double dpa_sparse_vector_grid(const dpa_sparse_vector *test);

#endif
