/* What a function of the core can answer. The R side turns a status into a classed
 * condition after everything has been released; the core itself never prints, exits,
 * allocates behind the caller's back or knows of R. */
#ifndef DPA_STATUS_H
#define DPA_STATUS_H

typedef enum dpa_status {
  DPA_OK = 0,
  DPA_CONTINUE,  /* not an error: an iterative step has more to do */
  DPA_INTERRUPT, /* the caller's poll asked to stop */
  DPA_ARGUMENT,  /* an argument is outside its documented range */
  DPA_SIZE,      /* a size overflows, or memory could not be had */
  DPA_ENTROPY,   /* the operating system gave no randomness */
  DPA_STALLED,   /* a solver cannot reach the asked tolerance */
  DPA_NUMERIC,   /* a computation left the range of doubles */
  DPA_ENGINE     /* a function of the caller's (an engine's, a curve) had no answer */
} dpa_status;

#endif
