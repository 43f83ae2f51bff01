/* Penalties g(y) = sum_j h(y_j). One file a penalty; the table in penalty.c is the only
 * list of them. */
#ifndef DPA_PENALTY_H
#define DPA_PENALTY_H

#include <stddef.h>

/* Every penalty takes this many parameters; those it does not use are ignored. */
#define DPA_PENALTY_PARAMETERS 2

typedef struct dpa_penalty {
  const char *name;
  /* g(y), infinite outside its domain */
  double (*value)(const double *y, size_t n, const double *parameter);
  /* out = argmin g(z) + ||z - v||^2 / (2 step), step >= 0; out may be v */
  void (*prox)(const double *v, size_t n, double step, const double *parameter,
               double *out);
} dpa_penalty;

extern const dpa_penalty dpa_penalty_none, dpa_penalty_l1, dpa_penalty_l2,
    dpa_penalty_elastic_net, dpa_penalty_box;

/* The penalties in their order, and how many there are. */
extern const dpa_penalty *const dpa_penalties[];
extern const size_t dpa_penalties_count;

/* By name; NULL when there is none. */
const dpa_penalty *dpa_penalty_find(const char *name);

/* The minimiser of weight |z| + (z - v)^2 / 2. */
static inline double dpa_shrink(double v, double weight) {
  return v > weight ? v - weight : v < -weight ? v + weight : 0.0;
}

#endif
