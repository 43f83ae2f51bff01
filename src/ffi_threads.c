/* A process that was forked from R's (by parallel's mclapply(), say) has none of the
 * threads that OpenMP had started, and GCC's would wait for them for ever: it works
 * alone. */
#include "ffi.h"

#ifdef _WIN32

void ffi_threads_begin(void) {
}

int ffi_threads(int asked) {
  return asked;
}

#else
#include <unistd.h>

static pid_t loaded; /* the process that loaded this library; set once */

void ffi_threads_begin(void) {
  loaded = getpid();
}

int ffi_threads(int asked) {
  return getpid() == loaded ? asked : 1;
}

#endif
