# About how much noise will do: where calibrations begin, and what plans weigh parties by.

#' The likely unit of each party.
#' @noRd
likely_of <- function(plan) {
  budget <- plan$budget
  # quick enough for all, where it takes no steps
  if (budget$delta > 0) {
    return(likely_units(placed_releases(plan), budget$epsilon, budget, plan$problem))
  }
  parties <- unlike_parties(plan)
  parties$likely[parties$like]
}

#' About the units that will do, of counted releases of the nodes 1, 2, ... For delta > 0 as if the
#' noise were Gaussian, composed exactly, and curvature and sampling cost or saved nothing:
#' Gamma-norm noise of scale s in d dimensions costs about as much as Gaussian noise of standard
#' deviation s sqrt(d). For pure budgets where losses that add up meet epsilon. `NA` where there is
#' no guess.
#' @noRd
likely_units <- function(counted, epsilon, budget, problem) {
  test <- counted$part %in% c("test", "printed_test")
  if (budget$delta == 0) {
    rows <- split(seq_along(test), numbers_factor(counted$node, length(epsilon)))
    return(unlist(Map(function(rows, epsilon) {
      likely_pure_unit(pick_releases(counted, rows), test[rows], epsilon, problem)
    }, unname(rows), epsilon)))
  }
  wide <- if (noise_mechanism(budget$mechanism)$pure) sqrt(problem$d) else 1
  cost <- counted$count * (counted$sensitivity / (counted$weight * wide))^2
  cost[test] <- 0
  budgets <- unique(epsilon[is.finite(epsilon)])
  of_one <- if (length(budgets)) likely_sigmas(budgets, budget$delta)
  of_one[match(epsilon, budgets)] * sqrt(group_sums(cost, counted$node, length(epsilon)))
}

# of budgets' logs: between these cubic pieces are off by 1e-5 at most
.likely_step <- 0.25

#' About gaussian_sigma(), of many budgets in between some.
#' @noRd
likely_sigmas <- function(epsilon, delta) {
  if (length(epsilon) <= 2L * .many_knots) return(likely_sigma(epsilon, delta))
  ends <- range(log(epsilon))
  knots <- 4L + as.integer(ceiling((ends[2L] - ends[1L]) / .likely_step))
  if (length(epsilon) <= knots) return(likely_sigma(epsilon, delta))
  at <- seq(ends[1L], ends[2L], length.out = knots)
  exp(stats::spline(at, log(likely_sigma(exp(at), delta)), xout = log(epsilon))$y)
}

likely_sigma <- function(epsilon, delta) {
  1 / core_call(.Call(ffi_gaussian, "mu", epsilon, rep(log(delta), length(epsilon))))
}

likely_pure_unit <- function(counted, test, epsilon, problem) {
  if (!is.finite(epsilon)) return(NA_real_)
  r <- pick_releases(counted, which(!test))
  needed <- sum(r$count * r$sensitivity / r$weight) + sum(1 / counted$weight[test])
  objective <- r[r$part == "objective", , drop = FALSE]
  pure_unit(objective, needed, epsilon, problem$loss$logistic_curvature)
}

#' The unit at which pure losses add up to epsilon: noise costs `needed` over the unit, and
#' curvature more the larger the unit is, so that the steps come down from above.
#' @param objective the releases that curvature costs something.
#' @noRd
pure_unit <- function(objective, needed, epsilon, logistic_curvature) {
  kappa <- objective$curvature / objective$modulus
  unit <- Inf
  for (step in 1:8) {
    shift <- objective$sensitivity / (objective$weight * unit)
    loss <- objective_pure_loss(shift, kappa, rep(logistic_curvature, length(kappa)))
    left <- epsilon - sum(objective$count * (loss - shift))
    if (!(left > 0 && needed > 0)) return(NA_real_)
    before <- unit
    unit <- needed / left
    if (unit > before * (1 - 1e-6)) break
  }
  unit
}
