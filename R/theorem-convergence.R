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
#' * both, where penalties may grow: `sup eta_i(t) < Inf`. A step moves a node by about one over
#'   its penalty, so penalties that go on growing by a factor let a run stop before it arrives:
#'   what the theorems print as finite penalties has to be read as bounded ones. The margin is 1
#'   less the largest `growth`.
#' * ADMM: any positive penalty.
#'
#' A matrix inequality holds when the smallest eigenvalue of the symmetric part of the
#' difference is positive. (ii) needs a network that is not bipartite: on a bipartite
#' one (a star, an even ring) `D + A` is singular and no gamma satisfies it.
#'
#' @param method [admm()], [m_admm()], [r_admm()] or [mr_admm()].
#' @param network a network, see [network]; one with a size, or give `n`.
#' @param n number of nodes, when the network has no size of its own.
#' @param loss,C,rho,iterations,row_bound as in [dpadmm_fit()] and [dpadmm_control()].
#' @param M bound on the Lipschitz constant of a node's gradient, one number or one a
#'   node; by default the public `c1 C row_bound^2 + rho/N`. Convergence is usually
#'   decided by the true, smaller constant.
#' @param L,mu the constants of Theorem IV.1; `NULL`: searched for.
#' @param size numbers of records, one number or one a node: needed only where the method's
#'   `eta` or `gamma` is `NULL` and so chosen from them.
#' @return A data frame of class `dpadmm_convergence` with one row a `condition`, its
#'   `margin` (smallest eigenvalue, or smallest slack) and whether it `holds`. For
#'   R-ADMM and MR-ADMM the attributes `L`, `mu` and `gamma`: the smallest gamma that
#'   satisfies (i) and (ii) ((iii) and (iv) for R-ADMM unless `L` and `mu` are given),
#'   `Inf` when none does.
#' @source Zhang, Khalili and Liu (2019), Recycled ADMM, Theorem IV.1 and its (iii),
#'   (iv); Zhang, Khalili and Liu (2018), Theorem 3.1.
#' @examples
#' check_convergence(r_admm(eta = 1, gamma = 40), network_complete(5), M = 2)
#' check_convergence(m_admm(eta = 1, growth = 1, theta = 0.5), network_ring(6))
#' check_convergence(m_admm(eta = 1, growth = 1.01, theta = 0.5), network_ring(6)) # unbounded
#' @export
check_convergence <- function(method, network, n = network$n, loss = "logistic", C = 1, rho = 0.01,
                              iterations = 50, row_bound = 1, M = NULL, L = NULL, mu = NULL,
                              size = NULL) {
  check_class(method, "dpadmm_method", "method", "admm(), m_admm(), r_admm() or mr_admm()")
  check_covered(method)
  network <- check_network(network)
  if (is.null(n)) {
    abort("argument", "`n` is needed: this network has no size of its own.", argument = "n")
  }
  network <- list_edges(resolve_network(network, check_size(n)))
  loss <- dpadmm_loss(loss)
  check_number(C, "C", lower = 0, open_lower = TRUE)
  check_number(rho, "rho", lower = 0, open_lower = TRUE)
  iterations <- as.integer(check_number(iterations, "iterations", lower = 1, whole = TRUE))
  check_number(row_bound, "row_bound", lower = 0, open_lower = TRUE)
  if (is.null(M)) M <- loss$curvature * C * row_bound^2 + rho / n
  names <- if (is.null(network$names)) as.character(seq_len(n)) else network$names
  M <- per_party(check_numbers(M, "M", lower = 0, open_lower = TRUE), names, "M")
  if (!is.null(L)) check_number(L, "L", lower = 0, open_lower = TRUE)
  if (!is.null(mu)) check_number(mu, "mu", lower = 1, open_lower = TRUE)
  # what is not given is not used: nothing of the schedule is chosen from it
  size <- if (is.null(size)) {
    rep(NA_real_, check_settled(method, n))
  } else {
    per_party(check_numbers(size, "size", lower = 1, whole = TRUE), names, "size")
  }
  problem <- list(
    N = n, names = names, degree = network$degree, C = C, rho = rho, size = size,
    records = sum(size), row_bound = row_bound, loss = loss
  )
  plan <- schedule(method, problem, list(private = FALSE), iterations)
  growth <- method$parameters$growth
  plan$growth <- if (is.null(growth)) plan$chosen$growth else growth
  .convergence_theorems[[method$name]](plan, network, M, L, mu)
}

check_covered <- function(method) {
  if (!(method$name %in% names(.convergence_theorems))) {
    abort("argument", sprintf(
      "No convergence theorem is known here for %s; there are theorems for %s.", method$title,
      paste0(names(.convergence_theorems), "()", collapse = ", ")
    ), argument = "method", value = method$name)
  }
}

#' @return n, when no parameter of the method is left to be chosen from sizes.
#' @noRd
check_settled <- function(method, n) {
  open <- Filter(function(name) is.null(method$parameters[[name]]),
    intersect(c("eta", "gamma"), names(method$parameters))
  )
  if (length(open)) {
    abort("argument", sprintf(
      "`size` is needed: this method's `%s` is chosen from the numbers of records.", open[1L]
    ), argument = "size")
  }
  n
}

new_convergence <- function(condition, margin, ...) {
  structure(data.frame(condition = condition, margin = margin, holds = margin > 0),
    class = c("dpadmm_convergence", "data.frame"), ...
  )
}

# The methods that theorems are known of here, each with its conditions.
.convergence_theorems <- list(
  admm = function(plan, network, M, L, mu) new_convergence("eta > 0", min(plan$eta)),
  m_admm = function(plan, network, M, L, mu) {
    T <- ncol(plan$eta)
    slack <- c(
      min(plan$eta - plan$theta),
      if (T > 1L) min(plan$eta[, -1L] - plan$eta[, -T]) else 0
    )
    out <- new_convergence(c("theta <= eta_i(t)", "eta_i(t) <= eta_i(t+1)"), slack)
    out$holds <- slack >= 0
    with_bounded_penalties(out, plan)
  },
  r_admm = function(plan, network, M, L, mu) {
    if (is.null(L)) L <- 2
    if (is.null(mu)) mu <- 2
    recycled_convergence(plan, network, M, L, mu, c("(iii)", "(iv)"))
  },
  mr_admm = function(plan, network, M, L, mu) {
    found <- recycled_convergence(plan, network, M, L, mu, c("(i)", "(ii)"))
    with_bounded_penalties(found, plan)
  }
)

#' Conditions and one more: penalties that do not grow without end, whatever the number of
#' iterations that is asked about.
#' @noRd
with_bounded_penalties <- function(found, plan) {
  margin <- 1 - max(plan$growth)
  kept <- attributes(found)[c("L", "mu", "gamma")]
  found <- rbind(found, data.frame(
    condition = "sup eta_i(t) < Inf", margin = margin, holds = margin >= 0
  ))
  attributes(found) <- c(attributes(found), Filter(Negate(is.null), kept))
  found
}

recycled_convergence <- function(plan, network, M, L, mu, names) {
  pairs <- penalty_pairs(plan, network)
  margins <- function(gamma) theorem_margins(pairs, network$degree, M, gamma)
  found <- best_constants(margins(plan$gamma), L, mu)
  out <- new_convergence(names, found$margin)
  attr(out, "L") <- found$L
  attr(out, "mu") <- found$mu
  attr(out, "gamma") <- smallest_gamma(
    function(gamma) some_constants(margins(gamma), L, mu), max(1, plan$gamma)
  )
  out
}

#' The matrices of the conditions for each pair of consecutive penalties that occurs.
#' @noRd
penalty_pairs <- function(plan, network) {
  n <- nrow(plan$eta)
  A <- matrix(0, n, n)
  A[network$edges] <- 1
  A <- A + t(A)
  D <- diag(network$degree, n)
  # penalties of consecutive noisy updates; a single one is its own successor
  eta <- plan$eta[, plan$noisy, drop = FALSE]
  if (ncol(eta) == 1L) eta <- eta[, c(1L, 1L)]
  pair <- rbind(eta[, -ncol(eta), drop = FALSE], eta[, -1L, drop = FALSE])
  pair <- unique(pair, MARGIN = 2L)
  lapply(seq_len(ncol(pair)), function(k) {
    now <- pair[seq_len(n), k]
    following <- pair[n + seq_len(n), k]
    list(
      now = now, inverse = pseudo_inverse(following * (D - A)),
      plus = following * (D + A), minus = now * (D - A)
    )
  })
}

#' Margins of both conditions, the worst over the pairs, as a function of L and mu.
#' @noRd
theorem_margins <- function(pairs, degree, M, gamma) {
  n <- length(M)
  parts <- lapply(pairs, function(p) {
    weight <- 2 * p$now * degree + gamma
    scaled <- p$plus / rep(weight, each = n)
    list(
      s = min(weight), first = diag(n) + scaled, inverse = p$inverse * rep(M^2, each = n),
      second = p$plus - scaled %*% p$minus, plus = 2 * scaled %*% p$plus
    )
  })
  square <- diag(M^2, n)
  function(L, mu) {
    margins <- vapply(parts, function(p) {
      share <- L * mu / (2 * p$s)
      c(
        least_eigen(p$first - share * p$inverse),
        least_eigen(p$second - p$plus / L - share / (mu - 1) * square)
      )
    }, double(2))
    apply(margins, 1L, min)
  }
}

#' L and mu, where they are not given those with the largest margin, and the margins.
#' @param margins of theorem_margins().
#' @noRd
best_constants <- function(margins, L, mu) {
  at <- function(L, mu) list(L = L, mu = mu, margin = margins(L, mu))
  if (!is.null(L) && !is.null(mu)) return(at(L, mu))
  free <- function(p) {
    at(if (is.null(L)) exp(p[1L]) else L, if (is.null(mu)) 1 + exp(p[2L]) else mu)
  }
  worst <- function(p) -min(free(p)$margin)
  free(stats::optim(c(log(2), 0), worst, control = list(maxit = 200, reltol = 1e-6))$par)
}

#' Whether both conditions hold with some L and mu.
#' @noRd
some_constants <- function(margins, L, mu) {
  callCC(function(say) {
    best_constants(function(L, mu) {
      found <- margins(L, mu)
      if (all(found > 0)) say(TRUE)
      found
    }, L, mu)
    FALSE
  })
}

#' The smallest gamma at which the conditions hold, by doubling and halving; Inf: none.
#' @noRd
smallest_gamma <- function(holds, from) {
  high <- from
  while (high < 1e12 && !holds(high)) high <- 4 * high
  if (high >= 1e12) return(Inf)
  low <- 0
  if (holds(0)) return(0)
  while (high - low > 1e-6 * high) {
    middle <- (low + high) / 2
    if (holds(middle)) high <- middle else low <- middle
  }
  high
}

#' @export
print.dpadmm_convergence <- function(x, ...) {
  check_no_dots(...)
  print.data.frame(x, row.names = FALSE)
  if (!is.null(attr(x, "gamma"))) {
    cat(sprintf(
      "with L = %.3g, mu = %.3g; smallest gamma that satisfies both: %.4g\n", attr(x, "L"),
      attr(x, "mu"), attr(x, "gamma")
    ))
  }
  invisible(x)
}
