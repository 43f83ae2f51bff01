#' Printed bounds of privacy amplification by iteration
#'
#' When only the last of several noisy non-expansive maps is seen, what an early one
#' read is hidden by the noise of the later ones.
#'
#' * `rdp_amplification_iteration()`: two sequences `z_{k+1} = T_{k+1}(z_k) + N(0, sigma^2
#'   I)` from one start, whose maps `T_k`, `T'_k` are non-expansive and differ by at most
#'   `s_k` in the sup norm of their distance, have final states with Rényi divergence at
#'   most `sum_k a a_k^2 / (2 sigma^2)` for every `a_1, ..., a_K >= 0` with `sum_{i <= k}
#'   s_i >= sum_{i <= k} a_i` and equality at the end (Theorem 6, after Feldman et al.
#'   2018). `shift` is that choice; `NULL` takes the best one, which spreads each shift
#'   as evenly as the order of the steps allows.
#' * `rdp_network_walk()`: the network privacy of fully decentralised private ADMM over a
#'   complete graph, `8 a K_i L^2 gamma^2 log(n) / (sigma^2 n)` (Theorem 4).
#'
#' Theorem 6 is proved under its assumptions. Theorem 4 rests on it, but a step of
#' decentralised ADMM updates one block, and that map need not be non-expansive: it is
#' offered for reproducing figures and counts as a "paper" bound, never as "sound".
#'
#' @param orders orders, each > 1.
#' @param s the K largest distances between the maps (>= 0).
#' @param sigma standard deviation of the noise (> 0).
#' @param shift the numbers `a_1, ..., a_K` (>= 0), or `NULL`.
#' @param n number of users (>= 2).
#' @param contributions largest number of contributions of one user, `K_i` (>= 1).
#' @param lipschitz Lipschitz constant L of a user's loss (> 0).
#' @param gamma step of the proximal maps (> 0).
#' @return Divergences along `orders`. `rdp_network_walk()` raises
#'   `dpadmm_error_theorem` where `sigma <= 2 L gamma sqrt(a (a - 1))`, outside the
#'   theorem.
#' @source Cyffers, Bellet and Basu (2023), From noisy fixed-point iterations to private
#'   ADMM for centralized and federated learning, Theorems 4 and 6; Feldman, Mironov,
#'   Talwar and Thakurta (2018), Privacy amplification by iteration.
#' @examples
#' # one step reads a record, nine follow: a tenth of the divergence
#' rdp_amplification_iteration(2, s = c(1, rep(0, 9)), sigma = 1)
#' rdp_network_walk(c(2, 8), n = 100, contributions = 5, lipschitz = 1, gamma = 0.1, sigma = 4)
#' @name amplification
NULL

#' @rdname amplification
#' @export
rdp_amplification_iteration <- function(orders, s, sigma, shift = NULL) {
  check_orders(orders)
  check_numbers(s, "s", lower = 0)
  check_number(sigma, "sigma", lower = 0, open_lower = TRUE)
  if (is.null(shift)) {
    shift <- even_shifts(s)
  } else {
    check_numbers(shift, "shift", lower = 0, length = length(s))
    early <- cumsum(shift) > cumsum(s) * (1 + 1e-12)
    if (any(early) || abs(sum(shift) - sum(s)) > 1e-12 * sum(s)) {
      abort("argument", paste0(
        "`shift` must sum to what `s` does and never be ahead of it",
        if (any(early)) sprintf(" (it is at step %d)", which(early)[1L]), "."
      ), argument = "shift", place = which(early)[1L])
    }
  }
  # as of Gaussian noise on a value that moves by this in all
  divergences_of("gaussian", orders, size = sqrt(sum(shift^2)) / sigma, none = all(s == 0))
}

#' The least sum of squares whose partial sums stay below those of s and end with them:
#' the slopes of the greatest convex minorant of the partial sums.
#' @noRd
even_shifts <- function(s) {
  total <- c(0, cumsum(s))
  shift <- numeric(length(s))
  at <- 1L
  while (at <= length(s)) {
    ahead <- (at + 1L):length(total)
    slope <- (total[ahead] - total[at]) / (ahead - at)
    to <- ahead[max(which(slope <= min(slope)))]
    shift[at:(to - 1L)] <- min(slope)
    at <- to
  }
  shift
}

#' @rdname amplification
#' @export
rdp_network_walk <- function(orders, n, contributions, lipschitz, gamma, sigma) {
  check_orders(orders)
  check_number(n, "n", lower = 2, whole = TRUE)
  check_number(contributions, "contributions", lower = 1, whole = TRUE)
  check_number(lipschitz, "lipschitz", lower = 0, open_lower = TRUE)
  check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  check_number(sigma, "sigma", lower = 0, open_lower = TRUE)
  if (any(bad <- sigma <= 2 * lipschitz * gamma * sqrt(orders * (orders - 1)))) {
    abort("theorem", sprintf(
      "Theorem 4 needs sigma > 2 L gamma sqrt(a (a - 1)), which fails at order %g.", orders[bad][1L]
    ), argument = "orders", value = orders[bad][1L])
  }
  step <- lipschitz * gamma / sigma
  divergences_of("gaussian", orders, size = 4 * step * sqrt(contributions * log(n) / n))
}
