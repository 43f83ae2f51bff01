/* Noise vectors and scalars, each from one stream. */
#ifndef DPA_NOISE_H
#define DPA_NOISE_H

#include "rng.h"

/* N(0, sigma^2) entries. Box-Muller in pairs: u1, u2 uniform, r = sqrt(-2 log u1),
 * out[2k] = sigma r cos(2 pi u2), out[2k+1] = sigma r sin(2 pi u2); the last sine is
 * drawn and dropped when d is odd. */
void dpa_noise_gaussian(dpa_rng *rng, double sigma, double *out, size_t d);

/* Density proportional to exp(-alpha ||b||): a direction (d standard normals as above,
 * divided by their norm; drawn first), times a norm that is Gamma(shape d, scale
 * 1/alpha), drawn as the sum of d terms -log(u) divided by alpha. */
void dpa_noise_gamma(dpa_rng *rng, double alpha, double *out, size_t d);

/* Laplace with scale b: the sign is the top bit of a word (1: negative), drawn first,
 * the size -b log(u). */
double dpa_noise_laplace(dpa_rng *rng, double scale);

#endif
