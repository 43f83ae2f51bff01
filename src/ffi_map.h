/* Records in a file: see R/data-store.R for what is in it. */
#ifndef DPA_FFI_MAP_H
#define DPA_FFI_MAP_H

#include "data/records.h"
#include "ffi.h"

/* Whether the list's `x` is list(map, n, d, values, row, col): a mapping of a file, and
 * at which bytes of it things begin. `values`: the rows' numbers; `row` and `col`, NULL
 * where rows are dense: n + 1 offsets and the columns of the numbers, as 32 bit
 * integers.
 */
int ffi_is_mapped(const ffi_reader *reader);

/* These rows, where they are; they tell the mapping what has been passed over. */
dpa_records ffi_mapped(ffi_reader *reader, SEXP keeper);

#endif
