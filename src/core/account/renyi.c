#include "account/renyi.h"

#include "account/pure_floor.h"
#include "account/sampled.h"
#include "account/special.h"
#include "account/spherical.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEARLY 1e-12
#define ERROR 1e-9 /* more than that of any formula or quadrature */

/* Of an order and a size alone. */
static dpa_status each(double (*divergence)(double, double), const dpa_renyi_kind *kind,
                       const double *orders, size_t n, double *rdp) {
  for (size_t i = 0; i < n; i++)
    rdp[i] = divergence(orders[i], kind->size);
  return DPA_OK;
}

static dpa_status pure(const dpa_renyi_kind *kind, const double *orders, size_t n,
                       dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return each(dpa_rdp_pure, kind, orders, n, rdp);
}

/* exp(x) - 1 - x without cancellation. */
static double exp_rest(double x) {
  double series = 1.0;
  if (!(fabs(x) <= 1.0))
    return expm1(x) - x;
  for (int k = 20; k >= 3; k--)
    series = 1.0 + x / k * series;
  return x * x / 2.0 * series;
}

/* The moment is (a exp((a - 1) t) + (a - 1) exp(-a t)) / (2 a - 1); less one, its terms
 * of first order in t cancel and leave two positive ones (Mironov 2017, Proposition 6).
 */
static double laplace_divergence(double a, double t) {
  const double s = a - 1.0, x = s * t;
  if (t == 0.0)
    return 0.0;
  if (x <= 1.0) {
    const double rest = log(a * exp_rest(x) + s * exp_rest(-a * t));
    return dpa_log1p_exp(rest - log(2.0 * a - 1.0)) / s;
  }
  return (x + log(a) - log(2.0 * a - 1.0) + log1p(s / a * exp(-a * t - x))) / s;
}

static dpa_status laplace(const dpa_renyi_kind *kind, const double *orders, size_t n,
                          dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return each(laplace_divergence, kind, orders, n, rdp);
}

/* Mironov 2017, Proposition 7. */
static double gaussian_divergence(double order, double size) {
  return order * (size * size / 2.0);
}

static dpa_status gaussian(const dpa_renyi_kind *kind, const double *orders, size_t n,
                           dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return each(gaussian_divergence, kind, orders, n, rdp);
}

static dpa_status gamma_norm(const dpa_renyi_kind *kind, const double *orders, size_t n,
                             dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return dpa_rdp_spherical(orders, n, kind->size, kind->dim, kind->lean, rdp);
}

static dpa_status objective_gamma(const dpa_renyi_kind *kind, const double *orders,
                                  size_t n, dpa_free_moment *moments, double *rdp) {
  return dpa_rdp_objective_gamma(orders, n, kind->size, kind->kappa, kind->tied,
                                 kind->dim, moments, rdp);
}

static dpa_status objective_gaussian(const dpa_renyi_kind *kind, const double *orders,
                                     size_t n, dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return dpa_rdp_objective_gaussian(orders, n, kind->size, kind->kappa, kind->tied,
                                    rdp);
}

static dpa_status poisson(const dpa_renyi_kind *kind, const double *orders, size_t n,
                          dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return dpa_rdp_poisson(orders, n, kind->rate, kind->noise, rdp);
}

static dpa_status poisson_replace(const dpa_renyi_kind *kind, const double *orders,
                                  size_t n, dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return dpa_rdp_poisson_replace(orders, n, kind->rate, kind->noise, rdp);
}

static dpa_status fixed(const dpa_renyi_kind *kind, const double *orders, size_t n,
                        dpa_free_moment *moments, double *rdp) {
  (void)moments;
  return dpa_rdp_fixed(orders, n, kind->rate, kind->noise, rdp);
}

static dpa_status gamma_norm_rough(const dpa_renyi_kind *kind, const double *orders,
                                   size_t n, dpa_usual_norms *norms, double *rdp) {
  (void)norms;
  return dpa_rdp_spherical_rough(orders, n, kind->size, kind->dim, kind->lean, rdp);
}

static dpa_status objective_gamma_rough(const dpa_renyi_kind *kind,
                                        const double *orders, size_t n,
                                        dpa_usual_norms *norms, double *rdp) {
  return dpa_rdp_objective_gamma_rough(orders, n, kind->size, kind->kappa, kind->tied,
                                       kind->dim, norms, rdp);
}

static double objective_gamma_turn(const dpa_renyi_kind *kind) {
  return dpa_objective_gamma_turn(kind->size, kind->dim);
}

/* No bound on objective perturbation is below the plain mechanism. */
static double gaussian_least(const dpa_renyi_kind *kind, double order) {
  return gaussian_divergence(order, kind->size);
}

static double size_of(const dpa_renyi_kind *kind) {
  return kind->size;
}

static double objective_gamma_loss(const dpa_renyi_kind *kind) {
  return dpa_objective_pure(kind->size, kind->kappa, kind->tied) *
         (1.0 + 16.0 * DBL_EPSILON);
}

static double laplace_bit(const dpa_renyi_kind *kind) {
  return dpa_gamma_bit(kind->size, 1.0);
}

static double gamma_bit(const dpa_renyi_kind *kind) {
  return dpa_gamma_bit(kind->size, kind->dim);
}

static void lean_again(dpa_renyi_kind *kind) {
  kind->lean = dpa_spherical_lean(kind->size, kind->dim);
  if (kind->size > DPA_MOST_SHIFT)
    kind->curve = pure;
}

/* To add a mechanism, add its line. by_size: whether of what hangs on the noise it
 * reads the size alone, and what follows from that; shared: whether kinds of one size
 * share what takes long, and a larger size never costs less; loss: the pure one, and
 * bit: where its distribution is known, too, what it is not below. What there is none
 * of, or is not known, is missing. */
static const struct row {
  const char *name;
  dpa_renyi_curve *curve;
  int by_size, shared;
  void (*follow)(dpa_renyi_kind *kind);
  double (*turn)(const dpa_renyi_kind *kind);
  dpa_status (*rough)(const dpa_renyi_kind *kind, const double *orders, size_t n,
                      dpa_usual_norms *norms, double *rdp);
  double (*least)(const dpa_renyi_kind *kind, double order);
  double (*loss)(const dpa_renyi_kind *kind);
  double (*bit)(const dpa_renyi_kind *kind);
} curves[] = {
    {.name = "pure", .curve = pure, .by_size = 1, .loss = size_of},
    {.name = "laplace",
     .curve = laplace,
     .by_size = 1,
     .loss = size_of,
     .bit = laplace_bit},
    {.name = "gaussian", .curve = gaussian, .by_size = 1, .least = gaussian_least},
    {.name = "gamma",
     .curve = gamma_norm,
     .by_size = 1,
     .follow = lean_again,
     .rough = gamma_norm_rough,
     .loss = size_of,
     .bit = gamma_bit},
    {.name = "objective_gamma",
     .curve = objective_gamma,
     .by_size = 1,
     .shared = 1,
     .turn = objective_gamma_turn,
     .rough = objective_gamma_rough,
     .loss = objective_gamma_loss},
    {.name = "objective_gaussian",
     .curve = objective_gaussian,
     .by_size = 1,
     .least = gaussian_least},
    {.name = "poisson", .curve = poisson},
    {.name = "poisson_replace", .curve = poisson_replace},
    {.name = "fixed", .curve = fixed},
};

static const struct row *row_of(const dpa_renyi_kind *kind) {
  for (size_t k = 0; k < sizeof curves / sizeof *curves; k++)
    if (curves[k].curve == kind->curve)
      return curves + k;
  return NULL;
}

dpa_renyi_curve *dpa_renyi_named(const char *name) {
  for (size_t k = 0; k < sizeof curves / sizeof *curves; k++)
    if (strcmp(curves[k].name, name) == 0)
      return curves[k].curve;
  return NULL;
}

double dpa_renyi_turn(const dpa_renyi_kind *kind) {
  const struct row *own = row_of(kind);
  return own && own->turn ? own->turn(kind) : INFINITY;
}

static int nearly(double a, double b) {
  return fabs(a - b) <= NEARLY * fabs(a);
}

int dpa_renyi_alike(const dpa_renyi_kind *a, const dpa_renyi_kind *b) {
  return a->curve == b->curve && nearly(a->size, b->size) &&
         nearly(a->kappa, b->kappa) && a->tied == b->tied && a->dim == b->dim &&
         nearly(a->lean, b->lean) && nearly(a->rate, b->rate) &&
         nearly(a->noise, b->noise) && a->context == b->context;
}

int dpa_renyi_same(const dpa_renyi_kind *a, const dpa_renyi_kind *b) {
  return a->size == b->size && a->kappa == b->kappa && a->curve == b->curve &&
         a->tied == b->tied && a->dim == b->dim && a->lean == b->lean &&
         a->rate == b->rate && a->noise == b->noise && a->context == b->context;
}

int dpa_renyi_turn_alike(const dpa_renyi_kind *a, const dpa_renyi_kind *b) {
  return a->curve == b->curve && a->size == b->size && a->dim == b->dim;
}

int dpa_renyi_is_plain(const dpa_renyi_kind *kind) {
  const struct row *own = row_of(kind);
  return own && own->by_size;
}

void dpa_renyi_scale(dpa_renyi_kind *kind, double factor) {
  const struct row *own = row_of(kind);
  kind->size *= factor;
  if (own && own->follow)
    own->follow(kind);
}

int dpa_renyi_is_shared(const dpa_renyi_kind *kind) {
  const struct row *own = row_of(kind);
  return own && own->shared;
}

double dpa_renyi_loss(const dpa_renyi_kind *kind) {
  const struct row *own = row_of(kind);
  return own && own->loss ? own->loss(kind) : INFINITY;
}

int dpa_renyi_beyond_loss(const dpa_renyi_kind *kind) {
  const struct row *own = row_of(kind);
  return own && own->bit;
}

double dpa_renyi_least_loss(const dpa_renyi_kind *kind) {
  const struct row *own = row_of(kind);
  return own && own->bit ? own->bit(kind) : dpa_renyi_loss(kind);
}

double dpa_renyi_least(const dpa_renyi_kind *kind, double order) {
  const struct row *own = row_of(kind);
  return own && own->least ? own->least(kind, order) : 0.0;
}

int dpa_renyi_has_rough(const dpa_renyi_kind *kind) {
  const struct row *own = row_of(kind);
  return own && own->rough;
}

dpa_status dpa_renyi_outward(const dpa_renyi_kind *kind, const double *orders, size_t n,
                             dpa_free_moment *moments, double *rdp) {
  const dpa_status status = kind->curve(kind, orders, n, moments, rdp);
  for (size_t i = 0; status == DPA_OK && i < n; i++)
    rdp[i] = isnan(rdp[i]) ? INFINITY : rdp[i] * (1.0 + ERROR) + DBL_MIN;
  return status;
}

dpa_status dpa_renyi_rough(const dpa_renyi_kind *kind, const double *orders, size_t n,
                           dpa_free_moment *moments, dpa_usual_norms *norms,
                           double *rdp) {
  const struct row *own = row_of(kind);
  return own && own->rough ? own->rough(kind, orders, n, norms, rdp)
                           : dpa_renyi_outward(kind, orders, n, moments, rdp);
}
