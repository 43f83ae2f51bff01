# Plans of PP-ADMM and IPP-ADMM: two noises, of the objective and of the inexact result, and
# perhaps a test, all from one unit, the size of the noise in the objective.

#' @noRd
#' @export
draft_plan.dpadmm_family_plausible <- function(method, problem, budget, settings) {
  plan <- NextMethod()
  p <- method$parameters
  printed <- settings$control$accountant == "paper"
  if (!printed && !(is.null(p$eps1) && is.null(p$eps3))) {
    abort("argument", '`eps1` and `eps3` are parameters of accountant = "paper".',
      argument = "eps1"
    )
  }
  plan$shapes <- "node"
  plan$updates <- 1L
  plan$sends <- plan$iterations
  if (method$name == "ipp_admm") plan <- plan_sends(plan, p)
  beta <- if (!is.null(p$beta)) p$beta else if (printed) 10^-3.5 else default_beta(problem, plan)
  plan$as_printed <- printed
  plan$beta <- per_party(beta, problem$names, "beta")
  plan$tol <- matrix(plan$beta, problem$N, plan$iterations)
  # draws of Gamma-norm noise are off by less
  pure <- budget$private && noise_mechanism(budget$mechanism)$pure
  plan$slop <- plan$tol * if (pure) 1e-4 else 0.005
  plan$query_slop <- if (!is.null(plan$test_settings)) numeric(problem$N)
  plan$test_share <- p$test_share
  split <- if (!is.null(p$split)) per_party(p$split, problem$names, "split")
  if (budget$private) {
    plan$chosen_split <- split
    plan$split <- if (is.null(split)) variance_split(plan) else split
  }
  if (!is.null(plan$test_settings)) plan <- with_test(plan)
  plan
}

plan_sends <- function(plan, p) {
  sends <- p$max_sends
  if (is.null(sends)) sends <- (2L * plan$iterations + 2L) %/% 3L
  if (sends > plan$iterations) {
    abort("argument", sprintf(
      "`max_sends` must be at most the number of iterations: %d > %d.", sends, plan$iterations
    ), argument = "max_sends", value = sends)
  }
  plan$sends <- sends
  plan$test_settings <- p[c("threshold", "loss_clip", "eps_ratio")]
  if (is.null(p$eps_ratio)) plan$test_settings$eps_ratio <- (2 * sends)^(2 / 3)
  plan
}

#' A hundredth of what a record moves; without noise losses may be as steep as they like.
#' @noRd
default_beta <- function(problem, plan) {
  problem$C <- plan$problem$C
  if (is.infinite(problem$loss$lipschitz)) problem$loss$lipschitz <- 1
  gradient_sensitivity(problem) / 100
}

#' Where the two noises enter: what a neighbour moves, over what it is then divided by. The
#' minimiser moves by `shift[, 1]`, the distance to it by `shift[, 2]`.
#' @noRd
shifts <- function(plan) {
  distance <- 2 * (plan$beta + plan$slop[, 1L])
  cbind(gradient_sensitivity(plan$problem), distance) / modulus_of(plan)[, 1L]
}

#' The split of least variance when the variances of both noises add, and a release costs
#' `(shift / noise)^2` (Gaussian noise; Gamma-norm noise at delta > 0, nearly) or `shift /
#' noise` (Gamma-norm noise, pure): then the variances are in the ratio of the shifts, or of
#' their powers 2/3.
#' @noRd
variance_split <- function(plan) {
  pure <- noise_mechanism(plan$budget$mechanism)$pure
  power <- if (!pure) 1 else if (plan$budget$delta > 0) 1 / 2 else 2 / 3
  weight <- shifts(plan)^power
  split <- weight[, 2L] / rowSums(weight)
  if (any(bad <- !(split < 1))) {
    place <- plan$problem$names[bad][1L]
    abort("argument", sprintf(paste0(
      "`beta` = %g is too large for node \"%s\": noise that hides it leaves nothing of the budget ",
      "for a record, which moves the gradient by %.2g at most. Use a `beta` of that size or less."
    ), plan$beta[bad][1L], place, gradient_sensitivity(plan$problem)[bad][1L]),
    argument = "beta", value = plan$beta[bad][1L], place = place)
  }
  split
}

#' A plan with this split (one a node) of what a release may cost: its releases, whose
#' weights link the noise on the result and the test's epsilon to the unit. Gaussian noise
#' spends squares of shift over noise, Gamma-norm noise the ratio itself.
#' @noRd
with_split <- function(plan, split) {
  printed <- plan$as_printed
  plan$split <- split
  problem <- plan$problem
  pure <- noise_mechanism(plan$budget$mechanism)$pure
  shift <- shifts(plan)
  modulus <- modulus_of(plan)[, 1L]
  odds <- (1 - split) / split
  result <- shift[, 2L] / shift[, 1L] / modulus * if (pure) odds else sqrt(odds)
  cost <- gradient_sensitivity(problem) # of one release with unit noise in the objective
  if (!pure) cost <- cost^2 / 2
  node <- rep(seq_len(problem$N), plan$sends)
  objective <- graph_releases(plan, seq_len(plan$sends))
  output <- new_releases("output", node, objective$iteration,
    sensitivity = shift[node, 2L], weight = result[node]
  )
  releases <- list(objective, output)
  if (!is.null(plan$test_share)) {
    share <- plan$sends * cost / (1 - split) * plan$test_share / (1 - plan$test_share)
    releases[[3L]] <- new_releases(
      if (printed) "printed_test" else "test", seq_len(problem$N), 1,
      sensitivity = 0, weight = 1 / if (pure) share else sqrt(2 * share)
    )
  }
  plan$releases <- join_releases(releases)
  plan$result_weight <- result
  plan
}

#' @noRd
#' @export
with_releases.dpadmm_family_plausible <- function(method, plan) with_split(plan, plan$split)

#' @noRd
#' @export
rounding_of.dpadmm_family_plausible <- function(method, plan) {
  needed <- NextMethod()
  least <- apply(needed$tol, 1L, max)
  if (any(bad <- least > plan$beta)) {
    place <- plan$problem$names[bad][1L]
    abort("argument", sprintf(
      "`beta` = %g is out of reach of double precision for node \"%s\": use at least %.2g.",
      plan$beta[bad][1L], place, 2 * max(least)
    ), argument = "beta", value = plan$beta[bad][1L], place = place)
  }
  if (!is.null(plan$test)) needed$query <- query_rounding(plan, needed$reach)
  needed
}

#' @noRd
#' @export
protect.dpadmm_family_plausible <- function(method, plan) {
  if (!is.null(plan$budget$noise)) return(with_unit(plan, given(plan)))
  if (plan$control$accountant == "paper") return(protect_as_printed(method, plan))
  if (is.null(plan$chosen_split)) plan <- with_split(plan, searched_split(plan))
  found <- calibrated(plan)
  with_unit(plan, found$unit, found$order)
}

#' The split of least total variance in the solution.
#'
#' `variance_split()` is exact when pure losses add, and for Gaussian noise but for what
#' curvature costs: there the odds of the best split are searched for at one party, as a multiple
#' of the formula's, which serves the others, too. They differ in sizes, degrees and budgets, and
#' the variance is flat around its minimum. For Gamma-norm noise a search, whose steps each take
#' as long as a calibration, gained nothing but 2% of the variance where it gained most.
#' @noRd
searched_split <- function(plan) {
  first <- plan$split
  if (noise_mechanism(plan$budget$mechanism)$pure) return(first)
  multiplied <- function(step) stats::plogis(stats::qlogis(first) + step)
  parties <- unlike_parties(plan)
  i <- order(parties$epsilon[parties$like], -parties$likely[parties$like])[1L]
  multiplied(best_step(plan, i, multiplied))
}

#' The step of the log odds at which party i's variance is least.
#' @noRd
best_step <- function(plan, i, multiplied) {
  tried <- function(step, near = NULL) {
    trial <- with_split(plan, multiplied(step))
    trial$releases <- trial$releases[trial$releases$node == i, , drop = FALSE]
    unit <- one_party_unit(trial, i, if (!is.null(near)) near(trial$split[i]))
    variance <- (unit / modulus_of(trial)[i, 1L])^2 + (unit * trial$result_weight[i])^2
    list(split = trial$split[i], unit = unit, log_variance = log(variance))
  }
  start <- tried(0)
  # what the objective's noise would be if its share were all that counted
  near <- function(split) start$unit * sqrt((1 - start$split) / (1 - split))
  found <- stats::optimize(function(step) {
    tryCatch(tried(step, near)$log_variance, dpadmm_error = function(e) 1e300)
  }, c(-0.6, 0.6), tol = 0.05)
  if (found$objective < start$log_variance) found$minimum else 0
}

#' The unit of party i alone.
#' @noRd
one_party_unit <- function(plan, i, near = NULL) {
  releases <- with_nodes(plan$releases, rep(1L, nrow(plan$releases)))
  epsilon <- plan$budget$epsilon[i]
  found <- units_in_core(releases, epsilon, plan)
  if (!is.null(found) && !anyNA(found)) return(found$unit)
  releases <- counted_releases(releases)
  if (is.null(near)) near <- likely_units(releases, epsilon, plan$budget, plan$problem)
  calibrate_parties(releases, function(releases) {
    events_of_unit(releases, plan$budget$mechanism, plan$problem)
  }, epsilon, plan$budget$delta, "best", near)$unit
}

#' @noRd
#' @export
apply_unit.dpadmm_family_plausible <- function(method, plan, unit) {
  scale <- noise_mechanism(plan$budget$mechanism)$scale
  plan$unit <- unit
  noise_scales(plan, scale(unit[, 1L]), scale(unit[, 1L] * plan$result_weight),
    if (!is.null(plan$test)) 1 / (unit[, 1L] * test_weight(plan))
  )
}

test_weight <- function(plan) {
  plan$releases$weight[plan$releases$part %in% c("test", "printed_test")]
}

#' @param epsilon of the test, one a node.
#' @noRd
noise_scales <- function(plan, objective, output, epsilon) {
  N <- plan$problem$N
  plan$noise <- list(objective = objective, output = output)
  plan$scales <- lapply(plan$noise, matrix, N, plan$iterations)
  if (is.null(plan$test)) plan else with_test(plan, epsilon)
}
