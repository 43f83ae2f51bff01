/* Numbers modulo 2^64 between here and R: raw vectors of 8 bytes a number, the lowest
 * first. */
#include "ffi.h"

#include <string.h>

int ffi_words_add(SEXP raw, size_t count, uint64_t *sum) {
  if (TYPEOF(raw) != RAWSXP || (size_t)Rf_xlength(raw) != 8 * count)
    return 0;
  const unsigned char *byte = RAW_RO(raw);
  for (size_t j = 0; sum && j < count; j++) {
    uint64_t word = 0;
    for (size_t k = 8; k-- > 0;)
      word = word << 8 | byte[8 * j + k];
    sum[j] += word;
  }
  return 1;
}

SEXP ffi_words_of(const uint64_t *word, size_t count) {
  SEXP raw = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)(8 * count)));
  for (size_t j = 0; j < count; j++)
    for (size_t k = 0; k < 8; k++)
      RAW(raw)[8 * j + k] = (unsigned char)(word[j] >> 8 * k);
  UNPROTECT(1);
  return raw;
}

/* The sum of a list of raw vectors of one length. */
SEXP ffi_words_sum(SEXP list) {
  if (TYPEOF(list) != VECSXP || Rf_xlength(list) == 0)
    return ffi_status(DPA_ARGUMENT);
  const size_t count = (size_t)Rf_xlength(VECTOR_ELT(list, 0)) / 8;
  SEXP keeper = PROTECT(ffi_keeper());
  uint64_t *sum = FFI_TAKE(keeper, uint64_t, count);
  memset(sum, 0, count * sizeof *sum);
  int ok = 1;
  for (R_xlen_t i = 0; i < Rf_xlength(list); i++)
    ok &= ffi_words_add(VECTOR_ELT(list, i), count, sum);
  SEXP out = PROTECT(ok ? ffi_words_of(sum, count) : ffi_status(DPA_ARGUMENT));
  UNPROTECT(2);
  return out;
}

/* A checksum of bytes that tells damage, and no forgery: FNV-1a (Fowler, Noll and Vo).
 */
SEXP ffi_words_check(SEXP raw) {
  if (TYPEOF(raw) != RAWSXP)
    return ffi_status(DPA_ARGUMENT);
  uint64_t word = UINT64_C(0xcbf29ce484222325);
  for (R_xlen_t k = 0; k < Rf_xlength(raw); k++)
    word = (word ^ RAW_RO(raw)[k]) * UINT64_C(0x100000001b3);
  return ffi_words_of(&word, 1);
}
