/* What the files that know R share. One trust model: whatever comes from R is read by
 * the functions below, which check type, length and range. What does not fit is noted
 * in the reader, and the routine answers a status that names it; nothing is read amiss.
 */
#ifndef DPA_FFI_H
#define DPA_FFI_H

#include "ffi_routines.h"

#include "arena.h"
#include "random/key.h"
#include "status.h"

#include <R.h>

/* ---- statuses -------------------------------------------------------------------- */

/* A status as R sees it: an integer of class "dpadmm_status" with, unless all is well,
 * the kind of condition it stands for as attribute "kind" and, when an argument was
 * amiss, its name as attribute "argument". core_call() raises it. */
SEXP ffi_status(dpa_status status);
SEXP ffi_status_of(dpa_status status, const char *argument);
/* DPA_ENGINE, and the condition why: core_call() raises that. */
SEXP ffi_status_why(SEXP condition);

/* ---- reading --------------------------------------------------------------------- */

typedef struct ffi_reader {
  SEXP list;       /* a named list */
  const char *bad; /* the first thing that was amiss; NULL: all is well so far */
} ffi_reader;

/* DPA_ARGUMENT when something was amiss. */
dpa_status ffi_reader_status(const ffi_reader *reader);

/* Notes `name` unless ok; answers ok. */
int ffi_check(ffi_reader *reader, int ok, const char *name);

/* An element of the list, NULL when there is none. */
SEXP ffi_field(const ffi_reader *reader, const char *name);
int ffi_has(const ffi_reader *reader, const char *name);
/* A reader of a list in the list. */
ffi_reader ffi_inner(ffi_reader *reader, const char *name);

/* A number in [least, most]; a whole number; TRUE or FALSE; a string. Something
 * harmless when it is none. */
double ffi_real(ffi_reader *reader, const char *name, double least, double most);
int ffi_int(ffi_reader *reader, const char *name, int least, int most);
int ffi_flag(ffi_reader *reader, const char *name);
const char *ffi_string(ffi_reader *reader, const char *name);

/* `length` numbers (any: no matter how many); the second answers NULL for NULL. */
#define FFI_ANY ((size_t)-1)
const double *ffi_reals(ffi_reader *reader, const char *name, size_t length);
const double *ffi_maybe_reals(ffi_reader *reader, const char *name, size_t length);
/* `length` whole numbers in [least, most], stored as integers. */
const int *ffi_ints(ffi_reader *reader, const char *name, size_t length, int least,
                    int most);
void ffi_read_key(ffi_reader *reader, const char *name, dpa_key *key);

/* The same of an argument of a routine. */
int ffi_is_reals(SEXP x, size_t length);

/* A function of two numbers, element by element: of vectors of one length. */
SEXP ffi_each(double (*f)(double, double), SEXP x, SEXP y);
int ffi_is_number(SEXP x);
int ffi_whole(SEXP x, double least, double end, double *value); /* in [least, end) */
const char *ffi_text(SEXP x);                                   /* NULL: no string */
dpa_status ffi_key_of(SEXP raw, dpa_key *key);

/* Records of holders of these sizes, or -1; and whose each of them is, see dpa_deal().
 */
double ffi_dealt(SEXP size);
dpa_status ffi_deal(SEXP key, SEXP size, int *holder);

/* Numbers modulo 2^64 as R has them, see ffi_words.c: sum += those of a raw vector (sum
 * NULL: nothing), 0 when it does not have `count` of them; and a new raw vector. */
int ffi_words_add(SEXP raw, size_t count, uint64_t *sum);
SEXP ffi_words_of(const uint64_t *word, size_t count);

/* ---- threads --------------------------------------------------------------------- */

/* At the start; and how many threads work where so many are asked for. */
void ffi_threads_begin(void);
int ffi_threads(int asked);

/* ---- memory ---------------------------------------------------------------------- */

/* Memory that lives as long as its keeper, a pairlist that the caller protects. */
SEXP ffi_keeper(void);
void *ffi_take(SEXP keeper, size_t count, size_t size);
double ffi_taken(SEXP keeper); /* bytes of all of it */
#define FFI_TAKE(keeper, type, count)                                                  \
  ((type *)ffi_take((keeper), (count), sizeof(type)))

/* A block for an arena that has measured, which then places; 0 when it cannot be had.
 */
int ffi_place(dpa_arena *arena, SEXP keeper);

/* ---- BLAS ------------------------------------------------------------------------ */

/* One thread for R's BLAS from here on; answers what it had (0: not known), for
 * ffi_blas_again(). Between the two nothing may jump. */
int ffi_blas_alone(void);
void ffi_blas_again(int before);

/* ---- calling R ------------------------------------------------------------------- */

/* Evaluates a call: its value becomes held[0], or an error's condition held[1], of a
 * list that the caller protects. Nothing jumps: DPA_ENGINE for an error, DPA_INTERRUPT.
 */
dpa_status ffi_ask(SEXP code, SEXP held);

/* ---- polling --------------------------------------------------------------------- */

/* A dpa_poll: interrupts, and progress. */
typedef struct ffi_watcher {
  SEXP progress; /* a function of the number of finished rounds, or NULL */
  size_t shown;
} ffi_watcher;
int ffi_poll(void *context, size_t done);

#endif
