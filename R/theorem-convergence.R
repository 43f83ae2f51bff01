#' Sufficient conditions for convergence
#'
#' Evaluates what the papers' theorems ask of a non-private run, from public numbers:
#' the network, the penalties and a bound `M` on the Lipschitz constant of each node's
#' gradient. The conditions are sufficient, not necessary: runs converge well outside
#' them.
#'
#' With D the degrees, A the adjacency, `W(t)` the diagonal of penalties and
#' `Dt(t)` that of `2 eta V + gamma`, at consecutive noisy updates t and t + 1:
#'
#' * R-ADMM and MR-ADMM, Theorem IV.1 of Recycled ADMM, for some `L > 0`, `mu > 1`:
#'   (i) `I + W(t+1)(D+A) Dt(t)^-1 > (L mu / 2 s(t)) (W(t+1)(D-A))^+ M^2` and
#'   (ii) `W(t+1)(D+A) > W(t+1)(D+A) Dt(t)^-1 (W(t)(D-A) + (2/L) W(t+1)(D+A)) +
#'   (L mu / (2 s(t) (mu - 1))) M^2`, with `s(t)` the smallest entry of `Dt(t)`.
#'   R-ADMM's (iii) and (iv) are these at `L = 2`, `mu = 2`.
#' * M-ADMM, Theorem 3.1: `theta <= eta_i(t) <= eta_i(t+1)`.
#' * ADMM: any positive penalty.
#'
#' A matrix inequality holds when the smallest eigenvalue of the symmetric part of the
#' difference is positive. (ii) needs a network that is not bipartite: on a bipartite
#' one (a star, an even ring) `D + A` is singular and no gamma satisfies it.
#'
#' @param method a decentralised method.
#' @param network a network, see [network]; one with a size, or give `n`.
#' @param n number of nodes, when the network has no size of its own.
#' @param loss,C,rho,iterations,row_bound as in [dpadmm_fit()] and [dpadmm_control()].
#' @param M bound on the Lipschitz constant of a node's gradient, one number or one a
#'   node; by default the public `c1 C row_bound^2 + rho/N`. Convergence is usually
#'   decided by the true, smaller constant.
#' @param L,mu the constants of Theorem IV.1; `NULL`: searched for.
#' @return A data frame of class `dpadmm_convergence` with one row a `condition`, its
#'   `margin` (smallest eigenvalue, or smallest slack) and whether it `holds`. For
#'   R-ADMM and MR-ADMM the attributes `L`, `mu` and `gamma`: the smallest gamma that
#'   satisfies (i) and (ii) ((iii) and (iv) for R-ADMM unless `L` and `mu` are given),
#'   `Inf` when none does.
#' @source Zhang, Khalili and Liu (2019), Recycled ADMM, Theorem IV.1 and its (iii),
#'   (iv); Zhang, Khalili and Liu (2018), Theorem 3.1.
#' @examples
#' check_convergence(r_admm(eta = 1, gamma = 40), network_complete(5), M = 2)
#' check_convergence(m_admm(eta = 1, growth = 1.01, theta = 0.5), network_ring(6))
#' @export
check_convergence <- function(method, network, n = network$n, loss = "logistic", C = 1, rho = 0.01,
                              iterations = 50, row_bound = 1, M = NULL, L = NULL, mu = NULL) {
  check_class(method, "dpadmm_family_decentralised", "method", "admm(), m_admm(), r_admm() or mr_admm()")
  check_class(network, "dpadmm_network", "network", "network_complete() and the like")
  if (is.null(n)) {
    abort("argument", "`n` is needed: this network has no size of its own.", argument = "n")
  }
  network <- resolve_network(network, check_size(n))
  loss <- dpadmm_loss(loss)
  check_number(C, "C", lower = 0, open_lower = TRUE)
  check_number(rho, "rho", lower = 0, open_lower = TRUE)
  iterations <- as.integer(check_number(iterations, "iterations", lower = 1, whole = TRUE))
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  if (is.null(M)) M <- loss$curvature * C * row_bound^2 + rho / n
  M <- per_node(check_numbers(M, "M", lower = 0, open_lower = TRUE), n, "M")
  if (!is.null(L)) check_number(L, "L", lower = 0, open_lower = TRUE)
  if (!is.null(mu)) check_number(mu, "mu", lower = 1, open_lower = TRUE)
  public <- list(
    N = n, degree = network$degree, iterations = iterations, C = C, rho = rho, size = rep(1e4, n),
    row_bound = row_bound, loss = loss, private = FALSE
  )
  convergence(method, schedule(method, public), network, M, L, mu)
}

convergence <- function(method, plan, network, M, L, mu) UseMethod("convergence")

new_convergence <- function(condition, margin, ...) {
  structure(data.frame(condition = condition, margin = margin, holds = margin > 0),
    class = c("dpadmm_convergence", "data.frame"), ...
  )
}

#' @export
convergence.dpadmm_method_admm <- function(method, plan, network, M, L, mu) {
  new_convergence("eta > 0", min(plan$eta))
}

#' @export
convergence.dpadmm_method_m_admm <- function(method, plan, network, M, L, mu) {
  T <- ncol(plan$eta)
  slack <- c(
    min(plan$eta - plan$theta),
    if (T > 1L) min(plan$eta[, -1L] - plan$eta[, -T]) else 0
  )
  out <- new_convergence(c("theta <= eta_i(t)", "eta_i(t) <= eta_i(t+1)"), slack)
  out$holds <- slack >= 0
  out
}

#' @export
convergence.dpadmm_method_r_admm <- function(method, plan, network, M, L, mu) {
  recycled_convergence(plan, network, M, if (is.null(L)) 2 else L, if (is.null(mu)) 2 else mu, c("(iii)", "(iv)"))
}

#' @export
convergence.dpadmm_method_mr_admm <- function(method, plan, network, M, L, mu) {
  recycled_convergence(plan, network, M, L, mu, c("(i)", "(ii)"))
}

recycled_convergence <- function(plan, network, M, L, mu, names) {
  n <- length(M)
  A <- matrix(0, n, n)
  A[network$edges] <- 1
  A <- A + t(A)
  D <- diag(network$degree, n)
  # penalties of consecutive noisy updates; a single one is its own successor
  eta <- plan$eta[, plan$noisy, drop = FALSE]
  if (ncol(eta) == 1L) eta <- eta[, c(1L, 1L)]
  eta <- unique(rbind(eta[, -ncol(eta), drop = FALSE], eta[, -1L, drop = FALSE]), MARGIN = 2L)
  pairs <- lapply(seq_len(ncol(eta)), function(k) list(now = eta[seq_len(n), k], following = eta[n + seq_len(n), k]))
  pairs <- lapply(pairs, function(p) {
    p$pinv <- pseudo_inverse(p$following * (D - A))
    p$plus <- p$following * (D + A)
    p$minus <- p$now * (D - A)
    p
  })
  margins <- function(gamma, L, mu) {
    out <- vapply(pairs, function(p) {
      weight <- 2 * p$now * network$degree + gamma
      s <- min(weight)
      scaled <- sweep(p$plus, 2L, weight, `/`)
      c(
        least_eigen(diag(n) + scaled - L * mu / (2 * s) * sweep(p$pinv, 2L, M^2, `*`)),
        least_eigen(p$plus - scaled %*% (p$minus + 2 / L * p$plus) - L * mu / (2 * s * (mu - 1)) * diag(M^2, n))
      )
    }, double(2))
    apply(out, 1L, min)
  }
  searched <- function(gamma) {
    if (!is.null(L) && !is.null(mu)) return(list(L = L, mu = mu, margin = margins(gamma, L, mu)))
    constants <- function(p) list(L = if (is.null(L)) exp(p[1L]) else L, mu = if (is.null(mu)) 1 + exp(p[2L]) else mu)
    worst <- function(p) {
      k <- constants(p)
      -min(margins(gamma, k$L, k$mu))
    }
    best <- stats::optim(c(log(2), 0), worst, control = list(maxit = 200, reltol = 1e-6))
    k <- constants(best$par)
    c(k, list(margin = margins(gamma, k$L, k$mu)))
  }
  holds <- function(gamma) all(searched(gamma)$margin > 0)
  found <- searched(plan$gamma)
  high <- max(1, plan$gamma)
  while (high < 1e12 && !holds(high)) high <- 4 * high
  smallest <- Inf
  if (high < 1e12) {
    low <- 0
    if (holds(0)) high <- 0
    while (high - low > 1e-6 * high) {
      middle <- (low + high) / 2
      if (holds(middle)) high <- middle else low <- middle
    }
    smallest <- high
  }
  out <- new_convergence(names, found$margin)
  attr(out, "L") <- found$L
  attr(out, "mu") <- found$mu
  attr(out, "gamma") <- smallest
  out
}

#' @export
print.dpadmm_convergence <- function(x, ...) {
  print.data.frame(x, row.names = FALSE)
  if (!is.null(attr(x, "gamma"))) {
    cat(sprintf(
      "with L = %.3g, mu = %.3g; smallest gamma that satisfies both: %.4g\n", attr(x, "L"), attr(x, "mu"), attr(x, "gamma")
    ))
  }
  invisible(x)
}

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
