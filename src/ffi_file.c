/* Files of records are written once, piece by piece. What the operating system says of
 * a failure comes back as a string. */
#ifndef _WIN32
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#endif

#include "ffi_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WRITER "dpadmm_file"

SEXP ffi_failure(void) {
  return Rf_mkString(strerror(errno ? errno : EIO));
}

void *ffi_address(SEXP pointer, const char *tag) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install(tag))
    return NULL;
  return R_ExternalPtrAddr(pointer);
}

/* A file that must not become larger is an error of writing, too, not the end of R. */
#ifdef SIGXFSZ
typedef struct sigaction limit;
static limit ignore_limit(void) {
  limit before, none;
  memset(&none, 0, sizeof none);
  none.sa_handler = SIG_IGN;
  sigemptyset(&none.sa_mask);
  sigaction(SIGXFSZ, &none, &before);
  return before;
}
static void restore_limit(const limit *before) {
  sigaction(SIGXFSZ, before, NULL);
}
#else
typedef int limit;
static limit ignore_limit(void) {
  return 0;
}
static void restore_limit(const limit *before) {
  (void)before;
}
#endif

/* Whether all that was written is on its way to the disk, and fits there. */
static int close_file(FILE *file) {
  const limit before = ignore_limit();
  const int flushed = fflush(file) == 0, first = errno;
  const int closed = fclose(file) == 0, why = flushed ? errno : first;
  restore_limit(&before);
  errno = why;
  return flushed && closed;
}

static void close_writer(SEXP pointer) {
  FILE *file = ffi_address(pointer, WRITER);
  if (file)
    close_file(file);
  R_ClearExternalPtr(pointer);
}

/* A new file that nobody else can read; one that is there already is a failure. */
SEXP ffi_file_create(SEXP path) {
  const char *name = ffi_text(path);
  if (!name)
    return ffi_status_of(DPA_ARGUMENT, "path");
  errno = 0;
#ifdef _WIN32
  const int number =
      _open(name, _O_CREAT | _O_EXCL | _O_RDWR | _O_BINARY, _S_IREAD | _S_IWRITE);
  FILE *file = number < 0 ? NULL : _fdopen(number, "w+b");
#else
  const int number = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
  FILE *file = number < 0 ? NULL : fdopen(number, "w+b");
#endif
  if (!file)
    return ffi_failure();
  SEXP pointer = PROTECT(R_MakeExternalPtr(file, Rf_install(WRITER), R_NilValue));
  R_RegisterCFinalizerEx(pointer, close_writer, TRUE);
  UNPROTECT(1);
  return pointer;
}

static int seek(FILE *file, double at) {
#ifdef _WIN32
  return at < 0.0 ? _fseeki64(file, 0, SEEK_END)
                  : _fseeki64(file, (__int64)at, SEEK_SET);
#else
  return at < 0.0 ? fseeko(file, 0, SEEK_END) : fseeko(file, (off_t)at, SEEK_SET);
#endif
}

/* The bytes of a vector at position `at`, or where the file ends (at < 0). */
SEXP ffi_file_write(SEXP pointer, SEXP x, SEXP at) {
  FILE *file = ffi_address(pointer, WRITER);
  const size_t count = (size_t)Rf_xlength(x);
  const void *from = TYPEOF(x) == REALSXP  ? (const void *)REAL_RO(x)
                     : TYPEOF(x) == INTSXP ? (const void *)INTEGER_RO(x)
                     : TYPEOF(x) == RAWSXP ? (const void *)RAW_RO(x)
                                           : NULL;
  const size_t size = TYPEOF(x) == REALSXP  ? sizeof(double)
                      : TYPEOF(x) == INTSXP ? sizeof(int)
                                            : 1;
  if (!file || !from || !ffi_is_number(at))
    return ffi_status_of(DPA_ARGUMENT, file ? "x" : "file");
  errno = 0;
  const limit before = ignore_limit();
  const int written =
      seek(file, REAL_RO(at)[0]) == 0 && fwrite(from, size, count, file) == count;
  const int why = errno;
  restore_limit(&before);
  errno = why;
  return written ? ffi_status(DPA_OK) : ffi_failure();
}

SEXP ffi_file_close(SEXP pointer) {
  FILE *file = ffi_address(pointer, WRITER);
  if (!file)
    return ffi_status_of(DPA_ARGUMENT, "file");
  errno = 0;
  R_ClearExternalPtr(pointer);
  return close_file(file) ? ffi_status(DPA_OK) : ffi_failure();
}

/* What tells a file from others that have had its name: two numbers, NA: there is none.
 * Where a mapped file cannot lose its name they are the same of all. */
SEXP ffi_file_identity(SEXP path) {
  const char *name = ffi_text(path);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, 2));
  REAL(out)[0] = REAL(out)[1] = NA_REAL;
#ifdef _WIN32
  if (name && _access(name, 0) == 0)
    REAL(out)[0] = REAL(out)[1] = 0.0;
#else
  struct stat about;
  if (name && stat(name, &about) == 0) {
    REAL(out)[0] = (double)about.st_dev;
    REAL(out)[1] = (double)about.st_ino;
  }
#endif
  UNPROTECT(1);
  return out;
}
