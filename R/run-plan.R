# A plan carried out on records.

#' Run a plan.
#'
#' @param records list(x, y).
#' @param held whose each record is, see record_index().
#' @param engine who carries it out, see run-engines.R; `NULL`: as `control` says.
#' @param tick a function of the number of finished rounds; `NULL`: as `control` says.
#' @param control its `engine`, `threads` and `progress` are a run's own, not the plan's.
#' @return What the core answers, see run-spec.R.
#' @noRd
run_plan <- function(plan, records, held, key, engine = NULL, keep = FALSE,
                     control = plan$control, tick = NULL) {
  if (isTRUE(plan$optimum) && is.null(engine)) {
    if (!on_graph(plan$method)) return(run_model_optimum(plan, records, held, keep))
    return(run_optimum(plan, records, held, key, keep, control$threads))
  }
  if (is.null(engine)) engine <- engines_table()[[control$engine]]()
  bar <- progress_bar(control$progress, plan$iterations, "Rounds")
  on.exit(bar$done())
  if (is.null(tick)) tick <- bar$tick
  result <- engine$run(plan, records, held, key, keep, control$threads, tick)
  if (!is.null(result$condition)) abort_engine(result, plan)
  check_finished(result$status, result$begun, plan$events, plan$budget$delta,
    finite = plan$diverged, printed = printed_of(plan)
  )
  result$simulated <- engine$simulated && in_one_place(plan)
  result
}

#' Whether a run of several parties in one process would be a simulation of theirs.
#' @noRd
in_one_place <- function(plan) !(by_gradients(plan$method) && plan$problem$N == 1L)

#' An engine that could not go on ends the run with its own words, and what had been spent.
#' @noRd
abort_engine <- function(result, plan) {
  spent <- spent_so_far(plan$events, result$begun, plan$budget$delta, printed_of(plan))
  condition <- result$condition
  of_site <- inherits(condition, "dpadmm_error_site")
  abort(if (of_site) "site" else "engine", sprintf(
    "In iteration %d: %s %s", result$begun, conditionMessage(condition), spent$words
  ), spent = spent$guarantee, iteration = result$begun, parent = condition,
  argument = condition$argument, place = condition$place)
}
