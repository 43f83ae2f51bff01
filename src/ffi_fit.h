/* What ffi_fit.c offers: its routines, in one table with their numbers of arguments,
 * and what the files of other drivers share with it. */
#ifndef DPA_FFI_FIT_H
#define DPA_FFI_FIT_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include "core/arena.h"
#include "core/dataset.h"
#include "core/loss.h"

#include <R.h>
#include <Rinternals.h>

#define DPA_ROUTINES_FIT(X)                                                            \
  X(ffi_losses, 0)                                                                     \
  X(ffi_loss_constants, 2)                                                             \
  X(ffi_loss, 4)                                                                       \
  X(ffi_updates, 0)                                                                    \
  X(ffi_mechanisms, 0)                                                                 \
  X(ffi_components, 2)                                                                 \
  X(ffi_permutation, 2)                                                                \
  X(ffi_threads, 0)                                                                    \
  X(ffi_decentralised, 1)

SEXP ffi_losses(void);
SEXP ffi_loss_constants(SEXP name, SEXP width);
SEXP ffi_loss(SEXP name, SEXP width, SEXP a, SEXP y);
SEXP ffi_updates(void);
SEXP ffi_mechanisms(void);
SEXP ffi_components(SEXP start, SEXP neighbour);
SEXP ffi_permutation(SEXP key, SEXP size);
SEXP ffi_threads(void);
SEXP ffi_decentralised(SEXP spec);

/* An element of a named list, NULL when there is none; its numbers; its one number. */
SEXP ffi_field(SEXP list, const char *name);
const double *ffi_reals(SEXP list, const char *name);
double ffi_real(SEXP list, const char *name);

const dpa_loss *ffi_loss_named(SEXP name);

/* Records in node order, one dpa_dataset a node. x: a matrix, or a list of the slots p,
 * i, x, Dim of a dgCMatrix; `place` (from 1) is where each record goes, `size` the
 * nodes' numbers of records. */
dpa_dataset *ffi_records(SEXP x, SEXP y, SEXP place, SEXP size, double bound);

/* Memory for an arena that has measured, which then places. */
dpa_status ffi_place(dpa_arena *arena);

/* A dpa_poll: interrupts, and progress. */
typedef struct ffi_watcher {
  SEXP progress; /* a function of the number of finished iterations, or NULL */
  size_t shown;
} ffi_watcher;
int ffi_poll(void *context, size_t done);

#endif
