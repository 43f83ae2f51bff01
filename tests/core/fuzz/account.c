/* The kernels of the accountants with numbers of the ranges that R hands over: an
 * answer that is a cost, or a status. */
#include "account/gaussian.h"
#include "account/loss.h"
#include "account/objective.h"
#include "account/orders.h"
#include "account/sampled.h"
#include "account/spherical.h"
#include "account/zcdp.h"
#include "feed.h"

enum { ORDERS = 3, BINS = 256 };

/* Within what R asks kernels about. */
static double feed_scale(feed *from) {
  return fmin(fmax(feed_positive(from), 1e-100), 1e100);
}

static int is_cost(const double *x, size_t n) {
  int ok = 1;
  for (size_t k = 0; k < n; k++)
    ok &= !isnan(x[k]);
  return ok;
}

static void gaussian(feed *from) {
  const double mu = feed_positive(from), epsilon = fabs(feed_finite(from));
  const double log_delta = -fmin(feed_positive(from), 745.0);
  MUST(dpa_gaussian_log_delta(mu, epsilon) <= 0.0);
  MUST(dpa_gaussian_epsilon(mu, log_delta) >= 0.0);
  MUST(dpa_gaussian_mu(epsilon, log_delta) >= 0.0);
}

static void divergences(feed *from) {
  double order[ORDERS], rdp[ORDERS], moments[ORDERS * 64];
  for (size_t k = 0; k < ORDERS; k++)
    order[k] = 1.0 + fmin(fmax(feed_positive(from), 0.01), 1023.0);
  const double q = feed_share(from), s = feed_scale(from);
  const double shift = feed_scale(from), kappa = feed_scale(from);
  const double dim = 1.0 + (double)feed_below(from, 1000);
  const int tied = (int)feed_below(from, 2);
  dpa_status status = DPA_ARGUMENT;
  switch (feed_below(from, 7)) {
  case 0:
    status = dpa_rdp_poisson(order, ORDERS, q, s, rdp);
    break;
  case 1:
    status = dpa_rdp_poisson_replace(order, ORDERS, q, s, rdp);
    break;
  case 2:
    status = dpa_rdp_fixed(order, ORDERS, q, s, rdp);
    break;
  case 3:
    for (size_t k = 0; k < ORDERS; k++)
      order[k] = fmin(order[k], 100.0);
    status = dpa_rdp_fixed_wang(order, ORDERS, q, s, moments, 102, rdp);
    break;
  case 4:
    status = dpa_rdp_objective_gaussian(order, ORDERS, shift, kappa, tied, rdp);
    break;
  case 5:
    status = dpa_rdp_objective_gamma(order, ORDERS, shift, kappa, tied, dim,
                                     (dpa_free_moment[ORDERS]){{0}}, rdp);
    break;
  default:
    status = dpa_rdp_spherical(order, ORDERS, shift, 1.0 + dim, feed_share(from), rdp);
  }
  MUST(status != DPA_OK || is_cost(rdp, ORDERS));
  MUST(dpa_objective_pure(shift, kappa, tied) >= 0.0);
}

static void check_bins(const double *log_mass, const double *over, size_t n, double h) {
  for (size_t k = 0; k < n; k++) {
    MUST(log_mass[k] < INFINITY);
    MUST(over[k] >= 0.0 && over[k] <= 1.0000001 * h);
  }
}

static void bins(feed *from) {
  double log_mass[BINS], over[BINS];
  const double h = feed_positive(from), q = feed_share(from), s = feed_scale(from);
  const double first = rint(feed_finite(from)), least = -fabs(feed_finite(from));
  const size_t n = 1 + feed_below(from, BINS);
  if (dpa_loss_bins((dpa_pair)feed_below(from, 3), q, s, feed_positive(from), h, first,
                    n, least, log_mass, over) == DPA_OK)
    check_bins(log_mass, over, n, h);
}

/* Together these hold all losses, as they must. */
static void spherical(feed *from) {
  double log_mass[BINS], over[BINS];
  const double shift = fmin(fmax(feed_positive(from), 1e-300), 1e4);
  const double h = shift * fmax(feed_share(from), 2.0 / (BINS - 2));
  const double first = floor(-shift / h), n = floor(shift / h) - first + 1.0;
  const double dim = 2.0 + (double)feed_below(from, 500), lean = feed_share(from);
  if (dpa_spherical_bins(shift, dim, lean, h, first, (size_t)n, -feed_positive(from),
                         log_mass, over) == DPA_OK)
    check_bins(log_mass, over, (size_t)n, h);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void atoms(feed *from) {
  double loss[BINS], mass[BINS], index[BINS], merged[BINS], falling[BINS], logs[BINS];
  const size_t n = 1 + feed_below(from, BINS);
  const double h = feed_positive(from);
  double before = 0.0, after = 0.0;
  for (size_t k = 0; k < n; k++)
    loss[k] = feed_finite(from);
  qsort(loss, n, sizeof *loss, by_size);
  for (size_t k = 0; k < n; k++) {
    mass[k] = feed_share(from) / (double)n;
    before += mass[k];
    falling[n - 1 - k] = loss[k];
    logs[n - 1 - k] = log(mass[k]);
  }
  MUST(dpa_atoms_epsilon(falling, logs, n, -feed_positive(from)) >= 0.0);
  const size_t count = dpa_merge_atoms(loss, mass, n, h, feed_share(from) * h,
                                       feed_share(from) * h, index, merged);
  MUST(count >= 1 && count <= n);
  for (size_t k = 0; k < count; k++)
    after += merged[k];
  MUST(fabs(after - before) <= 1e-9 * before);
}

/* What is found is what its order says, or there is none. R knows larger sizes by their
 * pure loss. */
static void orders(feed *from) {
  static const char *const names[] = {"pure",  "laplace",         "gaussian",
                                      "gamma", "objective_gamma", "objective_gaussian"};
  double grid[32], count[2], epsilon = -1.0, order = -1.0;
  const double widths[] = {fmin(feed_positive(from), 10.0), 0.05};
  dpa_renyi_kind kinds[2];
  for (size_t i = 0; i < 32; i++)
    grid[i] = pow(10.0, -7.0 + (double)i / 2.6);
  for (size_t k = 0; k < 2; k++) {
    kinds[k] = (dpa_renyi_kind){.curve = dpa_renyi_named(names[feed_below(from, 6)]),
                                .size = fmin(feed_scale(from), 1e4),
                                .kappa = feed_scale(from),
                                .tied = (int)feed_below(from, 2),
                                .dim = 2.0 + (double)feed_below(from, 500),
                                .lean = feed_share(from)};
    count[k] = 1.0 + (double)feed_below(from, 1000);
  }
  const dpa_orders search = {.grid = grid,
                             .points = 1 + feed_below(from, 32),
                             .stride = 1 + feed_below(from, 40),
                             .walks = (int)feed_below(from, 2),
                             .step = log(10.0) / 2.6,
                             .halvings = (int)feed_below(from, 9),
                             .widths = widths,
                             .looks = feed_below(from, 3),
                             .valleys = (int)feed_below(from, 2),
                             .around = (int)feed_below(from, 2)};
  const double near = 1.0 + fmax(feed_positive(from), 1e-9);
  const dpa_ledger ledger = {(const int[]){0, 1}, count, 1 + feed_below(from, 2),
                             feed_below(from, 2) ? near : NAN};
  const double log_delta = -fmin(feed_positive(from), 745.0);
  dpa_order_space space = {.norms = {.dim = 0.0}};
  if (dpa_best_order(&search, kinds, &ledger, log_delta, &space, &epsilon, &order) ==
      DPA_OK) {
    MUST(epsilon >= 0.0);
    MUST(isnan(order) ? isinf(epsilon) : order >= 1.0 && isfinite(epsilon));
  }
  MUST(dpa_zcdp_epsilon(kinds[0].size, log_delta) >= 0.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const parts[])(feed *) = {gaussian,  divergences, bins,
                                          spherical, atoms,       orders};
  feed from = {data, size};
  parts[feed_below(&from, 6)](&from);
  return 0;
}
