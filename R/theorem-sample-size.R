#' Records a node needs
#'
#' The papers' sample complexity theorems for a node's intermediate classifier to
#' reach the expected loss of a reference classifier plus `tau`, up to their unknown
#' constant `w`.
#'
#' @param tau excess loss (> 0).
#' @param failure probability of missing it, the theorems' delta, in (0, 1).
#' @param reference_norm norm of the reference classifier (> 0).
#' @param gap the theorems' `Delta_i(k)`, the excess loss of the iterate over the
#'   network's optimum, one a noisy update (>= 0, below `tau`).
#' @param w the unknown constant (> 0).
#' @param alpha rate of the Gamma-norm noise, one a noisy update (> 0); `Inf` without
#'   noise.
#' @param d number of features.
#' @param N number of nodes.
#' @param C weight of the mean loss.
#' @param a the constant a of Theorem VI.2 (> 0).
#' @return `sample_size()`: the number of records of Theorem VI.1, `w max ||f||^2
#'   log(1/failure) / (tau - gap)^2`, or with finite `alpha` of Theorem VI.2, `w max C N
#'   log(1/failure) / (N C (tau - gap)^2 / (2 ||f||^2) - (1 + a) N d^2
#'   log(d/failure)^2 / (C alpha^2))`; `Inf` when its denominator is not positive: no
#'   number of records is enough for that noise.
#' @source Zhang, Khalili and Liu (2019), Recycled ADMM, Theorems VI.1 and VI.2.
#' @examples
#' sample_size(tau = 0.1, failure = 0.05, reference_norm = 10)
#' sample_size(tau = 0.1, failure = 0.05, reference_norm = 10, alpha = 50, d = 20, N = 5, C = 1750)
#' @export
sample_size <- function(tau, failure, reference_norm, gap = 0, w = 1, alpha = Inf, d = NULL,
                        N = NULL, C = NULL, a = 1) {
  check_number(tau, "tau", lower = 0, open_lower = TRUE)
  check_number(failure, "failure", lower = 0, upper = 1, open_lower = TRUE, open_upper = TRUE)
  check_number(reference_norm, "reference_norm", lower = 0, open_lower = TRUE)
  check_numbers(gap, "gap", lower = 0, upper = tau, open_upper = TRUE)
  check_number(w, "w", lower = 0, open_lower = TRUE)
  check_numbers(alpha, "alpha", lower = 0, open_lower = TRUE, infinite = TRUE)
  if (all(is.infinite(alpha))) {
    return(w * max(reference_norm^2 * log(1 / failure) / (tau - gap)^2))
  }
  check_number(d, "d", lower = 1, whole = TRUE)
  check_number(N, "N", lower = 1, whole = TRUE)
  check_number(C, "C", lower = 0, open_lower = TRUE)
  check_number(a, "a", lower = 0, open_lower = TRUE)
  room <- N * C * (tau - gap)^2 / (2 * reference_norm^2) -
    (1 + a) * N * d^2 / (C * alpha^2) * log(d / failure)^2
  if (any(room <= 0)) return(Inf)
  w * max(C * N * log(1 / failure) / room)
}
