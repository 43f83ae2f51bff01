/* An engine of R functions: submit(party, round, inbox), whose value is ignored, and
 * collect(party), which answers list(values = double(d), sent = TRUE or FALSE) or a
 * condition, which ends the run; of a secure plan instead of it sum(), which answers
 * the sum of all parties' messages as words (ffi_words.c) or a condition. */
#ifndef DPA_FFI_ENGINE_H
#define DPA_FFI_ENGINE_H

#include "ffi.h"
#include "run/engine.h"
#include "run/plan.h"

typedef struct ffi_engine {
  SEXP submit, collect, sum;
  SEXP held; /* a list of the caller's: the last value, and the condition */
  const dpa_plan *plan;
  double *board; /* d x parties */
  uint32_t round;
} ffi_engine;

/* 0 unless `engine` is a list of the functions that the plan needs. */
int ffi_engine_open(ffi_engine *engine, SEXP list, SEXP held, SEXP keeper,
                    const dpa_plan *plan);

dpa_engine ffi_engine_of(ffi_engine *engine, ffi_watcher *watch);

#endif
