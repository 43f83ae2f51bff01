/* Noise on whole numbers, drawn exactly: random words and whole numbers only, no
 * floating point, so the law is the stated one to the last bit.
 *
 * Every comparison of a uniform number draws as many 64-bit words as it takes to decide
 * it; one in 2^256 that is still open then is answered as if the stream had run out. */
#ifndef DPA_DISCRETE_H
#define DPA_DISCRETE_H

#include "random/stream.h"

#define DPA_DISCRETE_MOST (UINT64_C(1) << 57) /* the largest s or t */

/* Discrete Gaussian: P(k) proportional to exp(-k^2 / (2 s^2)), 1 <= s <= the most.
 *
 * Karney's method (2016), whose fraction has s steps: k = +-(q s + r) with P(q)
 * proportional to exp(-q^2 / 2), r uniform on 0, ..., s - 1, kept with probability
 * exp(-(r / s)^2 / 2 - q r / s) and when it is not -0. In order of drawing: q, r, the
 * trial of (r / s)^2 / 2, the q trials of r / s, the sign. */
int64_t dpa_discrete_gaussian(dpa_stream *stream, uint64_t s);

/* Discrete Laplace: P(k) proportional to exp(-|k| / t), 1 <= t <= the most (Canonne,
 * Kamath and Steinke 2020, Algorithm 2): r uniform on 0, ..., t - 1 is kept with
 * probability exp(-r / t), v is the number of trials of exp(-1) that succeed before one
 * fails, and k = +-(v t + r) when it is not -0. */
int64_t dpa_discrete_laplace(dpa_stream *stream, uint64_t t);

#endif
