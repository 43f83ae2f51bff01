/* Noise mechanisms: how a vector of noise of a scale is drawn from a stream. One
 * mechanism a file; the table in mechanism.c is the only list of them. */
#ifndef DPA_MECHANISM_H
#define DPA_MECHANISM_H

#include "random/stream.h"

typedef struct dpa_mechanism {
  const char *name;
  void (*draw)(dpa_stream *stream, double scale, double *out, size_t d);
  double (*sd)(double scale, size_t d); /* standard deviation of one entry */
  /* Its law on whole numbers, by whole numbers only: an entry of noise whose scale is
   * `scale` steps of a grid; where `spread` is not NULL, of the scale that this draws
   * for all d entries before them (0: out of range). */
  int64_t (*step)(dpa_stream *stream, uint64_t scale);
  uint64_t (*spread)(dpa_stream *stream, uint64_t scale, size_t d);
  double (*length)(double scale); /* which that is in steps; NULL: the scale itself */
} dpa_mechanism;

/* gamma: density proportional to exp(-alpha ||b||): a direction (d standard normals
 * divided by their norm; drawn first), times a norm that is Gamma(shape d, scale
 * 1/alpha), drawn as the sum of d exponentials (fine below 1/2) divided by alpha. The
 * normals come in pairs: e exponential (fine below 1/2), u uniform, a word whose top
 * two bits are signs (1: negative), r = sqrt(2 e), +-r cos(pi u / 2), +-r sin(pi u /
 * 2); of an odd d the last takes the sine. Steps: discrete Gaussian entries of a common
 * scale, see discrete.h; their scale is 1/alpha.
 *
 * gaussian: N(0, sigma^2) entries. Box-Muller in pairs: e exponential (fine below
 * 2^-20), u uniform, r = sqrt(2 e), out[2k] = sigma r cos(2 pi u), out[2k+1] = sigma r
 * sin(2 pi u); the last sine is drawn and dropped when d is odd. Steps: the discrete
 * Gaussian.
 *
 * laplace: independent entries of scale b: the sign is the top bit of a word (1:
 * negative), drawn first, the size b times an exponential (fine below 1/2). Steps: the
 * discrete Laplace.
 */
extern const dpa_mechanism dpa_mechanism_gamma, dpa_mechanism_gaussian,
    dpa_mechanism_laplace;

/* The mechanisms in their order, and how many there are. */
extern const dpa_mechanism *const dpa_mechanisms[];
extern const size_t dpa_mechanisms_count;

/* By name; NULL when there is none. */
const dpa_mechanism *dpa_mechanism_find(const char *name);

#endif
