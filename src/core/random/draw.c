#include "random/draw.h"

#include "random/discrete.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Nothing that must not be used is left behind. */
static dpa_status finish(dpa_stream *stream, double *out, size_t d) {
  dpa_status status = dpa_stream_status(stream);
  dpa_forget(stream, sizeof *stream);
  for (size_t j = 0; j < d; j++)
    if (!isfinite(out[j]) && status == DPA_OK)
      status = DPA_NUMERIC;
  if (status != DPA_OK)
    memset(out, 0, d * sizeof *out);
  return status;
}

dpa_status dpa_draw(const dpa_mechanism *mechanism, const dpa_key *key, uint32_t user,
                    uint32_t round, dpa_purpose purpose, double scale, double *out,
                    size_t d) {
  memset(out, 0, d * sizeof *out);
  if (!mechanism || scale == 0.0)
    return DPA_OK;
  if (!(scale > 0.0))
    return DPA_ARGUMENT;
  dpa_stream stream;
  dpa_stream_init(&stream, key, user, round, purpose);
  mechanism->draw(&stream, scale, out, d);
  return finish(&stream, out, d);
}

/* The scale of entries of which `scale` steps are asked for. */
static uint64_t entry_scale(const dpa_mechanism *mechanism, dpa_stream *stream,
                            uint64_t scale, size_t d) {
  return mechanism->spread ? mechanism->spread(stream, scale, d) : scale;
}

dpa_status dpa_draw_steps(const dpa_mechanism *mechanism, const dpa_key *key,
                          uint32_t user, uint32_t round, dpa_purpose purpose,
                          uint64_t scale, int64_t *out, size_t d) {
  if (scale < 1 || scale > DPA_DISCRETE_MOST)
    return DPA_ARGUMENT;
  dpa_stream stream;
  dpa_stream_init(&stream, key, user, round, purpose);
  const uint64_t own = entry_scale(mechanism, &stream, scale, d);
  for (size_t j = 0; j < d; j++)
    out[j] = own > 0 ? mechanism->step(&stream, own) : 0;
  const dpa_status status = own > 0 ? dpa_stream_status(&stream) : DPA_ARGUMENT;
  dpa_forget(&stream, sizeof stream);
  if (status != DPA_OK)
    memset(out, 0, d * sizeof *out);
  return status;
}

#define GRID_BITS 41 /* scale / grid < 2^GRID_BITS, and at least half of it */

double dpa_grid(double scale) {
  int exponent;
  if (!(scale > 0.0) || isinf(scale))
    return 0.0;
  (void)frexp(scale, &exponent);
  exponent -= GRID_BITS;
  return exponent < -1074 ? 0.0 : ldexp(1.0, exponent);
}

/* The nearest multiple of the grid, a power of two. */
static double round_to(double value, double grid) {
  const double far = 0x1.8p52 * grid; /* doubles near it are a grid apart */
  if (FLT_EVAL_METHOD == 0 && fabs(value) < 0x1p51 * grid && far <= DBL_MAX)
    return (value + far) - far;
  /* from here on a double is a multiple of the grid, and the quotient may overflow */
  return fabs(value) >= 0x1p52 * grid ? value : grid * rint(value / grid);
}

/* Entries of a drawn scale are about sqrt(d + 1) times as long as the scale: from here
 * on the grid goes by them, so that no number of steps is beyond 2^53. */
static double grid_of(const dpa_mechanism *mechanism, double length, size_t d) {
  const double longer = mechanism->spread ? sqrt(((double)d + 1.0) * 0x1p-13) : 1.0;
  return dpa_grid(longer > 1.0 ? longer * length : length);
}

dpa_status dpa_release(const dpa_mechanism *mechanism, const dpa_key *key,
                       uint32_t user, uint32_t round, dpa_purpose purpose, double scale,
                       const double *value, double *out, size_t d) {
  if (out != value)
    memcpy(out, value, d * sizeof *out);
  if (!mechanism || scale == 0.0)
    return DPA_OK;
  const double length = mechanism->length ? mechanism->length(scale) : scale;
  const double grid = grid_of(mechanism, length, d);
  dpa_stream stream;
  dpa_stream_init(&stream, key, user, round, purpose);
  const uint64_t own =
      grid == 0.0 ? 0
                  : entry_scale(mechanism, &stream, (uint64_t)ceil(length / grid), d);
  for (size_t j = 0; j < d && own > 0; j++) {
    /* both terms are multiples of the grid and exact: only their sum is rounded */
    const double noise = grid * (double)mechanism->step(&stream, own);
    out[j] = round_to(out[j], grid) + noise;
  }
  const dpa_status status = finish(&stream, out, d);
  if (own > 0)
    return status;
  memset(out, 0, d * sizeof *out);
  return DPA_ARGUMENT;
}

dpa_status dpa_share(const dpa_mechanism *mechanism, const dpa_key *key,
                     uint32_t attempt, uint32_t round, double grid, uint64_t steps,
                     const double *value, int64_t *out, size_t d) {
  const double most = 0x1p62;
  dpa_status status =
      dpa_draw_steps(mechanism, key, attempt, round, DPA_NOISE_SHARE, steps, out, d);
  for (size_t j = 0; j < d; j++) {
    const double whole = rint(value[j] / grid);
    if (!isfinite(value[j]) && status == DPA_OK)
      status = DPA_NUMERIC;
    if (status == DPA_OK) /* noise is below 2^59 */
      out[j] += (int64_t)(whole > most ? most : whole < -most ? -most : whole);
  }
  if (status != DPA_OK)
    memset(out, 0, d * sizeof *out);
  return status;
}
