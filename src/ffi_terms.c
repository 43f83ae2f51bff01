/* Rows as terms from R. */
#include "ffi_records.h"

#include <limits.h>
#include <string.h>

/* One byte each for up to 256 entries, else two. */
static int read_codes(const ffi_reader *slots, size_t n, size_t entries,
                      dpa_term *out) {
  const SEXP code = ffi_field(slots, "code");
  if (code == R_NilValue)
    return entries == 1;
  const int narrow = entries <= 256;
  if (TYPEOF(code) != RAWSXP ||
      (size_t)Rf_xlength(code) != n * (narrow ? 1 : sizeof(uint16_t)))
    return 0;
  out->code = narrow ? RAW_RO(code) : NULL;
  out->wide = narrow ? NULL : (const uint16_t *)(const void *)RAW_RO(code);
  int ok = 1;
  for (size_t k = 0; ok && k < n; k++)
    ok = (narrow ? out->code[k] : out->wide[k]) < entries;
  return ok;
}

/* A term whose features are at least *least, which becomes what those of the next one
 * must be. */
static int read_term(SEXP term, size_t n, int d, int *least, dpa_term *out) {
  ffi_reader slots = {term, NULL};
  const int first = ffi_int(&slots, "first", *least, d - 1);
  const int features = slots.bad ? 0 : ffi_int(&slots, "features", 1, d - first);
  const int valued = ffi_has(&slots, "value"), paired = ffi_has(&slots, "place");
  const size_t entries =
      valued ? (size_t)Rf_xlength(ffi_field(&slots, "value")) : (size_t)features;
  if (slots.bad || entries == 0 || (!valued && paired))
    return 0;
  out->first = (size_t)first;
  out->value = valued ? ffi_reals(&slots, "value", entries) : NULL;
  out->place = paired ? ffi_ints(&slots, "place", entries, 0, features - 1) : NULL;
  out->number =
      !valued && ffi_has(&slots, "number") ? ffi_reals(&slots, "number", n) : NULL;
  *least = first + features;
  return !slots.bad && read_codes(&slots, n, entries, out);
}

dpa_records ffi_terms(ffi_reader *reader, SEXP keeper) {
  dpa_records records;
  memset(&records, 0, sizeof records);
  ffi_reader x = {ffi_field(reader, "x"), NULL};
  const int *dim = ffi_ints(&x, "Dim", 2, 0, INT_MAX - 1);
  const SEXP terms = ffi_field(&x, "terms");
  if (!ffi_check(reader,
                 dim && TYPEOF(terms) == VECSXP && Rf_xlength(terms) > 0 &&
                     Rf_xlength(terms) <= DPA_MOST_TERMS,
                 "x"))
    return records;
  const size_t count = (size_t)Rf_xlength(terms);
  dpa_term *term = FFI_TAKE(keeper, dpa_term, count);
  memset(term, 0, count * sizeof *term);
  records.d = (size_t)dim[0];
  records.n = (size_t)dim[1];
  int least = 0, ok = 1;
  for (size_t q = 0; ok && q < count; q++)
    ok = read_term(VECTOR_ELT(terms, (R_xlen_t)q), records.n, dim[0], &least, &term[q]);
  ffi_check(reader, ok, "x");
  records.term = term;
  records.terms = count;
  records.full = ffi_has(&x, "full");
  ffi_check(reader, !records.full || count == records.d, "x");
  return records;
}
