# What the source papers print about a run, from its public numbers: builders of the printed
# tables that a fit holds beside its events, one a theorem. Numbers of releases go along `node`
# and `iteration`.

#' R-ADMM and MR-ADMM with Gamma-norm noise in the objective: Recycled ADMM, Theorem V.1.
#'
#' @param alpha rate of the noise in the objective.
#' @param sensitivity of the gradient of a node's data term, `2 C L / B`.
#' @param curvature `c1 C / B`.
#' @param coupling curvature of the augmented term, `2 eta V`.
#' @param ridge curvature of the regulariser, `rho/N`.
#' @noRd
printed_recycled_admm <- function(alpha, sensitivity, curvature, coupling, ridge, node,
                                  iteration) {
  new_printed("recycled-admm, Theorem V.1", "objective",
    scale = alpha, sensitivity = sensitivity, curvature = curvature, modulus = ridge + coupling,
    node = node, iteration = iteration
  )
}

#' ADMM and M-ADMM: Theorem 4.1 of M-ADMM, whose loss has no rho/N, while its condition does.
#' Arguments as above.
#' @noRd
printed_m_admm <- function(alpha, sensitivity, curvature, coupling, ridge, node, iteration) {
  new_printed("m-admm, Theorem 4.1", "objective",
    scale = alpha, sensitivity = sensitivity, curvature = curvature, modulus = coupling,
    ridge = ridge, node = node, iteration = iteration
  )
}

# A plan names its builder: a fit holds no functions.
.printed_graph <- list(recycled_admm = printed_recycled_admm, m_admm = printed_m_admm)

#' PP-ADMM (Theorem 2 of plausible-admm) and, with the epsilon of its `test` at every node,
#' IPP-ADMM (Theorem 5).
#'
#' @param sigma,sigma_output standard deviations of the noise in the objective and on the
#'   inexact solution.
#' @param shift how far the inexact solution is printed to move: `beta` over the modulus of
#'   the node's problem.
#' @param test `NULL`, or a list of `epsilon` and `node`.
#' @noRd
printed_plausible_admm <- function(sigma, sigma_output, sensitivity, shift, curvature, ridge,
                                   node, iteration, test = NULL) {
  theorem <- paste("plausible-admm, Theorem", if (is.null(test)) 2 else 5)
  c(
    new_printed(theorem, "objective",
      scale = sigma, sensitivity = sensitivity, curvature = curvature, modulus = ridge,
      node = node, iteration = iteration
    ),
    new_printed(theorem, "output",
      scale = sigma_output, sensitivity = shift, node = node, iteration = iteration
    ),
    if (!is.null(test)) {
      new_printed(theorem, "test", epsilon = test$epsilon, node = test$node, iteration = 1)
    }
  )
}

#' DP-ADMM and DP-AccADMM of one data holder: Theorem 1 of dp-admm-accadmm.
#'
#' @param sensitivity the printed one, `c / n`.
#' @param mu split of epsilon.
#' @noRd
printed_gradient_admm <- function(sigma, sensitivity, mu, iteration) {
  new_printed("dp-admm-accadmm, Theorem 1", "output",
    scale = sigma, sensitivity = sensitivity, mu = mu, node = 1L, iteration = iteration
  )
}

#' Consensus ADMM with noise on every user's steps: Theorems 2, 3 and 4 of
#' noisy-fixed-point-admm.
#'
#' @param sigma standard deviation of eta.
#' @param step the most that a user's step can be moved, `gamma L`.
#' @param n number of users; `m`: how many take part in a round.
#' @param iteration of the releases: of all rounds in the central view, else of those in which
#'   the user who took part most did.
#' @noRd
printed_consensus_centralized <- function(sigma, step, n, iteration) {
  new_printed("noisy-fixed-point-admm, Theorem 2", "output",
    scale = sigma, sensitivity = 4 * step / n, iteration = iteration
  )
}

printed_consensus_federated <- function(sigma, step, n, m, iteration) {
  q <- m / n
  new_printed("noisy-fixed-point-admm, Theorem 3 (central)", "output",
    scale = sigma, sensitivity = 4 * step / n * sqrt(2), ratio = sigma * q * n / (4 * step),
    q = q, iteration = iteration
  )
}

printed_consensus_local <- function(sigma, step, iteration) {
  new_printed("noisy-fixed-point-admm, Theorem 3 (local)", "output",
    scale = sigma, sensitivity = 4 * step, iteration = iteration
  )
}

printed_consensus_walk <- function(sigma, step, n, iteration) {
  new_printed("noisy-fixed-point-admm, Theorem 4", "output",
    scale = sigma, sensitivity = 4 * step * sqrt(log(n) / n), ratio = sigma / (2 * step),
    iteration = iteration
  )
}

#' General ADMM: Theorem 7 of noisy-fixed-point-admm, `norm` times the sound sensitivity in
#' each of the `count` iterations.
#' @noRd
printed_general_admm <- function(sigma, sensitivity, norm, count) {
  new_printed("noisy-fixed-point-admm, Theorem 7", "output",
    scale = sigma, sensitivity = norm * sensitivity, count = count
  )
}
