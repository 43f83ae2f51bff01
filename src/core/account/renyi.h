/* Renyi divergences of releases of every kind, by name. */
#ifndef DPA_ACCOUNT_RENYI_H
#define DPA_ACCOUNT_RENYI_H

#include "account/objective.h"
#include "status.h"

#include <stddef.h>

typedef struct dpa_renyi_kind dpa_renyi_kind;

/* Fills rdp[i], i < n, with the divergence at orders[i] > 1; NaN where it is not known.
 * `moments` has one an order, all 0 at first, kept from kind to kind: see objective.h.
 */
typedef dpa_status dpa_renyi_curve(const dpa_renyi_kind *kind, const double *orders,
                                   size_t n, dpa_free_moment *moments, double *rdp);

/* One kind of release. What a curve does not read does not matter. */
struct dpa_renyi_kind {
  dpa_renyi_curve *curve;
  double size;   /* of the loss: epsilon, or the sensitivity in units of the noise */
  double kappa;  /* curvature / modulus */
  int tied;      /* see objective.h */
  double dim;    /* dimensions of the noise */
  double lean;   /* see spherical.h */
  double rate;   /* of sampling, */
  double noise;  /* and the noise of what is sampled, see sampled.h */
  void *context; /* a caller's curve's own */
};

/* An order less one at which the curve turns up and may be left for another bound, so
 * that the best order of all may be just below; INFINITY: none is known. */
double dpa_renyi_turn(const dpa_renyi_kind *kind);

/* Whether it is the same of two kinds that need not be the same. */
int dpa_renyi_turn_alike(const dpa_renyi_kind *a, const dpa_renyi_kind *b);

/* Whether two kinds are the same to the last bit. */
int dpa_renyi_same(const dpa_renyi_kind *a, const dpa_renyi_kind *b);

/* Whether divergences of two kinds are the same but for rounding. */
int dpa_renyi_alike(const dpa_renyi_kind *a, const dpa_renyi_kind *b);

/* Whether with twice the noise only `size` changes, which is half as large, and what
 * follows from it; and a plain kind with 1 / factor times the noise. */
int dpa_renyi_is_plain(const dpa_renyi_kind *kind);
void dpa_renyi_scale(dpa_renyi_kind *kind, double factor);

/* Whether kinds of one size share what takes long; of these a larger size never costs
 * less. */
int dpa_renyi_is_shared(const dpa_renyi_kind *kind);

/* The pure loss, rounded up; infinite: there is none. Whether its distribution is
 * known, by which less may be proved; and the loss of randomised response into which an
 * answer can be turned, so that no less is, or of others the pure one. */
double dpa_renyi_loss(const dpa_renyi_kind *kind);
int dpa_renyi_beyond_loss(const dpa_renyi_kind *kind);
double dpa_renyi_least_loss(const dpa_renyi_kind *kind);

/* What the divergence is at least, as far as that takes next to nothing to say. */
double dpa_renyi_least(const dpa_renyi_kind *kind, double order);

/* Whether divergences of one kind take long, but not to know about. */
int dpa_renyi_has_rough(const dpa_renyi_kind *kind);

/* About the divergences, where that is so, which is no bound and tells where to look;
 * else those that hold. */
dpa_status dpa_renyi_rough(const dpa_renyi_kind *kind, const double *orders, size_t n,
                           dpa_free_moment *moments, dpa_usual_norms *norms,
                           double *rdp);

/* NULL: there is none of this name. */
dpa_renyi_curve *dpa_renyi_named(const char *name);

/* The divergences of one kind, moved outward by more than the rounding of their
 * formulas, the error of quadratures and what underflows; infinite where they are not
 * known. Every divergence passes here once before it is reported or converted. */
dpa_status dpa_renyi_outward(const dpa_renyi_kind *kind, const double *orders, size_t n,
                             dpa_free_moment *moments, double *rdp);

#endif
