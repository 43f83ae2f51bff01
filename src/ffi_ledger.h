/* Ledgers from R: list(kind, count), places from 1 on in a table of kinds, and how
 * often each was released. */
#ifndef DPA_FFI_LEDGER_H
#define DPA_FFI_LEDGER_H

#include "account/orders.h"
#include "ffi.h"

/* Near no order; 0 when something is amiss. The memory is R_alloc's. */
int ffi_ledger(ffi_reader *reader, SEXP list, size_t kinds, dpa_ledger *out);

#endif
