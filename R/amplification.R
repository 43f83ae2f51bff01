#' Privacy amplification by iteration, as printed
#'
#' Two bounds of noisy-fixed-point-admm (Cyffers, Bellet and Basu 2023). They are
#' *paper* bounds: formulas as printed, for reading and redrawing that paper. No
#' guarantee of this package rests on them, and [account()] does not use them.
#'
#' `rdp_iteration()` is its Theorem 6 (Feldman, Mironov, Talwar and Thakurta 2018) for
#' Gaussian noise: of noisy iterations `u <- T_k(u) + N(0, sigma_k^2 I)` only the last
#' `u` is seen, and between neighbours `T_k` moves by at most `shifts[k]`. The theorem is
#' right when every `T_k` is non-expansive and the noise covers all coordinates of `u`.
#' It asks for moves `a_k` whose partial sums never exceed those of the shifts and whose
#' total is the same, and bounds the divergence of order `a` by the sum of
#' `a a_k^2 / (2 sigma_k^2)`. The best moves are the increments of the largest convex
#' function below the points (cumulative variance, cumulative shift); they are used
#' unless `moves` are given.
#'
#' `rdp_network()` is its Theorem 4, what one user learns of another in the fully
#' decentralised ADMM on the complete graph: `8 a K L^2 gamma^2 log(n) / (sigma^2 n)`
#' for `K` participations, when `sigma > 2 L gamma sqrt(a (a - 1))`. Its proof applies
#' amplification by iteration to block updates, which need not be non-expansive, with
#' noise on one block only; what is proved for that algorithm is the local guarantee,
#' `8 a L^2 gamma^2 / sigma^2` for every participation.
#'
#' @param orders orders, each > 1.
#' @param shifts how far each map moves between neighbours (>= 0), first to last.
#' @param sigma standard deviation of the noise of each iteration, recycled (> 0).
#' @param moves the numbers `a_k` of the theorem, or `NULL` for the best.
#' @param lipschitz Lipschitz constant L of every user's loss (> 0).
#' @param gamma step of the proximal operator (> 0).
#' @param nodes number of users n, at least 2.
#' @param participations how often a user takes part at most, K.
#' @return A numeric vector along `orders`, the printed divergence. Errors:
#'   `dpadmm_error_argument` for moves the theorem does not allow,
#'   `dpadmm_error_theorem` when the condition on sigma fails at some order.
#' @references Cyffers, E., Bellet, A. and Basu, D. (2023). From noisy fixed-point
#'   iterations to private ADMM for centralized and federated learning. *ICML*.
#'
#'   Feldman, V., Mironov, I., Talwar, K. and Thakurta, A. (2018). Privacy amplification
#'   by iteration. *FOCS*.
#' @examples
#' # A shift at the first of ten iterations costs a tenth of it.
#' rdp_iteration(2, shifts = c(1, rep(0, 9)), sigma = 1)
#' rdp_network(2, lipschitz = 1, gamma = 0.1, sigma = 2, nodes = 100, participations = 10)
#' @name amplification
NULL

#' @rdname amplification
#' @export
rdp_iteration <- function(orders, shifts, sigma, moves = NULL) {
  check_orders(orders)
  check_numbers(shifts, "shifts", lower = 0)
  check_numbers(sigma, "sigma",
    lower = 0, open_lower = TRUE, length = unique(c(1L, length(shifts)))
  )
  sigma <- rep_len(sigma, length(shifts))
  if (is.null(moves)) {
    moves <- best_moves(shifts, sigma)
  } else {
    check_numbers(moves, "moves", length = length(shifts))
    slack <- 1e-12 * max(sum(shifts), sum(abs(moves)))
    ahead <- cumsum(moves) > cumsum(shifts) + slack
    if (any(ahead) || abs(sum(moves) - sum(shifts)) > slack) {
      abort("argument", sprintf(
        "Sums of `moves` must stay below those of `shifts` and end at the same; %s.",
        if (any(ahead)) paste("they do not at", where_first(ahead)) else "they end elsewhere"
      ), argument = "moves")
    }
  }
  finite_result(orders * sum(moves^2 / (2 * sigma^2)), "divergence")
}

#' Increments of the greatest convex minorant of cumulative shift against cumulative
#' variance: the path of least energy below the shifts.
#' @noRd
best_moves <- function(shifts, sigma) {
  x <- c(0, cumsum(sigma^2))
  y <- c(0, cumsum(shifts))
  n <- length(x)
  # The path must end at the last point; nothing bounds it from above at the start.
  hull <- 1L
  for (i in 2:n) {
    while (length(hull) > 1L) {
      b <- hull[length(hull)]
      a <- hull[length(hull) - 1L]
      if ((y[b] - y[a]) * (x[i] - x[a]) < (y[i] - y[a]) * (x[b] - x[a])) break
      hull <- hull[-length(hull)]
    }
    hull <- c(hull, i)
  }
  diff(stats::approx(x[hull], y[hull], x)$y)
}

#' @rdname amplification
#' @export
rdp_network <- function(orders, lipschitz, gamma, sigma, nodes, participations) {
  check_orders(orders)
  check_number(lipschitz, "lipschitz", lower = 0, open_lower = TRUE)
  check_number(gamma, "gamma", lower = 0, open_lower = TRUE)
  check_number(sigma, "sigma", lower = 0, open_lower = TRUE)
  check_number(nodes, "nodes", lower = 2, whole = TRUE)
  check_number(participations, "participations", lower = 0, whole = TRUE)
  fails <- sigma <= 2 * lipschitz * gamma * sqrt(orders * (orders - 1))
  if (any(fails)) {
    abort("theorem", sprintf(
      "Theorem 4 needs sigma > 2 L gamma sqrt(a (a - 1)), which fails for order %g.",
      orders[fails][1L]
    ), argument = "orders", value = orders[fails][1L], place = which(fails)[1L])
  }
  finite_result(
    8 * orders * participations * (lipschitz * gamma / sigma)^2 * log(nodes) / nodes, "divergence"
  )
}
