# The one shape of a fit, whatever the method.

#' @param result what the core answers: `f` (d x parties), `iterates`, `gap`, `step`, ...
#' @noRd
new_fit <- function(plan, result, records, seeded) {
  problem <- plan$problem
  result <- split_result(plan, result)
  columns <- coefficient_names(records$blueprint)
  models <- t(result$f)
  dimnames(models) <- list(model_names(problem), columns)
  iterates <- result$iterates
  if (!is.null(iterates)) {
    dimnames(iterates) <- c(
      list(NULL), if (length(dim(iterates)) == 3L) list(problem$names), list(columns)
    )
  }
  trace <- list2DF(list(iteration = seq_len(plan$iterations)))
  trace$gap <- result$gap
  trace$step <- result$step
  structure(c(
    list(
      coefficients = models, iterates = iterates, trace = trace, events = plan$events,
      noise = plan$noise, nodes = list(names = problem$names, size = problem$size), plan = plan,
      blueprint = records$blueprint, seeded = seeded, simulated = result$simulated,
      converged = has_converged(plan, trace, isTRUE(result$arrived)),
      leaks = if (plan$private) c(records$leaks, plan$leaks)
    ),
    sending(result$sent, problem), result$extra, list(states = result$states)
  ), class = "dpadmm_fit")
}

#' Of a split, the last iterates or their means.
#' @noRd
split_result <- function(plan, result) {
  if (is.null(plan$constraint)) return(result)
  all <- result$extra
  mean <- plan$average != "last"
  if (mean) result$f <- matrix(all$mean_x)
  result$extra <- list(y = if (mean) all$mean_y else all$y, u = all$u)
  result
}

#' Who sent when, and the messages this saved.
#' @noRd
sending <- function(sent, problem) {
  if (is.null(sent)) return(NULL)
  dimnames(sent) <- list(problem$names, NULL)
  degree <- receivers(problem)
  count <- sum(rowSums(sent) * degree)
  list(sends = sent, messages = c(sent = count, saved = sum(degree) * ncol(sent) - count))
}

#' Run a plan on records; what was sent makes a fit.
#' @noRd
fit_plan <- function(plan, records, held, key, seed, control = plan$control, ledger = NULL) {
  as_before <- limit_blas(control$threads)
  on.exit(as_before())
  warn_of_noise(plan)
  say_unit(plan)
  charged <- charge_fit(ledger, plan, records$leaks)
  run <- function(plan, keep) {
    run_plan(plan, records, held, key, keep = keep, control = control)
  }
  keep <- keeps_iterates(plan, control)
  result <- run(plan, keep || !is.null(plan$inference))
  fit <- new_fit(plan, result, records, seeded = !is.null(seed))
  fit <- with_inference(fit, result, function(plan) run(plan, FALSE))
  if (!keep) fit["iterates"] <- list(NULL)
  fit$ledger <- charged
  warn_unless_converged(fit)
  fit
}

#' Iterates of one model are kept unless the user says otherwise, those of many nodes are not.
#' @noRd
keeps_iterates <- function(plan, control) {
  if (is.null(control$keep_iterates)) is.null(plan$problem$network) else control$keep_iterates
}
