/* Pure accounting as R sees it: losses of kinds, and ledgers, see ffi_ledger(). */
#include "ffi.h"

#include "account/pure.h"
#include "ffi_ledger.h"

#include <Rmath.h>

#define CHUNK 1024 /* ledgers between two looks at interrupts */

/* What both read. */
typedef struct question {
  const double *loss, *delta;
  SEXP ledgers;
  size_t kinds;
  R_xlen_t count;
} question;

static int read_question(SEXP loss, SEXP ledgers, SEXP delta, question *out) {
  if (TYPEOF(loss) != REALSXP || TYPEOF(ledgers) != VECSXP || !ffi_is_number(delta))
    return 0;
  *out = (question){REAL_RO(loss), REAL_RO(delta), ledgers, (size_t)Rf_xlength(loss),
                    Rf_xlength(ledgers)};
  return *out->delta >= 0.0 && *out->delta < 1.0;
}

/* Of each ledger the smallest epsilon that is proved; NA where its atoms are too many.
 */
SEXP ffi_pure_compose(SEXP loss, SEXP ledgers, SEXP delta) {
  question asked;
  if (!read_question(loss, ledgers, delta, &asked))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, asked.count));
  double *room = NULL, most = 0.0;
  for (R_xlen_t k = 0; k < asked.count; k++) {
    const void *const top = vmaxget();
    ffi_reader reader = {ledgers, NULL};
    dpa_ledger own;
    if (!ffi_ledger(&reader, VECTOR_ELT(ledgers, k), asked.kinds, &own)) {
      UNPROTECT(1);
      return ffi_status_of(DPA_ARGUMENT, reader.bad);
    }
    const dpa_pure pure = dpa_pure_of(asked.loss, &own, *asked.delta);
    vmaxset(top);
    if (pure.atoms > most && pure.atoms < INFINITY) {
      most = pure.atoms;
      room = (double *)R_alloc((size_t)most, 4 * sizeof *room);
    }
    REAL(out)
    [k] = pure.atoms == 0.0 ? pure.total
          : pure.atoms == INFINITY
              ? NA_REAL
              : dpa_pure_compose(&pure, *asked.delta, Rf_lchoose, room);
    if (k % CHUNK == CHUNK - 1)
      R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return out;
}

/* dpa_pure_floors() of each ledger, a column each. */
SEXP ffi_pure_floors(SEXP loss, SEXP ledgers, SEXP delta) {
  question asked;
  if (!read_question(loss, ledgers, delta, &asked))
    return ffi_status(DPA_ARGUMENT);
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, 3, (int)asked.count));
  for (R_xlen_t k = 0; k < asked.count; k++) {
    const void *const top = vmaxget();
    ffi_reader reader = {ledgers, NULL};
    dpa_ledger own;
    if (!ffi_ledger(&reader, VECTOR_ELT(ledgers, k), asked.kinds, &own)) {
      UNPROTECT(1);
      return ffi_status_of(DPA_ARGUMENT, reader.bad);
    }
    double *room = (double *)R_alloc(own.entries + 1, 7 * sizeof *room);
    const dpa_floors floors = dpa_pure_floors(asked.loss, &own, *asked.delta, room);
    vmaxset(top);
    REAL(out)[3 * k] = floors.all;
    REAL(out)[3 * k + 1] = floors.some;
    REAL(out)[3 * k + 2] = floors.rare;
  }
  UNPROTECT(1);
  return out;
}
