/* Threads of R's BLAS. The core's threads call it, so that with threads of its own more
 * cores would be busy than were asked for: it gets one while the core works. Its
 * libraries have functions for that, which are looked up among what R has loaded. (A
 * library that is not in the table obeys its environment variable.) */
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* RTLD_DEFAULT */
#endif

#include "ffi.h"

#ifndef _WIN32
#include <dlfcn.h>
#include <string.h>

static const char *const names[][2] = {
    {"openblas_get_num_threads", "openblas_set_num_threads"},
    {"flexiblas_get_num_threads", "flexiblas_set_num_threads"},
    {"MKL_Get_Max_Threads", "MKL_Set_Num_Threads"},
};

/* ISO C has no cast from an object's address to a function's. */
static int find(const char *name, void *function, size_t size) {
  void *found = dlsym(RTLD_DEFAULT, name);
  memcpy(function, &found, size);
  return found != NULL;
}

static int set_threads(int threads) {
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    int (*get)(void);
    void (*set)(int);
    if (!find(names[k][0], &get, sizeof get) || !find(names[k][1], &set, sizeof set))
      continue;
    const int before = get();
    if (before != threads)
      set(threads);
    return before;
  }
  return 0;
}
#else
static int set_threads(int threads) {
  (void)threads;
  return 0;
}
#endif

int ffi_blas_alone(void) {
  return set_threads(1);
}

void ffi_blas_again(int before) {
  if (before > 1)
    set_threads(before);
}

/* Sets them; answers how many there were, 0: not known. */
SEXP ffi_blas_threads(SEXP threads) {
  double t;
  if (!ffi_whole(threads, 1.0, 1025.0, &t))
    return ffi_status(DPA_ARGUMENT);
  return Rf_ScalarInteger(set_threads((int)t));
}
