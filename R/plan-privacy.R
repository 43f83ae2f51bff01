# The privacy statement of a plan, and of what was spent along the way.

#' @rdname privacy
#' @export
privacy.dpadmm_plan <- function(fit, accountant = c("sound", "paper"), delta = fit$budget$delta,
                                view = NULL, iterations = FALSE, ...) {
  check_no_dots(...)
  accountant <- check_choice(accountant, c("sound", "paper"), "accountant")
  check_number(delta, "delta", lower = 0, upper = 1, open_upper = TRUE)
  check_flag(iterations, "iterations")
  plan_privacy(fit, accountant, delta, view, iterations)
}

#' @param run what a fit adds to its plan: list(seeded, simulated, leaks, charged).
#' @noRd
plan_privacy <- function(plan, accountant, delta, view = NULL, iterations = FALSE,
                         run = list(seeded = FALSE, simulated = FALSE, leaks = plan$leaks)) {
  view <- check_view(plan, view)
  if (iterations) return(privacy_path(plan, accountant, delta, view))
  released <- plan_released(plan, accountant, view)
  out <- statement(released, delta, plan_facts(plan, released, view, run))
  out$view <- view
  out
}

#' The view to state, of those the plan has; NULL for plans with one view.
#' @noRd
check_view <- function(plan, view) {
  if (is.null(view)) return(plan$view)
  if (is.null(plan$views)) {
    abort("argument", "This fit has one view only: leave `view` at NULL.", argument = "view")
  }
  if (!(length(view) == 1L && view %in% plan$views)) check_choice(view, plan$views, "view")
  view
}

#' What is released, as it is proved or printed. Sound bounds hold for every view.
#' @noRd
plan_released <- function(plan, accountant, view = plan$view) {
  if (accountant == "sound" || !plan$private) return(plan$events)
  printed <- printed_of(plan, view)
  if (is.null(printed)) abort_unprinted(plan$events)
  printed
}

abort_unprinted <- function(events) {
  abort("accountant", sprintf(
    "The papers print no guarantee for %s here.", .mechanisms[[events$mechanism[1L]]]$words
  ), argument = "accountant")
}

#' The public facts that a statement mentions.
#' @noRd
plan_facts <- function(plan, released, view, run) {
  words <- plan$words
  problem <- plan$problem
  users <- problem$users
  told <- if (plan$private) words$released
  sees <- if (!is.null(view) && !is_secure(plan)) .view_words[[view]] else words$sees
  if (is.null(sees)) sees <- "Whoever sees every message between the nodes, and the model,"
  statement_facts(problem$names,
    per_person = if (any(problem$per_person > 1)) range(problem$per_person),
    user_level = problem$unit == "holder", users = if (isTRUE(users$named)) users$names,
    tolerance = if (!is.null(plan$tol)) max(plan$tol), rows = rows_words(problem$blueprint),
    seeded = run$seeded, simulated = run$simulated, leaks = run$leaks, audience = sees,
    released = if (is.null(told)) release_words(plan$events, released) else told,
    stated = if (plan$private) c(words$bound, record_words(problem$blueprint)),
    counted = counted_holders(problem), charged = run$charged,
    smallest = if (is.null(users)) min(problem$size) else length(users$size)
  )
}

#' Whose numbers of records the guarantee takes for public: neighbours have the same.
#' @noRd
counted_holders <- function(problem) {
  if (!is.null(problem$users)) "holder" else if (problem$N > 1L) "node"
}

#' The statement that is printed: what is proved, or for a run of which nothing is proved, the
#' printed claim with its caveat.
#' @param x a plan or a fit.
#' @noRd
shown_privacy <- function(x) {
  tryCatch(privacy(x), dpadmm_error_accountant = function(e) privacy(x, "paper"))
}

#' Privacy spent up to each iteration.
#' @noRd
privacy_path <- function(plan, accountant, delta = plan$budget$delta, view = plan$view) {
  released <- plan_released(plan, accountant, view)
  if (!plan$private) {
    return(data.frame(iteration = seq_len(plan$iterations), epsilon = Inf))
  }
  at <- sort(unique(released$iteration))
  # a picture needs no more points than this
  if (length(at) > 200L) at <- at[unique(round(seq(1, length(at), length.out = 200L)))]
  spent <- vapply(at, function(t) {
    before <- released[released$iteration <= t, , drop = FALSE]
    account(before, delta, view_accountant(before))$epsilon
  }, 0)
  data.frame(iteration = at, epsilon = spent)
}

#' Epsilon at many deltas.
#' @noRd
privacy_curve <- function(plan, accountant = "sound", delta = 10^seq(-10, -2, length.out = 9L)) {
  released <- plan_released(plan, accountant)
  epsilon <- vapply(delta, function(d) account(released, d, view_accountant(released))$epsilon, 0)
  data.frame(delta = delta, epsilon = epsilon, accountant = accountant)
}

#' NULL where an accountant has nothing to say.
#' @noRd
if_accounted <- function(value) {
  tryCatch(value,
    dpadmm_error_accountant = function(e) NULL, dpadmm_error_theorem = function(e) NULL
  )
}
