/* How rows are shortened, in as few numbers as there are unlike ones. */
#include "ffi_records.h"

#include <math.h>
#include <string.h>

#define AT_ONCE ((size_t)1 << 18) /* rows that are measured at a time */
/* Unlike factors of which each row has the number of its own. Rows of norm 1 are
 * shortened for their rounding: by some five factors of 3 to 50 columns, 19 of 1,000.
 */
#define KINDS 32

/* Factors of rows, one after the other: one of all rows, one of several kinds, and,
 * when there are too many kinds, each row's own. */
typedef struct factors {
  SEXP keeper;
  size_t n, known, kinds;
  double *table;
  uint8_t *kind; /* n; NULL: all rows are of the first */
  double *all;   /* n; NULL: by kinds */
} factors;

/* The kind of a factor; KINDS: there is no room for another one. guess: likely its. */
static size_t kind_of(factors *of, double x, size_t guess) {
  if (guess < of->kinds && of->table[guess] == x)
    return guess;
  for (size_t k = 0; k < of->kinds; k++)
    if (of->table[k] == x)
      return k;
  if (of->kinds == KINDS)
    return KINDS;
  of->table[of->kinds] = x;
  return of->kinds++;
}

static void list_all(factors *of) {
  of->all = FFI_TAKE(of->keeper, double, of->n);
  for (size_t k = 0; k < of->known; k++)
    of->all[k] = of->table[of->kind[k]];
  /* the kinds, which were taken before */
  SETCDR(CDR(of->keeper), CDR(CDR(CDR(of->keeper))));
  of->kind = NULL;
}

static void add_kind(factors *of, size_t kind) {
  if (kind > 0 && !of->kind) {
    of->kind = FFI_TAKE(of->keeper, uint8_t, of->n);
    memset(of->kind, 0, of->n);
  }
  if (of->kind)
    of->kind[of->known] = (uint8_t)kind;
  of->known++;
}

static void add(factors *of, const double *some, size_t count) {
  size_t kind = 0, k = 0;
  for (; k < count && !of->all; k++) {
    kind = kind_of(of, some[k], kind);
    if (kind == KINDS) {
      list_all(of);
      break;
    }
    add_kind(of, kind);
  }
  if (of->all) {
    memcpy(of->all + of->known, some + k, (count - k) * sizeof *some);
    of->known += count - k;
  }
}

void ffi_measure(ffi_reader *reader, SEXP keeper, size_t parties, const size_t *held,
                 int norms, int threads, dpa_records *all, double *longest) {
  const double bound = ffi_real(reader, "row_bound", 1e-280, R_PosInf);
  const double factor =
      ffi_has(reader, "factor") ? ffi_real(reader, "factor", 0x1p-1000, 0x1p1000) : 1.0;
  memset(longest, 0, parties * sizeof *longest);
  if (reader->bad)
    return;
  if (ffi_has(reader, "scale")) {
    all->scale = ffi_reals(reader, "scale", all->n);
    all->norm = ffi_reals(reader, "norm", all->n);
    return;
  }
  double *norm = norms ? FFI_TAKE(keeper, double, all->n) : NULL;
  factors found = {keeper, all->n, 0, 0, FFI_TAKE(keeper, double, KINDS), NULL, NULL};
  double *some = (double *)R_alloc(all->n < AT_ONCE ? all->n : AT_ONCE, sizeof *some);
  found.table[0] = factor; /* of no rows */
  for (size_t i = 0, first = 0; i < parties; i++)
    for (size_t left = held[i], count; left > 0; left -= count, first += count) {
      count = left < AT_ONCE ? left : AT_ONCE;
      const dpa_records rows = dpa_records_part(all, first, count);
      longest[i] = fmax(longest[i], dpa_measure(&rows, factor, bound, threads, some,
                                                norm ? norm + first : NULL));
      add(&found, some, count);
    }
  all->kind = found.kind;
  all->alike = !found.kind && !found.all;
  all->scale = found.all ? found.all : found.table;
  if (all->alike && found.table[0] == 1.0)
    all->scale = NULL;
  all->norm = norm;
}
