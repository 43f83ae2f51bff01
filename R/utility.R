#' Utility of noisy fixed-point iterations
#'
#' Bounds on the mean squared distance of the iterates to the fixed point of a
#' tau-contractive operator, as printed, and one that holds under weaker conditions.
#'
#' | bound | value |
#' |---|---|
#' | `"theorem-1"` | \eqn{(1 - q^2 (1-\tau)/8)^k D + 8 (\sqrt p \sigma + \zeta) / (\sqrt q (1-\tau)) + 8 (p \sigma^2 + \zeta^2) / (q^3 (1-\tau)^3)}, after k + 1 iterations, for some step size |
#' | `"corollary-5.1"` | \eqn{\sqrt{p\alpha} L\gamma / (\sqrt\epsilon n (1-\tau)) + p\alpha L^2\gamma^2 / (\epsilon n^2 (1-\tau)^3)} (centralized) |
#' | `"corollary-5.2"` | the same with `sqrt(r) n` for n in the first term and `r^2 n^2` for `n^2` in the second, where r is m over n (federated) |
#' | `"corollary-5.3"` | the same with `sqrt(n)` for n and n for `n^2` (decentralized) |
#' | `"contraction"` | \eqn{(1 - q (1-\tau))^k D + p \sigma^2 / (1-\tau) + \zeta^2 / (1-\tau)^2} after k iterations with step size 1 |
#'
#' The corollaries hold up to constants and logarithms; the value here has neither.
#'
#' The printed proof of Theorem 1 picks a step size that lies above 1 unless the operator
#' contracts strongly (for q = 1, tau < 1/4) and drops a term; its statement holds all the
#' same, and with step size 1, because `"contraction"` is smaller. Proof of that one: an
#' active block moves to \eqn{R_b(u) + e_b + \eta_b}; with \eqn{||R(u) - u^* + e||^2 \le
#' \tau ||u - u^*||^2 + ||e||^2 / (1 - \tau)} and independent noise the mean squared
#' distance D' after a step is at most \eqn{(1-q) D + q (\tau D + \zeta^2/(1-\tau) + p
#' \sigma^2)}.
#'
#' @param bound which one, see above.
#' @param tau contraction factor of the operator, in [0, 1).
#' @param p dimension of u.
#' @param k number of iterations (theorem-1, contraction).
#' @param D squared distance of the start to the fixed point.
#' @param sigma standard deviation of the noise eta (>= 0).
#' @param q probability with which each block is active, in (0, 1].
#' @param zeta root mean square size of the errors (>= 0).
#' @param alpha,epsilon Renyi order (> 1) and divergence (> 0) of the guarantee.
#' @param L,gamma Lipschitz constant and proximal weight (> 0).
#' @param n number of users.
#' @param r share of users sampled a round, in (0, 1/5), for corollary-5.2.
#' @return The bound, one number (or a vector along `k`).
#'
#'   Errors: `dpadmm_error_argument` for a constant that is missing or outside its range;
#'   `dpadmm_error_theorem` when Theorem 1's condition, `sigma sqrt(p) + zeta > sqrt(q) (1 -
#'   tau)`, fails.
#' @source Cyffers, Bellet and Basu (2023), Theorem 1 and Corollaries 5.1 to 5.3.
#' @examples
#' utility_bound("theorem-1", tau = 0.9, p = 10, k = 100, D = 1, sigma = 0.1)
#' utility_bound("contraction", tau = 0.9, p = 10, k = 100, D = 1, sigma = 0.1)
#' utility_bound("corollary-5.1",
#'   tau = 0.9, p = 10, alpha = 2, epsilon = 1, L = 1, gamma = 1, n = 1000
#' )
#' @export
utility_bound <- function(bound = c("theorem-1", "corollary-5.1", "corollary-5.2", "corollary-5.3",
  "contraction"),
                          tau, p, k, D, sigma, q = 1, zeta = 0, alpha, epsilon, L, gamma, n, r) {
  bound <- check_choice(bound, c("theorem-1", "corollary-5.1", "corollary-5.2", "corollary-5.3",
    "contraction"), "bound")
  corollary <- startsWith(bound, "corollary")
  given <- c(
    tau = missing(tau), p = missing(p), k = missing(k), D = missing(D), sigma = missing(sigma),
    alpha = missing(alpha), epsilon = missing(epsilon), L = missing(L), gamma = missing(gamma),
    n = missing(n), r = missing(r)
  )
  needs <- c("tau", "p", if (corollary) c("alpha", "epsilon", "L", "gamma", "n") else c("k", "D",
    "sigma"),
    if (bound == "corollary-5.2") "r")
  if (any(lost <- given[needs])) {
    abort("argument", sprintf("\"%s\" needs `%s`.", bound, needs[lost][1L]),
      argument = needs[lost][1L])
  }
  check_number(tau, "tau", lower = 0, upper = 1, open_upper = TRUE)
  check_number(p, "p", lower = 1, whole = TRUE)
  gap <- 1 - tau
  if (corollary) {
    check_number(alpha, "alpha", lower = 1, open_lower = TRUE)
    check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE)
    check_number(L, "L", lower = 0, open_lower = TRUE)
    check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
    check_number(n, "n", lower = 1, whole = TRUE)
    if (bound == "corollary-5.2") {
      check_number(r, "r", lower = 0, open_lower = TRUE, upper = 0.2, open_upper = TRUE)
    }
    of <- switch(bound,
      "corollary-5.1" = c(n, n^2), "corollary-5.2" = c(sqrt(r) * n, r^2 * n^2),
        "corollary-5.3" = c(sqrt(n), n)
    )
    return(sqrt(p * alpha / epsilon) * L * gamma / (of[1L] * gap) +
      p * alpha * (L * gamma)^2 / (epsilon * of[2L] * gap^3))
  }
  check_numbers(k, "k", lower = 0, whole = TRUE)
  check_number(D, "D", lower = 0)
  check_number(sigma, "sigma", lower = 0)
  check_number(q, "q", lower = 0, open_lower = TRUE, upper = 1)
  check_number(zeta, "zeta", lower = 0)
  if (bound == "contraction") {
    return((1 - q * gap)^k * D + p * sigma^2 / gap + zeta^2 / gap^2)
  }
  size <- sqrt(p) * sigma + zeta
  if (size <= sqrt(q) * gap) {
    abort("theorem",
      sprintf("Theorem 1 needs sigma sqrt(p) + zeta > sqrt(q) (1 - tau); here %g and %g.", size,
        sqrt(q) * gap),
      argument = "sigma", value = size
    )
  }
  (1 - q^2 * gap / 8)^k * D + 8 * (size / (sqrt(q) * gap) + (p * sigma^2 + zeta^2) / (q^3 * gap^3))
}
