/* Noise mechanisms: how a vector of noise of a scale is drawn from a stream. One
 * mechanism a file; the table in mechanism.c is the only list of them. */
#ifndef DPA_MECHANISM_H
#define DPA_MECHANISM_H

#include "random/stream.h"

typedef struct dpa_mechanism {
  const char *name;
  void (*draw)(dpa_stream *stream, double scale, double *out, size_t d);
  double (*sd)(double scale, size_t d); /* standard deviation of one entry */
} dpa_mechanism;

/* gamma: density proportional to exp(-alpha ||b||): a direction (d standard normals,
 * drawn as for gaussian and divided by their norm; drawn first), times a norm that is
 * Gamma(shape d, scale 1/alpha), drawn as the sum of d terms -log(u) divided by alpha.
 *
 * gaussian: N(0, sigma^2) entries. Box-Muller in pairs: u1, u2 uniform,
 * r = sqrt(-2 log u1), out[2k] = sigma r cos(2 pi u2), out[2k+1] = sigma r sin(2 pi
 * u2); the last sine is drawn and dropped when d is odd.
 *
 * laplace: independent entries of scale b: the sign is the top bit of a word (1:
 * negative), drawn first, the size -b log(u). */
extern const dpa_mechanism dpa_mechanism_gamma, dpa_mechanism_gaussian,
    dpa_mechanism_laplace;

/* The mechanisms in their order, and how many there are. */
extern const dpa_mechanism *const dpa_mechanisms[];
extern const size_t dpa_mechanisms_count;

/* By name; NULL when there is none. */
const dpa_mechanism *dpa_mechanism_find(const char *name);

#endif
