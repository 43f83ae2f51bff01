#' Utility of noisy fixed-point iterations
#'
#' Bounds on the mean squared distance of the iterates to the fixed point of a
#' tau-contractive operator, as printed, and one that holds under weaker conditions.
#'
#' * `"theorem-1"`: \eqn{(1 - q^2 (1-\tau)/8)^k D + 8 (\sqrt p \sigma + \zeta) / (\sqrt q
#'   (1-\tau)) + 8 (p \sigma^2 + \zeta^2) / (q^3 (1-\tau)^3)}, after k + 1 iterations, for
#'   some step size.
#' * `"corollary-5.1"` (centralized): \eqn{\sqrt{p\alpha} L\gamma / (\sqrt\epsilon n
#'   (1-\tau)) + p\alpha L^2\gamma^2 / (\epsilon n^2 (1-\tau)^3)}.
#' * `"corollary-5.2"` (federated): the same with `sqrt(r) n` for `n` in the first term and
#'   `r^2 n^2` for `n^2` in the second, where r is m over n.
#' * `"corollary-5.3"` (decentralized): the same with `sqrt(n)` for `n` and `n` for `n^2`.
#' * `"contraction"`: \eqn{(1 - q (1-\tau))^k D + p \sigma^2 / (1-\tau) + \zeta^2 /
#'   (1-\tau)^2} after k iterations with step size 1.
#'
#' @section The corollaries' constants:
#' They are printed up to constants and logarithms, and without `D` the value has neither:
#' it tells how the bound scales, not how large it is. With `D` it is a number: the
#' `"contraction"` bound with the noise that K = `k` iterations need, \eqn{\sigma^2 = c K
#' \alpha L^2 \gamma^2 / (\epsilon n^2)}, where c = 8 and q = 1 (5.1), c = 16 and q = r
#' (5.2), c = 8 log(n) and q = 1 / n (5.3), as in the paper; without `k` at the best K.
#' Up to logarithms it falls with n no slower than the printed rates, so these hold for that
#' noise; but the noise is that of the printed Theorems 2 to 4, which is too small (see
#' [fp_admm()]), and p is the dimension of u, the states of all users together.
#'
#' The printed proofs do not give them. Theorem 1 holds for noise above its condition
#' only, and there it is at least \eqn{8 + 8 / (q^2 (1-\tau))}, however many users there
#' are. And \eqn{1/q^3} makes its last term \eqn{1/(r^3 n^2)} in 5.2 (printed:
#' \eqn{1/(r^2 n^2)}) and \eqn{n^3/n^2 = n} in 5.3 (printed: \eqn{1/n}).
#'
#' @section A smaller bound:
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
#' @param k number of iterations (corollaries: `NULL` for the best, used with `D` only).
#' @param D squared distance of the start to the fixed point (corollaries: `NULL` for the
#'   printed expression without constants).
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
#' @source Cyffers, Bellet and Basu (2023), Theorem 1, Corollaries 5.1 to 5.3 and appendix D.
#' @examples
#' utility_bound("theorem-1", tau = 0.9, p = 10, k = 100, D = 1, sigma = 0.1)
#' utility_bound("contraction", tau = 0.9, p = 10, k = 100, D = 1, sigma = 0.1)
#' corollary <- function(...) {
#'   utility_bound("corollary-5.1",
#'     tau = 0.9, p = 10, alpha = 2, epsilon = 1, L = 1, gamma = 1, n = 1e5, ...
#'   )
#' }
#' corollary() # how it scales
#' corollary(D = 1) # a bound
#' @export
utility_bound <- function(bound = c(
                            "theorem-1", "corollary-5.1", "corollary-5.2", "corollary-5.3",
                            "contraction"
                          ),
                          tau, p, k = NULL, D = NULL, sigma, q = 1, zeta = 0, alpha, epsilon, L,
                          gamma, n, r) {
  bound <- check_choice(bound, eval(formals()$bound), "bound")
  corollary <- startsWith(bound, "corollary")
  lacks <- c(
    tau = missing(tau), p = missing(p), k = is.null(k), D = is.null(D), sigma = missing(sigma),
    alpha = missing(alpha), epsilon = missing(epsilon), L = missing(L), gamma = missing(gamma),
    n = missing(n), r = missing(r)
  )
  needs <- c(
    "tau", "p", if (corollary) c("alpha", "epsilon", "L", "gamma", "n") else c("k", "D", "sigma"),
    if (bound == "corollary-5.2") "r"
  )
  if (any(lost <- lacks[needs])) {
    abort("argument", sprintf("\"%s\" needs `%s`.", bound, needs[lost][1L]),
      argument = needs[lost][1L]
    )
  }
  check_number(tau, "tau", lower = 0, upper = 1, open_upper = TRUE)
  check_number(p, "p", lower = 1, whole = TRUE)
  if (!is.null(k)) check_numbers(k, "k", lower = if (corollary) 1 else 0, whole = TRUE)
  if (!is.null(D)) check_number(D, "D", lower = 0)
  if (corollary) {
    return(corollary_bound(bound, 1 - tau, p, k, D, alpha, epsilon, L, gamma, n, r))
  }
  check_number(sigma, "sigma", lower = 0)
  check_number(q, "q", lower = 0, open_lower = TRUE, upper = 1)
  check_number(zeta, "zeta", lower = 0)
  if (bound == "contraction") return(contraction(k, D, p * sigma^2, q, 1 - tau, zeta))
  theorem_1(1 - tau, p, k, D, sigma, q, zeta)
}

#' `gap` is 1 - tau.
#' @noRd
theorem_1 <- function(gap, p, k, D, sigma, q, zeta) {
  size <- sqrt(p) * sigma + zeta
  if (size <= sqrt(q) * gap) {
    abort("theorem", sprintf(
      "Theorem 1 needs sigma sqrt(p) + zeta > sqrt(q) (1 - tau); here %g and %g.", size,
      sqrt(q) * gap
    ), argument = "sigma", value = size)
  }
  exp(k * log1p(-q^2 * gap / 8)) * D +
    8 * (size / (sqrt(q) * gap) + (p * sigma^2 + zeta^2) / (q^3 * gap^3))
}

corollary_bound <- function(bound, gap, p, k, D, alpha, epsilon, L, gamma, n, r) {
  check_number(epsilon, "epsilon", lower = 0, open_lower = TRUE)
  check_number(L, "L", lower = 0, open_lower = TRUE)
  check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  check_number(alpha, "alpha", lower = 1, open_lower = TRUE)
  check_number(n, "n", lower = if (bound == "corollary-5.3") 2 else 1, whole = TRUE)
  if (bound == "corollary-5.2") {
    check_number(r, "r", lower = 0, open_lower = TRUE, upper = 0.2, open_upper = TRUE)
  }
  unit <- p * alpha * (L * gamma)^2 / epsilon
  setting <- switch(bound,
    "corollary-5.1" = list(first = n, second = n^2, factor = 8, q = 1),
    "corollary-5.2" = list(first = sqrt(r) * n, second = r^2 * n^2, factor = 16, q = r),
    "corollary-5.3" = list(first = sqrt(n), second = n, factor = 8 * log(n), q = 1 / n)
  )
  if (is.null(D)) return(sqrt(unit) / (setting$first * gap) + unit / (setting$second * gap^3))
  # the noise of one iteration, all p entries of it
  one <- setting$factor * unit / n^2
  value <- function(k) contraction(k, D, one * k, setting$q, gap)
  if (!is.null(k)) value(k) else best_count(value, 1e3 / (setting$q * gap))
}

#' `noise` is p sigma^2, one number or one along k.
#' @noRd
contraction <- function(k, D, noise, q, gap, zeta = 0) {
  exp(k * log1p(-q * gap)) * D + noise / gap + zeta^2 / gap^2
}

#' The least value over whole numbers >= 1 of a convex function, which rises from `high` on.
#' @noRd
best_count <- function(value, high) {
  from <- 1
  to <- high
  repeat {
    grid <- unique(round(exp(seq(log(from), log(to), length.out = 400L))))
    least <- which.min(value(grid))
    if (to - from < 400) return(value(grid[least]))
    from <- grid[max(least - 1L, 1L)]
    to <- grid[min(least + 1L, length(grid))]
  }
}
