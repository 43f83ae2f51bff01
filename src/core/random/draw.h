/* The only functions that draw noise. */
#ifndef DPA_DRAW_H
#define DPA_DRAW_H

#include "random/mechanism.h"

/* out = d numbers of noise from the stream (key, user, round, purpose); zeros when
 * there is no mechanism or the scale is 0. DPA_SIZE when the stream has run out,
 * DPA_NUMERIC when the noise is not finite: then out is zeros too, which must not be
 * used. */
dpa_status dpa_draw(const dpa_mechanism *mechanism, const dpa_key *key, uint32_t user,
                    uint32_t round, dpa_purpose purpose, double scale, double *out,
                    size_t d);

/* out = d whole numbers of noise, whose scale is `scale` steps, exact (discrete.h).
 * DPA_ARGUMENT: a scale out of range. */
dpa_status dpa_draw_steps(const dpa_mechanism *mechanism, const dpa_key *key,
                          uint32_t user, uint32_t round, dpa_purpose purpose,
                          uint64_t scale, int64_t *out, size_t d);

/* A value as it may be sent: on a grid, with noise that is exact there. Entry j is
 *
 *   g round(value[j] / g) + g k,    k a step of the mechanism at scale s = scale / g
 *                                   (1 / (alpha g) of Gamma-norm noise),
 *
 * rounded as a double once, at the end. The grid g is the power of two at which s,
 * rounded up to a whole number, is between 2^40 and 2^41; of Gamma-norm noise, whose
 * entries are about sqrt(d + 1) times as long, s max(1, sqrt((d + 1) / 2^13)) is. A
 * value that is as coarse as the grid stays as it is. out may be value; a scale of 0
 * copies. DPA_ARGUMENT: a scale below the range of grids, or more than 2^26 entries of
 * Gamma-norm noise; otherwise as dpa_draw(). */
dpa_status dpa_release(const dpa_mechanism *mechanism, const dpa_key *key,
                       uint32_t user, uint32_t round, dpa_purpose purpose, double scale,
                       const double *value, double *out, size_t d);

/* A party's part of a secure sum: out[j] = round(value[j] / grid) + a step of the
 * mechanism at scale `steps`, exact. A quotient beyond +-2^62 counts as that. `attempt`
 * names the stream: another one has other noise. DPA_NUMERIC: a value that is not
 * finite; otherwise as dpa_draw_steps(). After an error out is zeros, which must not be
 * used. */
dpa_status dpa_share(const dpa_mechanism *mechanism, const dpa_key *key,
                     uint32_t attempt, uint32_t round, double grid, uint64_t steps,
                     const double *value, int64_t *out, size_t d);

/* The grid of a scale; 0 when there is none. */
double dpa_grid(double scale);

#endif
