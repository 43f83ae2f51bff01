/* Pure accounting as R sees it: losses of kinds, and ledgers, see ffi_ledger(). */
#include "ffi.h"

#include "account/pure.h"
#include "account/pure_floor.h"
#include "ffi_ledger.h"

#include <Rmath.h>
#include <math.h>
#include <string.h>

#define MANY 4e6 /* atoms, or entries of ledgers, between two looks at interrupts */

/* What both read. */
typedef struct question {
  const double *loss;
  double delta, done; /* atoms or entries since the last look */
  SEXP ledgers;
  size_t kinds;
  R_xlen_t count;
} question;

static int read_question(SEXP loss, SEXP ledgers, SEXP delta, question *out) {
  if (TYPEOF(loss) != REALSXP || TYPEOF(ledgers) != VECSXP || !ffi_is_number(delta))
    return 0;
  *out = (question){REAL_RO(loss), REAL_RO(delta)[0],        0.0,
                    ledgers,       (size_t)Rf_xlength(loss), Rf_xlength(ledgers)};
  return out->delta >= 0.0 && out->delta < 1.0;
}

static int read_one(ffi_reader *reader, const question *asked, R_xlen_t k,
                    dpa_ledger *out) {
  return ffi_ledger(reader, VECTOR_ELT(asked->ledgers, k), asked->kinds, out);
}

/* May jump: what there is by then is R's. */
static void look_up(question *asked, double done) {
  asked->done += done;
  if (asked->done > MANY) {
    R_CheckUserInterrupt();
    asked->done = 0.0;
  }
}

/* The most atoms that are composed one by one of a ledger; -1: something is amiss. */
static double most_atoms(ffi_reader *reader, const question *asked) {
  double most = 0.0;
  for (R_xlen_t k = 0; k < asked->count; k++) {
    const void *const top = vmaxget();
    dpa_ledger own;
    if (!read_one(reader, asked, k, &own))
      return -1.0;
    const double atoms = dpa_pure_of(asked->loss, &own, asked->delta).atoms;
    most = atoms < INFINITY && atoms > most ? atoms : most;
    vmaxset(top);
  }
  return most;
}

/* Of each ledger the smallest epsilon that is proved; NA where its atoms are too many.
 */
SEXP ffi_pure_compose(SEXP loss, SEXP ledgers, SEXP delta) {
  question asked;
  ffi_reader reader = {ledgers, NULL};
  const double most =
      read_question(loss, ledgers, delta, &asked) ? most_atoms(&reader, &asked) : -1.0;
  if (most < 0.0)
    return ffi_status_of(DPA_ARGUMENT, reader.bad);
  double *room = (double *)R_alloc((size_t)most + 1, 4 * sizeof *room);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, asked.count));
  for (R_xlen_t k = 0; k < asked.count; k++) {
    const void *const top = vmaxget();
    dpa_ledger own;
    read_one(&reader, &asked, k, &own);
    const dpa_pure pure = dpa_pure_of(asked.loss, &own, asked.delta);
    vmaxset(top);
    if (pure.atoms == 0.0) {
      REAL(out)[k] = pure.total;
    } else if (pure.atoms == INFINITY) {
      REAL(out)[k] = NA_REAL;
    } else {
      REAL(out)[k] = dpa_pure_compose(&pure, asked.delta, Rf_lchoose, room);
      look_up(&asked, pure.atoms);
    }
  }
  UNPROTECT(1);
  return out;
}

/* dpa_pure_floors() of each ledger, a column each. */
SEXP ffi_pure_floors(SEXP loss, SEXP ledgers, SEXP delta) {
  question asked;
  ffi_reader reader = {ledgers, NULL};
  if (!read_question(loss, ledgers, delta, &asked))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, 3, (int)asked.count));
  for (R_xlen_t k = 0; k < asked.count && !reader.bad; k++) {
    const void *const top = vmaxget();
    dpa_ledger own;
    if (read_one(&reader, &asked, k, &own)) {
      dpa_losses *room = (dpa_losses *)R_alloc(own.entries + 1, sizeof *room);
      const dpa_floors floors =
          dpa_pure_floors(asked.loss, &own, asked.delta, INFINITY, room);
      const double three[] = {floors.all, floors.some, floors.sum};
      memcpy(REAL(out) + 3 * k, three, sizeof three);
      look_up(&asked, (double)own.entries);
    }
    vmaxset(top);
  }
  UNPROTECT(1);
  return reader.bad ? ffi_status_of(DPA_ARGUMENT, reader.bad) : out;
}

/* dpa_gamma_bit(), element by element. */
SEXP ffi_gamma_bits(SEXP shift, SEXP dim) {
  return ffi_each(dpa_gamma_bit, shift, dim);
}
