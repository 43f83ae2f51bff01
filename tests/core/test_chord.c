/* Moments of many shifts by chords between a few, against each one's own quadrature. */
#include "account/objective.h"
#include "check.h"
#include "draws.h"

#include <math.h>
#include <stddef.h>

void test_chord(void);

enum { TIMES = 4000 };

/* As many releases of one party have them: at one order, of shifts that move on. */
void test_chord(void) {
  static dpa_chord chord; /* all 0 at first */
  dpa_stream from = stream_of(81);
  int told = 0;
  for (int k = 0; k < TIMES / 20; k++) {
    const double s = draw_between(&from, 0.05, 60.0),
                 dim = floor(draw_between(&from, 1.0, 400.0));
    const double most = draw_between(&from, 0.02, 1.0); /* of the moment, about */
    double shift = sqrt(2.0 * dim * most / (s * (1.0 + s)));
    const double move = draw_between(&from, 0.9, 1.1), order = 1.0 + s;
    if (k % 50 == 0)
      shift = 0.0;
    for (int i = 0; i < 20; i++, shift *= move) {
      const double kappa = draw_between(&from, 1e-6, 0.5 / s);
      const int tied = dpa_stream_word(&from) % 2 == 0;
      dpa_free_moment own = {.s = 0.0}, by_chord = {.s = 0.0, .chord = &chord};
      double exact, above;
      CHECK(dpa_rdp_objective_gamma(&order, 1, shift, kappa, tied, dim, &own, &exact) ==
            DPA_OK);
      CHECK(dpa_rdp_objective_gamma(&order, 1, shift, kappa, tied, dim, &by_chord,
                                    &above) == DPA_OK);
      CHECK(above >= exact * (1.0 - 1e-12));
      CHECK(above <= exact * (1.0 + 4e-5));
      told += above > exact * (1.0 + 1e-7);
    }
  }
  CHECK(told > TIMES / 20);
}
