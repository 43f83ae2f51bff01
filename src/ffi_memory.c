/* Memory of R's, so that nothing leaks on an error or an interrupt; and polling. */
#include "ffi.h"

#include <stdint.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Large blocks are passed over again and again: large pages, where the system gives
 * them to whoever asks, spare the processor a tenth of that. */
static void ask_large_pages(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = (uintptr_t)1 << 21;
  const uintptr_t begin = ((uintptr_t)block + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t)block + bytes) / page * page;
  if (begin < end)
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
  (void)block;
  (void)bytes;
#endif
}

SEXP ffi_keeper(void) {
  return Rf_cons(R_NilValue, R_NilValue);
}

void *ffi_take(SEXP keeper, size_t count, size_t size) {
  if (count > (size_t)R_XLEN_T_MAX / size - 1)
    Rf_error("A size overflows."); /* R would say so too, of memory it does not have */
  SEXP block = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)((count + 1) * size)));
  SETCDR(keeper, Rf_cons(block, CDR(keeper)));
  UNPROTECT(1);
  ask_large_pages(RAW(block), (count + 1) * size);
  return RAW(block);
}

double ffi_taken(SEXP keeper) {
  double bytes = 0.0;
  for (SEXP at = CDR(keeper); at != R_NilValue; at = CDR(at))
    if (TYPEOF(CAR(at)) == RAWSXP) /* and no pointer to a mapped file */
      bytes += (double)XLENGTH(CAR(at));
  return bytes;
}

int ffi_place(dpa_arena *arena, SEXP keeper) {
  if (arena->overflow || arena->used > (size_t)R_XLEN_T_MAX / 2)
    return 0;
  arena->base = ffi_take(keeper, arena->used / sizeof(double) + 1, sizeof(double));
  arena->used = 0;
  return 1;
}

static void check_interrupt(void *unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

static void show_progress(void *context) {
  const ffi_watcher *w = context;
  SEXP done = PROTECT(Rf_ScalarReal((double)w->shown));
  SEXP call = PROTECT(Rf_lang2(w->progress, done));
  Rf_eval(call, R_GlobalEnv);
  UNPROTECT(2);
}

/* At the top level of a context of its own, so that nothing jumps over the run. */
int ffi_poll(void *context, size_t done) {
  ffi_watcher *w = context;
  if (!R_ToplevelExec(check_interrupt, NULL))
    return 1;
  if (w->progress != R_NilValue && done != w->shown) {
    w->shown = done;
    return !R_ToplevelExec(show_progress, w);
  }
  return 0;
}
