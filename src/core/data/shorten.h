/* Shortening to a bound, with one rounding for all of it. Sensitivities rest on these
 * bounds, so they hold for the numbers as stored, not only up to rounding: the true
 * norm of what comes out is at most the bound (bounds of at least 1e-280). */
#ifndef DPA_SHORTEN_H
#define DPA_SHORTEN_H

#include <stddef.h>

/* A norm as unit * root, each within range though their product may not be. */
typedef struct dpa_length {
  double unit, root;
} dpa_length;

/* The norm of `count` numbers, `stride` apart, rounded up; nothing over- or underflows.
 * d >= count says how much rounding to allow for: 2^-53 (d + 8) of the norm. */
dpa_length dpa_length_of(const double *x, size_t count, size_t stride, size_t d);

/* The same from a sum of the squares, when that is neither too large nor too small to
 * be trusted; else root < 0. */
dpa_length dpa_length_from(double squares, size_t d);

/* The same from a sum of the squares of quotients by the largest of the numbers. */
dpa_length dpa_length_in(double biggest, double squares, size_t d);

/* unit * root, infinite when it overflows. */
double dpa_length_value(dpa_length length);

/* The factor in [0, 1] that shortens a vector of this length to the bound; 0 only where
 * bound / length is below the range of doubles. Vectors within the bound get 1. */
double dpa_shortening(dpa_length length, size_t d, double bound);

/* x becomes factor * x; answers the factor. */
double dpa_shorten(double *x, size_t d, double bound);

/* What is left of a record's gradient, derivative * row, for a row of at most this
 * norm: a derivative such that |derivative| norm <= clip. */
double dpa_clip(double derivative, double norm, double clip);

#endif
