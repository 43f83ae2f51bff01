# How well a node's problem can be solved in doubles, from public numbers.

#' A bound on the gradient at which a node's solver stops that holds whatever the records are:
#' what rounding may add to the tolerance, one number a node.
#'
#' A solver stops once the gradient it computes has norm `tol`, or 64 ulp of the sum of the norms
#' of its three terms: the data's, which is at most G = C lipschitz row_bound (the weights of a
#' node's records add up to C), modulus f and the linear one. Where it stops the terms cancel but
#' for tol, so modulus ||f|| <= G + linear + tol, and the sum of the norms is at most twice
#' G + linear + tol. The gradient it computes is in turn off the true one by
#'
#' * a sum of `size` weighted rows, each a derivative of a loss times d entries:
#'   (size + 16) u G with u = 2^-53, as bounded for sums in any order;
#' * derivatives at margins that are off by (d + 2) u row_bound ||f|| (inner products of d
#'   terms): at most C curvature row_bound times that;
#' * the sum of the three terms: 4 u of their norms;
#' * margins that were updated, and not computed, along the way: the solver computes them anew
#'   before they make half of what it stops at.
#'
#' So for a gradient norm of at most beta ask for the tolerance beta - gradient_rounding().
#'
#' @param problem its public numbers `C`, `loss`, `row_bound`, `size`, `d`.
#' @param linear norm of the linear term: public, and noise that reads no record.
#' @param modulus strong convexity of the nodes' problems.
#' @param tol gradient norm that is asked for.
#' @return A number a node, an affine function of `linear`; `Inf` for losses without a Lipschitz
#'   constant.
#' @noRd
gradient_rounding <- function(problem, linear, modulus, tol = 0) {
  ulp <- 2^-52
  data <- problem$C * problem$loss$lipschitz * problem$row_bound
  most <- data + linear + tol # modulus ||f||
  stops <- 1.5 * 64 * ulp * 2 * most
  sums <- (problem$size + 16) * ulp / 2 * data + 4 * ulp * most
  steep <- problem$C * problem$loss$curvature * problem$row_bound^2 / modulus
  margins <- steep * (problem$d + 2) * ulp / 2 * most
  round_up(stops + sums + margins, 64)
}

#' A private plan whose nodes send inexact solutions, which noise hides for a gradient of norm
#' beta, must have a beta that can be had: twice what rounding makes where the linear term is the
#' noise alone.
#' @noRd
check_beta <- function(plan) {
  problem <- plan$problem
  scale <- plan$scales$objective[, 1L]
  noise <- sqrt(problem$d) * noise_mechanism(plan$budget$mechanism)$sd(scale, problem$d)
  least <- 2 * gradient_rounding(problem, noise, modulus_of(plan)[, 1L], plan$beta)
  if (any(bad <- plan$beta < least)) {
    abort("argument", sprintf(paste(
      "`beta` = %g is out of reach for node \"%s\": rounding alone makes gradients of norm %.2g",
      "in its problem. Use at least %.2g."
    ), plan$beta[bad][1L], problem$names[bad][1L], least[bad][1L] / 2, max(least)),
    argument = "beta", value = plan$beta[bad][1L], place = problem$names[bad][1L]
    )
  }
  plan
}
