#include "account/special.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440
#define SQRT_HALF_PI 1.2533141373155002512

/* Tail 1 / (x + 2 / (x + 3 / ...)) of the continued fraction of Mills' ratio, x >= 5:
 * all its terms are positive, so nothing cancels. */
static double mills_tail(double x) {
  const int terms = 20 + (int)(1000.0 / (x * x));
  double tail = 0.0;
  for (int k = terms; k >= 1; k--)
    tail = k / (x + tail);
  return tail;
}

double dpa_mills(double x) {
  if (x >= 5.0)
    return 1.0 / (x + mills_tail(x));
  return SQRT_HALF_PI * exp(0.5 * x * x) * erfc(x * SQRT_HALF);
}

double dpa_mills_slope(double x) {
  if (x >= 5.0) {
    const double tail = mills_tail(x);
    return tail / (x + tail);
  }
  return 1.0 - x * dpa_mills(x);
}

/* By its integral where the difference would cancel. */
double dpa_mills_drop(double x, double mu) {
  if (mu > 1.0 && mu > 0.5 * x)
    return dpa_mills(x) - dpa_mills(x + mu);
  double sum = 0.0;
  const double half = 0.5 * mu, middle = x + half;
  for (size_t k = 0; k < sizeof dpa_gauss16 / sizeof *dpa_gauss16; k++) {
    const double step = half * dpa_gauss16[k].x;
    sum += dpa_gauss16[k].w *
           (dpa_mills_slope(middle - step) + dpa_mills_slope(middle + step));
  }
  return half * sum;
}

double dpa_to_digits(double x, int digits, double (*rounded)(double)) {
  int exponent;
  const double whole = rounded(ldexp(frexp(x, &exponent), digits));
  return ldexp(whole, exponent - digits);
}

double dpa_log_add(double a, double b) {
  const double high = a > b ? a : b, low = a > b ? b : a;
  return low == -INFINITY ? high : high + log1p(exp(low - high));
}

double dpa_log_abs_expm1(double u) {
  return u > 0.0 ? u + log(-expm1(-u)) : log(-expm1(u));
}

double dpa_log1p_exp(double x) {
  return x > 0.0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

double dpa_log_mix(double q, double u) {
  if (q == 1.0)
    return u;
  if (u > 30.0)
    return u + log(q) + log1p((1.0 - q) / q * exp(-u));
  const double t = q * expm1(u);
  return t > -0.5 ? log1p(t) : log((1.0 - q) + q * exp(u));
}

double dpa_inverse_mix(double q, double l) {
  if (q == 1.0)
    return l;
  if (l > 30.0)
    return l - log(q) + log1p(-(1.0 - q) * exp(-l));
  const double t = expm1(l) / q;
  if (t > -0.5)
    return log1p(t);
  const double part = exp(l) - (1.0 - q);
  return part > 0.0 ? log(part / q) : -INFINITY;
}

const dpa_quadrature dpa_gauss3[2] = {{0.0, 0.88888888888888888889},
                                      {0.77459666924148337704, 0.55555555555555555556}};

const dpa_quadrature dpa_gauss8[4] = {{0.18343464249564980494, 0.36268378337836198297},
                                      {0.52553240991632898582, 0.31370664587788728734},
                                      {0.79666647741362673959, 0.22238103445337447054},
                                      {0.96028985649753623168, 0.10122853629037625915}};

const dpa_quadrature dpa_gauss16[8] = {
    {0.095012509837637440185, 0.18945061045506849629},
    {0.28160355077925891323, 0.18260341504492358887},
    {0.45801677765722738634, 0.16915651939500253819},
    {0.61787624440264374845, 0.14959598881657673208},
    {0.7554044083550030339, 0.12462897125553387205},
    {0.86563120238783174388, 0.09515851168249278481},
    {0.94457502307323257608, 0.062253523938647892863},
    {0.9894009349916499326, 0.027152459411754094852}};

/* What lies this far (log) below the top is left out; longer than 40 for the length of
 * the range and the number of panels. */
#define NEGLIGIBLE 60.0
#define MOST_PANELS 4000000
/* Halvings from the whole range to the shortest panel. */
#define DEPTH 128

double dpa_log_integral(const dpa_integrand *f, double lo, double hi, double top) {
  double stack[DEPTH][2];
  size_t depth = 1;
  long panels = 0;
  double sum = 0.0; /* of exp(value - top) */
  stack[0][0] = lo;
  stack[0][1] = hi;
  while (depth > 0) {
    depth--;
    const double a = stack[depth][0], b = stack[depth][1], middle = 0.5 * (a + b);
    if (!(f->bound(f->self, a, b) > top - NEGLIGIBLE))
      continue;
    if (b - a > f->panel(f->self, a, b) && depth + 2 <= DEPTH && middle > a &&
        middle < b) {
      stack[depth][0] = middle;
      stack[depth][1] = b;
      stack[depth + 1][0] = a;
      stack[depth + 1][1] = middle;
      depth += 2;
      continue;
    }
    if (++panels > MOST_PANELS)
      return NAN;
    /* The crude bound keeps far too many panels where the integrand is steep; inside
     * one it cannot rise more than its ends and middle by more than a little. */
    const double at = f->value(f->self, middle);
    if (at < top - NEGLIGIBLE && f->value(f->self, a) < top - NEGLIGIBLE &&
        f->value(f->self, b) < top - NEGLIGIBLE)
      continue;
    const double half = 0.5 * (b - a);
    for (size_t k = 0; k < sizeof dpa_gauss16 / sizeof *dpa_gauss16; k++) {
      const double step = half * dpa_gauss16[k].x;
      const double left = f->value(f->self, middle - step);
      const double right = f->value(f->self, middle + step);
      const double high = left > right ? left : right;
      if (high > top + 300.0) { /* the hint was poor: keep the sum in range */
        sum *= exp(top - high);
        top = high;
      }
      sum += half * dpa_gauss16[k].w * (exp(left - top) + exp(right - top));
    }
  }
  return top + log(sum);
}
