#include "account_loss.h"

#include "account_special.h"

#include <math.h>

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
  if (pair == DPA_PAIR_REMOVE) {
    return s * dpa_inverse_mix(q, l) + 0.5 / s;
  }
  if (pair == DPA_PAIR_ADD) {
    return s * dpa_inverse_mix(q, -l) + 0.5 / s;
  }
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
  const double base = -0.5 * z * z - LOG_SQRT_2PI;
  return pair == DPA_PAIR_ADD ? base : base + dpa_log_mix(q, (z - 0.5 / s) / s);
}

/* Mass and upper mass of outputs in [a, b] by n-point Gauss-Legendre, added to sums in
 * units of exp(scale). */
static void add_panel(dpa_pair pair, double q, double s, double a, double b, double h,
                      double edge, const dpa_node *nodes, size_t n, double scale,
                      double sums[2]) {
  const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
  for (size_t k = 0; k < n; k++) {
    for (int side = -1; side <= 1; side += 2) {
      if (nodes[k].x == 0.0 && side > 0) {
        continue;
      }
      const double z = middle + side * half * nodes[k].x;
      double over = dpa_loss_at(pair, q, s, z) - edge;
      over = over < 0.0 ? 0.0 : over > h ? h : over;
      const double w = half * nodes[k].w * exp(log_density(pair, q, s, z) - scale);
      sums[0] += w;
      sums[1] += w * (expm1(-over) / expm1(-h));
    }
  }
}

dpa_status dpa_loss_bins(dpa_pair pair, double q, double s, double reach, double h,
                         double first, size_t n, double *log_mass, double *upper) {
  if (!(q > 0.0 && q <= 1.0 && s > 0.0 && h > 0.0 && reach > 0.0)) {
    return DPA_ARGUMENT;
  }
  const double lo = -reach, hi = reach + (pair == DPA_PAIR_ADD ? 0.0 : 1.0 / s);
  double next = output_at(pair, q, s, first * h);
  for (size_t j = 0; j < n; j++) {
    const double edge = (first + (double)j) * h;
    double a = next;
    next = output_at(pair, q, s, (first + (double)j + 1.0) * h);
    double b = next;
    if (pair == DPA_PAIR_ADD) { /* the loss falls with the output */
      b = a;
      a = next;
    }
    a = a > lo ? a : lo;
    b = b < hi ? b : hi;
    if (!(b > a)) {
      log_mass[j] = -INFINITY;
      upper[j] = 0.5;
      continue;
    }
    const double near = a > 0.0 ? a : b < 0.0 ? b : 0.0;
    const double width = b - a;
    const double steep = fabs(near) + 1.0 + 1.0 / s;
    double sums[2] = {0.0, 0.0};
    const double left = log_density(pair, q, s, a), right = log_density(pair, q, s, b);
    double scale = log_density(pair, q, s, near);
    scale = left > scale ? left : scale;
    scale = right > scale ? right : scale;
    if (width * steep < 0.05) {
      add_panel(pair, q, s, a, b, h, edge, dpa_gauss3, 2, scale, sums);
    } else {
      const double most = s < 0.5 ? 0.5 * s : 0.25;
      const double pieces = ceil(width / most);
      if (!(pieces < 1e7)) {
        return DPA_SIZE;
      }
      for (double k = 0.0; k < pieces; k += 1.0) {
        add_panel(pair, q, s, a + width * (k / pieces),
                  a + width * ((k + 1.0) / pieces), h, edge, dpa_gauss8, 4, scale,
                  sums);
      }
    }
    log_mass[j] = scale + log(sums[0]);
    upper[j] = sums[0] > 0.0 ? sums[1] / sums[0] : 0.5;
    if (isnan(log_mass[j]) || log_mass[j] == INFINITY) {
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
                       double offset, double *index, double *merged) {
  size_t k = 0, out = 0;
  while (k < n) {
    /* the first grid point above the lowest atom, or a rounding error below it */
    double at = ceil((loss[k] - offset) / h - 1e-7);
    const double target = at * h + offset;
    /* what the atoms below it lack in exp(-loss), made up by parts of those above */
    double pool = 0.0, lack = 0.0;
    size_t first = k;
    for (; k < n && (k == first || loss[k] <= target); k++) {
      pool += mass[k];
      lack += mass[k] * fmax(expm1(target - loss[k]), 0.0);
    }
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
    if (lack > 0.0) {
      at -= 1.0; /* nothing left above: down instead */
    }
    index[out] = at;
    merged[out] = pool;
    out++;
  }
  return out;
}
