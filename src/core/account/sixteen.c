#include "account/sixteen.h"

#include <math.h>
#include <stdint.h>

#include "clones.h"

#ifdef __GNUC__
#define LANES 4
#define LOG2_E 1.4426950408889634074
#define LN2_HIGH 6.93147180369123816490e-01 /* 33 bits: k of them are exact */
#define LN2_LOW 1.90821492927058770002e-10
#define FARTHEST 690.0
#define SHIFT 6755399441055744.0 /* 1.5 * 2^52: what is added to it becomes whole, */
#define WHOLE 4503599627370496.0 /* and the last bits of 2^52 are those of a number */
#define WHOLE_BITS 0x4330000000000000
#define ONE_BITS 0x3ff0000000000000
#define SQRT_HALF_BITS 0x3fe6a09e667f3bcd
#define BIAS 1023

typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef uint64_t words __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

/* Not functions: how those pass vectors hangs on the vectors there are. */
#define AT(p) (*(const lanes *)(const void *)(p))
#define PUT(p, x) (*(lanes *)(void *)(p) = (x))
#define EITHER(which, yes, no)                                                         \
  (lanes)(((words)(which) & (words)(yes)) | (~(words)(which) & (words)(no)))

/* exp(x) = power (1 + rest), |rest| < .42: with the Taylor series of exp(r) - 1,
 * |r| <= log(2) / 2, up to r^13. */
DPA_INLINE void reduce(const double *from, lanes *power, lanes *rest) {
  const lanes far = (lanes){0} + FARTHEST;
  lanes x = AT(from);
  x = EITHER(x < -far, -far, x);
  x = EITHER(x > far, far, x);
  const lanes shifted = x * LOG2_E + SHIFT, k = shifted - SHIFT;
  const lanes r = (x - k * LN2_HIGH) - k * LN2_LOW;
  *power = (lanes)(((words)shifted + BIAS) << 52);
  const lanes z = r * r; /* even and odd powers do not wait for each other */
  lanes even = z * (1.0 / 479001600.0) + 1.0 / 3628800.0;
  even = z * even + 1.0 / 40320.0;
  even = z * even + 1.0 / 720.0;
  even = z * even + 1.0 / 24.0;
  even = z * even + 0.5;
  lanes odd = z * (1.0 / 6227020800.0) + 1.0 / 39916800.0;
  odd = z * odd + 1.0 / 362880.0;
  odd = z * odd + 1.0 / 5040.0;
  odd = z * odd + 1.0 / 120.0;
  odd = z * odd + 1.0 / 6.0;
  *rest = r + z * (even + r * odd);
}

DPA_CLONES void dpa_exp16(const double *x, double *out) {
  for (int i = 0; i < DPA_SIXTEEN; i += LANES) {
    lanes power, rest;
    reduce(x + i, &power, &rest);
    PUT(out + i, power + power * rest);
  }
}

DPA_CLONES void dpa_expm1_16(const double *x, double *out) {
  for (int i = 0; i < DPA_SIXTEEN; i += LANES) {
    lanes power, rest;
    reduce(x + i, &power, &rest);
    PUT(out + i, power * rest + (power - 1.0));
  }
}

/* x = 2^k m, sqrt(1/2) <= m < sqrt(2), and log(m) = 2 artanh(s), s = (m - 1) / (m + 1),
 * with its series up to s^21. */
DPA_CLONES void dpa_log16(const double *x, double *out) {
  for (int i = 0; i < DPA_SIXTEEN; i += LANES) {
    const words bits = (words)AT(x + i);
    const words power = (bits + (ONE_BITS - SQRT_HALF_BITS)) >> 52; /* k + BIAS */
    const lanes k = (lanes)(power + WHOLE_BITS) - (WHOLE + BIAS);
    const lanes m = (lanes)(bits + ONE_BITS - (power << 52));
    const lanes s = (m - 1.0) / (m + 1.0), z = s * s;
    lanes p = z * (2.0 / 21.0) + 2.0 / 19.0;
    p = z * p + 2.0 / 17.0;
    p = z * p + 2.0 / 15.0;
    p = z * p + 2.0 / 13.0;
    p = z * p + 2.0 / 11.0;
    p = z * p + 2.0 / 9.0;
    p = z * p + 2.0 / 7.0;
    p = z * p + 2.0 / 5.0;
    p = z * p + 2.0 / 3.0;
    PUT(out + i, k * LN2_HIGH + (k * LN2_LOW + (2.0 * s + s * z * p)));
  }
}

#else

#define EACH(f)                                                                        \
  for (int i = 0; i < DPA_SIXTEEN; i++)                                                \
  out[i] = f(x[i])

void dpa_exp16(const double *x, double *out) {
  EACH(exp);
}

void dpa_expm1_16(const double *x, double *out) {
  EACH(expm1);
}

void dpa_log16(const double *x, double *out) {
  EACH(log);
}

#endif
