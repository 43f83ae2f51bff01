/* Privacy loss distributions of the (sampled) Gaussian mechanism, cut into bins. */
#ifndef DPA_ACCOUNT_LOSS_H
#define DPA_ACCOUNT_LOSS_H

#include "status.h"

#include <stddef.h>

/* The loss log(P / Q) under P of a pair of distributions of one real output. With
 * mix(m) = (1 - q) N(0, s^2) + q N(m, s^2): */
typedef enum dpa_pair {
  DPA_PAIR_REMOVE = 0, /* P = mix(1), Q = N(0, s^2) */
  DPA_PAIR_ADD = 1,    /* P = N(0, s^2), Q = mix(1) */
  DPA_PAIR_REPLACE = 2 /* P = mix(1), Q = mix(-1) */
} dpa_pair;

/* The loss at an output of z standard deviations s. */
double dpa_loss_at(dpa_pair pair, double q, double s, double z);

/* Bin j < n is the losses in [(first + j) h, (first + j + 1) h]. For each, log_mass[j]
 * is the log of its P-mass and over[j] in [0, h] what the loss of the whole bin, taken
 * as one outcome, lies above the bin's lower end. Only outputs with |z| <= reach (z in
 * [-reach, 1/s + reach] where P is a mixture) are counted, and bins with a log_mass
 * certainly below `least` are taken as empty. */
dpa_status dpa_loss_bins(dpa_pair pair, double q, double s, double reach, double h,
                         double first, size_t n, double least, double *log_mass,
                         double *over);

/* The smallest epsilon >= 0 with E (1 - exp(epsilon - L))_+ <= exp(log_delta) for a
 * loss L of n atoms: loss[] falling, log_mass[] the logs of their masses. */
double dpa_atoms_epsilon(const double *loss, const double *log_mass, size_t n,
                         double log_delta);

/* Merges n atoms, loss[] rising, into atoms with losses index * h + offset. Every new
 * atom is made of parts of old ones and has at most their mean of exp(-loss) as
 * exp(-loss): as privacy losses they are a function of the old ones, lowered. mass[] is
 * used up; index[] and merged[] have room for n; the number of new atoms is returned.
 */
size_t dpa_merge_atoms(const double *loss, double *mass, size_t n, double h,
                       double offset, double give, double *index, double *merged);

/* Masses on a circle of n places after one more step: of shift[] (< n) places with the
 * masses step[] of `atoms` atoms. Sums of size DPA_NO_MASS or less become 0, so that
 * none is worked out slowly; the others' rounding is at most (atoms + 1) DBL_EPSILON /
 * 2 of the exact step of fabs(in). */
#define DPA_NO_MASS 1e-290
void dpa_step_atoms(const double *in, size_t n, const size_t *shift, const double *step,
                    size_t atoms, double *out);

#endif
