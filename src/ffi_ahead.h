/* A part of a file, read from the disk piece by piece, past the system's cache, while
 * what has been read is worked on. Of a file that is larger than memory the cache keeps
 * nothing that is of use to the next pass, and takes longer than the disk. */
#ifndef DPA_FFI_AHEAD_H
#define DPA_FFI_AHEAD_H

#include <stddef.h>

/* The file for such reading, or -1: this system has none, or cannot. */
int ffi_ahead_open(const char *name);
void ffi_ahead_close(int file);

/* Begins with `bytes` bytes from byte `at` on, in pieces of `piece`; NULL: it cannot.
 * Takes five pieces of memory and four threads that mostly wait. */
void *ffi_ahead_begin(int file, size_t at, size_t bytes, size_t piece);

/* The next piece, which is there until the next call; NULL: it could not be read. Not
 * called more often than there are pieces. */
const double *ffi_ahead_next(void *reading);
void ffi_ahead_end(void *reading);

#endif
