# What released gradients have beyond the first order: gradients at messages away from the mean
# model f_0, and how the curvature changes from there to the estimate.
#
# For the logistic loss L''' = -L'' tanh(a / 2), a = x'f_0, so that along u the curvature changes
# by T(u) = -sum w L'' tanh(a / 2) (x'u) x x'. Rows are taken for normal when weighted by w L'': of
# total weight W, mean m and covariance K / W. An intercept, a column of x_0, tells W = H_11 / x_0^2
# and m = H_1 / (x_0 W), and so K = H - W m m'; without one m is taken for 0. About m'f_0 the slope
# of tanh(a / 2) is 2 p (1 - p), for which 2 W / sum(C) is taken. The moments of normal rows give
#
#   T(u) = -tanh(m'f_0 / 2) {m'u K + K u m' + m u'H}
#     - 2 {K f_0 u'H + H u f_0'K + f_0'K u H} / sum(C).

#' What T(u) is made of, or NULL where it is not known: for other losses, and with offsets.
#' @param total sum(C).
#' @noRd
third_order <- function(problem, H, f, total) {
  blueprint <- problem$blueprint
  if (problem$loss$name != "logistic" || !is.null(blueprint$offset)) return(NULL)
  m <- 0 * f
  K <- H
  if (blueprint$intercept) {
    constant <- blueprint$factor * if (blueprint$kind == "matrix") blueprint$row_bound else 1
    m <- H[, 1L] * constant / H[1L, 1L]
    K <- H - tcrossprod(H[, 1L]) / H[1L, 1L]
  }
  list(H = H, K = K, m = m, pull = as.vector(K %*% f), level = tanh(sum(m * f) / 2), total = total)
}

#' T(u), a matrix.
#' @noRd
change_of_curvature <- function(third, u) {
  Ku <- as.vector(third$K %*% u)
  Hu <- as.vector(third$H %*% u)
  flat <- sum(third$m * u) * third$K + outer(Ku, third$m) + outer(third$m, Hu)
  steep <- outer(third$pull, Hu) + outer(Hu, third$pull) + sum(third$pull * u) * third$H
  -third$level * flat - 2 / third$total * steep
}

#' T(u) u for each row of u.
#' @noRd
change_of_gradient <- function(third, u) {
  Hu <- u %*% third$H
  squares <- rowSums(Hu * u)
  flat <- 2 * as.vector(u %*% third$m) * u %*% third$K + outer(squares, third$m)
  steep <- outer(squares, third$pull) + 2 * as.vector(u %*% third$pull) * Hu
  -third$level * flat - 2 / third$total * steep
}

#' The second order of the sum of the nodes' gradients at their messages, by rounds: the sum of
#' T_i(u) u / 2, u = m_i(t) - f_0, which may be off by its own size; and `error`, the square of what
#' it may be off, in the norm of the inverse curvature, for weights of the rounds, one row each.
#' Where T is not known it is at most, for normal margins,
#' (1/2) (sum w L'' (x'u)^4)^(1/2) = (1/2) (3 / W)^(1/2) u'H u, W = sum w L''.
#' @noRd
second_order <- function(problem, parts, at, centre, H, G, third) {
  share <- parts$share
  rounds <- nrow(at)
  nodes <- length(share)
  # a row a node and round, nodes first
  u <- aperm(array(at, c(rounds, nodes, problem$d)), c(2L, 1L, 3L))
  u <- matrix(u, nodes * rounds) - rep(centre, each = nodes * rounds)
  if (!is.null(third)) {
    each <- array(share * change_of_gradient(third, u), c(nodes, rounds, problem$d))
    value <- matrix(colSums(each), rounds) / 2
    return(list(value = value, error = function(weights) {
      off <- weights %*% value
      rowSums((off %*% G) * off)
    }))
  }
  squares <- matrix(rowSums((u %*% H) * u), nodes)
  bend <- max(sum(diag(H)) / problem$row_bound^2, 1e-3 * problem$loss$curvature * sum(parts$mass))
  size <- sqrt(3 / bend * colSums(share * pmax(squares, 0)^2)) / 2
  if (problem$loss$name == "squared") size <- 0 * size
  list(value = matrix(0, rounds, problem$d), error = function(weights) {
    as.vector(weights %*% size)^2
  })
}
