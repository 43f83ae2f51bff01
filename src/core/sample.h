/* Random subsets of 0, ..., n - 1, increasing. */
#ifndef DPA_SAMPLE_H
#define DPA_SAMPLE_H

#include "rng.h"

/* m of them without replacement, every subset equally likely (m <= n). */
void dpa_sample_fixed(dpa_rng *rng, size_t n, size_t m, int *out);

/* Each with probability q on its own; returns how many. out has room for n. */
size_t dpa_sample_poisson(dpa_rng *rng, size_t n, double q, int *out);

#endif
