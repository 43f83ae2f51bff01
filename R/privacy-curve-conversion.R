#' From Renyi divergences to a guarantee
#'
#' For each `delta` (or `epsilon`) the best of the given orders:
#' \deqn{\epsilon = r + \log(1 - 1/a) - \frac{\log(\delta a)}{a - 1}.}
#'
#' @param orders orders, each > 1.
#' @param rdp the divergences at these orders (>= 0; `Inf` where unknown).
#' @param delta in (0, 1).
#' @param epsilon at least 0.
#' @return A numeric vector along `delta` (or `epsilon`): epsilon >= 0, or delta in
#'   `(0, 1]`, rounded outward. When no order gives a finite epsilon, an error of class
#'   `dpadmm_error_finite`.
#' @references Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#'   differential privacy. *NeurIPS*. Proposition 12.
#'
#'   Balle, B., Barthe, G., Gaboardi, M., Hsu, J. and Sato, T. (2020). Hypothesis
#'   testing interpretations and Renyi differential privacy. *AISTATS*. Theorem 21.
#' @examples
#' orders <- seq(1.5, 64, by = 0.5)
#' rdp_to_epsilon(orders, 100 * rdp_gaussian(orders, sigma = 40), delta = c(1e-5, 1e-6))
#' rdp_to_delta(orders, 100 * rdp_gaussian(orders, sigma = 40), epsilon = 1)
#' @export
rdp_to_epsilon <- function(orders, rdp, delta) {
  check_orders(orders)
  check_numbers(rdp, "rdp", lower = 0, infinite = TRUE, length = length(orders))
  check_delta(delta)
  epsilon <- vapply(log(delta), function(log_delta) {
    max(0, min(conversion(orders - 1, rdp, log_delta)))
  }, 0)
  finite_result(epsilon, "epsilon")
}

#' @rdname rdp_to_epsilon
#' @export
rdp_to_delta <- function(orders, rdp, epsilon) {
  check_orders(orders)
  check_numbers(rdp, "rdp", lower = 0, infinite = TRUE, length = length(orders))
  check_numbers(epsilon, "epsilon", lower = 0)
  s <- orders - 1
  vapply(epsilon, function(e) min(1, delta_of_order(s, rdp, e)), 0)
}

# Conversions are rounded outward (core/account/conversion.h); `s` are the orders less one.
convert_to <- function(what, s, x, y) {
  n <- length(s)
  core_call(.Call(ffi_conversion, what, s, rep_len(x, n), rep_len(y, n)))
}

#' Epsilon at each order, before it is kept from being negative.
#' @noRd
conversion <- function(s, rdp, log_delta) convert_to("epsilon", s, rdp, log_delta)

#' The largest divergences at these orders whose epsilon, by conversion(), is at most `epsilon`;
#' negative where there are none.
#' @noRd
conversion_inverse <- function(s, epsilon, log_delta) convert_to("rdp", s, epsilon, log_delta)

#' Log of delta at each order.
#' @noRd
log_conversion <- function(s, rdp, epsilon) convert_to("log_delta", s, rdp, epsilon)

#' The least delta of several orders. Not 0: the least number stands for what underflows.
#' @noRd
delta_of_order <- function(s, rdp, epsilon) {
  max(exp(min(log_conversion(s, rdp, epsilon))), 2^-1074)
}

# Orders less one. The ends matter only for guarantees far from any use, but there the
# best order is outside [1.01, 1024].
.rdp_grid_tens <- seq(-7, 5, length.out = 85L)
.rdp_grid <- 10^.rdp_grid_tens
.rdp_grid_step <- diff(range(.rdp_grid_tens)) / (length(.rdp_grid_tens) - 1) * log(10)

# s times the epsilon of order 1 + s is convex in s: a few orders say where the best is.
.rdp_stride <- 6L
.rdp_coarse <- seq(1L, length(.rdp_grid), by = .rdp_stride)

which_least <- function(x) if (any(is.finite(x))) which.min(x) else NA_integer_

#' Places on the grid around one of .rdp_coarse; `NA`: all places.
#' @noRd
places_around <- function(near) {
  if (is.na(near)) return(seq_along(.rdp_grid))
  seq(max(1L, near - .rdp_stride), min(near + .rdp_stride, length(.rdp_grid)))
}
