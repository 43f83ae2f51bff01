/* Noise on whole numbers, drawn exactly: random words and whole numbers only, no
 * floating point, so the law is the stated one to the last bit.
 *
 * Every comparison of a uniform number draws as many 64-bit words as it takes to decide
 * it; one in 2^256 that is still open then is answered as if the stream had run out. */
#ifndef DPA_DISCRETE_H
#define DPA_DISCRETE_H

#include "random/stream.h"

#define DPA_DISCRETE_MOST (UINT64_C(1) << 54) /* the largest s or t */

/* Discrete Gaussian: P(k) proportional to exp(-k^2 / (2 s^2)), 1 <= s <= the most.
 *
 * After Karney (2016), with strips of s / 8 instead of s, so that nearly all is kept:
 * strip j with P(j) proportional to exp(-(j / 8)^2 / 2), then a number below 2 ceil(s /
 * 8), whose lowest bit is the sign and whose rest is added to ceil(j s / 8). The sum k,
 * e / 8 above j s / 8, is kept with probability exp(-(e / s) (2 j s + e) / (128 s))
 * when it is below (j + 1) s / 8 and not -0. In order of drawing: j, the number, and
 * the trials of that exponential, m = 1 + floor((2 j + 1) / 128) of them with 128 m for
 * 128; of each in turn whether a number is below (2 j s + e) / (128 m s), and the fall
 * from e / s. */
int64_t dpa_discrete_gaussian(dpa_stream *stream, uint64_t s);

/* Discrete Laplace: P(k) proportional to exp(-|k| / t), 1 <= t <= the most (Canonne,
 * Kamath and Steinke 2020, Algorithm 2): r uniform on 0, ..., t - 1 is kept with
 * probability exp(-r / t), v is the number of trials of exp(-1) that succeed before one
 * fails, and k = +-(v t + r) when it is not -0. */
int64_t dpa_discrete_laplace(dpa_stream *stream, uint64_t t);

/* Gamma-norm noise of scale s in d dimensions, P(x) nearly proportional to
 * exp(-||x|| / s): discrete Gaussian entries of a common scale, which this draws before
 * them. It is 2 + floor(||h|| / 4096), h being d + 1 draws of the discrete Gaussian of
 * scale 4096 s. How near: Theorem 18 of the vignette "Privacy accounting". 0 where
 * ||h||^2 could be above 2^128, s^2 (d + 1) > 2^95 or so, or d >= 2^26. */
uint64_t dpa_gamma_spread(dpa_stream *stream, uint64_t s, size_t d);

#endif
