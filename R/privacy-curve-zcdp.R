#' Zero-concentrated differential privacy
#'
#' A mechanism is rho-zCDP when its Renyi divergence of every order `a > 1` is at
#' most `rho * a`. These give the best epsilon, or delta, that follows: the minimum
#' over all orders of the conversion in [rdp_to_epsilon()], found as the root of its
#' derivative.
#'
#' @param rho the zCDP parameter (>= 0).
#' @param epsilon,delta `epsilon >= 0`, `delta` in (0, 1).
#' @return A numeric vector of the arguments' common length: epsilon (>= 0), or delta
#'   (at most 1), rounded outward. Results beyond the range of numbers are errors of class
#'   `dpadmm_error_finite`.
#' @references Bun, M. and Steinke, T. (2016). Concentrated differential privacy:
#'   simplifications, extensions, and lower bounds. *TCC*.
#'
#'   Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#'   differential privacy. *NeurIPS*. Proposition 12.
#' @examples
#' zcdp_to_epsilon(rho = 1 / 32, delta = 1e-3)
#' zcdp_to_delta(rho = 1 / 32, epsilon = c(0.5, 1))
#' @name zcdp
NULL

#' @rdname zcdp
#' @export
zcdp_to_epsilon <- function(rho, delta) {
  check_numbers(rho, "rho", lower = 0)
  check_delta(delta)
  x <- recycle(rho = rho, delta = delta)
  finite_result(zcdp_epsilon(x$rho, log(x$delta)), "epsilon")
}

#' @rdname zcdp
#' @export
zcdp_to_delta <- function(rho, epsilon) {
  check_numbers(rho, "rho", lower = 0)
  check_numbers(epsilon, "epsilon", lower = 0)
  x <- recycle(rho = rho, epsilon = epsilon)
  delta <- mapply(function(rho, epsilon) {
    if (rho == 0) return(0)
    # The derivative of log delta in the order a = 1 + exp(y), which rises.
    slope <- function(y) rho * (1 + 2 * exp(y)) - epsilon - log1p(exp(-y))
    y <- rising_root(slope)
    s <- exp(y)
    min(1, delta_of_order(s, rho * (1 + s), epsilon))
  }, x$rho, x$epsilon)
  finite_result(delta, "delta")
}

#' Epsilons, rounded outward; Inf where rho is out of range.
#' @noRd
zcdp_epsilon <- function(rho, log_delta) {
  core_call(.Call(ffi_zcdp, rho, rep_len(log_delta, length(rho))))
}
