#include "account/objective.h"
#include "account/sixteen.h"
#include "account/special.h"
#include "account/spherical.h"

#include <math.h>

#define TWO_PI 6.28318530717958647693
#define FARTHEST 1e3 /* of the loss times s: beyond it the pure loss is as good */
#define NOTHING 1e-18
#define BELOW 13.0 /* nodes where the density is going to be small below its mode */

/* The moment of order 1 + s less one is the ratio of two integrals over angles from 0
 * on, of w 2 sinh((s + 1) l / 2) sinh(s l / 2) and of w cosh(l / 2), where l = shift *
 * sin(angle) and w is the density's part that is even. With sin(angle) = tanh(v), which
 * is cos(angle) = 1 / cosh(v), both are even in v and analytic about it, and fall fast
 * at infinity and so do their Fourier transforms: the trapezoidal rule takes both.
 *
 * With v = mode + off, mode where w exp((s + 1/2) l) is largest but for `lean`,
 *
 *   cosh(v) / cosh(mode) = 1 + (cosh(off) - 1) + tanh(mode) sinh(off),
 *   tanh(v) - tanh(mode) = sinh(off) / (cosh(mode) cosh(v)),
 *
 * whose logs and products lose nothing where dimensions or losses are many. */
typedef struct moments {
  double shift, power, lean;   /* w is cosh(v)^-power (1 + lean / cosh(v)^2) */
  double tilt, other;          /* s + 1/2 and 1/2 times shift: of l's sine */
  double far, near;            /* (s + 1) and s times shift */
  double step;                 /* from node to node, the first at v = 0 */
  double mode, sine, flatness; /* and tanh(mode), 1 / cosh(mode)^2 */
  double unit;                 /* log of w exp(l / 2) where that is largest */
  double risen, even;          /* the sums, the second in that unit */
  double first, last;          /* of the last nodes, the larger share in a sum */
} moments;

/* Adds the nodes k, ..., k + 15, of which those below 0 count for nothing. */
static void add_nodes(moments *it, double k) {
  double off[DPA_SIXTEEN], cosines[DPA_SIXTEEN], sine[DPA_SIXTEEN], lean[DPA_SIXTEEN];
  double far[DPA_SIXTEEN], near[DPA_SIXTEEN], fall[DPA_SIXTEEN];
  double rise[DPA_SIXTEEN], flat[DPA_SIXTEEN];
  for (int i = 0; i < DPA_SIXTEEN; i++)
    off[i] = (k + i) * it->step - it->mode;
  dpa_expm1_16(off, off);
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    const double g = off[i], twice = 2.0 * (1.0 + g);
    const double sinh = g * (2.0 + g) / twice;
    cosines[i] = g * g / twice + it->sine * sinh; /* the ratio less 1 */
    rise[i] = 1.0 + cosines[i];
    sine[i] = it->flatness * sinh / rise[i]; /* less that of the mode */
    lean[i] = 1.0 + it->lean * it->flatness / (rise[i] * rise[i]);
    const double whole = it->sine + sine[i];
    far[i] = -it->far * whole;
    near[i] = -it->near * whole;
    fall[i] = -it->shift * whole;
  }
  dpa_log16(rise, flat);
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    /* log1p(cosines), whatever was rounded off by adding 1 */
    const double kept = rise[i] - 1.0;
    const double turn =
        -it->power * (kept != 0.0 ? flat[i] * (cosines[i] / kept) : cosines[i]);
    rise[i] = turn + it->tilt * sine[i];
    flat[i] = turn + it->other * sine[i] - it->unit;
  }
  dpa_expm1_16(far, far);
  dpa_expm1_16(near, near);
  dpa_exp16(fall, fall);
  dpa_exp16(rise, rise);
  dpa_exp16(flat, flat);
  for (int i = 0; i < DPA_SIXTEEN; i++) {
    const double share = k + i > 0.0 ? 1.0 : k + i < 0.0 ? 0.0 : 0.5;
    rise[i] *= share * lean[i] * far[i] * near[i];
    flat[i] *= share * lean[i] * (1.0 + fall[i]);
    it->risen += rise[i];
    it->even += flat[i];
  }
  const int last = DPA_SIXTEEN - 1;
  it->first = fmax(rise[0] / it->risen, flat[0] / it->even);
  it->last = fmax(rise[last] / it->risen, flat[last] / it->even);
}

/* log(exp(power log(1 / cosh(v)) + tilt tanh(v))) at its largest, over that at the
 * mode. */
static double log_largest(const moments *it, double tilt) {
  const double off = 0.5 * asinh(2.0 * tilt / it->power) - it->mode;
  const double ratio = 2.0 * sinh(0.5 * off) * sinh(0.5 * off) + it->sine * sinh(off);
  return tilt * it->flatness * sinh(off) / (1.0 + ratio) - it->power * log1p(ratio);
}

static double log_excess(double s, double shift, double dim, double lean) {
  moments it = {.shift = shift, .power = dim - 1.0, .lean = lean};
  it.tilt = (s + 0.5) * shift;
  it.other = 0.5 * shift;
  it.far = (s + 1.0) * shift;
  it.near = s * shift;
  it.mode = 0.5 * asinh(2.0 * it.tilt / it.power);
  it.sine = tanh(it.mode);
  it.flatness = 1.0 / (cosh(it.mode) * cosh(it.mode));
  it.unit = log_largest(&it, it.other);
  /* a frequency where there is 1e-15 left of the transform, which is about
   * |Gamma(dim / 2 + i f / 2)|^2 where the tilt is low, and without the square where it
   * is steep */
  const double steep = 1.0 + it.sine * it.sine;
  it.step = TWO_PI / sqrt(steep * (72.0 * (it.power + 2.0) + 500.0 * steep));
  const double start = fmax(0.0, floor(it.mode / it.step) - BELOW);
  double k = start;
  add_nodes(&it, k);
  double lowest = it.first;
  while (it.last > NOTHING)
    add_nodes(&it, k += DPA_SIXTEEN);
  for (k = start; k > 0.0 && lowest > NOTHING; lowest = it.first)
    add_nodes(&it, k -= DPA_SIXTEEN);
  return log(it.risen) - log(it.even) - it.unit + it.near * it.sine;
}

dpa_status dpa_rdp_spherical(const double *orders, size_t n, double shift, double dim,
                             double lean, double *rdp) {
  if (!dpa_spherical_is_law(shift, dim, lean))
    return DPA_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    const double s = orders[i] - 1.0;
    if (!(s > 0.0))
      return DPA_ARGUMENT;
    rdp[i] = dpa_rdp_pure(orders[i], shift);
    if (!(s * shift < FARTHEST))
      continue;
    rdp[i] = fmin(rdp[i], dpa_log1p_exp(log_excess(s, shift, dim, lean)) / s);
    if (isnan(rdp[i]))
      return DPA_NUMERIC;
  }
  return DPA_OK;
}
