# PP-ADMM and IPP-ADMM as printed: Algorithms 1 and 2 of plausible-admm, lines 3, 6, 9 and 11.

#' The printed privacy parameters of every node: rho1, eps1 and eps3 of one noise in the
#' objective, rho2 of one noise on the result, and the test's epsilon.
#' @noRd
printed_parameters <- function(method, plan) {
  p <- method$parameters
  if (noise_mechanism(plan$budget$mechanism)$pure) {
    abort("accountant", "The printed rules are for Gaussian noise: they need `delta` > 0.",
      argument = "delta"
    )
  }
  names <- plan$problem$names
  log_odds <- -log(plan$budget$delta)
  total <- plan$budget$epsilon^2 / (4 * log_odds)
  test <- if (!is.null(p$test_share)) total * p$test_share
  share <- (total - if (is.null(test)) 0 else test) / plan$sends
  split <- if (is.null(p$split)) rep(0.001, length(names)) else per_party(p$split, names, "split")
  rho1 <- share * (1 - split)
  eps1 <- rho1 + 2 * sqrt(rho1 * log_odds)
  if (!is.null(p$eps1)) {
    if (!is.null(p$split)) {
      abort("argument", "Give `split` or `eps1`, not both.", argument = "eps1")
    }
    eps1 <- per_party(p$eps1, names, "eps1")
    split <- 1 - eps1^2 / (4 * log_odds) / share
    if (any(split <= 0)) {
      abort("budget", sprintf(
        "`eps1` = %g spends more than `epsilon` allows one release: at most %g.", max(eps1),
        min(2 * sqrt(share * log_odds))
      ), argument = "eps1", value = p$eps1)
    }
  }
  eps3 <- if (is.null(p$eps3)) 0.99 * eps1 else per_party(p$eps3, names, "eps3")
  if (any(eps1 <= eps3)) {
    abort("argument", sprintf(
      "`eps1` must be larger than `eps3`: %g <= %g.", min(eps1), max(eps3)
    ), argument = "eps3", value = p$eps3)
  }
  list(
    eps1 = eps1, eps3 = eps3, rho2 = share * split, split = split,
    test = if (!is.null(test)) sqrt(2 * test)
  )
}

#' The plan with the printed noise; its rho is raised to lambda-hat (line 3).
#' @noRd
protect_as_printed <- function(method, plan) {
  q <- printed_parameters(method, plan)
  problem <- plan$problem
  added <- problem$loss$curvature * problem$C * problem$row_bound^2 / problem$size
  plan$problem$rho <- max(problem$rho, 2.8 * problem$N * added / (q$eps1 - q$eps3))
  plan <- with_split(plan, q$split)
  scaled_to <- if (method$name == "ipp_admm") q$eps1 else q$eps3
  sd <- sqrt(2 * log(1.25 / plan$budget$delta))
  objective <- gradient_sensitivity(problem) * sd / scaled_to
  output <- plan$beta / (sqrt(2 * q$rho2) * modulus_of(plan)[, 1L])
  plan$unit <- matrix(objective)
  # the two noises and the test are not linked as calibrated ones are
  rows <- plan$releases$part
  node <- plan$releases$node
  plan$releases$weight[rows == "output"] <- (output / objective)[node[rows == "output"]]
  if (!is.null(q$test)) {
    rows <- rows == "printed_test"
    plan$releases$weight[rows] <- (1 / (q$test * objective))[node[rows]]
  }
  plan <- noise_scales(plan, objective, output, q$test)
  plan$events <- plan_events(plan, plan$unit)
  plan
}

#' Theorems 2 and 5, for Gaussian noise.
#' @noRd
#' @export
plan_printed.dpadmm_family_plausible <- function(method, plan, unit, releases, view) {
  mechanism <- noise_mechanism(plan$budget$mechanism)
  if (mechanism$pure) return(NULL)
  part <- function(name) releases$part == name
  sd <- mechanism$scale(unit * releases$weight)
  first <- part("objective")
  test <- part("test") | part("printed_test")
  node <- releases$node[first]
  printed_plausible_admm(sd[first], sd[part("output")],
    sensitivity = releases$sensitivity[first],
    shift = (plan$beta / modulus_of(plan)[, 1L])[releases$node[first]],
    curvature = releases$curvature[first], ridge = plan$problem$rho / plan$problem$N,
    node = node, iteration = releases$iteration[first],
    test = if (any(test)) {
      list(epsilon = round_up(1 / (unit * releases$weight)[test]), node = releases$node[test])
    }
  )
}
