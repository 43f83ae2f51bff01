/* The Gaussian mechanism, exactly (Balle and Wang 2018, Theorem 8). */
#ifndef DPA_ACCOUNT_GAUSSIAN_H
#define DPA_ACCOUNT_GAUSSIAN_H

/* log delta of (epsilon, delta)-DP for mu = sensitivity / sigma > 0 and epsilon >= 0.
 */
double dpa_gaussian_log_delta(double mu, double epsilon);

/* The smallest epsilon >= 0 at which log delta is at most log_delta < 0. */
double dpa_gaussian_epsilon(double mu, double log_delta);

/* The largest mu for which (epsilon, exp(log_delta)) holds. */
double dpa_gaussian_mu(double epsilon, double log_delta);

/* About that, from one that is near it: the error becomes its square. */
double dpa_gaussian_mu_near(double epsilon, double log_delta, double mu);

/* The one for which x = epsilon / mu - mu / 2: that falls with delta, and hardly
 * changes with epsilon. */
double dpa_gaussian_mu_at(double epsilon, double x);

#endif
