# Rounding in the problems that nodes solve, and when their solver is sure to end.

#' The most gradient steps of the core's solver (SURE_PLAIN in node_solver.c).
#' @noRd
.most_steps <- 1e7

#' Rounding in a node's solver and draws, within `reach`: see the vignette for each line.
#' @noRd
#' @export
rounding_of.dpadmm_family_graph <- function(method, plan) {
  problem <- plan$problem
  mechanism <- noise_mechanism(plan$budget$mechanism)
  d <- problem$d
  modulus <- modulus_of(plan)
  objective <- draw_bounds(mechanism, plan$scales$objective, d)
  gradient <- problem$C * problem$loss$lipschitz * problem$row_bound
  # a model walks with the gradients, and at random with the noise; a node with a small weight
  # follows the others as far as they go
  rounds <- plan$iterations
  far <- function(scale) {
    most <- draw_bounds(mechanism, scale, d)$most
    2 * most + ifelse(most > 0, 5 * sqrt(rounds * d) * mechanism$sd(scale, d), 0)
  }
  steps <- (10 + min(1000, rounds) / 2) * gradient + far(plan$scales$objective) + plan$tol
  own <- steps / modulus + far(plan$scales$output)
  reach <- max(own) + 10 * sqrt(colSums(plan$start^2))
  # no square of what is added up may leave the range of numbers
  if (max(modulus) * max(reach) > 1e150) reach <- Inf + reach
  curvature <- problem$C * problem$loss$curvature * problem$row_bound^2
  rounding <- solver_rounding(problem, problem$C, modulus, reach, plan$tol, objective$most)
  sent <- grid_slop(plan$scales$output, d, mechanism)
  solved <- rounding$evaluated + rounding$model + objective$error
  # what a solver is asked for must be above what it can see
  largest <- modulus + curvature
  condition <- largest / modulus
  list(
    slop = solved + modulus * sent, reach = reach, moment = moment_slop(plan),
    tol = solved,
    steps = condition * log(pmax(10, 10 * largest * reach / plan$tol))
  )
}

#' Rounding in the gradient of `weight` times a party's mean loss plus modulus / 2 times the
#' square of points of norm at most `size`, for a solver that stops at `tol` (Lemma 13).
#' @param linear norm of what else is added to it.
#' @return list(evaluated = of the gradient at a point, model = of a model's).
#' @noRd
solver_rounding <- function(problem, weight, modulus, size, tol, linear = 0) {
  u <- .unit_roundoff
  n <- problem$size
  d <- problem$d
  loss <- problem$loss
  slope <- weight * problem$row_bound * loss$lipschitz
  curvature <- weight * problem$row_bound^2 * loss$curvature
  shifted <- !is.null(problem$blueprint$offset) # an offset is added to each margin
  slopes <- 4 * max(1, loss$lipschitz) + (1 + shifted) * loss$curvature
  list(
    # margins, derivatives, their sum, and what is added to it
    evaluated = curvature * 5 * (d + 6) * u * size + weight * problem$row_bound * slopes * u +
      sum_rounding(pmin(n, 16384) + n / 16384, slope) +
      16 * u * (slope + 2.2 * modulus * size + linear) + (d + 4) * u * tol,
    model = 2 * sum_rounding(n, curvature / problem$row_bound) # its curvature
  )
}

#' That gradient steps from 0 to the solution arrive before the core gives up, whatever the
#' records: section 7.5 of the vignette.
#' @param steps of each party and round, at most; `NULL`: there is no such solver.
#' @noRd
check_steps <- function(problem, steps) {
  if (all(steps <= .most_steps)) return(invisible())
  place <- problem$names[row(steps)[which(steps > .most_steps)[1L]]]
  on_graph <- !is.null(problem$network)
  abort("argument", sprintf(paste(
    "The problem of node \"%s\" is too ill-conditioned for a solver that must end whatever the",
    "records are: %s."
  ), place, if (on_graph) {
    "raise `eta` or `rho`, or lower `C` or `row_bound`"
  } else {
    "lower `gamma` or `row_bound`, or give the loss a larger width"
  }), argument = if (on_graph) "eta" else "gamma", place = place)
}
