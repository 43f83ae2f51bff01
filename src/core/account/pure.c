#include "account/pure.h"

#include "account/loss.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double round_up(double x, double ulps) {
  return x * (1.0 + ulps * DBL_EPSILON);
}

/* ---- composition ----------------------------------------------------------------- */

/* Adds releases of one loss > 0; answers whether there is room. */
static int add_loss(dpa_pure *pure, double loss, double count) {
  for (size_t k = 0; k < pure->losses; k++)
    if (pure->loss[k] == loss) {
      pure->count[k] += count;
      return 1;
    }
  if (pure->losses == DPA_PURE_LOSSES)
    return 0;
  pure->loss[pure->losses] = loss;
  pure->count[pure->losses++] = count;
  return 1;
}

static double atoms_of(const dpa_pure *pure) {
  if (pure->losses == 1 && pure->count[0] <= DPA_PURE_ALONE)
    return pure->count[0] + 1.0;
  long double logs = 0.0L;
  double atoms = 1.0;
  for (size_t k = 0; k < pure->losses; k++) {
    logs += log1p(pure->count[k]);
    atoms *= pure->count[k] + 1.0;
  }
  return (double)logs <= log(DPA_PURE_ATOMS) ? atoms : INFINITY;
}

dpa_pure dpa_pure_of(const double *loss, const dpa_ledger *ledger, double delta) {
  dpa_pure pure;
  long double total = 0.0L, releases = 0.0L;
  memset(&pure, 0, sizeof pure);
  for (size_t k = 0; k < ledger->entries; k++) {
    total += loss[ledger->kind[k]] * ledger->count[k];
    releases += ledger->count[k];
  }
  pure.total = (double)total;
  if (releases > 1.0L)
    pure.total = round_up(pure.total, 4.0);
  if (delta == 0.0 || pure.total == 0.0 || !isfinite(pure.total))
    return pure;
  int fits = 1;
  for (size_t k = 0; fits && k < ledger->entries; k++)
    if (loss[ledger->kind[k]] > 0.0)
      fits = add_loss(&pure, loss[ledger->kind[k]], ledger->count[k]);
  pure.atoms = fits ? atoms_of(&pure) : INFINITY;
  return pure;
}

typedef struct atoms {
  size_t n;
  double *loss, *log_mass;
} atoms;

/* Atoms from `count` mechanisms of that loss more, written behind the last to come. */
static void convolve(atoms *of, double loss, double count, dpa_log_choose log_choose) {
  const size_t n = of->n, ways = (size_t)count + 1;
  const double sure = count * log1p(exp(-loss));
  for (size_t w = ways; w-- > 0;) { /* the first ones are overwritten last */
    const double up = (double)w;
    const double more = (2.0 * up - count) * loss;
    const double mass = log_choose(count, up) - sure - (count - up) * loss;
    for (size_t k = 0; k < n; k++) {
      of->loss[w * n + k] = of->loss[k] + more;
      of->log_mass[w * n + k] = of->log_mass[k] + mass;
    }
  }
  of->n = n * ways;
}

/* Two runs of atoms, each falling, become one; of equal losses the first comes first.
 */
static void merge(const atoms *from, size_t begin, size_t middle, size_t end,
                  atoms *to) {
  size_t a = begin, b = middle;
  for (size_t k = begin; k < end; k++) {
    const size_t next =
        a < middle && (b >= end || from->loss[a] >= from->loss[b]) ? a++ : b++;
    to->loss[k] = from->loss[next];
    to->log_mass[k] = from->log_mass[next];
  }
}

/* Largest losses first. Answers where they are: `of`, or `other`. */
static const atoms *sort(atoms *of, atoms *other) {
  atoms *from = of, *to = other;
  const size_t n = of->n;
  for (size_t run = 1; run < n; run *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * run) {
      const size_t middle = begin + run < n ? begin + run : n;
      const size_t end = middle + run < n ? middle + run : n;
      merge(from, begin, middle, end, to);
    }
    atoms *last = from;
    from = to;
    to = last;
  }
  return from;
}

double dpa_pure_compose(const dpa_pure *pure, double delta, dpa_log_choose log_choose,
                        double *room) {
  const size_t all = (size_t)pure->atoms;
  atoms of = {1, room, room + all}, other = {all, room + 2 * all, room + 3 * all};
  double slack = 64.0 * DBL_EPSILON;
  of.loss[0] = of.log_mass[0] = 0.0;
  for (size_t k = 0; k < pure->losses; k++) {
    const double loss = pure->loss[k], count = pure->count[k];
    convolve(&of, loss, count, log_choose);
    /* a coefficient is a difference of numbers as large as count log(count) */
    slack += 16.0 * DBL_EPSILON * count * (loss + log1p(count));
  }
  const atoms *falling = sort(&of, &other);
  const double epsilon = round_up(
      dpa_atoms_epsilon(falling->loss, falling->log_mass, all, log(delta) - slack),
      16.0);
  return epsilon < pure->total ? epsilon : pure->total;
}
