/* What files of records are written with, and mapped. */
#ifndef DPA_FFI_FILE_H
#define DPA_FFI_FILE_H

#include "ffi.h"

/* What the operating system says of the last failure. */
SEXP ffi_failure(void);

/* What a pointer of R with this tag points to; NULL: it is another one, or gone. */
void *ffi_address(SEXP pointer, const char *tag);

#endif
