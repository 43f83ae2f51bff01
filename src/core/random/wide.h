/* Products of 64-bit numbers. */
#ifndef DPA_WIDE_H
#define DPA_WIDE_H

#include <stdint.h>

/* a b = high 2^64 + *low */
static inline uint64_t dpa_multiply(uint64_t a, uint64_t b, uint64_t *low) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 wide;
  const wide product = (wide)a * b;
  *low = (uint64_t)product;
  return (uint64_t)(product >> 64);
#else
  const uint64_t half = UINT64_C(0xffffffff);
  const uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
  const uint64_t low0 = a0 * b0, cross = a1 * b0 + (low0 >> 32);
  const uint64_t other = a0 * b1 + (cross & half);
  *low = other << 32 | (low0 & half);
  return a1 * b1 + (cross >> 32) + (other >> 32);
#endif
}

#endif
