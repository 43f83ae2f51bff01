# From a plan's releases and a budget to the size of its noise: one calibration for all
# methods.

#' The unit of noise of every party that spends its budget: alike parties are calibrated once.
#' @param events a function of counted releases and a unit (one, or one a release): their
#'   events, or what a paper prints of them.
#' @noRd
calibrate_units <- function(plan, events, accountant) {
  epsilon <- plan$budget$epsilon
  counted <- counted_by_party(plan)
  likely <- likely_units(counted, plan$budget, plan$problem)
  like <- like_parties(counted, epsilon)
  i <- unique(like)
  unit <- calibrate_parties(counted[i], events, epsilon[i], plan$budget$delta, accountant,
    likely[i])
  unit[match(like, i)]
}

#' The units of unlike parties: in step, each near where it should be, and what that does not
#' find one by one.
#' @param counted a list of releases, one a party.
#' @param epsilon,likely one a party.
#' @noRd
calibrate_parties <- function(counted, events, epsilon, delta, accountant, likely) {
  sampled <- vapply(counted, function(releases) any(releases$q < 1), NA)
  unit <- rep(NA_real_, length(counted))
  # printed statements say nothing of the party that released
  i <- if (accountant != "paper") which(is.finite(likely) & likely > 0 & !sampled)
  if (length(i)) {
    unit[i] <- calibrate_together(counted[i], events, epsilon[i], delta, accountant, likely[i])
  }
  for (i in which(is.na(unit))) {
    unit[i] <- calibrate_unit(
      function(unit) events(counted[[i]], unit), epsilon[i], delta, accountant, likely[i],
      sampled = sampled[i]
    )
  }
  unit
}

#' `NA` where there is none near the likely one.
#' @noRd
calibrate_together <- function(counted, events, epsilon, delta, accountant, likely) {
  pool <- lapply(seq_along(counted[[1L]]), function(column) {
    unlist(lapply(counted, `[[`, column))
  })
  names(pool) <- names(counted[[1L]])
  pool$node <- rep(seq_along(counted), vapply(counted, nrow, 0L))
  pool <- structure(pool, class = "data.frame", row.names = .set_row_names(length(pool$node)))
  excess <- function(x, i) {
    releases <- pick_releases(pool, which(pool$node %in% i))
    unit <- (likely[i] * exp(x))[match(releases$node, i)]
    spent <- fold_events(check_releases(events(releases, unit)), delta, accountant)$per_node
    log_excess(spent$epsilon[match(i, spent$node)], epsilon[i])
  }
  found <- likely * exp(solve_together(excess, length(counted)))
  found[found <= likely * 1e-12] <- NA
  found
}

#' The releases of every party that has a budget, alike ones counted.
#' @noRd
counted_by_party <- function(plan) {
  releases <- plan$releases
  node <- ifelse(is.na(releases$node), 1L, releases$node)
  own <- split(seq_along(node), factor(node, seq_along(plan$budget$epsilon)))
  lapply(unname(own), function(rows) counted_releases(pick_releases(releases, rows)))
}

#' @param counted the releases of every party.
#' @noRd
likely_units <- function(counted, budget, problem) {
  like <- like_parties(counted, budget$epsilon)
  first <- unique(like)
  unit <- mapply(likely_unit, counted[first], budget$epsilon[first],
    MoreArgs = list(budget = budget, problem = problem)
  )
  unit[match(like, first)]
}

#' The first party with the same releases and budget, for each party.
#' @noRd
like_parties <- function(counted, epsilon) {
  text <- function(x) if (is.double(x)) sprintf("%a", x) else as.character(x)
  key <- vapply(seq_along(counted), function(i) {
    table <- unclass(counted[[i]])[setdiff(names(counted[[i]]), c("node", "iteration"))]
    paste(c(text(epsilon[i]), unlist(lapply(table, text))), collapse = " ")
  }, "")
  match(key, key)
}

#' Groups of alike parties, neighbours in budget and noise next to each other.
#' @noRd
alike_parties <- function(counted, epsilon, likely) {
  groups <- unname(split(seq_along(counted), like_parties(counted, epsilon)))
  first <- vapply(groups, `[`, 1L, 1L)
  groups[order(epsilon[first], -likely[first])]
}

#' About the unit that will do. For delta > 0 as if the noise were Gaussian, composed exactly,
#' and curvature and sampling cost or saved nothing: Gamma-norm noise of scale s in d dimensions
#' costs about as much as Gaussian noise of standard deviation s sqrt(d). For pure budgets where
#' losses that add up meet epsilon. `NA` where there is no guess.
#' @noRd
likely_unit <- function(counted, epsilon, budget, problem) {
  if (!is.finite(epsilon)) return(NA_real_)
  test <- counted$part %in% c("test", "printed_test")
  r <- counted[!test, , drop = FALSE]
  if (budget$delta == 0) {
    needed <- sum(r$count * r$sensitivity / r$weight) + sum(1 / counted$weight[test])
    objective <- r[r$part == "objective", , drop = FALSE]
    return(pure_unit(objective, needed, epsilon, problem$loss$logistic_curvature))
  }
  wide <- if (noise_mechanism(budget$mechanism)$pure) sqrt(problem$d) else 1
  gaussian_sigma(epsilon, budget$delta, 1) *
    sqrt(sum(r$count * (r$sensitivity / (r$weight * wide))^2))
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

#' The unit at which one party's events just meet its budget.
#' @param events a function of the unit.
#' @param near where the answer is expected; it may be wrong. `NA`: nowhere.
#' @param sampled whether releases read random samples: that only lowers the cost, so the
#'   answer is below `near`, and sampled divergences at very small noise are slow.
#' @noRd
calibrate_unit <- function(events, epsilon, delta, accountant, near, sampled = FALSE) {
  # in units of what is expected: how much noise a budget asks for is not told by its units
  likely <- is.finite(near) && near > 0
  if (!likely) near <- 1
  relative <- function(unit) events(near * unit)
  solve <- function(...) near * calibrate(relative, epsilon, delta, accountant, ...)
  if (sampled && likely) {
    low <- 1
    repeat {
      low <- low / 1.5
      if (fold_events(relative(low), delta, accountant)$epsilon > epsilon) break
    }
    return(solve(interval = c(low, 2)))
  }
  tryCatch(solve(), dpadmm_error_argument = function(e) {
    if (!identical(e$argument, "interval")) stop(e)
    abort("argument", sprintf(
      "`epsilon` = %g asks for next to no noise; for none, use Inf.", epsilon
    ), argument = "epsilon", value = epsilon)
  })
}

#' The user's noise as one unit a party and noisy update: N x K, matched by name where the
#' numbers, or the rows of the matrix, have names.
#' @param shapes which shapes the method takes besides one number: "node" (one a party),
#'   "matrix" (N x K).
#' @noRd
given_units <- function(noise, names, K, shapes = c("node", "matrix")) {
  N <- length(names)
  scale <- noise$scale
  given <- if (is.matrix(scale)) rownames(scale) else names(scale)
  if (!is.null(given) && N > 1L) {
    order <- party_order(given, names, noise_mechanism(noise$mechanism)$scale_name)
    scale <- if (is.matrix(scale)) scale[order, , drop = FALSE] else scale[order]
  }
  fits <- if (is.matrix(scale)) {
    "matrix" %in% shapes && identical(dim(scale), c(N, K))
  } else {
    length(scale) == 1L || ("node" %in% shapes && length(scale) == N)
  }
  if (!fits) {
    allowed <- c("one number", if ("node" %in% shapes) sprintf("%d (one a node)", N),
      if ("matrix" %in% shapes) sprintf("a %d x %d matrix (nodes x noisy updates)", N, K)
    )
    abort("shape", sprintf(
      "The noise must be %s, not %s.", paste(allowed, collapse = " or "),
      paste(if (is.matrix(scale)) dim(scale) else length(scale), collapse = " x ")
    ), argument = "noise", value = if (is.matrix(scale)) dim(scale) else length(scale))
  }
  matrix(noise_mechanism(noise$mechanism)$size(as.vector(scale)), N, K)
}
