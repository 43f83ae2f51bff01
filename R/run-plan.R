# A plan carried out on records.

#' Run a plan.
#'
#' @param records list(x, y).
#' @param held list(index, size): whose each record is, see data-holders.R.
#' @param engine who carries it out, see run-engines.R.
#' @param quietly list(threads, progress): what of the control is not the plan's.
#' @return What the core answers, see run-spec.R.
#' @noRd
run_plan <- function(plan, records, held, key, engine = engine_local(), keep = FALSE,
                     control = plan$control) {
  bar <- progress_bar(control$progress, plan$iterations, "Rounds")
  on.exit(bar$done())
  result <- engine$run(plan, records, held, key, keep, control$threads, bar$tick)
  check_finished(result$status, result$begun, plan$events, plan$budget$delta,
    finite = plan$diverged, printed = printed_of(plan)
  )
  result
}
