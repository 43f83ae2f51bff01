#include "random/draw.h"

#include <math.h>
#include <string.h>

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
  dpa_status status = dpa_stream_status(&stream);
  dpa_forget(&stream, sizeof stream);
  for (size_t j = 0; j < d; j++)
    if (!isfinite(out[j]) && status == DPA_OK)
      status = DPA_NUMERIC;
  if (status != DPA_OK)
    memset(out, 0, d * sizeof *out);
  return status;
}
