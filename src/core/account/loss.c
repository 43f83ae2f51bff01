#include "account/loss.h"

#include "account/special.h"

#include <math.h>

#include "clones.h"

#define LOG_SQRT_2PI 0.91893853320467274178

double dpa_loss_at(dpa_pair pair, double q, double s, double z) {
  const double up = dpa_log_mix(q, (z - 0.5 / s) / s);
  switch (pair) {
  case DPA_PAIR_REMOVE:
    return up;
  case DPA_PAIR_ADD:
    return -up;
  default:
    return up - dpa_log_mix(q, (-z - 0.5 / s) / s);
  }
}

/* The output whose loss is l. */
static double output_at(dpa_pair pair, double q, double s, double l) {
  if (pair == DPA_PAIR_REMOVE)
    return s * dpa_inverse_mix(q, l) + 0.5 / s;
  if (pair == DPA_PAIR_ADD)
    return s * dpa_inverse_mix(q, -l) + 0.5 / s;
  /* (1 - q) sinh(l / 2) = q k sinh(z / s - l / 2), k = exp(-1 / (2 s^2)) */
  const double size = fabs(l);
  double turn = 0.0;
  if (q < 1.0 && size > 0.0) {
    const double log_twice =
        log1p(-q) - log(q) + 0.5 / (s * s) + 0.5 * size +
        log(-expm1(-size)); /* log(2 sinh) of the right-hand side */
    turn = log_twice > 40.0 ? log_twice : asinh(0.5 * exp(log_twice));
  }
  return copysign(s * (turn + 0.5 * size), l);
}

/* The log density of P at z. */
static double log_density(dpa_pair pair, double q, double s, double z) {
  const double at_0 = -0.5 * z * z - LOG_SQRT_2PI;
  if (pair == DPA_PAIR_ADD)
    return at_0;
  const double away = z - 1.0 / s;
  return dpa_log_add(log1p(-q) + at_0, log(q) - 0.5 * away * away - LOG_SQRT_2PI);
}

/* One bin: outputs from a to b, losses from `edge` to edge + h. */
typedef struct bin {
  dpa_pair pair;
  double q, s, a, b, edge, h;
  double scale;        /* sums are in units of exp(scale) */
  double mass, rise;   /* of P and of P (1 - exp(-over)) */
  double fall, lowest; /* exp(-lowest) fall: of P exp(-over), lowest the least `over` */
} bin;

static void add_panel(bin *it, double a, double b, const dpa_quadrature *nodes,
                      size_t n) {
  const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
  for (size_t k = 0; k < n; k++) {
    for (int side = -1; side <= 1; side += 2) {
      if (nodes[k].x == 0.0 && side > 0)
        continue;
      const double z = middle + side * half * nodes[k].x;
      double over = dpa_loss_at(it->pair, it->q, it->s, z) - it->edge;
      over = over < 0.0 ? 0.0 : over > it->h ? it->h : over;
      const double w =
          half * nodes[k].w * exp(log_density(it->pair, it->q, it->s, z) - it->scale);
      if (w > 0.0 && over < it->lowest) {
        it->fall *= exp(over - it->lowest);
        it->lowest = over;
      }
      it->mass += w;
      it->rise -= w * expm1(-over);
      it->fall += w > 0.0 ? w * exp(it->lowest - over) : 0.0;
    }
  }
}

/* The normal densities vary over a fraction of 1; the
 * mixture near its bends and exp(edge - loss) near the bin's lower end vary over s, and
 * die out exponentially: panels there grow with the distance. */
static void integrate_bin(bin *it) {
  const double s = it->s, plain = 0.25, far_out = 40.0, fine = s < 0.5 ? 0.5 * s : 0.25;
  const double steep = fmax(fabs(it->a), fabs(it->b)) + 1.0 + 1.0 / s;
  if ((it->b - it->a) * steep < 0.05) {
    add_panel(it, it->a, it->b, dpa_gauss3, 2);
    return;
  }
  const double bend = s * (log1p(-it->q) - log(it->q)) + 0.5 / s;
  const double low = it->pair == DPA_PAIR_ADD ? it->b : it->a;
  const double centres[] = {low, bend, -bend};
  const int n = it->pair == DPA_PAIR_REPLACE ? 3 : 2;
  const double second = it->pair == DPA_PAIR_ADD ? 0.0 : 1.0 / s;
  double from = it->a;
  while (from < it->b) {
    /* P has no mass a double could hold this far from both its normals */
    if (from < -far_out) {
      from = fmin(-far_out, it->b);
      continue;
    }
    if (from >= far_out && from < second - far_out) {
      from = fmin(second - far_out, it->b);
      continue;
    }
    if (from >= second + far_out)
      break;
    double next = from + plain;
    for (int k = 0; k < n; k++) {
      const double past = from - centres[k];
      next = fmin(next, from + fmax(fine, past < 0.0 ? -0.5 * past : 0.25 * past));
    }
    next = next < it->b && next > from ? next : it->b;
    add_panel(it, from, next, dpa_gauss8, 4);
    from = next;
  }
}

dpa_status dpa_loss_bins(dpa_pair pair, double q, double s, double reach, double h,
                         double first, size_t n, double least, double *log_mass,
                         double *over) {
  if (!(q > 0.0 && q <= 1.0 && s > 0.0 && h > 0.0 && reach > 0.0))
    return DPA_ARGUMENT;
  const double lo = -reach, hi = reach + (pair == DPA_PAIR_ADD ? 0.0 : 1.0 / s);
  double next = output_at(pair, q, s, first * h);
  for (size_t j = 0; j < n; j++) {
    bin it = {pair, q,   s,   next, 0.0, (first + (double)j) * h,
              h,    0.0, 0.0, 0.0,  0.0, INFINITY};
    next = output_at(pair, q, s, (first + (double)j + 1.0) * h);
    it.b = next;
    if (pair == DPA_PAIR_ADD) { /* the loss falls with the output */
      it.b = it.a;
      it.a = next;
    }
    it.a = it.a > lo ? it.a : lo;
    it.b = it.b < hi ? it.b : hi;
    log_mass[j] = -INFINITY;
    over[j] = 0.0;
    if (it.b > it.a) {
      const double near = it.a > 0.0 ? it.a : it.b < 0.0 ? it.b : 0.0;
      it.scale =
          fmax(log_density(pair, q, s, near),
               fmax(log_density(pair, q, s, it.a), log_density(pair, q, s, it.b)));
      if (it.scale + log(it.b - it.a) < least)
        continue;
      integrate_bin(&it);
      log_mass[j] = it.scale + log(it.mass);
      if (it.mass > 0.0) {
        over[j] = it.rise < 0.5 * it.mass ? -log1p(-it.rise / it.mass)
                                          : it.lowest - log(it.fall / it.mass);
      }
      if (isnan(log_mass[j]) || log_mass[j] == INFINITY || !(over[j] <= 1.0000001 * h))
        return DPA_NUMERIC;
    }
  }
  return DPA_OK;
}

/* As epsilon falls from one atom to the next, delta grows by Q (exp(from) - exp(to)), Q
 * the sum of mass exp(-loss) over the atoms above: positive terms only. */
double dpa_atoms_epsilon(const double *loss, const double *log_mass, size_t n,
                         double log_delta) {
  double log_q = -INFINITY, spent = -INFINITY;
  for (size_t i = 0; i < n && loss[i] > 0.0; i++) {
    const double end = i + 1 < n && loss[i + 1] > 0.0 ? loss[i + 1] : 0.0;
    log_q = dpa_log_add(log_q, log_mass[i] - loss[i]);
    const double growth = log_q + loss[i] + log(-expm1(end - loss[i]));
    const double after = dpa_log_add(spent, growth);
    if (after > log_delta) {
      const double left = exp(log_delta - log_q - loss[i]) * -expm1(spent - log_delta);
      const double epsilon = loss[i] + log1p(-left);
      return epsilon > end ? epsilon : end;
    }
    spent = after;
  }
  return 0.0;
}

size_t dpa_merge_atoms(const double *loss, double *mass, size_t n, double h,
                       double offset, double give, double *index, double *merged) {
  size_t k = 0, out = 0;
  while (k < n) {
    /* the first grid point above the lowest atom, or below it by at most `give` */
    double at = ceil((loss[k] - offset - give) / h);
    const double target = at * h + offset;
    /* what the atoms below it lack in exp(-loss) */
    double pool = 0.0, lack = 0.0;
    const size_t first = k;
    for (; k < n && (k == first || loss[k] <= target); k++) {
      pool += mass[k];
      lack += mass[k] * fmax(expm1(target - loss[k]), 0.0);
    }
    /* is made up by parts of those next above, if they can spare it: a heavy atom is
     * not worth all that is above it, and goes down instead */
    double spare = 0.0;
    for (size_t i = k; i < n && loss[i] <= target + 32.0 * h && spare <= lack; i++)
      spare -= mass[i] * expm1(target - loss[i]);
    if (lack > 0.0 && spare <= lack) {
      at -= 1.0;
    } else {
      while (lack > 0.0 && k < n) {
        const double gain = -expm1(target - loss[k]);
        if (mass[k] * gain > lack) {
          const double part = lack / gain;
          mass[k] -= part;
          pool += part;
          lack = 0.0;
        } else {
          pool += mass[k];
          lack -= mass[k] * gain;
          k++;
        }
      }
    }
    index[out] = at;
    merged[out] = pool;
    out++;
  }
  return out;
}

/* Of `rows` places from `first` on. */
DPA_INLINE void step_strip(const double *in, size_t n, const size_t *shift,
                           const double *step, size_t atoms, size_t first, size_t rows,
                           double *restrict out) {
  for (size_t j = 0; j < rows; j++)
    out[j] = 0.0;
  for (size_t k = 0; k < atoms; k++) {
    const size_t from = first >= shift[k] ? first - shift[k] : first + n - shift[k];
    if (from + rows <= n)
      for (size_t j = 0; j < rows; j++)
        out[j] += step[k] * in[from + j];
    else
      for (size_t j = 0; j < rows; j++)
        out[j] += step[k] * in[from + j < n ? from + j : from + j - n];
  }
  for (size_t j = 0; j < rows; j++)
    out[j] = fabs(out[j]) > DPA_NO_MASS ? out[j] : 0.0;
}

/* By strips of a known length, for vectors, that stay near until all atoms are added.
 */
DPA_CLONES void dpa_step_atoms(const double *in, size_t n, const size_t *shift,
                               const double *step, size_t atoms, double *out) {
  enum { STRIP = 256 };
  size_t first = 0;
  for (; first + STRIP <= n; first += STRIP)
    step_strip(in, n, shift, step, atoms, first, STRIP, out + first);
  step_strip(in, n, shift, step, atoms, first, n - first, out + first);
}
