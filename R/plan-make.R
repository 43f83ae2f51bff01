# A problem and a method make a plan: everything that a run will do, settled from public
# numbers. No function here has an argument that could carry a record.

#' The plan of a method for a problem.
#'
#' A plan is a list with `problem`, `method`, `budget`, `control`; `iterations`; the orders of
#' the run (`rule` of each round, `eta` and `theta` by party and round, `gamma` and `tol` by
#' party, and what else the family has); `releases`, and for a private run `noise` (as the
#' user would give it) and `scales` (as the parties and the server draw it); and `events`.
#' @param inference the kind of covariance that the fit shall have, or NULL.
#' @param aggregation of secure_sum(), or NULL.
#' @param key of what is random and public: who takes part, the walk, the order of blocks.
#' @noRd
make_plan <- function(problem, method, budget, iterations, control, key, inference = NULL,
                      aggregation = NULL) {
  secure <- secure_of(aggregation, method, problem, budget, control)
  settings <- list(iterations = iterations, control = control, key = key, secure = secure)
  settings$inference <- draft_inference(inference, method, problem, budget)
  budget$kept <- settings$inference$share
  if (budget$private) refuse_extremes(method, problem, budget, control)
  draft <- with_secure(draft_plan(method, problem, budget, settings), secure)
  plan <- structure(
    c(draft, list(method = method, control = control, private = budget$private)),
    class = "dpadmm_plan"
  )
  if (plan$private) plan <- with_rounding(method, plan) else plan$events <- exact_events(plan)
  check_secure_range(plan)
  check_scales(plan)
  if (!is.null(budget$noise)) check_stated(plan)
  plan$expected <- expected_of(plan)
  plan
}

#' Noise that the core would not draw, because its size has left the range of numbers.
#' @noRd
check_scales <- function(plan) {
  scales <- plan$scales
  hidden <- is.null(scales$objective) || is.null(scales$output) ||
    all(scales$objective == 0 | scales$output > 0)
  if (hidden && all(is.finite(unlist(scales, use.names = FALSE)))) return(invisible())
  argument <- farthest_out(plan$method, plan)
  abort("argument", sprintf(
    "The noise of what is sent would be beyond the range of numbers: `%s` is too far out.", argument
  ), argument = argument)
}

#' A run of given noise must have a statement: that there is none is an error now, not when
#' everything has been sent.
#' @noRd
check_stated <- function(plan) {
  events <- plan$events
  paper <- plan$control$accountant == "paper"
  if (paper && is.null(printed_of(plan))) abort_unprinted(events)
  # only noise that is next to none can cost more than there are numbers
  moved <- c(events$sensitivity / events$sigma, events$alpha * events$sensitivity)
  if (any(moved > 1e6, na.rm = TRUE)) {
    if (paper) events <- printed_of(plan)
    account(events, plan$budget$delta, view_accountant(events))
  }
  invisible()
}

#' What a family makes of a problem: `problem` and `budget` with what was left open settled,
#' `iterations`, orders, `releases`, and `shapes` of noise that a user may give.
#' @noRd
draft_plan <- function(method, problem, budget, settings) UseMethod("draft_plan")

# The most columns, or records where they are fewer, whose curvature is solved with.
.optimum_size <- 2000L

#' Whether the minimiser of a method with one model itself is asked for: no noise, no number of
#' iterations, no clip that makes another objective; and not too large for Newton's method.
#' @noRd
wants_model_optimum <- function(method, problem, budget, settings) {
  p <- method$parameters
  cut <- identical(p$clip_on, "step") || p$clip < problem$loss$lipschitz * problem$row_bound
  mixed <- !is.null(p$A) || !is.null(p$penalty) || inherits(problem$penalty, "dpadmm_regulariser")
  size <- if (mixed) problem$d else min(problem$d, problem$records)
  !budget$private && is.null(settings$iterations) && !(any(cut) && !is.null(p$clip)) &&
    size <= .optimum_size
}

#' Iterations of a method with one model: more where none of them costs anything.
#' @noRd
steps_of <- function(settings, budget, optimum = FALSE) {
  if (optimum) return(1L)
  if (!is.null(settings$iterations)) return(as.integer(settings$iterations))
  if (budget$private) 50L else 1000L
}

#' A draft with its noise: calibrated, or as given.
#' @noRd
protect <- function(method, plan) UseMethod("protect")

#' @export
protect.default <- function(method, plan) {
  found <- if (is.null(plan$budget$noise)) calibrated(plan) else list(unit = given(plan))
  with_unit(plan, shared_unit(plan, found$unit), found$order)
}

#' `plan$noise`, `plan$scales` and what else hangs on the unit (N x K, K noisy updates or 1).
#' @noRd
apply_unit <- function(method, plan, unit) UseMethod("apply_unit")

#' @param order that proves the budget of each party, or `NULL`.
#' @noRd
with_unit <- function(plan, unit, order = NULL) {
  plan <- apply_unit(plan$method, plan, unit)
  plan$events <- plan_events(plan, unit, order)
  plan
}

given <- function(plan) {
  given_units(plan$budget$noise, plan$problem$names, plan$updates, plan$shapes)
}

#' One unit a party that spends its budget, by the accountant the user asked for: list(unit = a
#' column, order = of each party, or `NA`).
#' @noRd
calibrated <- function(plan) {
  paper <- plan$control$accountant == "paper"
  events_of <- function(releases) {
    proved <- events_of_unit(releases, plan$budget$mechanism, plan$problem)
    if (!paper) return(proved)
    function(unit) {
      printed <- plan_printed(plan$method, plan, unit, releases, plan$view)
      if (is.null(printed)) abort_unprinted(proved(unit))
      printed
    }
  }
  found <- calibrate_units(plan, events_of, if (paper) "paper" else "best")
  list(unit = matrix(found$unit), order = found$order)
}

#' The unit of each release.
#' @noRd
release_units <- function(releases, unit) {
  # releases go by party, then by update, then by what they are of
  if (ncol(unit) > 1L) return(rep_len(as.vector(unit), nrow(releases)))
  unit[released_by(releases), 1L]
}

#' Who makes each release; the first where all do.
#' @noRd
released_by <- function(releases) replace(releases$node, is.na(releases$node), 1L)

plan_events <- function(plan, unit, order = NULL) {
  events <- release_events(
    plan$releases, release_units(plan$releases, unit), plan$budget$mechanism, plan$problem
  )
  if (!is.null(plan$tol)) events$tolerance <- max(plan$tol)
  if (!is.null(order)) events$order <- order[released_by(events)]
  of_parties(events, plan$problem)
}

#' What the method's paper prints of releases, seen by `view`; `NULL`: nothing.
#' @noRd
plan_printed <- function(method, plan, unit, releases, view) UseMethod("plan_printed")

#' @export
plan_printed.default <- function(method, plan, unit, releases, view) NULL

#' The table of printed statements of a finished plan.
#' @noRd
printed_of <- function(plan, view = plan$view) {
  # papers protect one record
  if (!plan$private || any(plan$problem$per_person > 1)) return(NULL)
  plan_printed(
    plan$method, plan, release_units(plan$releases, plan$unit), plan$releases, view
  )
}

#' Arguments that a method has no use for.
#' @noRd
unused_arguments <- function(method) UseMethod("unused_arguments")

#' @export
unused_arguments.default <- function(method) character()

#' Settings that would be ignored are an error.
#' @noRd
refuse_unused <- function(method, given) {
  if (length(unused <- intersect(unused_arguments(method), given))) {
    abort("argument", sprintf("%s does not use `%s`.", method$title, unused[1L]),
      argument = unused[1L]
    )
  }
}
