/* What every member of a table promises, checked for whatever is in the tables. */
#include "check.h"
#include "data/loss.h"
#include "data/penalty.h"
#include "random/draw.h"
#include "random/key.h"
#include "run/relay.h"

#include <math.h>
#include <string.h>

void test_tables(void);

enum { GRID = 4001 };

/* ---- losses ---------------------------------------------------------------------- */

/* Derivatives against differences of values, off the kinks that a loss may have. */
static void check_derivatives(const dpa_loss *loss, double width) {
  static double a[GRID], up[GRID], down[GRID], y[GRID], value[2][GRID];
  static double d1[GRID], d2[GRID], side[2][GRID];
  const double step = 1e-5;
  int first = 0, second = 0, convex = 1, positive = 1;
  for (int label = -1; label <= 1; label += 2) {
    for (size_t k = 0; k < GRID; k++) {
      a[k] = -8.0 + 16.0 * (double)k / (GRID - 1) + 1e-4;
      up[k] = a[k] + step;
      down[k] = a[k] - step;
      y[k] = label;
    }
    loss->value(up, y, GRID, width, value[0]);
    loss->value(down, y, GRID, width, value[1]);
    loss->derivative(a, y, GRID, width, d1, d2);
    loss->derivative(up, y, GRID, width, side[0], NULL);
    loss->derivative(down, y, GRID, width, side[1], NULL);
    for (size_t k = 0; k < GRID; k++) {
      const double scale = 1.0 + fabs(d1[k]);
      first += fabs((value[0][k] - value[1][k]) / (2 * step) - d1[k]) > 2e-5 * scale;
      second += fabs((side[0][k] - side[1][k]) / (2 * step) - d2[k]) > 1e-4;
      convex &= d2[k] >= 0.0 && side[0][k] >= side[1][k];
      positive &= value[0][k] >= 0.0;
    }
  }
  CHECK(first == 0);
  CHECK(second <= 8); /* points of the grid at a kink */
  CHECK(convex);
  CHECK(positive);
}

/* The constants are the suprema: never exceeded on a grid, and nearly met. */
static void check_constants(const dpa_loss *loss, double width) {
  static double a[GRID], y[GRID], d1[GRID], d2[GRID];
  const dpa_loss_constants c = loss->constants(width);
  double steepest = 0.0, curved = 0.0, third = 0.0, ratio = 0.0, tied = 0.0;
  const double h = 40.0 / (GRID - 1);
  for (size_t k = 0; k < GRID; k++) {
    a[k] = -20.0 + h * (double)k;
    y[k] = 1.0;
  }
  loss->derivative(a, y, GRID, width, d1, d2);
  for (size_t k = 0; k < GRID; k++) {
    steepest = fmax(steepest, fabs(d1[k]));
    curved = fmax(curved, d2[k]);
    tied = fmax(tied, fabs(d2[k] - fabs(d1[k]) * (1.0 - fabs(d1[k]))));
    if (k > 0) {
      third = fmax(third, fabs(d2[k] - d2[k - 1]) / h);
      ratio = fmax(ratio, fabs(log(d2[k] / d2[k - 1])) / h);
    }
  }
  if (isfinite(c.lipschitz)) {
    CHECK(steepest <= c.lipschitz * (1 + 1e-12));
    CHECK(steepest >= c.lipschitz * (1 - 1e-6));
  } else {
    CHECK(steepest > 15.0);
  }
  CHECK(curved <= c.curvature * (1 + 1e-12));
  CHECK(curved >= c.curvature * (1 - 1e-3));
  if (isfinite(c.third)) {
    CHECK(third <= c.third * (1 + 1e-9));
    CHECK(third >= c.third * (1 - 1e-2));
  } else {
    CHECK(third > 10.0); /* a jump of the curvature */
  }
  if (c.self_concordant)
    CHECK(ratio <= 1.0 + 1e-9);
  CHECK((tied < 1e-12) == c.tied);
}

static void check_losses(void) {
  for (size_t l = 0; l < dpa_losses_count; l++) {
    const dpa_loss *loss = dpa_losses[l];
    CHECK(dpa_loss_find(loss->name) == loss);
    const double widths[] = {loss->default_width, 0.31 * loss->default_width};
    for (size_t w = 0; w < (loss->default_width > 0.0 ? 2 : 1); w++) {
      check_derivatives(loss, widths[w]);
      check_constants(loss, widths[w]);
    }
  }
  CHECK(dpa_loss_find("no such") == NULL);
}

/* ---- penalties ------------------------------------------------------------------- */

/* The proximal step is the minimiser: no other point of a grid is better, for any step;
 * and it does not expand. */
static void check_penalty(const dpa_penalty *penalty) {
  const double parameter[DPA_PENALTY_PARAMETERS] = {0.3, 0.8};
  static const double steps[] = {0.0, 0.1, 1.0, 7.0};
  int least = 1, nearer = 1, inside = 1, apart = 1;
  CHECK(dpa_penalty_find(penalty->name) == penalty);
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
    for (int k = -40; k <= 40; k++) {
      double v[2] = {0.13 * k, 0.13 * (k + 3)}, z[2], one;
      penalty->prox(v, 2, steps[s], parameter, z);
      nearer &= fabs(z[0] - z[1]) <= fabs(v[0] - v[1]) * (1 + 1e-12);
      inside &= isfinite(penalty->value(z, 1, parameter));
      penalty->prox(v, 1, steps[s], parameter, &one);
      apart &= one == z[0]; /* entry by entry, and in place: */
      penalty->prox(v, 2, steps[s], parameter, v);
      apart &= v[0] == z[0] && v[1] == z[1];
      v[0] = 0.13 * k;
      const double best =
          steps[s] * penalty->value(z, 1, parameter) + 0.5 * pow(z[0] - v[0], 2.0);
      for (int j = -600; j <= 600; j++) {
        const double y = 0.01 * j, h = penalty->value(&y, 1, parameter);
        const double cost =
            (isinf(h) ? INFINITY : steps[s] * h) + 0.5 * pow(y - v[0], 2.0);
        least &= best <= cost + 1e-12;
      }
    }
  CHECK(least);
  CHECK(nearer);
  CHECK(inside);
  CHECK(apart);
}

/* ---- mechanisms ------------------------------------------------------------------ */

/* Mean, standard deviation and sign of the entries, two-sided; draws are a function of
 * the stream's name alone. */
static void check_mechanism(const dpa_mechanism *mechanism, size_t d, double scale) {
  enum { DRAWS = 20000, MOST = 5 };
  double out[MOST], again[MOST], mean = 0.0, square = 0.0, fourth = 0.0;
  dpa_key key;
  dpa_key_from_seed(&key, 17);
  long negative = 0;
  int well = 1;
  for (uint32_t t = 1; t <= DRAWS; t++) {
    well &= dpa_draw(mechanism, &key, 3, t, DPA_NOISE_OUTPUT, scale, out, d) == DPA_OK;
    for (size_t j = 0; j < d; j++) {
      mean += out[j];
      square += out[j] * out[j];
      fourth += pow(out[j], 4.0);
      negative += out[j] < 0.0;
    }
  }
  const double count = (double)(DRAWS * d), sd = mechanism->sd(scale, d);
  mean /= count;
  square /= count;
  fourth /= count;
  CHECK(well);
  /* entries of one vector may be dependent: their number is not counted twice */
  CHECK(fabs(mean) < 5.0 * sqrt(square / DRAWS));
  CHECK(fabs(square - sd * sd) < 5.0 * sqrt((fourth - square * square) / DRAWS));
  CHECK(fabs(square - 2.25 * sd * sd) > 5.0 * sqrt(fourth / DRAWS));
  CHECK(fabs((double)negative / count - 0.5) < 5.0 * 0.5 / sqrt((double)DRAWS));
  CHECK(dpa_draw(mechanism, &key, 3, DRAWS, DPA_NOISE_OUTPUT, scale, again, d) ==
        DPA_OK);
  CHECK(memcmp(out, again, d * sizeof *out) == 0);
  CHECK(dpa_draw(mechanism, &key, 3, 1, DPA_NOISE_OUTPUT, 0.0, again, d) == DPA_OK);
  CHECK(again[0] == 0.0 && again[d - 1] == 0.0);
  CHECK(dpa_draw(mechanism, &key, 3, 1, DPA_NOISE_OUTPUT, -1.0, again, d) ==
        DPA_ARGUMENT);
  CHECK(dpa_draw(mechanism, &key, 3, 1, DPA_NOISE_OUTPUT, NAN, again, d) ==
        DPA_ARGUMENT);
}

/* No two uses, users or rounds share a stream. */
static void check_streams_apart(void) {
  enum { NAMES = 9 * 3 * 3 };
  double drawn[NAMES];
  dpa_key key;
  dpa_key_from_seed(&key, 17);
  size_t at = 0;
  for (uint32_t purpose = 0; purpose < 9; purpose++)
    for (uint32_t user = 0; user < 3; user++)
      for (uint32_t round = 0; round < 3; round++)
        dpa_draw(&dpa_mechanism_gaussian, &key, user, round, (dpa_purpose)purpose, 1.0,
                 &drawn[at++], 1);
  int apart = 1;
  for (size_t a = 0; a < NAMES; a++)
    for (size_t b = 0; b < a; b++)
      apart &= drawn[a] != drawn[b];
  CHECK(apart);
}

/* ---- rules and relays ------------------------------------------------------------ */

/* Names are found, and are no one else's. */
static void check_names(void) {
  int apart = 1;
  for (size_t a = 0; a < dpa_rules_count; a++)
    for (size_t b = 0; b < a; b++)
      apart &= strcmp(dpa_rules[a]->name, dpa_rules[b]->name) != 0;
  for (size_t k = 0; k < dpa_relays_count; k++)
    apart &= dpa_relay_find(dpa_relays[k]->name) == dpa_relays[k];
  for (size_t k = 0; k < dpa_mechanisms_count; k++)
    apart &= dpa_mechanism_find(dpa_mechanisms[k]->name) == dpa_mechanisms[k];
  CHECK(apart);
  CHECK(!dpa_relay_find("no such") && !dpa_mechanism_find("no such"));
  for (size_t a = 0; a < dpa_rules_count; a++) {
    int runs = 0;
    for (size_t k = 0; k < dpa_relays_count; k++)
      runs += dpa_rule_fits(dpa_rules[a], dpa_relays[k]->layout);
    CHECK(runs > 0); /* some relay can run it */
  }
}

void test_tables(void) {
  check_losses();
  for (size_t k = 0; k < dpa_penalties_count; k++)
    check_penalty(dpa_penalties[k]);
  for (size_t k = 0; k < dpa_mechanisms_count; k++) {
    check_mechanism(dpa_mechanisms[k], 1, 0.7);
    check_mechanism(dpa_mechanisms[k], 5, 2.5);
  }
  check_streams_apart();
  check_names();
}
