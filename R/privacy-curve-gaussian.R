#' The Gaussian mechanism, exactly
#'
#' Releasing a vector with Gaussian noise of standard deviation `sigma` per
#' coordinate, whose noiseless value moves by at most `sensitivity` in L2 norm
#' between neighbours, is \eqn{(\epsilon, \delta)}-differentially private exactly
#' when \deqn{\Phi(\mu/2 - \epsilon/\mu) - e^\epsilon \Phi(-\mu/2 - \epsilon/\mu)
#' \le \delta, \quad \mu = sensitivity/sigma.} `k` releases are one with
#' `sensitivity * sqrt(k)`.
#'
#' The difference is formed as an integral of the slope of Mills' ratio, so nothing
#' cancels: results are good to about ten digits for `epsilon` from 1e-6 to 1e4 and
#' `delta` down to 1e-300. What is left of rounding goes outward: delta, epsilon and
#' sigma come out a few parts in 1e12 too large rather than too small.
#'
#' @param sigma standard deviation of the noise (> 0).
#' @param epsilon,delta the guarantee: `epsilon >= 0`, `delta` in (0, 1).
#' @param sensitivity L2 sensitivity of what is released (>= 0).
#' @return A numeric vector, of the arguments' common length (they are recycled):
#'   the smallest delta, the smallest epsilon (0 when delta allows it), the smallest
#'   standard deviation. Results beyond the range of numbers are errors of class
#'   `dpadmm_error_finite`.
#' @references Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for
#'   differential privacy. *ICML*. Theorem 8.
#' @examples
#' gaussian_sigma(epsilon = 1, delta = 1e-5)
#' gaussian_epsilon(sigma = 3.73063, delta = 1e-5)
#' gaussian_delta(sigma = c(1, 2, 4), epsilon = 1)
#' @name gaussian_mechanism
NULL

#' @rdname gaussian_mechanism
#' @export
gaussian_delta <- function(sigma, epsilon, sensitivity = 1) {
  check_numbers(sigma, "sigma", lower = 0, open_lower = TRUE)
  check_numbers(epsilon, "epsilon", lower = 0)
  check_numbers(sensitivity, "sensitivity", lower = 0)
  x <- recycle(mu = sensitivity / sigma, epsilon = epsilon)
  delta <- numeric(length(x$mu))
  some <- x$mu > 0
  if (any(some)) {
    mu <- x$mu[some]
    log_delta <- core_call(.Call(ffi_gaussian, "log_delta", mu, x$epsilon[some]))
    # Never 0: the least number stands for what underflows.
    delta[some] <- pmax(exp(pmin(log_delta + gaussian_slack(mu, x$epsilon[some]), 0)), 2^-1074)
  }
  finite_result(delta, "delta")
}

#' @rdname gaussian_mechanism
#' @export
gaussian_epsilon <- function(sigma, delta, sensitivity = 1) {
  check_numbers(sigma, "sigma", lower = 0, open_lower = TRUE)
  check_delta(delta)
  check_numbers(sensitivity, "sensitivity", lower = 0)
  x <- recycle(mu = sensitivity / sigma, delta = delta)
  finite_result(gaussian_epsilon_mu(x$mu, log(x$delta)), "epsilon")
}

#' @rdname gaussian_mechanism
#' @export
gaussian_sigma <- function(epsilon, delta, sensitivity = 1) {
  check_numbers(epsilon, "epsilon", lower = 0)
  check_delta(delta)
  check_numbers(sensitivity, "sensitivity", lower = 0)
  x <- recycle(epsilon = epsilon, delta = delta, sensitivity = sensitivity)
  log_delta <- log(x$delta)
  mu <- core_call(.Call(ffi_gaussian, "mu", x$epsilon, log_delta))
  slack <- gaussian_slack(mu, x$epsilon)
  mu <- core_call(.Call(ffi_gaussian, "mu", x$epsilon, log_delta - slack))
  finite_result(round_up(x$sensitivity / mu, 16), "sigma")
}

#' Epsilon from mu, not checked, rounded up; Inf when it is out of range.
#' @noRd
gaussian_epsilon_mu <- function(mu, log_delta) {
  epsilon <- numeric(length(mu))
  epsilon[mu > 1e150] <- Inf
  some <- mu > 0 & mu <= 1e150
  if (any(some)) {
    mu <- mu[some]
    log_delta <- log_delta[some]
    first <- core_call(.Call(ffi_gaussian, "epsilon", mu, log_delta))
    slack <- gaussian_slack(mu, first)
    epsilon[some] <- round_up(core_call(.Call(ffi_gaussian, "epsilon", mu, log_delta - slack)))
  }
  epsilon
}

#' More than the rounding error of log delta: that of x = epsilon / mu - mu / 2, which
#' enters as x^2 / 2, and that of the rest.
#' @noRd
gaussian_slack <- function(mu, epsilon) {
  large <- epsilon / mu + mu / 2
  8 * .Machine$double.eps * (abs(epsilon / mu - mu / 2) * large + 8)
}
