/* Masks of secure sums as R sees them; of numbers modulo 2^64 see ffi_words.c. */
#include "ffi.h"

#include "random/mask.h"

#include <string.h>

/* Words with the masks of `keys`, raw(32 k), of a round and an attempt; `minus`: which
 * of the k are subtracted. */
SEXP ffi_mask(SEXP words, SEXP keys, SEXP minus, SEXP round, SEXP attempt) {
  const R_xlen_t k = Rf_xlength(minus);
  double t, a;
  if (TYPEOF(keys) != RAWSXP || TYPEOF(minus) != LGLSXP ||
      Rf_xlength(keys) != k * (R_xlen_t)sizeof(dpa_key) ||
      !ffi_whole(round, 0.0, 4294967296.0, &t) ||
      !ffi_whole(attempt, 0.0, 4294967296.0, &a))
    return ffi_status(DPA_ARGUMENT);
  const size_t d = (size_t)Rf_xlength(words) / 8;
  uint64_t *word = (uint64_t *)R_alloc(d + 1, sizeof *word);
  memset(word, 0, (d + 1) * sizeof *word);
  if (!ffi_words_add(words, d, word))
    return ffi_status(DPA_ARGUMENT);
  dpa_status status = DPA_OK;
  for (R_xlen_t i = 0; i < k && status == DPA_OK; i++) {
    dpa_key key;
    memcpy(key.byte, RAW_RO(keys) + i * (R_xlen_t)sizeof key, sizeof key);
    status =
        dpa_mask(word, d, &key, (uint32_t)t, (uint32_t)a, LOGICAL_RO(minus)[i] == 1);
    dpa_forget(&key, sizeof key);
  }
  return status == DPA_OK ? ffi_words_of(word, d) : ffi_status(status);
}
