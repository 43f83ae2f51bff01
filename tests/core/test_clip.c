/* The one function that shortens a gradient. */
#include "check.h"
#include "data/shorten.h"
#include "random/key.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_clip(void);

/* What is left of a gradient is within the clip, whatever the sizes of its factors. */
static void check_clip(void) {
  static const double sizes[] = {0.0, 5e-324, 1e-310, 1e-170, 1e-3,  0.5,
                                 1.0, 3.0,    1e170,  1e180,  1e300, 1.7e308};
  static const double clips[] = {1e-200, 1e-3, 0.5, 1.0, 1e100};
  const size_t count = sizeof sizes / sizeof *sizes;
  int within = 1, untouched = 1, no_less = 1, same_sign = 1;
  for (size_t c = 0; c < sizeof clips / sizeof *clips; c++)
    for (size_t a = 0; a < count; a++)
      for (size_t b = 0; b < count; b++)
        for (int sign = -1; sign <= 1; sign += 2) {
          const double derivative = sign * sizes[a], norm = sizes[b], clip = clips[c];
          const double left = dpa_clip(derivative, norm, clip);
          const long double size = fabsl((long double)left) * norm;
          const long double whole = fabsl((long double)derivative) * norm;
          within &= size <= (long double)clip;
          same_sign &= left * sign >= 0.0;
          if (whole <= clip * (1.0L - 1e-14L) && norm > 0.0)
            untouched &= left == derivative;
          if (whole > clip && clip / norm > 1e-300)
            no_less &= size >= clip * (1.0L - 1e-14L);
        }
  CHECK(within);
  CHECK(untouched);
  CHECK(no_less);
  CHECK(same_sign);
  CHECK(fabs(dpa_clip(-1e180, 1e-170, 0.5)) < 0.51e170);
  CHECK(dpa_clip(INFINITY, 2.0, 1.0) <= 0.5 && dpa_clip(-INFINITY, 0.0, 1.0) == 0.0);
  CHECK(isnan(dpa_clip(NAN, 1.0, 1.0)));
  double far[2] = {3e200, -4e200}, near[2] = {3e-200, -4e-200};
  CHECK_NEAR(dpa_shorten(far, 2, 5.0), 1e-200, 1e-213);
  CHECK_NEAR(far[0], 3.0, 1e-13);
  CHECK(dpa_shorten(near, 2, 5e-200 * (1.0 + 1e-14)) == 1.0);
  CHECK(dpa_shorten(near, 2, 2.5e-200) < 0.5 && near[0] < 1.5e-200);
}

void test_clip(void) {
  check_clip();
}
