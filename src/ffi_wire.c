/* Text that every transport lets through: bytes as URL-safe base64 without padding,
 * behind a prefix, one text for the same bytes. And the name of this boot. */
#include "ffi.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "B64:";
#define PREFIX (sizeof prefix - 1)

static const char digit[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* What a digit stands for; 64: it is none. */
static unsigned value_of(char c) {
  if (c >= 'A' && c <= 'Z')
    return (unsigned)(c - 'A');
  if (c >= 'a' && c <= 'z')
    return (unsigned)(c - 'a') + 26;
  if (c >= '0' && c <= '9')
    return (unsigned)(c - '0') + 52;
  return c == '-' ? 62 : c == '_' ? 63 : 64;
}

/* A raw vector as a string. */
SEXP ffi_wire_write(SEXP raw) {
  const size_t n = TYPEOF(raw) == RAWSXP ? (size_t)Rf_xlength(raw) : 0;
  const size_t length = PREFIX + n / 3 * 4 + (n % 3 ? n % 3 + 1 : 0);
  if (TYPEOF(raw) != RAWSXP || length > INT_MAX)
    return ffi_status_of(DPA_ARGUMENT, "raw");
  const unsigned char *byte = RAW_RO(raw);
  char *text = R_alloc(length, 1), *at = text + PREFIX;
  memcpy(text, prefix, PREFIX);
  for (size_t k = 0; k < n; k += 3) {
    const size_t m = n - k < 3 ? n - k : 3;
    const unsigned three = (unsigned)byte[k] << 16 |
                           (m > 1 ? (unsigned)byte[k + 1] << 8 : 0) |
                           (m > 2 ? byte[k + 2] : 0);
    for (size_t j = 0; j <= m; j++)
      *at++ = digit[three >> (18 - 6 * j) & 63];
  }
  SEXP string = PROTECT(Rf_mkCharLenCE(text, (int)length, CE_NATIVE));
  SEXP out = Rf_ScalarString(string);
  UNPROTECT(1);
  return out;
}

/* Such a string as a raw vector; NULL for whatever else. */
SEXP ffi_wire_read(SEXP string) {
  const char *text = ffi_text(string);
  if (!text || strncmp(text, prefix, PREFIX) != 0)
    return R_NilValue;
  text += PREFIX;
  const size_t length = strlen(text), rest = length % 4;
  if (rest == 1)
    return R_NilValue;
  SEXP raw = PROTECT(
      Rf_allocVector(RAWSXP, (R_xlen_t)(length / 4 * 3 + (rest ? rest - 1 : 0))));
  unsigned char *byte = RAW(raw);
  unsigned bits = 0, had = 0, bad = 0;
  for (size_t k = 0; k < length; k++) {
    const unsigned value = value_of(text[k]);
    bad |= value & 64;
    bits = bits << 6 | (value & 63);
    had += 6;
    if (had >= 8) {
      had -= 8;
      *byte++ = (unsigned char)(bits >> had);
    }
  }
  bad |= bits & ((1u << had) - 1u); /* else two texts were the same bytes */
  UNPROTECT(1);
  return bad ? R_NilValue : raw;
}

/* Whether it is one string, not empty, of the characters that transports let through.
 */
SEXP ffi_wire_is(SEXP string) {
  const char *text = ffi_text(string);
  int good = text && *text;
  for (; good && *text; text++)
    good = value_of(*text) < 64 || strchr(".+;:,$", *text);
  return Rf_ScalarLogical(good);
}

/* The first 36 bytes of a file, Linux's name of its boot; NA where there are fewer. */
SEXP ffi_boot(SEXP path) {
  const char *name = ffi_text(path);
  char text[36];
  FILE *file = name ? fopen(name, "rb") : NULL;
  const int whole = file && fread(text, 1, sizeof text, file) == sizeof text &&
                    !memchr(text, 0, sizeof text);
  if (file)
    fclose(file);
  SEXP string =
      PROTECT(whole ? Rf_mkCharLenCE(text, sizeof text, CE_NATIVE) : NA_STRING);
  SEXP out = Rf_ScalarString(string);
  UNPROTECT(1);
  return out;
}
