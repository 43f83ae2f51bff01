#include "account/pure_floor.h"

#include "account/special.h"

#include <math.h>
#include <stdlib.h>

#define TWO_ROOT_PI 3.5449077018110320546
#define LOG_SQRT_2PI 0.91893853320467274178
#define DIGITS 7 /* binary ones: of so many losses that differ by less are one */
#define BERRY_ESSEEN 0.56
#define TILTS 12
#define NEAR 0.05 /* the log of delta may be off by so much */

static int falling(const void *a, const void *b) {
  const dpa_losses *x = a, *y = b;
  return (x->loss < y->loss) - (x->loss > y->loss);
}

/* The log of 1 / (1 + exp(-loss)), the probability of the worst answer. */
static double log_worst(double loss) {
  return -log1p(exp(-loss));
}

/* What losses of that sum cost that are the worst all at once with probability P. */
static double at_once(double sum, double log_p, double log_delta) {
  const double share = exp(log_delta - log_p);
  return sum + log1p(-(share > 1.0 ? 1.0 : share));
}

/* What as many of the largest losses cost as are at once more often than delta, or one
 * less. */
static double worst_sum(const dpa_losses *of, size_t n, double log_delta) {
  long double sum = 0.0L, spent = 0.0L; /* of all that cost more */
  double most = -INFINITY;
  for (size_t k = 0; k < n; k++) {
    const double rare = -log_worst(of[k].loss), count = of[k].count;
    const double left = -log_delta - (double)spent;
    const double fit = floor((left > 0.0 ? left : 0.0) / rare);
    const double some = isnan(fit) || fit < count ? fit : count;
    const double fewer = isnan(some) ? some : fmax(some - 1.0, 0.0);
    for (int less = 0; left > 0.0 && less < 2; less++) {
      const double own = less ? fewer : some;
      const double cost = at_once((double)sum + own * of[k].loss,
                                  -((double)spent + own * rare), log_delta);
      if (cost > most) /* that of an infinite one is no number */
        most = cost;
    }
    sum += count * of[k].loss;
    spent += count * rare;
  }
  return most;
}

/* Losses that are nearly alike become the least of them, which costs no more. */
static size_t round_down(dpa_losses *of, size_t n) {
  size_t kept = 0;
  for (size_t k = 0; k < n; k++) {
    const double loss = dpa_to_digits(of[k].loss, DIGITS, floor);
    if (!(loss > 0.0))
      continue;
    if (kept > 0 && of[kept - 1].loss == loss)
      of[kept - 1].count += of[k].count;
    else
      of[kept++] = (dpa_losses){loss, of[k].count};
  }
  return kept;
}

/* The sum L of losses that are +e with probability p and else -e, were it tilted by
 * exp(theta L): its mean and variance, and the log of a bound on what delta is at an
 * epsilon of that mean. */
typedef struct tilt {
  double mean, variance, log_delta;
} tilt;

/* delta is the mean of (1 - exp(epsilon - L))+, so with the law tilted that of g(L) =
 * exp(K - theta L) (1 - exp(epsilon - L))+, K the log of the moment. g rises to its
 * largest value and falls, so were the tilted law normal it would be off by twice that
 * value times the largest difference of distribution functions at most, which Berry and
 * Esseen's theorem bounds (with the constant of Shevtsova 2010). */
static tilt tilt_by(const dpa_losses *of, size_t n, double theta) {
  long double mean = 0.0L, variance = 0.0L, third = 0.0L, log_mass = 0.0L;
  for (size_t k = 0; k < n; k++) {
    const double e = of[k].loss, c = of[k].count;
    const double odds = exp(-e * (1.0 + 2.0 * theta)), sure = 1.0 / (1.0 + odds);
    const double t = (1.0 - odds) * sure, square = 4.0 * odds * sure * sure;
    mean += c * e * t;
    variance += c * e * e * square;
    third += c * e * e * e * square * (1.0 + t * t);
    log_mass += c * (theta * e * 2.0 * odds * sure + log1p(odds) + log_worst(e));
  }
  const double v = (double)variance, width = sqrt(v);
  const double off = 2.0 * BERRY_ESSEEN * (double)third / (v * width);
  const double top = exp(theta * log(theta / (1.0 + theta))) / (1.0 + theta);
  const double normal = exp(-LOG_SQRT_2PI) * dpa_mills_drop(theta * width, width);
  return (tilt){(double)mean, v, (double)log_mass + log(normal - off * top)};
}

/* What a sum is that is exceeded so often that it costs more than delta: by the largest
 * tilt at which the bound says so, about, or one at which it is `enough`. */
static double rare_sum(const dpa_losses *of, size_t n, double log_delta,
                       double enough) {
  double squares = 0.0, low = 0.0, high = INFINITY, most = 0.0;
  for (size_t k = 0; k < n; k++)
    squares += of[k].count * (of[k].loss * of[k].loss);
  double theta = sqrt(-2.0 * log_delta / squares);
  for (int k = 0; k < TILTS && theta > low && theta < high; k++) {
    const tilt now = tilt_by(of, n, theta);
    const double over = now.log_delta - log_delta;
    if (over >= 0.0) {
      low = theta;
      most = fmax(most, now.mean);
      if (over <= NEAR || most >= enough)
        break;
    } else {
      high = theta;
    }
    /* the log of the moment's bound falls by theta times the variance */
    const double next = sqrt(theta * theta + (2.0 * over - NEAR) / now.variance);
    theta = next > low && next < high ? next
            : high == INFINITY        ? 1.5 * theta
            : low > 0.0               ? 0.5 * (low + high)
                                      : 0.7 * theta;
  }
  return most;
}

dpa_floors dpa_pure_floors(const double *loss, const dpa_ledger *ledger, double delta,
                           double enough, dpa_losses *room) {
  const double log_delta = log(delta);
  long double all = 0.0L, sum = 0.0L;
  size_t n = 0;
  for (size_t k = 0; k < ledger->entries; k++) {
    const double e = loss[ledger->kind[k]], count = ledger->count[k];
    if (isnan(e))
      continue;
    room[n++] = (dpa_losses){e, count};
    all += count * log_worst(e);
    sum += count * e;
  }
  if ((double)all > log_delta)
    return (dpa_floors){at_once((double)sum, (double)all, log_delta), NAN, NAN};
  qsort(room, n, sizeof *room, falling);
  dpa_floors out = {NAN, worst_sum(room, n, log_delta), NAN};
  if (out.some >= enough)
    return out;
  n = round_down(room, n);
  out.sum = rare_sum(room, n, log_delta, enough);
  return out;
}

double dpa_floor(const dpa_floors *floors) {
  return fmax(fmax(0.0, floors->all), fmax(floors->some, floors->sum));
}

/* The marginal density f of the noise is log-concave and symmetric, so that as a
 * function of its distribution function it is concave (Bobkov 1996), and so at least
 * 2 f(0) times the lesser probability q. The slope of log((1 - q) / q) over the shift,
 * f / (2 q (1 - q)), is at least f(0) / (1 - q), and 1 - q at most (1 + f(0) shift)
 * / 2.
 */
double dpa_gamma_bit(double shift, double dim) {
  const double top = exp(lgamma(0.5 * dim) - lgamma(0.5 * (dim + 1.0))) / TWO_ROOT_PI;
  return 2.0 * log1p(top * shift);
}
