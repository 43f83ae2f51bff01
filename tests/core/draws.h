/* What the tests of random draws share. */
#ifndef DRAWS_H
#define DRAWS_H

#include "check.h"
#include "random/stream.h"
#include "stats.h"

/* A p-value under a true hypothesis, and under one that the test must tell from it. */
#define PASSES(p) CHECK((p) > 1e-3)
#define FAILS(p) CHECK((p) < 1e-9)

/* The stream (3, 7, 1) under the key of a seed. */
dpa_stream stream_of(uint64_t seed);

/* A number whose logarithm is uniform. */
double draw_between(dpa_stream *from, double lowest, double highest);

#endif
