# Plans of fp_admm() over several holders whose records are protected one by one: what one
# record can move, and what the program adds to that (vignette "privacy-accounting", section 6).

#' Weights of the holders' mean losses, of mean 1: those that make the mean over holders the
#' mean over records, or alike ones. With the former every record moves its holder's step, and
#' the mean, as much as any other, so that they are also the most precise ones for noise on the
#' mean (see party-weights).
#' @noRd
holder_weights <- function(problem) {
  if (identical(problem$weights, "nodes")) return(rep(1, problem$N))
  problem$N * problem$size / problem$records
}

#' A plan with a solver's tolerance for each holder, far below what a record can move.
#' @param tol as the user gave it, or `NULL`.
#' @noRd
with_holders <- function(plan, tol) {
  problem <- plan$problem
  private <- plan$budget$private
  if (is.finite(plan$grad_bound) && plan$grad_bound < problem$loss$lipschitz * problem$row_bound) {
    abort("argument", paste(
      'With unit = "record" leave `clip` at NULL: it cuts the gradient of a holder, not of a',
      'record. The slope of the "huber" loss is bounded.'
    ), argument = "clip")
  }
  if (private && is.infinite(problem$loss$lipschitz)) {
    abort("argument", sprintf(
      'A record may move the "%s" loss without bound: use "huber", or unit = "holder".',
      problem$loss$name
    ), argument = "loss")
  }
  if (private && is.null(tol)) {
    tol <- min(plan$solver_tol, 1e-7 * plan$weight * plan$grad_bound / problem$size)
  }
  plan$tol <- rep_len(if (is.null(tol)) plan$solver_tol else tol, problem$N)
  plan$sends <- plan$count
  # a record is at one holder, and only noise of that holder hides it
  if (plan$noise_on == "block" && !is.null(plan$budget$epsilon)) {
    plan$budget$epsilon <- rep(plan$budget$epsilon, problem$N)
  }
  plan
}

#' How far a holder's proximal step moves, between neighbours and from the same state.
#' @noRd
record_step <- function(plan) {
  2 * plan$prox_gamma * plan$grad_bound * plan$weight / plan$problem$size * plan$problem$per_person
}

#' Every holder is charged the turns of the one who has taken part most.
#' @noRd
holder_releases <- function(plan) {
  N <- plan$problem$N
  released <- seq_len(plan$rounds) + plan$late
  if (plan$noise_on == "aggregate") {
    moved <- holder_moved(plan, plan$most) / N
    return(new_releases("output", NA, released, round_up(moved, 32)))
  }
  turns <- released[turns_grow(plan)]
  moved <- pmin(2 * record_step(plan), 4 * plan$step_bound)
  new_releases("output", seq_len(N), rep(turns, each = N), round_up(moved, 32))
}

#' How far the state of a holder without noise moves at most in so many turns: by steps in one
#' direction and by steps across each other, with what the curvature of the other records takes
#' off; and as when all records of the holder are others.
#' @noRd
holder_moved <- function(plan, turns) {
  problem <- plan$problem
  step <- record_step(plan)
  lambda <- plan$lambda
  others <- 1 - 1 / problem$size
  kappa <- plan$prox_gamma * problem$loss$curvature * problem$row_bound^2 * plan$weight * others
  bend <- 1 + kappa / 2
  # without a difference of like numbers; a 0 over 0 is the 1 that it never exceeds
  left <- 1 - 2 * lambda
  crossing <- (left + kappa / 2) / (left + kappa * (1 - lambda))
  crossing[left == 0 & kappa == 0] <- 1
  most <- numeric(length(turns))
  whole <- problem$size / problem$per_person # of such steps
  for (i in which(!duplicated(cbind(step, kappa, whole)))) {
    along <- (1 + kappa[i]) * moved_share(lambda / (1 + kappa[i]), turns)
    across <- sqrt(crossing[i] * bend[i] * moved_share(lambda / bend[i], turns))
    all <- whole[i] * moved_share(lambda, turns)
    most <- pmax(most, step[i] * pmin(along, across, all))
  }
  most
}

#' What rounding and a solver that stops early do: to a step that is sent with noise of its own;
#' or to a state in every round, and to the sum of all. Tolerances and the distance of public
#' points from 0 are such that this is so whatever the records are.
#' @noRd
holder_rounding <- function(plan) {
  problem <- plan$problem
  N <- problem$N
  d <- problem$d
  T <- plan$rounds
  u <- .unit_roundoff
  gamma <- plan$prox_gamma
  step <- max(gamma * plan$grad_bound * plan$weight)
  noise <- max(plan$noise)
  reach <- (1 + min(1000, T)) * step + 10 * noise * sqrt(d * T)
  size <- 5 * reach # of all points, see rule_prox.c
  rounding <- solver_rounding(problem, plan$weight, 1 / gamma, size, plan$tol)
  gradient <- rounding$evaluated + rounding$model
  solved <- gamma * (1.01 * plan$tol + gradient)
  # solved, taken apart, and cut to its bound
  own <- 2 * solved + 32 * u * size + 2 * (d + 8) * u * step
  grid <- grid_slop(plan$noise, d)
  slop <- if (plan$noise_on == "block") {
    rep_len(grid, N) + own
  } else {
    grid + (T * max(own) + 8 * T * u * size) / N + sum_rounding(N, size) + 4 * u * size
  }
  condition <- 1 + gamma * plan$weight * problem$loss$curvature * problem$row_bound^2
  largest <- condition / gamma
  list(
    slop = slop, reach = reach, tol = gradient,
    steps = matrix(condition * log(pmax(10, 10 * largest * size / plan$tol)))
  )
}
