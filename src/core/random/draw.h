/* The only function that draws noise. */
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

#endif
