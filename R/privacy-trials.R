# The best of a random number of trials: Theorem 21 of the vignette "Privacy accounting". The law
# of the number, and what a choice costs.
#
# The number K of trials has the truncated negative binomial law of Papernot and Steinke (2022),
# P(K = k) proportional to (1 - stop)^k (shape)_k / k!, k = 1, 2, ...; for shape 0 to
# (1 - stop)^k / k (logarithmic), for shape 1 it is geometric.

# Within these the law that is drawn is as near its formula as trials_slack() says.
.least_shape <- -0.5
.least_stop <- 1e-4

trials_mean <- function(shape, stop) {
  down <- -log(stop)
  times <- if (shape == 0) 1 / down else shape / -expm1(-shape * down)
  times * (1 - stop) / stop
}

#' The law's `stop` for a mean.
#' @noRd
trials_stop <- function(mean, shape) {
  most <- trials_mean(shape, .least_stop)
  if (mean > most) {
    abort("argument", sprintf("`trials` must be at most %d for this `shape`.", floor(most)),
      argument = "trials", value = mean
    )
  }
  excess <- function(y) log(trials_mean(shape, exp(y))) - log(mean)
  exp(stats::uniroot(excess, c(log(.least_stop), log(0.9)), tol = 1e-12)$root)
}

#' E x^K.
#' @noRd
trials_generating <- function(x, shape, stop) {
  left <- log1p(-(1 - stop) * x)
  if (shape == 0) left / log(stop) else expm1(-shape * left) / expm1(-shape * log(stop))
}

#' P(K = k | K >= k) for k = 1, 2, ...; at the last, which is never come to, 1. By sums from the
#' end, of positive terms.
#' @noRd
trials_hazard <- function(shape, stop) {
  k <- seq_len(trials_most(stop))
  step <- (1 - stop) * (k + shape) / (k + 1) # P(k + 1) / P(k)
  rest <- rep(1, length(k)) # P(K >= k) / P(K = k)
  for (i in rev(k)[-1L]) rest[i] <- 1 + step[i] * rest[i + 1L]
  1 / rest
}

trials_most <- function(stop) ceiling(60 / stop)

#' How far the drawn law is from its formula: the slope of its generating function by at most this
#' in its logarithm (remark to Theorem 21).
#' @noRd
trials_slack <- function(shape, stop) {
  off <- 2^-47 / stop
  off - (1 + shape) * log1p(-expm1(off) / stop) + 2^-60
}

#' A number of trials. `key` is that of the run, whose parties' keys are its random words.
#' @param from the party before the first that may be used.
#' @noRd
draw_trials <- function(shape, stop, key, from) {
  hazard <- trials_hazard(shape, stop)
  k <- 1
  while (random_word(key, from + k) >= hazard[k] * 2^53) k <- k + 1
  k
}

#' A whole number below 2^53, uniform.
#' @noRd
random_word <- function(key, party) {
  raw <- core_call(.Call(ffi_key_party, key, as.double(party)))
  on.exit(forget_key(raw))
  bytes <- as.double(raw[1:7])
  sum(bytes[1:6] * 256^(0:5)) + (bytes[7] %% 32) * 2^48
}

# ---- what it costs -----------------------------------------------------------------------

#' The divergence of the best of K trials, at orders less one.
#' @param curve that of one trial, a function of orders less one.
#' @noRd
best_of_curve <- function(s, curve, shape, stop) {
  slack <- trials_slack(shape, stop)
  more <- (1 + shape) * hat_cost(curve, log(1 / stop)) + 2 * slack
  # a divergence is at most that of any larger order
  later <- outer(s, c(1, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 1e3, 1e4))
  bound <- matrix(curve(as.vector(later)), length(s)) +
    (log(trials_mean(shape, stop)) + slack) / later
  bound[is.na(bound)] <- Inf
  round_up(apply(bound, 1L, min) + more, 16)
}

#' The least of (1 - 1/b) r(b) + log(1 / stop) / b over orders b >= 1: any b is valid.
#' @noRd
hat_cost <- function(curve, down) {
  cost <- function(s) {
    r <- curve(s)
    (s * r + down) / (1 + s)
  }
  value <- finite_or_largest(cost(.rdp_grid))
  near <- log(.rdp_grid[which.min(value)]) + c(-1, 1) * .rdp_grid_step
  found <- stats::optimize(function(y) finite_or_largest(cost(exp(y))), near, tol = 1e-6)
  min(value, found$objective, down)
}
